"""The attach-detach controller's table: who needs a volume, and where it is."""

from __future__ import annotations

import pytest
from msgspec import Struct
from msgspec.structs import replace

from app.kube.meta import Condition, ObjectMeta, Ref
from app.kube.nodes import AttachedVolume, Node, NodeStatus, Taint
from app.kube.objects import Object
from app.kube.pods import PersistentVolumeClaimVolumeSource, Pod, Volume
from app.kube.storage import (
    CSIPersistentVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
    VolumeAttachment,
    VolumeAttachmentStatus,
    attachment,
)
from app.loops.attach_detach import LOOP, Memory
from app.sim.acts import Act, Create, Delete, Wait, Work
from app.sim.index import Index
from app.sim.loop import Turn
from app.sim.maps import Map
from app.sim.world import World
from tests.loops.beliefs import decided, node, only, pod, requested, seen

KEY = Ref("PersistentVolume", "", "pv-1")
DISK = PersistentVolume(
    ObjectMeta(name="pv-1"),
    PersistentVolumeSpec(("ReadWriteOnce",), csi=CSIPersistentVolumeSource("csi.example.com", "vol-1")),
)
NAME = DISK.unique_name
CLAIM = PersistentVolumeClaim(
    ObjectMeta(name="data", namespace="default"), PersistentVolumeClaimSpec(("ReadWriteOnce",), volumeName="pv-1")
)
SHARED = replace(DISK, spec=replace(DISK.spec, accessModes=("ReadWriteMany",)))
FILES = replace(DISK, spec=replace(DISK.spec, csi=None))
VOLUMES = (Volume("disk", persistentVolumeClaim=PersistentVolumeClaimVolumeSource("data")),)


def user(name: str, on: str, phase: str = "Running") -> Pod:
    return pod(name, node=on, phase=phase, volumes=VOLUMES)


def there(name: str, *, attached: bool = False, used: bool = False, ready: str = "True", down: bool = False) -> Node:
    status = NodeStatus(
        conditions=(Condition("Ready", ready),),
        volumesAttached=(AttachedVolume(NAME),) if attached else (),
        volumesInUse=(NAME,) if used else (),
    )
    taints = (Taint("node.kubernetes.io/out-of-service", "NoExecute", "nodeshutdown"),) if down else ()
    return replace(node(name, *taints), status=status)


def row(name: str, *, attached: bool = True, leaving: bool = False) -> VolumeAttachment:
    made = attachment(DISK, name)
    meta = replace(made.metadata, deletionTimestamp=0 if leaving else None)
    return replace(made, metadata=meta, status=VolumeAttachmentStatus(attached))


def decide(*believes: Object, kept: Struct | None = None, now: int = 0, disk: Object = DISK) -> list[Act | Wait]:
    memory = Map({Work(LOOP.name, "", KEY): kept} if kept is not None else {})
    world = World(now=now, views=Map({LOOP.process: seen(CLAIM, disk, *believes)}), memory=memory)
    return decided(LOOP, Turn(world, LOOP, "", KEY))


@pytest.mark.parametrize(
    ("believes", "verbs"),
    [
        pytest.param([there("n1")], [], id="nobody needs it"),
        pytest.param([user("a", ""), there("n1")], [], id="nor a pod without a node"),
        pytest.param([user("a", "n1"), there("n1")], ["attach"], id="it is needed"),
        pytest.param([user("a", "n1", "Succeeded"), there("n1")], [], id="not by a pod that has ended"),
        pytest.param([user("a", "n1"), there("n1"), row("n1")], ["confirm-attach"], id="it has arrived"),
        pytest.param([user("a", "n1"), there("n1", attached=True), row("n1")], [], id="and all know"),
        pytest.param(
            [user("a", "n1"), there("n1"), row("n1", attached=False)], ["await-driver"], id="it is on its way"
        ),
        pytest.param(
            [user("a", "n1"), user("b", "n1"), there("n1", attached=True), row("n1")], [], id="two on one node"
        ),
        pytest.param(
            [user("a", "n1"), user("b", "n2"), there("n1", attached=True), there("n2"), row("n1")],
            ["refuse-attach"],
            id="two on two nodes",
        ),
        pytest.param([there("n1", attached=True), row("n1")], ["confirm-detach"], id="nobody needs it any more"),
        pytest.param([there("n1"), row("n1")], ["detach"], id="and the node knows"),
        pytest.param(
            [there("n1", attached=True, used=True), row("n1")], ["await-unmount"], id="but it is still mounted"
        ),
        pytest.param(
            [there("n1", attached=True, used=True, down=True), row("n1")],
            ["confirm-detach"],
            id="on a machine that is out of service for sure",
        ),
        pytest.param([row("n1")], ["detach"], id="on a node that is gone"),
        pytest.param([user("a", "n1"), there("n1"), row("n1", leaving=True)], [], id="it is needed again too late"),
    ],
)
def test_turn(believes: list[Object], verbs: list[str]) -> None:
    assert [made.verb for made in decide(*believes) if isinstance(made, Act)] == verbs


def test_a_volume_that_may_be_shared_is_attached_twice() -> None:
    ground: list[Object] = [user("a", "n1"), user("b", "n2"), there("n1", attached=True), there("n2"), row("n1")]
    assert only(decide(*ground, disk=SHARED)).verb == "attach"
    assert decide(user("a", "n1"), there("n1"), disk=FILES) == []


def test_the_attachment_names_volume_and_node() -> None:
    assert only(decide(user("a", "n1"), there("n1"))).request == Create(attachment(DISK, "n1"))


def test_every_pod_on_the_node_is_told_of_its_volume() -> None:
    made = only(decide(user("a", "n1"), user("b", "n1"), there("n1"), row("n1")))
    assert requested(made).status.volumesAttached == (AttachedVolume(NAME),)
    assert [(str(event.object), event.message) for event in made.events] == [
        ("pod/a", 'AttachVolume.Attach succeeded for volume "pv-1"'),
        ("pod/b", 'AttachVolume.Attach succeeded for volume "pv-1"'),
    ]


def test_each_pod_that_has_to_wait_is_told_once() -> None:
    ground: list[Object] = [user("a", "n1"), user("b", "n2"), there("n1", attached=True), there("n2"), row("n1")]
    first = only(decide(*ground))
    assert [(event.reason, event.message) for event in first.events] == [
        ("FailedAttachVolume", 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) a')
    ]
    assert decide(*ground, kept=first.memory) == []
    second = only(decide(*ground, user("c", "n2"), kept=first.memory))
    assert (str(second.object), second.memory) == ("pod/c", Memory(("uid-b", "uid-c")))


def left(ready: str, kept: Struct | None, now: int, *, told: bool = False) -> list[Act | Wait]:
    return decide(there("n1", attached=not told, used=True, ready=ready), row("n1"), kept=kept, now=now)


def test_a_node_that_is_not_healthy_is_waited_for_six_minutes() -> None:
    begun = only(left("Unknown", None, 1_000)).memory
    assert begun == Memory(leaving=(("n1", 1_000),))
    assert left("True", begun, 400_000) == []
    (wait,) = left("Unknown", begun, 2_000)
    assert isinstance(wait, Wait)
    assert wait.bounds is not None
    assert wait.bounds.usual == 361_000
    assert only(left("Unknown", begun, 361_000)).verb == "confirm-detach"
    made = only(left("Unknown", begun, 361_100, told=True))
    assert (made.verb, made.memory, made.request) == ("detach", Memory(), Delete(row("n1").ref))


def test_the_driver_is_given_two_minutes_and_then_two_more() -> None:
    ground = (user("a", "n1"), there("n1"), row("n1", attached=False))
    begun = Memory(began=(("n1", 0),))
    (wait,) = decide(*ground, kept=begun, now=5_000)
    assert isinstance(wait, Wait)
    late = only(decide(*ground, kept=begun, now=120_000))
    assert (late.verb, late.memory) == ("time-out", Memory(began=(("n1", 120_500),)))


def woken(kind: str, obj: Object) -> list[str]:
    index: Index = seen(CLAIM, DISK, row("n1"))
    return [str(ref) for ref in LOOP.wakes[kind](index, obj)]


def test_what_concerns_a_volume() -> None:
    assert woken("Pod", user("a", "n1")) == ["persistentvolume/pv-1"]
    assert woken("Pod", pod("a")) == []
    assert woken("VolumeAttachment", row("n1")) == ["persistentvolume/pv-1"]
    assert woken("Node", there("n1")) == ["persistentvolume/pv-1"]
    assert woken("Node", there("n2")) == []
    assert woken("PersistentVolumeClaim", CLAIM) == ["persistentvolume/pv-1"]
