"""Every kind of manifest that is read takes effect: with each of them a walk is another one than without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import main

POD = "spec: {containers: [{name: c, image: c}]}"
TEMPLATE = f"template: {{metadata: {{labels: {{app: a}}}}, {POD}}}"
SELECTOR = "selector: {matchLabels: {app: a}}"
NEVER = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: c}]}}"


def document(kind: str, version: str, body: str, name: str = "a", meta: str = "") -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}{meta}}}\n{body}\n"


DEPLOYMENT = document("Deployment", "apps/v1", f"spec: {{replicas: 2, {SELECTOR}, {TEMPLATE}}}")
NODES = document("Node", "v1", "", "n1") + "---\n" + document("Node", "v1", "", "n2")


def walked(tmp_path: Path, *texts: str, also: tuple[str, ...] = ()) -> dict[str, Any]:
    (tmp_path / "all.yaml").write_text("---\n".join(texts))
    out = tmp_path / "out.json"
    given = ["-f", str(tmp_path / "all.yaml"), *also, "--format", "json", "-o", str(out)]
    assert main(["run", "sandbox", *given]) == 0
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def pods(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in found["objects"] if row["kind"] == "Pod"]


@pytest.mark.parametrize(
    ("kind", "version", "body", "count"),
    [
        ("Deployment", "apps/v1", f"spec: {{replicas: 3, {SELECTOR}, {TEMPLATE}}}", 3),
        ("StatefulSet", "apps/v1", f"spec: {{serviceName: a, replicas: 3, {SELECTOR}, {TEMPLATE}}}", 3),
        ("ReplicaSet", "apps/v1", f"spec: {{replicas: 2, {SELECTOR}, {TEMPLATE}}}", 2),
        ("DaemonSet", "apps/v1", f"spec: {{{SELECTOR}, {TEMPLATE}}}", 2),
        ("Job", "batch/v1", f"spec: {{completions: 2, parallelism: 2, {NEVER}}}", 2),
        ("CronJob", "batch/v1", f'spec: {{schedule: "* * * * *", jobTemplate: {{spec: {{{NEVER}}}}}}}', 2),
        ("Pod", "v1", POD, 1),
    ],
)
def test_whatever_makes_pods_makes_them(kind: str, version: str, body: str, count: int, tmp_path: Path) -> None:
    found = walked(tmp_path, NODES, document(kind, version, body), also=("--until", "130s"))
    assert len(pods(found)) == count
    assert {row["status"]["phase"] for row in pods(found)} <= {"Running", "Succeeded"}


def test_a_static_pod_runs_without_anybody_who_binds_it(tmp_path: Path) -> None:
    meta = ", annotations: {kubernetes.io/config.source: file}"
    body = POD.replace("spec: {", "spec: {nodeName: n2, ")
    found = walked(tmp_path, NODES, document("Pod", "v1", body, "proxy-n2", meta))
    assert [(row["metadata"]["name"], row["spec"]["nodeName"]) for row in pods(found)] == [("proxy-n2", "n2")]
    assert not [row for row in found["steps"] if row["verb"] == "bind"]


def test_a_pod_that_only_says_that_it_is_from_a_file_is_run_as_the_api_has_it(tmp_path: Path) -> None:
    """The kubelet writes over that, so what `kubectl get -o yaml` shows of a static pod may be applied elsewhere."""
    later = tmp_path / "later.yaml"
    meta = ", annotations: {kubernetes.io/config.source: file}"
    later.write_text(document("Pod", "v1", POD.replace("spec: {", "spec: {nodeName: n2, "), "proxy", meta))
    found = walked(tmp_path, NODES, DEPLOYMENT, also=("--do", f"1s apply {later}", "--until", "10s"))
    (row,) = [row for row in pods(found) if row["metadata"]["name"] == "proxy"]
    assert row["status"]["phase"] == "Running"
    assert len(found["steps"]) < 100


def test_a_service_has_the_pods_that_it_selects(tmp_path: Path) -> None:
    service = document("Service", "v1", "spec: {selector: {app: a}, ports: [{port: 80}]}")
    found = walked(tmp_path, NODES, DEPLOYMENT, service)
    (slice_,) = [row for row in found["objects"] if row["kind"] == "EndpointSlice"]
    assert len(slice_["endpoints"]) == 2


def test_a_budget_holds_up_a_drain(tmp_path: Path) -> None:
    budget = document("PodDisruptionBudget", "policy/v1", f"spec: {{minAvailable: 2, {SELECTOR}}}")
    also = ("--set", "rest=true", "--do", "1s drain node/n1", "--until", "30s", "--fact", "refusals")
    assert walked(tmp_path, NODES, DEPLOYMENT, also=also)["facts"][0]["value"] == 0
    assert walked(tmp_path, NODES, DEPLOYMENT, budget, also=also)["facts"][0]["value"] > 1


def test_a_claim_gets_a_disk_before_its_pod_gets_a_node(tmp_path: Path) -> None:
    """One that is in no file is assumed to have had one all along."""
    claim = document("PersistentVolumeClaim", "v1", "spec: {accessModes: [ReadWriteOnce]}", "data")
    mounts = POD.replace("spec: {", "spec: {volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], ")
    found = walked(tmp_path, NODES, claim, document("Pod", "v1", mounts), also=("--until", "20s"))
    assert "pod has unbound immediate PersistentVolumeClaims" in str(found["events"])
    assert [row["status"]["phase"] for row in found["objects"] if row["kind"] == "PersistentVolumeClaim"] == ["Bound"]
    bound = walked(tmp_path, NODES, document("Pod", "v1", mounts), also=("--until", "20s"))
    assert "unbound" not in str(bound["events"])
    names = next(row["names"] for row in bound["assumed"] if row["what"] == "objects")
    assert names == ["persistentvolumeclaim/data", "persistentvolume/default-data"]


def test_a_class_gives_its_priority(tmp_path: Path) -> None:
    cls = document("PriorityClass", "scheduling.k8s.io/v1", "value: 7", "high")
    found = walked(
        tmp_path, NODES, cls, document("Pod", "v1", POD.replace("spec: {", "spec: {priorityClassName: high, "))
    )
    assert [row["spec"]["priority"] for row in pods(found)] == [7]


@pytest.mark.parametrize(("kind", "source"), [("ConfigMap", "configMapKeyRef"), ("Secret", "secretKeyRef")])
def test_a_key_that_is_not_there_keeps_a_container_from_starting(kind: str, source: str, tmp_path: Path) -> None:
    env = f"env: [{{name: K, valueFrom: {{{source}: {{name: s, key: k}}}}}}]"
    pod = document("Pod", "v1", POD.replace("image: c", f"image: c, {env}"))
    lacking = walked(tmp_path, NODES, document(kind, "v1", "data: {other: ''}", "s"), pod, also=("--until", "20s"))
    state = pods(lacking)[0]["status"]["containerStatuses"][0]["state"]
    assert state["waiting"]["reason"] == "CreateContainerConfigError"
    there = walked(tmp_path, NODES, document(kind, "v1", "data: {k: ''}", "s"), pod, also=("--until", "20s"))
    assert "running" in pods(there)[0]["status"]["containerStatuses"][0]["state"]


def test_a_node_takes_what_fits_on_it(tmp_path: Path) -> None:
    small = document("Node", "v1", 'status: {allocatable: {cpu: "1", memory: 1Gi, pods: "110"}}', "small")
    body = POD.replace("image: c}", "image: c, resources: {requests: {memory: 2Gi}}}")
    found = walked(tmp_path, small, document("Pod", "v1", body), also=("--until", "20s"))
    (event,) = [row for row in found["events"] if row["reason"] == "FailedScheduling"]
    assert event["message"].startswith("0/1 nodes are available: 1 Insufficient memory.")


def test_a_service_may_lead_to_a_machines_own_address(tmp_path: Path) -> None:
    own = document(
        "Deployment",
        "apps/v1",
        f"spec: {{replicas: 1, {SELECTOR}, {TEMPLATE}}}".replace(
            "spec: {containers", "spec: {hostNetwork: true, containers"
        ),
    )
    service = document("Service", "v1", "spec: {selector: {app: a}, ports: [{port: 80}]}")
    found = walked(tmp_path, NODES, own, service, also=("--until", "20s", "--do", "5s scale deployment/a replicas=2"))
    (slice_,) = [row for row in found["objects"] if row["kind"] == "EndpointSlice"]
    assert all(row["addresses"][0].startswith("192.168.") for row in slice_["endpoints"])
