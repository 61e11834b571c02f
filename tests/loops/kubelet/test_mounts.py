"""The volume manager's table, and the wait of a sync for it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.config import ConfigMap
from app.kube.meta import ObjectMeta, Ref
from app.kube.nodes import AttachedVolume, Node
from app.kube.objects import Object
from app.kube.pods import ConfigMapVolumeSource, PersistentVolumeClaimVolumeSource, Pod, Volume
from app.kube.storage import (
    CSIPersistentVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
)
from app.kube.stringmap import StringMap
from app.loops.kubelet import pods, volumes_in_use
from app.loops.kubelet.mounts import LOOP
from app.sim.acts import Act, Wait
from app.sim.host import Host, Mount
from app.sim.loop import Loop
from tests.loops.beliefs import turn
from tests.loops.machines import KEY, MACHINE, NODE, UID, api, events, knows, machine, there, worker_after

FILES = (Volume("files", configMap=ConfigMapVolumeSource("site")),)
DISKS = (Volume("disk", persistentVolumeClaim=PersistentVolumeClaimVolumeSource("data")),)
SITE = ConfigMap(ObjectMeta(name="site", namespace="default"))
WITH_FILES, WITH_DISK = api(volumes=FILES), api(volumes=DISKS)
FILED, LATE = (Mount("files", at=100),), (Mount("files", at=500),)
NODE_KEY = Ref("Node", "", NODE)


CLAIM = PersistentVolumeClaim(
    ObjectMeta(name="data", namespace="default"), PersistentVolumeClaimSpec(("ReadWriteOnce",), volumeName="pv-1")
)


def disk(**words: str) -> PersistentVolume:
    told = StringMap({f"sim.loopscope.dev/{name}": text for name, text in words.items()})
    source = CSIPersistentVolumeSource("csi.example.com", "vol-1")
    return PersistentVolume(
        ObjectMeta(name="pv-1", annotations=told), PersistentVolumeSpec(("ReadWriteOnce",), csi=source)
    )


NAME = disk().unique_name


def node(*, attached: bool = False, used: bool = False) -> Node:
    status = replace(
        MACHINE.status,
        volumesAttached=(AttachedVolume(NAME),) if attached else (),
        volumesInUse=(NAME,) if used else (),
    )
    return replace(MACHINE, status=status)


HERE = node(attached=True, used=True)


def host(pod: Pod, *mounts: Mount, **worker: Any) -> Host:
    new = there(pod, sandbox="none", ip="")
    return machine(new, knows(new, **{"volumes": "waiting", "mounts": mounts, **worker}))


def decide(
    loop: Loop, found: Host, *believed: Object, now: int = 0, fired: bool = False, key: Ref = KEY
) -> Act | Wait | None:
    made = loop.reconcile(turn(loop, key, *believed, now=now, node=NODE, host=found, fired=fired))
    assert made is None or isinstance(made, Act | Wait)
    return made


def told(made: Act | Wait | None) -> str:
    if isinstance(made, Wait):
        return f"wait {made.bounds.usual if made.bounds else ''}"
    return "" if made is None else f"{made.verb} {made.reason}".strip()


MISSING = 'MountVolume.SetUp failed for volume "files" : configmap "site" not found'


def failed(tries: int, again: int) -> Mount:
    return Mount("files", tries=tries, next=again)


@pytest.mark.parametrize(
    ("mounts", "more", "now", "decision"),
    [
        pytest.param((), [SITE], 0, "wait 100", id="it looks a moment later"),
        pytest.param((), [SITE], 100, "mount files", id="what is there is written out"),
        pytest.param((), [], 100, "fail-mount files", id="what is missing is told"),
        pytest.param((failed(1, 600),), [], 200, "wait 600", id="and again after a while"),
        pytest.param((failed(1, 600),), [SITE], 200, "wait 600", id="which is kept to when it has come"),
        pytest.param((failed(1, 600),), [SITE], 600, "mount files", id="then it is mounted"),
        pytest.param((Mount("files", at=600),), [SITE], 700, "", id="once"),
    ],
)
def test_files(mounts: tuple[Mount, ...], more: list[Object], now: int, decision: str) -> None:
    assert told(decide(LOOP, host(WITH_FILES, *mounts), WITH_FILES, MACHINE, *more, now=now)) == decision


def test_each_failure_is_told_and_doubles_the_time_to_the_next() -> None:
    found = host(WITH_FILES)
    waits = []
    now = 100
    for _ in range(10):
        made = decide(LOOP, found, WITH_FILES, MACHINE, now=now)
        assert isinstance(made, Act)
        assert events(made) == [f"FailedMount: {MISSING}"]
        (known,) = worker_after(made).mounts
        assert known.next is not None
        waits.append(known.next - now)
        assert made.host is not None
        found, now = made.host, known.next
    assert waits == [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 122_000, 122_000]


SOUGHT, BEGUN, AGAIN = Mount("disk", sought=0), Mount("disk", began=0), Mount("disk", tries=1, next=900)


@pytest.mark.parametrize(
    ("mounts", "more", "now", "decision"),
    [
        pytest.param((), [CLAIM, disk(), node(attached=True)], 0, "", id="not before the node says that it is in use"),
        pytest.param((), [CLAIM, disk(), node(used=True)], 0, "miss-disk pv-1", id="nor before it is attached"),
        pytest.param((SOUGHT,), [CLAIM, disk(), node(used=True)], 50, "", id="which is waited for"),
        pytest.param((SOUGHT,), [CLAIM, disk(), HERE], 1_600, "wait 3500", id="and found at ever rarer looks"),
        pytest.param((), [CLAIM, disk(), HERE], 0, "stage pv-1", id="it is attached"),
        pytest.param((BEGUN,), [CLAIM, disk(), HERE], 10, "wait 300", id="the driver takes a while"),
        pytest.param((BEGUN,), [CLAIM, disk(), HERE], 300, "mount pv-1", id="and is done"),
        pytest.param((BEGUN,), [CLAIM, disk(mount="3s"), HERE], 400, "wait 3000", id="as the volume says"),
        pytest.param((BEGUN,), [CLAIM, disk(mount="fails"), HERE], 300, "fail-mount disk", id="or not"),
        pytest.param((AGAIN,), [CLAIM, disk(), HERE], 500, "wait 900", id="then it is tried again"),
        pytest.param((AGAIN,), [CLAIM, disk(), HERE], 900, "stage pv-1", id="from the beginning"),
    ],
)
def test_disks(mounts: tuple[Mount, ...], more: list[Object], now: int, decision: str) -> None:
    assert told(decide(LOOP, host(WITH_DISK, *mounts), WITH_DISK, *more, now=now, fired=True)) == decision


def test_nothing_is_mounted_for_a_pod_that_ends() -> None:
    assert decide(LOOP, host(WITH_FILES, stage="terminating"), WITH_FILES, MACHINE, now=100) is None
    assert decide(LOOP, host(WITH_FILES, volumes="mounted"), WITH_FILES, MACHINE, now=100) is None


@pytest.mark.parametrize(
    ("worker", "believed", "decision"),
    [
        ({}, node(), "report-volumes needs a disk"),
        ({}, HERE, ""),
        ({"volumes": "mounted", "stage": "terminated"}, HERE, ""),
        ({"volumes": "gone", "stage": "terminated"}, HERE, "report-volumes has let go of a disk"),
        ({"volumes": "gone", "stage": "terminated"}, node(), ""),
        ({"stage": "terminated"}, HERE, "report-volumes has let go of a disk"),
    ],
)
def test_the_node_says_which_disks_it_needs(worker: dict[str, Any], believed: Node, decision: str) -> None:
    found = host(WITH_DISK, **worker)
    made = decide(volumes_in_use.LOOP, found, WITH_DISK, CLAIM, disk(), believed, now=5_000, key=NODE_KEY)
    assert told(made) == decision


def test_the_node_is_reported_at_its_own_ticks() -> None:
    rows = (WITH_DISK, CLAIM, disk())
    assert told(decide(volumes_in_use.LOOP, host(WITH_DISK), *rows, node(), now=1, key=NODE_KEY)) == "wait 5000"
    # A kubelet that has just started does not know its pods yet: it lets go of nothing.
    lost = machine(there(WITH_DISK))
    assert decide(volumes_in_use.LOOP, lost, *rows, HERE, now=5_000, key=NODE_KEY) is None


@pytest.mark.parametrize(
    ("pod", "worker", "more", "now", "decision"),
    [
        pytest.param(WITH_FILES, {"mounts": FILED}, [SITE], 100, "wait 300", id="volumes are found after 300 ms"),
        pytest.param(WITH_FILES, {"mounts": FILED}, [SITE], 300, "run-sandbox", id="and the sandbox is made"),
        pytest.param(WITH_FILES, {}, [], 0, "wait 123000", id="a sync waits for two minutes"),
        pytest.param(WITH_FILES, {"waits_since": 50}, [], 300, "wait 123050", id="and so does a later one"),
        pytest.param(WITH_FILES, {"mounts": LATE}, [SITE], 500, "wait 600", id="with a look every 300 ms"),
        pytest.param(WITH_FILES, {}, [], 123_000, "end-wait VolumesNotReady", id="then the sync fails"),
        pytest.param(WITH_DISK, {}, [], 300, "end-wait FailedMount", id="at once if there is no claim"),
    ],
)
def test_wait(pod: Pod, worker: dict[str, Any], more: list[Object], now: int, decision: str) -> None:
    assert told(decide(pods.LOOP, host(pod, **worker), pod, MACHINE, *more, now=now)) == decision


def test_a_sync_that_fails_for_want_of_volumes_says_nothing_and_is_repeated() -> None:
    made = decide(pods.LOOP, host(WITH_FILES), WITH_FILES, MACHINE, now=123_000)
    assert isinstance(made, Act)
    assert made.events == ()
    later = worker_after(made)
    assert later.resync is not None
    at = later.resync.usual
    assert 133_000 <= at <= 139_000
    assert made.host is not None
    again = decide(pods.LOOP, made.host, WITH_FILES, MACHINE, now=at, fired=True)
    assert isinstance(again, Act)
    assert (again.verb, worker_after(again).waits_since) == ("await-volumes", at)
    worker = replace(made.host.workers[UID], mounts=FILED)
    whole = replace(made.host, workers=made.host.workers.set(UID, worker))
    assert told(decide(pods.LOOP, whole, WITH_FILES, MACHINE, now=at, fired=True)) == "run-sandbox"


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ([], 'failed to fetch PVC from API server: persistentvolumeclaims "data" not found'),
        ([replace(CLAIM, spec=replace(CLAIM.spec, volumeName=""))], "PVC is not bound"),
        ([CLAIM], 'failed to fetch PV pv-1 from API server: persistentvolumes "pv-1" not found'),
    ],
)
def test_a_claim_that_is_of_no_use(more: list[Object], error: str) -> None:
    made = decide(pods.LOOP, host(WITH_DISK), WITH_DISK, MACHINE, *more, now=300)
    assert isinstance(made, Act)
    text = (
        "Unable to attach or mount volumes: unmounted volumes=[disk], unattached volumes=[], failed to process "
        f"volumes=[disk]: error processing PVC default/data: {error}"
    )
    assert events(made) == [f"FailedMount: {text}"]
