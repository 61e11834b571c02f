"""The model's watch traces held against what real Kubernetes 1.36 did."""

from __future__ import annotations

import pytest
from compare_watch import compare
from node_recordings import NODES
from pressure_recordings import PRESSURE
from printed import plain
from recordings import DATA, Scenario, model_trace, recording
from run_recordings import RUNS
from start_recordings import STARTS
from workload_recordings import WORKLOADS

SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: web, namespace: s1}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
"""
EXITS_IN_1S = {"on-sigterm": "drain=1s"}

COVERED: dict[str, Scenario] = {
    "apply-deployment": Scenario(("150ms apply m:later",), "10s", extra=SERVICE),
    "delete-pod": Scenario(("48ms delete pod/s2/web-1",), "20s", images=("app:v1",)),
    "delete-pod-finalizer": Scenario(
        (
            "0s add-finalizer pod/s2/web-1 example.com/hold",
            "78ms delete pod/s2/web-1 wait=false",
            "18050ms remove-finalizer pod/s2/web-1 example.com/hold",
        ),
        "25s",
        images=("app:v1",),
    ),
    "delete-pod-force": Scenario(("50ms delete pod/s2/web-1 force=true",), "20s", images=("app:v1",)),
    "delete-pod-second-shorter": Scenario(
        ("48ms delete pod/s2/stubborn-1 wait=false", "4060ms delete pod/s2/stubborn-1 grace=5"),
        "40s",
        images=("app:v1",),
    ),
    "delete-pod-sigterm-ignored": Scenario(("48ms delete pod/s2/stubborn-1",), "40s", images=("app:v1",)),
    "kubelet-termination": Scenario(
        (
            (
                "60ms delete pod/k-term/exec-pid1 pod/k-term/graceful pod/k-term/ignore pod/k-term/prestop-fails "
                "pod/k-term/prestop-long pod/k-term/prestop-long-ignore pod/k-term/prestop-short "
                "pod/k-term/prestop-sleep pod/k-term/second pod/k-term/shell-pid1 pod/k-term/sidecar "
                "pod/k-term/two-containers "
                "pod/k-term/unready-on-term pod/k-term/zero-grace wait=false"
            ),
            "5060ms delete pod/k-term/second grace=3 wait=false",
        ),
        "60s",
        behaviour={
            "exec-pid1": {"on-sigterm": "ignore"},
            "graceful": EXITS_IN_1S,
            "ignore": {"on-sigterm": "ignore"},
            "prestop-fails": EXITS_IN_1S | {"pre-stop": "fails"},
            "prestop-long": EXITS_IN_1S,
            "prestop-long-ignore": {"on-sigterm": "ignore"},
            "prestop-short": EXITS_IN_1S,
            "prestop-sleep": EXITS_IN_1S,
            "second": {"on-sigterm": "ignore"},
            "shell-pid1": {"on-sigterm": "ignore"},
            "sidecar": {"main.on-sigterm": "drain=3s", "s1.on-sigterm": "drain=1s", "s2.on-sigterm": "drain=1s"},
            "two-containers": {"fast.on-sigterm": "drain=1s", "slow.on-sigterm": "drain=6s"},
            "unready-on-term": {"on-sigterm": "drain=9s", "health": "exec: ok; on-sigterm: fail"},
            "zero-grace": EXITS_IN_1S,
        },
        images=("docker.io/library/bb:1",),
    ),
    "replicaset-slow-start": Scenario(("90ms apply m:later",), "10s"),
    **NODES,
    **WORKLOADS,
    **STARTS,
    **PRESSURE,
    **RUNS,
}

# Recordings without a trace: a table that tests/kube holds the rules against.
TABLES = frozenset({"pdb-percentages"})


def test_every_recording_is_covered() -> None:
    found = {path.stem for path in DATA.glob("*.json")}
    assert found == COVERED.keys() | TABLES


MEASURES = ("recall", "precision", "order", "timing")


def scored(name: str) -> dict[str, float]:
    """The tool's score; what a recording has no rows for (times from 1 s on) is left out, as it says nothing."""
    truth = recording(name)["trace"]
    score: dict[str, float] = compare(plain(truth), plain(model_trace(name, COVERED[name])))
    late = any(entry["t"] >= 1 for entry in truth)
    return score if late else {key: value for key, value in score.items() if key != "timing"}


@pytest.mark.parametrize("name", COVERED)
def test_no_recording_is_matched_badly(name: str) -> None:
    score = scored(name)
    assert min(score[key] for key in MEASURES if key in score) >= 0.75, score


def test_the_covered_recordings_are_matched_well_together() -> None:
    scores = [scored(name) for name in COVERED]
    truth, model = sum(row["truth"] for row in scores), sum(row["model"] for row in scores)
    matched = sum(row["recall"] * row["truth"] for row in scores)
    late = [row for row in scores if "timing" in row]
    assert matched / truth >= 0.9
    assert matched / model >= 0.9
    assert sum(row["order"] * row["truth"] for row in scores) / truth >= 0.97
    assert sum(row["timing"] * row["truth"] for row in late) / sum(row["truth"] for row in late) >= 0.95
