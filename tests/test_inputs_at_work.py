"""What can be said besides plain manifests takes effect: placement, machines that come later, flags, files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import main

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}, annotations: {ANNOTATIONS}}
    spec: {containers: [{name: shop, image: "shop:1"}]}
"""
CORDONED = "{metadata: {name: n3}, apiVersion: v1, kind: Node, spec: {unschedulable: true}}"


def nodes(*names: str, **annotations: str) -> str:
    rows = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in names]
    for row in rows:
        told = {f"sim.loopscope.dev/{key}": text for key, text in annotations.items()}
        row["metadata"] |= {"annotations": told}  # type: ignore[operator]
    return "\n---\n".join(json.dumps(row) for row in rows)


def deployment(annotations: str = "") -> str:
    return DEPLOYMENT.replace("ANNOTATIONS", annotations)


def sandbox(tmp_path: Path, *texts: str, also: tuple[str, ...] = (), rest: bool = True) -> dict[str, Any]:
    for at, text in enumerate(texts):
        (tmp_path / f"{at}.yaml").write_text(text)
    files = [part for at in range(len(texts)) for part in ("-f", str(tmp_path / f"{at}.yaml"))]
    out = tmp_path / "out.json"
    at_rest = ["--set", "rest=true"] if rest else []
    assert main(["run", "sandbox", *files, *at_rest, *also, "--format", "json", "-o", str(out)]) == 0
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def places(found: dict[str, Any]) -> list[str]:
    return sorted(row["spec"].get("nodeName", "") for row in found["objects"] if row["kind"] == "Pod")


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("n2", ["n2", "n2", "n2"]),
        ('"n2, n1"', ["n1", "n2", "n2"]),
        ('"n3, n2"', ["n2", "n2", "n2"]),
        ("n9", ["n1", "n1", "n2"]),
    ],
    ids=["one", "in turn", "one of them is closed", "one that is not there"],
)
def test_pods_are_placed_where_an_annotation_prefers_if_they_fit(
    listed: str, expected: list[str], tmp_path: Path
) -> None:
    text = deployment(f"sim.loopscope.dev/placement: {listed}")
    assert places(sandbox(tmp_path, nodes("n1", "n2"), CORDONED, text)) == expected


def test_a_machine_that_is_off_joins_when_it_is_turned_on(tmp_path: Path) -> None:
    text = deployment("sim.loopscope.dev/placement: n2")
    found = sandbox(tmp_path, nodes("n1"), nodes("n2", power="off"), text)
    assert [row["metadata"]["name"] for row in found["objects"] if row["kind"] == "Node"] == ["n1"]
    assert places(found) == ["n1", "n1", "n1"]
    assert next(row["value"] for row in found["verdicts"] if row["id"] == "requests-failed") == 0
    joined = sandbox(
        tmp_path,
        nodes("n1"),
        nodes("n2", power="off"),
        text,
        also=("--do", "10s power-on node/n2", "--do", "30s scale deployment/shop replicas=4"),
    )
    assert places(joined) == ["n1", "n1", "n1", "n2"]


def test_a_server_that_is_started_with_other_flags_goes_by_them(tmp_path: Path) -> None:
    flag = "default-unreachable-toleration-seconds"
    also = (
        *("--do", "0s stop kube-apiserver", "--do", f"1s start kube-apiserver {flag}=30"),
        *("--do", "60s scale deployment/shop replicas=4"),
    )
    found = sandbox(tmp_path, nodes("n1"), deployment(), also=also)
    rows = [row["spec"]["tolerations"] for row in found["objects"] if row["kind"] == "Pod"]
    seconds = sorted(row["tolerationSeconds"] for pod in rows for row in pod if row["key"].endswith("unreachable"))
    assert seconds == [30, 300, 300, 300]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("start kube-scheduler node-monitor-grace-period=40s", "kube-scheduler takes no node-monitor-grace-period"),
        ("start kube-controller-manager node-monitor-grace-period=soon", 'node-monitor-grace-period: found "soon"'),
        ("start kube-apiserver default-unreachable-toleration-seconds=30s", "allowed: whole seconds"),
        ("scale deployment/shop deployment/web replicas=2", "is the form"),
        ("power-off node/n1 pod/shop-1", "found pod/shop-1; allowed: node/NAME"),
        ("stop kubelet/n1 kubelet/n7", "kubelet runs on each node; allowed: kubelet/n1"),
    ],
)
def test_what_means_nothing_is_refused(
    line: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shop.yaml").write_text(f"{nodes('n1')}\n---\n{deployment()}")
    assert main(["run", "sandbox", "-f", str(tmp_path / "shop.yaml"), "--do", line]) == 2
    assert told in capsys.readouterr().err


def test_one_line_may_be_about_several(tmp_path: Path) -> None:
    also = ("--do", "1s stop kubelet/n1 kubelet/n2", "--do", "2s power-off node/n1 node/n2", "--until", "5s")
    found = sandbox(tmp_path, nodes("n1", "n2"), deployment(), also=also)
    rows = [(row["verb"], row["object"]) for row in found["steps"] if row["loop"] == "you"]
    assert rows == [
        ("stop", "process/kubelet.n1"),
        ("stop", "process/kubelet.n2"),
        ("power-off", "node/n1"),
        ("power-off", "node/n2"),
    ]


def test_files_of_manifests_and_of_lines_may_be_named(tmp_path: Path) -> None:
    """`kubectl apply` of what is there already changes it, and leaves alone what only controllers have written."""
    later = tmp_path / "later.yaml"
    later.write_text(deployment().replace("shop:1", "shop:2").replace("  replicas: 3\n", ""))
    script = tmp_path / "script.txt"
    script.write_text(f"# A new version.\n\n1s apply {later}\n1s rollout-status deployment/shop\n")
    found = sandbox(tmp_path, nodes("n1"), deployment(), also=("--do", f"@{script}"))
    (shop,) = [row for row in found["objects"] if row["kind"] == "Deployment"]
    assert shop["spec"]["replicas"] == 3
    assert shop["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "2"
    images = {row["spec"]["containers"][0]["image"] for row in found["objects"] if row["kind"] == "Pod"}
    assert images == {"shop:2"}
    said = [row["text"] for row in found["output"]]
    assert (said[0], said[-1]) == ("deployment.apps/shop configured", 'deployment "shop" successfully rolled out')


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "sandbox", "--do", f"@{tmp_path}/none.txt"]) == 2
    assert main(["run", "sandbox", "--do", f"0s apply {tmp_path}/none.yaml"]) == 2
    assert capsys.readouterr().err.count("cannot be read: No such file or directory") == 2


def test_at_rest_nothing_is_waited_for_and_clients_were_there_before(tmp_path: Path) -> None:
    found = sandbox(tmp_path, nodes("n1"), deployment(), also=("--do", "0s scale deployment/shop replicas=0"))
    assert [row["command"] for row in found["output"]] == ["kubectl scale deployment/shop --replicas=0"]
    assert next(row["value"] for row in found["verdicts"] if row["id"] == "requests-failed") > 10


def test_any_fact_may_be_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = sandbox(tmp_path, nodes("n1"), deployment(), also=("--fact", "evicted", "--fact", "drain-exit"))
    assert [(row["id"], row["value"]) for row in found["facts"]] == [("evicted", 0), ("drain-exit", None)]
    assert main(["run", "termination", "--fact", "exit-code"]) == 0
    assert "Facts\n  exit-code = 0\n" in capsys.readouterr().out
    assert main(["run", "termination", "--fact", "exit-cod"]) == 2
    assert 'did you mean "exit-code"?' in capsys.readouterr().err


def test_a_mirror_alone_is_a_static_pod(tmp_path: Path) -> None:
    text = (
        "{apiVersion: v1, kind: Pod, spec: {nodeName: n1, containers: [{name: a, image: a}]},\n"
        ' metadata: {name: proxy-n1, annotations: {kubernetes.io/config.mirror: "abc"}}}'
    )
    found = sandbox(tmp_path, nodes("n1"), deployment(), text, also=("--do", "1s drain node/n1", "--until", "20s"))
    assert [row["metadata"]["name"] for row in found["objects"] if row["metadata"]["name"].startswith("proxy")]
    assert not [row for row in found["output"] if "proxy" in row["text"]]
