"""Pods that a kubelet does not take on although they are bound to its machine."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.meta import Condition
from app.kube.nodes import Node, NodeStatus
from app.kube.pods import Pod, PodStatus, ResourceRequirements
from app.kube.stringmap import StringMap
from app.loops.host_pods import with_pod
from app.loops.kubelet.pods import LOOP
from app.sim.acts import Act, PatchStatus
from app.sim.host import Host
from tests.loops.beliefs import turn
from tests.loops.machines import APP, KEY, MACHINE, NODE, api, events, knows, machine, run, there

SMALL = replace(MACHINE, status=NodeStatus(allocatable=StringMap({"cpu": "4", "memory": "8Gi", "pods": "110"})))


def asking(cpu: str, uid: str = "uid-web-1", **more: PodStatus) -> Pod:
    row = replace(APP, resources=ResourceRequirements(requests=StringMap({"cpu": cpu})))
    pod = api(row, uid=uid, **more)  # type: ignore[arg-type]
    return pod if uid == "uid-web-1" else replace(pod, metadata=replace(pod.metadata, name=uid))


def decided(host: Host, pod: Pod, node: Node = SMALL) -> Act:
    found = LOOP.reconcile(turn(LOOP, KEY, pod, node, now=5_400, node=NODE, host=host))
    assert isinstance(found, Act)
    return found


def holding(stage: str) -> Host:
    """A machine with another pod that asks for three CPUs."""
    other = there(asking("3", "other"), run())
    return with_pod(machine(), "other", other, knows(other, stage=stage))


def test_a_pod_for_which_there_is_no_room_ends_as_failed() -> None:
    scheduled = (Condition("PodScheduled", "True"), Condition("example.com/gate", "True"))
    pod = asking("2", status=PodStatus(phase="Pending", conditions=scheduled, qosClass="Burstable"))
    made = decided(holding("sync"), pod)
    text = "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"
    assert (made.verb, made.moment, made.host) == ("reject", "pod-rejected", None)
    assert events(made) == [f"OutOfcpu: {text}"]
    assert isinstance(made.request, PatchStatus)
    assert isinstance(made.request.object, Pod)
    assert made.request.object.status == PodStatus(
        phase="Failed",
        reason="OutOfcpu",
        message=f"Pod was rejected: {text}",
        startTime=5_000,
        conditions=scheduled[1:],
        qosClass="Burstable",
    )


def test_one_that_is_being_ended_still_has_its_room_and_one_that_is_over_has_not() -> None:
    assert decided(holding("terminating"), asking("2")).verb == "reject"
    assert decided(holding("terminated"), asking("2")).verb == "admit"


def test_a_pod_that_is_being_deleted_is_taken_on_only_to_be_ended() -> None:
    assert decided(holding("sync"), replace(asking("2"), metadata=api(deleted=30).metadata)).verb == "admit"
