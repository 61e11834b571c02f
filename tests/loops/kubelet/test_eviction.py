"""The eviction manager's table: when it looks, what it finds, whom it evicts, and how long it waits."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.behaviour import Point
from app.kube.eviction import Memory
from app.kube.eviction_thresholds import MEMORY, NODEFS, Amount, Threshold
from app.kube.machines import Machine
from app.kube.meta import Ref
from app.kube.pods import Container, EmptyDirVolumeSource, Pod, ResourceRequirements, Volume
from app.kube.stringmap import StringMap
from app.loops.host_pods import with_pod
from app.loops.kubelet.eviction import LOOP, _on_host, next_tick, phase
from app.sim.acts import Act, Wait
from app.sim.host import ContainerRun, Eviction, Host, Worker
from app.sim.shortage import Evictor
from tests.loops.beliefs import decided, due, turn
from tests.loops.machines import NODE, api, knows, machine, run, there

GI, MI = 2**30, 2**20
KEY = Ref("Node", "", NODE)
HARD = Threshold(MEMORY, Amount("1Gi"))
SOFT = Threshold(MEMORY, Amount("2Gi"), 30_000)
DISK = Threshold(NODEFS, Amount("10Gi"))
PRESSED = "MemoryPressure"


def kubelet(*thresholds: Threshold, **more: Any) -> Machine:
    """Eight GiB, a look every whole ten seconds, a minute of transition."""
    given = {"thresholds": thresholds or (HARD,), "eviction_tick": 0, "transition": 60_000, **more}
    return Machine(**given)


def asking(request: str = "") -> Container:
    return Container("app", "app:v1", resources=ResourceRequirements(StringMap({"memory": request} if request else {})))


def using(memory: str, *, request: str = "", **more: Any) -> Pod:
    return api(asking(request), behaves={"memory": memory}, **more)


def beside(host: Host, name: str, pod: Pod, *runs: ContainerRun, **worker: Any) -> Host:
    """Another pod on the machine, which the kubelet knows."""
    named = replace(pod, metadata=replace(pod.metadata, name=name, uid=f"uid-{name}"))
    found = there(named, *(runs or (run(),)))
    return with_pod(host, f"uid-{name}", found, knows(found, **worker))


def node(pod: Pod | None = None, evictor: Evictor | None = None, **more: Any) -> Host:
    """The machine, perhaps with a pod."""
    host = machine(machine=more.pop("machine", kubelet()), evictor=evictor or Evictor(), **more)
    return host if pod is None else beside(host, "web-1", pod)


def looks(host: Host, now: int) -> list[str]:
    """All that one look decides, as `VERB REASON`, or `wait MILLISECONDS`."""
    made = decided(LOOP, turn(LOOP, KEY, now=now, node=NODE, host=host, fired=True))
    return [f"wait {due(row)}" if isinstance(row, Wait) else f"{row.verb} {row.reason}" for row in made]


def last(host: Host, now: int) -> Act:
    """The last act of one look."""
    act = decided(LOOP, turn(LOOP, KEY, now=now, node=NODE, host=host, fired=True))[-1]
    assert isinstance(act, Act)
    return act


def after(host: Host, now: int) -> Host:
    found = last(host, now).host
    assert found is not None
    return found


def remembering(*since: tuple[Threshold, int], observed: int, enforced: tuple[Threshold, ...] = ()) -> Memory:
    return Memory(since, enforced, ((PRESSED, observed),))


GROWS = "0s=0,80s=8Gi"


@pytest.mark.parametrize(
    ("host", "now", "expected"),
    [
        pytest.param(node(), 0, [], id="an empty machine"),
        pytest.param(node(using("7Gi")), 0, [], id="just the threshold is enough"),
        pytest.param(node(using(GROWS)), 0, ["wait 80000"], id="the first look after it is met, not before"),
        pytest.param(
            node(using(GROWS)),
            80_000,
            [
                "note-threshold memory.available 0, below 1Gi",
                "attempt-reclaim memory.available 0, below 1Gi",
                "evict-pod 8Gi above its request, priority 0",
            ],
            id="evicts",
        ),
        pytest.param(
            node(using(GROWS), machine=kubelet(eviction_tick=3_000)), 0, ["wait 73000"], id="the looks have a phase"
        ),
        pytest.param(
            node(using(GROWS), machine=kubelet(SOFT)),
            70_000,
            ["note-threshold memory.available 1Gi, below 2Gi"],
            id="a soft threshold is noted at once",
        ),
        pytest.param(
            node(using(GROWS), Evictor(remembering((SOFT, 70_000), observed=70_000), 70_000), machine=kubelet(SOFT)),
            70_000,
            ["wait 100000"],
            id="and acted on when its grace is over",
        ),
        pytest.param(
            node(using(GROWS), Evictor(remembering((SOFT, 70_000), observed=70_000), 70_000), machine=kubelet(SOFT)),
            100_000,
            ["attempt-reclaim memory.available 0, below 2Gi", "evict-pod 8Gi above its request, priority 0"],
            id="which it then is",
        ),
        pytest.param(
            node(
                using("0s=7Gi,20s=0"),
                Evictor(remembering((SOFT, 0), observed=0), 0),
                machine=kubelet(SOFT),
            ),
            0,
            ["wait 10000"],
            id="unless there is enough again",
        ),
        pytest.param(
            node(using("0s=7Gi,20s=0"), Evictor(remembering((SOFT, 0), observed=0), 0), machine=kubelet(SOFT)),
            10_000,
            ["note-recovery MemoryPressure"],
            id="which is noted",
        ),
        pytest.param(
            node(None, Evictor(remembering(observed=10_000), 20_000)), 20_000, ["wait 70000"], id="the condition stays"
        ),
        pytest.param(
            node(None, Evictor(remembering(observed=10_000), 20_000)),
            70_000,
            ["end-pressure MemoryPressure"],
            id="for its period",
        ),
        pytest.param(
            node(using("8Gi", priority=2_000_000_000)),
            0,
            [
                "note-threshold memory.available 0, below 1Gi",
                "attempt-reclaim memory.available 0, below 1Gi",
                "find-nobody only critical pods",
            ],
            id="critical pods are passed over",
        ),
        pytest.param(replace(node(using(GROWS)), power=False), 80_000, [], id="not without power"),
    ],
)
def test_when_it_looks_and_what_it_finds(host: Host, now: int, expected: list[str]) -> None:
    assert looks(host, now) == expected


def test_looks_come_every_ten_seconds_after_the_last_that_was_of_use() -> None:
    assert [next_tick(node(), at) for at in (-1, 0, 1, 10_000)] == [0, 0, 10_000, 10_000]
    later = node(None, Evictor(ran=13_084))
    assert [next_tick(later, at) for at in (0, 13_084, 23_084, 23_085)] == [23_084, 23_084, 23_084, 33_084]
    assert phase(machine(machine=Machine())) != phase(replace(machine(machine=Machine()), number=2))


def test_what_is_evicted_and_what_is_written_of_it() -> None:
    host = node(using("6Gi", request="4Gi"))
    host = beside(host, "guaranteed", using("1536Mi", request="1536Mi"))
    host = beside(host, "best-effort", using("100Mi"))
    act = last(host, 0)
    message = (
        "The node was low on resource: memory. Threshold quantity: 1Gi, available: 412Mi. "
        "Container app was using 6Gi, request is 4Gi, has larger consumption of memory. "
    )
    assert (act.object.name, act.outcome, [row.message for row in act.events]) == ("web-1", "grace 1 s", [message])
    assert act.host is not None
    assert act.host.workers["uid-web-1"].eviction == Eviction(0, message, 1)
    assert act.host.evictor == Evictor(Memory(((HARD, 0),), (HARD,), ((PRESSED, 0),)), 0, ("uid-web-1",))


def test_a_soft_threshold_gives_the_pods_own_grace_up_to_the_kubelets() -> None:
    memory = Evictor(remembering((SOFT, 0), observed=0), 0)
    for longest, own, grace in ((60, 20, 20), (10, 20, 10)):
        host = node(using("7Gi", grace=own), memory, machine=kubelet(SOFT, longest_grace=longest))
        assert last(host, 30_000).outcome == f"grace {grace} s"


# After an eviction.

EVICTED = Eviction(10_000, "", 1)


def killed(**worker: Any) -> Host:
    """A machine whose one pod was evicted at 10 s."""
    memory = remembering((HARD, 10_000), observed=10_000, enforced=(HARD,))
    host = node(None, Evictor(memory, 10_000, ("uid-web-1",), worker.pop("came_back", None)))
    return beside(host, "web-1", using("8Gi"), worker.pop("run", run()), eviction=EVICTED, **worker)


DEAD = {"run": run(state="exited"), "stage": "terminated", "ended": 10_200}


@pytest.mark.parametrize(
    ("host", "now", "expected"),
    [
        pytest.param(killed(stage="terminating"), 10_100, ["wait 20000"], id="it waits for the kill"),
        pytest.param(killed(stage="terminating"), 20_000, ["note-kill PodKilled"], id="ten seconds at the most"),
        pytest.param(killed(**DEAD), 10_200, ["note-kill PodKilled"], id="the kill comes back"),
        pytest.param(killed(**DEAD, came_back=10_200), 10_200, ["wait 40200"], id="then it waits for the cleanup"),
        pytest.param(
            killed(**DEAD, came_back=10_200, volumes="gone"),
            10_300,
            ["wait 11200"],
            id="for which it asks every second",
        ),
        pytest.param(
            killed(**DEAD, came_back=10_200, volumes="gone"),
            11_200,
            ["note-recovery MemoryPressure"],
            id="and then looks at once",
        ),
        pytest.param(
            killed(**DEAD, came_back=10_200),
            40_200,
            ["note-recovery MemoryPressure"],
            id="and after half a minute whatever has become of it",
        ),
        pytest.param(
            beside(killed(**DEAD, came_back=10_200, volumes="gone"), "web-2", using("8Gi")),
            11_200,
            ["attempt-reclaim memory.available 0, below 1Gi", "evict-pod 8Gi above its request, priority 0"],
            id="the next one",
        ),
        pytest.param(
            replace(killed(**DEAD, came_back=10_200), workers=killed().workers.delete("uid-web-1")),
            11_200,
            ["note-recovery MemoryPressure"],
            id="a pod that is forgotten is cleaned up",
        ),
    ],
)
def test_after_an_eviction(host: Host, now: int, expected: list[str]) -> None:
    assert looks(host, now) == expected


def test_a_kill_that_takes_too_long_is_told() -> None:
    act = last(killed(stage="terminating"), 20_000)
    assert [(row.reason, str(row.object)) for row in act.events] == [("ExceededGracePeriod", "pod/web-1")]


def test_the_minimum_must_be_reclaimed() -> None:
    strict = replace(HARD, min_reclaim=Amount("1Gi"))
    memory = Memory(((strict, 10_000),), (strict,), ((PRESSED, 10_000),))
    host = node(using("6656Mi"), Evictor(memory, 10_000), machine=kubelet(strict))
    assert looks(host, 20_000)[-1] == "evict-pod 6656Mi above its request, priority 0"
    assert looks(node(using("6Gi"), Evictor(memory, 10_000), machine=kubelet(strict)), 20_000) == [
        "note-recovery MemoryPressure"
    ]


# Disks.


def test_a_disk_is_freed_of_what_nobody_needs_first() -> None:
    images = (("app:v1", 10 * GI), ("old:v1", 20 * GI))
    host = node(api(behaves={"disk": "65Gi"}), machine=kubelet(DISK, images=images), images=("app:v1", "old:v1"))
    assert looks(host, 0) == [
        "note-threshold nodefs.available 5Gi, below 10Gi",
        "attempt-reclaim nodefs.available 5Gi, below 10Gi",
        "delete-images NodeReclaim",
    ]
    assert (after(host, 0).images, last(host, 0).outcome) == (("app:v1",), "20Gi freed")


def test_dead_containers_go_before_images_and_pods_last() -> None:
    crashed = run(attempt=3, started=0, last=run(state="exited", started=-9_000, finished=-5_000))
    host = node(machine=kubelet(DISK))
    host = beside(host, "crashing", api(behaves={"disk": "2Gi"}), crashed)
    host = beside(host, "writer", api(asking(), behaves={"disk": "91Gi"}))
    assert looks(host, 0) == [
        "note-threshold nodefs.available 5Gi, below 10Gi",
        "attempt-reclaim nodefs.available 5Gi, below 10Gi",
        "delete-containers NodeReclaim",
        "evict-pod 91Gi above its request, priority 0",
    ]
    assert last(host, 0).events[0].message == (
        "The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 5Gi. "
        "Container app was using 91Gi, request is 0, has larger consumption of ephemeral-storage. "
    )


SPOOL = Volume("spool", emptyDir=EmptyDirVolumeSource(sizeLimit="1Gi"))


def test_limits_of_their_own_end_several_pods_at_once_and_the_look_with_them() -> None:
    fills = api(behaves={"spool.volume": "0s=0,20s=2Gi", "memory": "8Gi"}, volumes=(SPOOL,))
    host = beside(node(fills, Evictor(remembering((HARD, 0), observed=0), 0)), "web-2", fills)
    assert looks(host, 20_000) == ["evict-pod StorageLimit", "evict-pod StorageLimit"]
    act = last(host, 20_000)
    assert act.host is not None
    assert act.host.evictor.evicted == ("uid-web-1", "uid-web-2")
    eviction = act.host.workers["uid-web-2"].eviction
    assert eviction == Eviction(
        20_000, 'Usage of EmptyDir volume "spool" exceeds the limit "1Gi". ', 1, condition=False
    )


def test_a_limit_of_its_own_is_found_at_the_next_look() -> None:
    fills = api(behaves={"spool.volume": "0s=0,30s=2Gi"}, volumes=(SPOOL,))
    assert looks(node(fills), 0) == ["wait 20000"]
    assert looks(node(fills), 20_000) == ["evict-pod StorageLimit"]


def test_a_hard_threshold_that_is_met_no_longer_leaves_the_soft_one() -> None:
    memory = remembering((HARD, 0), (SOFT, 0), observed=0, enforced=(HARD,))
    host = node(using("6656Mi"), Evictor(memory, 0), machine=kubelet(HARD, SOFT))
    assert looks(host, 10_000) == ["look Observed"]
    assert after(host, 10_000).evictor.memory.since == ((SOFT, 0),)


def test_it_is_woken_by_what_is_used_and_while_it_waits_by_the_pod() -> None:
    same = kubelet()
    quiet, full = node(api(), machine=same), node(using("1Gi"), machine=same)
    assert _on_host(node(machine=same), quiet) == []
    assert _on_host(node(machine=same), full) == [KEY]
    assert _on_host(full, replace(full, images=())) == [KEY]
    assert _on_host(full, replace(full, machine=Machine(system_memory=(Point(0, 1),)))) == [KEY]
    dead = Worker(since=0, stage="terminated")
    waits, calm = killed(), node(using("8Gi"))
    assert _on_host(waits, replace(waits, workers=waits.workers.set("uid-web-1", dead))) == [KEY]
    assert _on_host(calm, replace(calm, workers=calm.workers.set("uid-web-1", dead))) == []
