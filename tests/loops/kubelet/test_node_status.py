"""What a kubelet reports of its node, and what it reads in the kernel's log."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.eviction import Memory
from app.kube.machines import Machine
from app.kube.meta import Condition, Ref
from app.kube.nodes import Node
from app.loops.kubelet import node_status, oom_watcher
from app.sim.acts import Act, PatchStatus, Wait
from app.sim.host import Host
from app.sim.shortage import Evictor, SystemOom
from app.sim.start import CONDITIONS
from tests.loops.beliefs import due, turn
from tests.loops.machines import MACHINE, NODE, events, machine, off

KEY = Ref("Node", "", NODE)
FINE = replace(MACHINE, status=replace(MACHINE.status, conditions=CONDITIONS))
SHORT = Condition("MemoryPressure", "True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available")
PRESSED = replace(FINE, status=replace(FINE.status, conditions=(SHORT, *CONDITIONS[1:])))


def under(*pressures: str) -> Host:
    memory = Memory(observed=tuple((name, 0) for name in pressures))
    return machine(evictor=Evictor(memory), machine=Machine(status_tick=3_750))


def reported(host: Host, node: Node, now: int) -> Act | Wait | None:
    found = node_status.reconcile(turn(node_status.LOOP, KEY, node, now=now, node=NODE, host=host))
    assert found is None or isinstance(found, Act | Wait)
    return found


@pytest.mark.parametrize(
    ("host", "node", "now", "expected"),
    [
        pytest.param(under(), FINE, 3_750, "", id="nothing new"),
        pytest.param(under("MemoryPressure"), PRESSED, 3_750, "", id="what is known"),
        pytest.param(under("MemoryPressure"), FINE, 13_084, "wait 13750", id="the next report tells"),
        pytest.param(under("MemoryPressure"), FINE, 13_750, "MemoryPressure=True", id="of pressure"),
        pytest.param(under(), PRESSED, 13_750, "MemoryPressure=False", id="and of its end"),
        pytest.param(
            under("DiskPressure"), PRESSED, 3_750, "MemoryPressure=False, DiskPressure=True", id="and of both at once"
        ),
        pytest.param(off(under("MemoryPressure")), FINE, 3_750, "", id="not without power"),
    ],
)
def test_what_is_reported_when(host: Host, node: Node, now: int, expected: str) -> None:
    found = reported(host, node, now)
    told = f"wait {due(found)}" if isinstance(found, Wait) else found.reason if found else ""
    assert told == expected


def test_the_condition_and_its_event() -> None:
    act = reported(under("MemoryPressure"), FINE, 13_750)
    assert isinstance(act, Act)
    assert isinstance(act.request, PatchStatus)
    assert isinstance(act.request.object, Node)
    assert act.request.object.status.conditions[0] == replace(SHORT, lastTransitionTime=13_000)
    assert events(act) == ["NodeHasInsufficientMemory: Node n1 status is now: NodeHasInsufficientMemory"]
    assert act.moment == "pressure-reported"


def test_it_is_woken_when_the_eviction_manager_changes_its_mind() -> None:
    assert node_status._on_host(under(), under("DiskPressure")) == [KEY]
    calm = under()
    assert node_status._on_host(calm, replace(calm, images=())) == []


def test_each_line_of_the_kernels_log_is_one_event() -> None:
    host = machine(ooms=(SystemOom(5, "java", 4711), SystemOom(6, "redis", 4712)))
    assert oom_watcher._on_host(machine(), host) == [KEY]
    act = oom_watcher.reconcile(turn(oom_watcher.LOOP, KEY, now=7, node=NODE, host=host))
    assert act is not None
    assert events(act) == ["SystemOOM: System OOM encountered, victim process: java, pid: 4711"]
    assert act.host is not None
    assert act.host.ooms == (SystemOom(6, "redis", 4712),)
    assert oom_watcher.reconcile(turn(oom_watcher.LOOP, KEY, node=NODE, host=machine())) is None
    assert oom_watcher.reconcile(turn(oom_watcher.LOOP, KEY, node=NODE, host=off(host))) is None
