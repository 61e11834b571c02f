"""What a kubelet checks once more of a pod that was bound to its node."""

from __future__ import annotations

import pytest

from app.kube.meta import ObjectMeta
from app.kube.node_admission import Rejection, rejection
from app.kube.nodes import Node, NodeSpec, NodeStatus, Taint
from app.kube.phase import CONFIG_SOURCE
from app.kube.pods import Container, ContainerPort, Pod, PodSpec, PodStatus, ResourceRequirements, Toleration
from app.kube.stringmap import EMPTY, StringMap

NODE = Node(
    metadata=ObjectMeta(name="n1", labels=StringMap({"disk": "ssd"})),
    status=NodeStatus(allocatable=StringMap({"cpu": "4", "memory": "1Gi", "pods": "3"})),
)
TAINTED = Node(
    metadata=NODE.metadata,
    spec=NodeSpec(taints=(Taint("maintenance", "NoExecute"), Taint("dedicated", "NoSchedule"))),
    status=NODE.status,
)


def pod(
    name: str = "web",
    asks: dict[str, str] | None = None,
    *,
    disk: str = "",
    tolerates: str = "",
    port: int | None = None,
    static: bool = False,
    phase: str = "",
) -> Pod:
    requests = ResourceRequirements(requests=StringMap(asks or {}))
    row = Container(name, "app:v1", ports=(ContainerPort(80, hostPort=port),) if port else (), resources=requests)
    return Pod(
        metadata=ObjectMeta(name=name, annotations=StringMap({CONFIG_SOURCE: "file"}) if static else EMPTY),
        spec=PodSpec(
            containers=(row,),
            nodeName="n1",
            nodeSelector=StringMap({"disk": disk}) if disk else EMPTY,
            tolerations=(Toleration(key=tolerates, operator="Exists"),) if tolerates else (),
        ),
        status=PodStatus(phase=phase),
    )


def cpu(amount: str, name: str = "web", **more: str) -> Pod:
    return pod(name, {"cpu": amount}, phase=more.get("phase", ""))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(rejection(cpu("1"), NODE, [cpu("3", "other")]), None, id="it fits exactly"),
        pytest.param(
            rejection(cpu("1"), NODE, [cpu("3500m", "other")]),
            Rejection("OutOfcpu", "Node didn't have enough resource: cpu, requested: 1000, used: 3500, capacity: 4000"),
            id="CPU in thousandths",
        ),
        pytest.param(
            rejection(pod(asks={"memory": "600Mi"}), NODE, [pod("other", {"memory": "500Mi"})]),
            Rejection(
                "OutOfmemory",
                "Node didn't have enough resource: memory, requested: 629145600, used: 524288000, capacity: 1073741824",
            ),
            id="memory in bytes",
        ),
        pytest.param(
            rejection(cpu("9"), NODE, [pod("a"), pod("b"), pod("c")]),
            Rejection("OutOfpods", "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3"),
            id="the number of pods comes first",
        ),
        pytest.param(
            rejection(pod(asks={"cpu": "1", "memory": "2Gi"}), NODE, [cpu("4", "other", phase="Failed")]),
            Rejection(
                "OutOfmemory",
                "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
            ),
            id="pods that have ended take up nothing",
        ),
        pytest.param(
            rejection(pod(asks={"example.com/gpu": "1"}), NODE, []),
            Rejection(
                "OutOfexample.com/gpu",
                "Node didn't have enough resource: example.com/gpu, requested: 1, used: 0, capacity: 0",
            ),
            id="anything else",
        ),
        pytest.param(
            rejection(pod(disk="hdd"), NODE, []),
            Rejection(
                "NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
            ),
            id="labels that have changed",
        ),
        pytest.param(
            rejection(pod(port=80), NODE, [pod("other", port=80)]),
            Rejection(
                "NodePorts",
                "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
            ),
            id="a port of the host",
        ),
        pytest.param(
            rejection(pod(), TAINTED, []),
            Rejection(
                "TaintToleration", "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
            ),
            id="a taint that would evict it",
        ),
        pytest.param(
            rejection(pod(tolerates="maintenance"), TAINTED, []), None, id="NoSchedule is the scheduler's business"
        ),
        pytest.param(rejection(pod(static=True), TAINTED, []), None, id="static pods heed no taint"),
    ],
)
def test_what_is_said_of_a_pod(found: Rejection | None, expected: Rejection | None) -> None:
    assert found == expected
