"""The table of the node lifecycle controller: who is new, silent, back or gone, and what a pass writes of it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import Condition, ObjectMeta, Ref
from app.kube.node_monitor import Health, Monitor
from app.kube.nodes import LEASES, Lease, LeaseSpec, Node, Taint
from app.kube.objects import Object
from app.loops.node_lifecycle import LOOP
from app.loops.zone_passes import MONITOR
from app.sim.acts import Act, Wait
from tests.loops.beliefs import decided, node, pod, requested, told, turn

KEY = Ref("Node", "", "n1")
PASS = 100_000
"""A pass begins now; the next one 5 s after its end, which takes 4 ms."""
MONITORED = Monitor(base=PASS)
UNREACHABLE = Taint("node.kubernetes.io/unreachable", "NoExecute")
NOT_READY = Taint("node.kubernetes.io/not-ready", "NoExecute")
READY_POD = pod("web-1", ready=0)


def machine(ready: str = "True", *taints: Taint) -> Node:
    made = node("n1", *taints)
    rows = (Condition("MemoryPressure", "False"), Condition("Ready", ready)) if ready else ()
    return replace(made, status=replace(made.status, conditions=rows))


def lease(renewed: int = 0) -> Lease:
    return Lease(ObjectMeta(name="n1", namespace=LEASES), LeaseSpec(renewTime=renewed))


def known(ago: int, ready: str = "True", *, queued: int | None = None) -> Health:
    """A node of which the last sign of life was seen so many milliseconds ago."""
    return Health(renewed=0, observed=PASS - ago, ready=ready, queued=queued)


def made(*believes: Object, memory: Health | None = None, now: int = PASS, refuse: tuple[int, ...] = ()) -> list[str]:
    return told(acts(*believes, memory=memory, now=now, refuse=refuse))


def acts(
    *believes: Object, memory: Health | None = None, now: int = PASS, refuse: tuple[int, ...] = ()
) -> list[Act | Wait]:
    kept = {MONITOR: MONITORED, **({KEY: memory} if memory else {})}
    return decided(LOOP, turn(LOOP, KEY, *believes, now=now, memory=kept), refuse=refuse)


SILENT = 50_001
MARKED = ["mark-unknown node/n1 NodeStatusUnknown", "mark-not-ready pod/web-1 NodeNotReady", "wait None"]


@pytest.mark.parametrize(
    ("believes", "memory", "decisions"),
    [
        pytest.param([machine()], None, [], id="a node without a Lease is not watched over"),
        pytest.param(
            [machine(), lease()], None, ["register-node node/n1 "], id="one that is new has its time from now"
        ),
        pytest.param(
            [machine("True", UNREACHABLE), lease()],
            None,
            ["untaint-node node/n1 node.kubernetes.io/unreachable", "register-node node/n1 "],
            id="and no taint to begin with",
        ),
        # 50 s exactly are not yet more than 50 s: the pass after this one.
        pytest.param([machine(), lease(), READY_POD], known(50_000), ["wait 105004"], id="within the grace period"),
        pytest.param([machine(), lease(60_000), READY_POD], known(SILENT), ["wait 150040"], id="renewed after all"),
        pytest.param([machine(), lease(), READY_POD], known(SILENT), MARKED, id="silent"),
        pytest.param(
            [machine(), lease(), pod("web-1")], known(SILENT), [MARKED[0], "wait None"], id="a pod that is not ready"
        ),
        pytest.param(
            [machine("Unknown", UNREACHABLE), lease()], known(90_000, "Unknown"), ["wait None"], id="once is enough"
        ),
        pytest.param(
            [machine("False", NOT_READY), lease(), READY_POD],
            known(SILENT, "False"),
            [MARKED[0], "change-taint node/n1 node.kubernetes.io/unreachable", "wait None"],
            id="silent after it said that it was not ready: its pods are left alone, the taint is exchanged",
        ),
        pytest.param(
            [machine("True", UNREACHABLE), lease(99_000)],
            known(90_000, "Unknown"),
            ["untaint-node node/n1 node.kubernetes.io/unreachable", "wait None"],
            id="back",
        ),
        pytest.param(
            [machine("False"), lease(99_000), READY_POD], known(1_000), ["wait None"], id="not ready by its own word"
        ),
        pytest.param([lease()], known(1_000), ["forget-node node/n1 ", "wait None"], id="gone"),
        pytest.param([machine(""), lease()], known(60_000, ""), ["wait 105004"], id="never heard of: 60 s"),
        pytest.param(
            [machine(""), lease()], known(60_001, ""), [MARKED[0], "wait None"], id="and then it is silent, too"
        ),
    ],
)
def test_a_pass(believes: list[Object], memory: Health | None, decisions: list[str]) -> None:
    assert made(*believes, memory=memory) == decisions


@pytest.mark.parametrize(
    ("believes", "memory"),
    [
        ([machine(), lease()], None),
        ([machine(), lease()], known(SILENT)),
        ([machine("True", UNREACHABLE), lease()], known(1_000, "Unknown")),
        ([lease()], known(1_000)),
    ],
)
def test_between_passes_nothing_is_done(believes: list[Object], memory: Health | None) -> None:
    """Whatever is noticed waits for the next pass."""
    assert made(*believes, memory=memory, now=PASS + 1) == [f"wait {PASS + 5_004}"]


def test_only_heartbeats_put_the_alarm_off() -> None:
    (wait,) = acts(machine(), lease(), memory=known(0))
    assert isinstance(wait, Wait)
    assert wait.bounds is not None
    assert wait.bounds.idle


def test_what_is_written_of_a_silent_node() -> None:
    """All four conditions, also those that it never posted; and one Event for the node and one for each pod."""
    first, second, last = acts(machine(), lease(), READY_POD, memory=known(SILENT))
    rows = {row.type: (row.status, row.reason, row.message) for row in requested(first).status.conditions}
    stopped = ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
    never = ("Unknown", "NodeStatusNeverUpdated", "Kubelet never posted node status.")
    assert rows == {"MemoryPressure": stopped, "Ready": stopped, "DiskPressure": never, "PIDPressure": never}
    assert [row.status for row in requested(second).status.conditions] == ["False"]
    assert isinstance(first, Act)
    assert isinstance(second, Act)
    assert [(row.type, row.message) for row in (*first.events, *second.events)] == [
        ("Normal", "Node n1 status is now: NodeNotReady"),
        ("Warning", "Node is not ready"),
    ]
    assert isinstance(last, Wait)
    # Its zone's queue and the end of this pass.
    assert last.also == (MONITOR, Ref("Zone", "", ""))
    assert last.memory == known(SILENT, "Unknown", queued=PASS)


def test_a_node_that_was_not_ready_has_no_second_event() -> None:
    first = acts(machine("False"), lease(), memory=known(SILENT, "False", queued=PASS))[0]
    assert isinstance(first, Act)
    assert first.events == ()


def test_what_is_refused_is_left_to_the_next_pass() -> None:
    assert made(machine(), lease(), READY_POD, memory=known(SILENT), refuse=(0,)) == MARKED[:1]
    assert LOOP.retry == (5_000, 5_000)


def test_after_master_disruption_everybody_has_a_fresh_grace_period() -> None:
    kept = {MONITOR: replace(MONITORED, fresh=PASS - 30_000), KEY: known(SILENT)}
    assert told(decided(LOOP, turn(LOOP, KEY, machine(), lease(), now=PASS, memory=kept))) == ["wait 120016"]
