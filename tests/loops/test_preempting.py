"""The scheduler pushes pods of lower priority off a node: what it writes, and when it keeps still."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.conditions import set_condition
from app.kube.meta import Condition, Ref, condition
from app.kube.objects import Object
from app.kube.pods import Pod
from app.loops.preempting import TARGET
from app.loops.scheduler import LOOP, _pod
from app.sim.acts import Act, Bind, Delete
from tests.loops.beliefs import asking, decided, node, pod, requested, seen, told, turn

KEY = Ref("Pod", "default", "vip")
VIP = pod("vip", node="", phase="Pending", containers=asking("3"), priority=100)
LOW = pod("low", node="n1", containers=asking("2"), priority=1)
N1, N2 = node("n1"), node("n2", cordoned=True)
FULL = "0/1 nodes are available: 1 Insufficient cpu."


def nominated(given: Pod, message: str = FULL, to: str = "n1") -> Pod:
    row = Condition("PodScheduled", "False", "Unschedulable", message, 0)
    return replace(given, status=replace(given.status, conditions=(row,), nominatedNodeName=to))


def victim(given: Pod, **status: Any) -> Pod:
    conditions = set_condition(given.status.conditions, TARGET, 0)
    meta = replace(given.metadata, deletionTimestamp=30_000, deletionGracePeriodSeconds=30)
    return replace(given, metadata=meta, status=replace(given.status, conditions=conditions, **status))


PREEMPTS = [
    "nominate-node pod/vip n1",
    "mark-victim pod/low PreemptionByScheduler",
    "preempt pod/low RoomFor pod/vip",
]


@pytest.mark.parametrize(
    ("believes", "acts"),
    [
        pytest.param([VIP, N1, LOW], PREEMPTS, id="the node is noted, the victim marked and deleted"),
        pytest.param([VIP, N1, N2, LOW], PREEMPTS, id="a node that would not help is left alone"),
        pytest.param(
            [nominated(VIP), N1, LOW], PREEMPTS[1:], id="noted, but the victim still stands: only that is left to do"
        ),
        pytest.param([nominated(VIP), N1, victim(LOW)], [], id="it waits while the victim ends"),
        pytest.param([nominated(VIP), N1, victim(LOW, phase="Failed")], ["bind pod/vip NodeFits"], id="and then binds"),
        pytest.param([nominated(VIP), N1], ["bind pod/vip NodeFits"], id="also when the victim is gone"),
        pytest.param(
            [VIP, N1, replace(LOW, spec=replace(LOW.spec, priority=100))],
            ["report-unschedulable pod/vip Unschedulable"],
            id="nobody is pushed off by an equal",
        ),
        pytest.param(
            [nominated(VIP), N1, replace(LOW, spec=replace(LOW.spec, priority=100))],
            ["report-unschedulable pod/vip Unschedulable"],
            id="a nomination that helps no more is taken back",
        ),
        pytest.param(
            [
                VIP,
                N1,
                LOW,
                nominated(pod("mid", node="", phase="Pending", containers=asking("3"), priority=50)),
            ],
            [PREEMPTS[0], "clear-nomination pod/mid Preempted", *PREEMPTS[1:]],
            id="a less important pod loses its claim",
        ),
        pytest.param(
            [VIP, N1, nominated(pod("star", node="", phase="Pending", containers=asking("3"), priority=500))],
            ["report-unschedulable pod/vip Unschedulable"],
            id="room that was made for a more important pod is taken",
        ),
    ],
)
def test_turn(believes: list[Object], acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes))) == acts


def test_what_is_written() -> None:
    nominates, marks, deletes = decided(LOOP, turn(LOOP, KEY, VIP, N1, LOW, now=1_000))
    assert requested(nominates).status.nominatedNodeName == "n1"
    row = condition(requested(nominates).status.conditions, "PodScheduled")
    # As recorded: no word of preemption when it found a node.
    assert row is not None
    assert (row.status, row.reason, row.message) == ("False", "Unschedulable", FULL)
    mark = condition(requested(marks).status.conditions, "DisruptionTarget")
    assert mark is not None
    assert mark.message == "default-scheduler: preempting to accommodate a higher priority pod"
    assert isinstance(deletes, Act)
    assert deletes.request == Delete(LOW.ref, uid="uid-low")
    (event,) = deletes.events
    assert (event.type, event.reason, event.message) == ("Normal", "Preempted", "Preempted by pod uid-vip on node n1")


def test_a_refused_nomination_deletes_nobody() -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, VIP, N1, LOW), refuse=[0])) == PREEMPTS[:1]


def test_a_pod_that_may_not_preempt_says_so() -> None:
    polite = replace(VIP, spec=replace(VIP.spec, preemptionPolicy="Never"))
    (act,) = decided(LOOP, turn(LOOP, KEY, polite, N1, LOW))
    assert isinstance(act, Act)
    assert act.events[0].message == (
        f"{FULL} no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."
    )


def test_the_nominated_node_is_tried_first() -> None:
    acts = decided(LOOP, turn(LOOP, KEY, nominated(VIP, to="n3"), N1, node("n3"), pod("a", node="n3")))
    assert isinstance(acts[0], Act)
    assert acts[0].request == Bind(KEY, "n3")


def test_the_important_ones_are_tried_first() -> None:
    waiting = [
        pod(name, node="", phase="Pending", priority=priority)
        for name, priority in (("a", 0), ("b", 100), ("c", 100), ("d", 1))
    ]
    assert [ref.name for ref in _pod(seen(*waiting), pod("gone"))] == ["b", "c", "d", "a"]
