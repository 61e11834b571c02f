"""The flow about eviction, as `loopscope run` prints it: whom the kubelet names, and what never leaves its machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.cli import main

GI = 1024
"""In MiB, as all amounts here."""


class Uses(NamedTuple):
    """A pod by what decides its place: what it uses, asks for, and how much it matters."""

    name: str
    used: int
    asked: int = 0
    priority: int = 0
    guaranteed: bool = False
    critical: bool = False

    @property
    def manifest(self) -> str:
        amounts = f"{{memory: {self.asked}Mi, cpu: 100m}}"
        resources = f"requests: {amounts}, limits: {amounts}" if self.guaranteed else f"requests: {amounts}"
        chosen = "system-node-critical" if self.critical else f"of-{self.name}"
        return (
            f"---\n{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: of-{self.name}}}, "
            f"value: {self.priority}}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {self.name}, annotations: "
            f'{{sim.loopscope.dev/memory: {self.used}Mi, sim.loopscope.dev/exit-code-on-sigterm: "143"}}}}\n'
            f"spec: {{priorityClassName: {chosen}, containers: [{{name: app, image: app:1, "
            f"resources: {{{resources if self.asked else ''}}}}}]}}\n"
        )


def node(pods: list[Uses]) -> str:
    """A machine of 8Gi whose own use leaves 512Mi, half of what its kubelet wants to be free."""
    rest = 8 * GI - 512 - sum(pod.used for pod in pods)
    words = f'sim.loopscope.dev/eviction-hard: "memory.available<1Gi", sim.loopscope.dev/memory: "0s=0,5s={rest}Mi"'
    return f"{{apiVersion: v1, kind: Node, metadata: {{name: n1, annotations: {{{words}}}}}}}\n"


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["run", "eviction-oom", *arguments, "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def objects(found: dict[str, Any], moment: str) -> list[str]:
    return [row["object"] for row in found["steps"] if row["moment"] == moment]


MIXES = {
    "whoever is above its request goes before whoever is not": (
        [Uses("large", 3 * GI, 3500), Uses("above", 200, 100)],
        "above",
    ),
    "equal to the request is not above it": ([Uses("equal", 2 * GI, 2 * GI), Uses("above", 101, 100, 9)], "above"),
    "the lower priority goes first among those above": (
        [Uses("worthy", 3 * GI, 100, 10), Uses("lowly", 200, 100, -10)],
        "lowly",
    ),
    "the larger excess goes first at one priority": ([Uses("little", 300, 100), Uses("much", 900, 600)], "much"),
    "Burstable far above goes before BestEffort": ([Uses("besteffort", 500), Uses("burstable", GI, 100)], "burstable"),
    "BestEffort with much goes before Burstable with little above": (
        [Uses("besteffort", 900), Uses("burstable", GI, 600)],
        "besteffort",
    ),
    "Guaranteed of low priority goes before Burstable of high, where neither is above": (
        [Uses("firm", 1900, 2 * GI, -5, guaranteed=True), Uses("loose", 500, GI, 5)],
        "firm",
    ),
    "the smaller distance to the request goes first where nobody is above": (
        [Uses("near", 900, GI), Uses("far", 500, GI)],
        "near",
    ),
    "a critical pod is passed over": ([Uses("vital", 3 * GI, 100, critical=True), Uses("other", 200, 300)], "other"),
}


@pytest.mark.parametrize(("pods", "expected"), MIXES.values(), ids=MIXES)
def test_the_evicted_pod_is_the_one_that_upstreams_ranking_names(
    pods: list[Uses], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mix.yaml"
    file.write_text(node(pods) + "".join(pod.manifest for pod in pods))
    found = ran(capsys, "-f", str(file))
    assert objects(found, "pod-evicted")[0] == f"pod/{expected}"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param({}, "report", id="the leak, furthest above its request"),
        pytest.param({"checkout_request": "512Mi"}, "checkout", id="checkout, which is further above"),
        pytest.param({"checkout_request": "512Mi", "checkout_priority": "true"}, "report", id="not with a priority"),
        pytest.param(
            {"report_memory": "0s=300Mi", "checkout_request": "512Mi"}, "", id="nobody, while there is enough"
        ),
    ],
)
def test_the_mix_of_the_flow(settings: dict[str, str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    first = objects(ran(capsys, *given), "pod-evicted")[:1]
    assert [name.removeprefix("pod/").partition("-")[0] for name in first] == ([expected] if expected else [])


def test_what_is_written_of_an_eviction(capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys)
    [event] = [row for row in found["events"] if row["reason"] == "Evicted"]
    message = (
        "The node was low on resource: memory. Threshold quantity: 500Mi, available: 446Mi. "
        "Container report was using 1246Mi, request is 256Mi, has larger consumption of memory. "
    )
    assert (event["type"], event["from"], event["message"]) == ("Warning", "kubelet", message)
    tombstone = next(row for row in found["objects"] if row.get("status", {}).get("reason") == "Evicted")
    assert (tombstone["status"]["phase"], tombstone["status"]["message"]) == ("Failed", message)
    target = next(row for row in tombstone["status"]["conditions"] if row["type"] == "DisruptionTarget")
    assert (target["status"], target["reason"]) == ("True", "TerminationByKubelet")
    listed = found["kubectl"]["get pods -o wide"].splitlines()
    rows = [line.split()[2:3] + line.split()[-3:-2] for line in listed if line.startswith("report-")]
    # The STATUS column prints the reason of a container over that of the pod.
    assert sorted(rows) == [["Error", "node-1"], ["Running", "node-2"]]


def test_a_limit_that_is_broken_restarts_in_place_and_never_moves(capsys: pytest.CaptureFixture[str]) -> None:
    found = ran(capsys, "--scene", "limit-breach")
    killed = objects(found, "oom-killed")
    assert len(killed) == 5
    assert len(set(killed)) == 1
    others = ("pod-evicted", "pod-bound", "replacement-created", "node-oom")
    assert [name for moment in others for name in objects(found, moment)] == []
    assert {row["node"] for row in found["steps"] if row["object"] == killed[0] and row["node"]} == {"node-1"}
    # 21.2 s from a start to the limit; back-offs of 0, 10, 20, 40 s; then 80 s, which the walk does not see the end of.
    waits = [row["outcome"] for row in found["steps"] if row["moment"] == "crash-back-off"]
    assert waits == ["10 s", "20 s", "40 s", "80 s"]
    held = next(row for row in found["objects"] if f"{row['kind'].lower()}/{row['metadata']['name']}" == killed[0])
    [status] = held["status"]["containerStatuses"]
    ended = status["state"].get("terminated") or status["lastState"]["terminated"]
    assert (held["spec"]["nodeName"], held["status"]["phase"]) == ("node-1", "Running")
    assert (status["restartCount"], ended["reason"], ended["exitCode"]) == (4, "OOMKilled", 137)
