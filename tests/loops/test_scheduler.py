"""The scheduler's table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import Condition, ObjectMeta, Ref, condition
from app.kube.nodes import Taint
from app.kube.objects import Object
from app.kube.pods import PersistentVolumeClaimVolumeSource, Pod, PodSchedulingGate, PodStatus, Volume
from app.kube.storage import PersistentVolumeClaim
from app.kube.stringmap import StringMap
from app.loops.scheduler import LOOP, _node, _pod
from app.sim.acts import Bind, PatchStatus
from tests.loops.beliefs import asking, decided, node, only, pod, requested, seen, told, turn

KEY = Ref("Pod", "default", "new")
NEW = pod("new", node="", phase="Pending")
BIG = pod("new", node="", phase="Pending", containers=asking("3"))
TAINTED = node("n3", Taint("dedicated", "NoSchedule", "gpu"))
TAIL = "no new claims to deallocate, preemption: 0/{n} nodes are available: {counts}."
CORDONED = "0/1 nodes are available: 1 node(s) were unschedulable. " + TAIL.format(
    n=1, counts="1 Preemption is not helpful for scheduling"
)


def unscheduled(given: Pod, message: str) -> Pod:
    row = Condition("PodScheduled", "False", "Unschedulable", message, 0)
    return replace(given, status=replace(given.status, conditions=(row,)))


@pytest.mark.parametrize(
    ("believes", "acts"),
    [
        pytest.param([], [], id="nothing is done about a pod that is gone"),
        pytest.param([NEW, node("n1")], ["bind pod/new NodeFits"], id="one node that fits"),
        pytest.param([pod("new", node="n1"), node("n1")], [], id="a bound pod is left alone"),
        pytest.param([pod("new", node="", deleted=True), node("n1")], [], id="so is one that is being deleted"),
        pytest.param(
            [pod("new", node="", schedulingGates=(PodSchedulingGate("wait"),)), node("n1")],
            [],
            id="and one with a gate",
        ),
        pytest.param([pod("new", node="", schedulerName="other"), node("n1")], [], id="and one of another scheduler"),
        pytest.param([NEW], ["report-unschedulable pod/new Unschedulable"], id="no node at all"),
        pytest.param(
            [NEW, node("n1", cordoned=True)], ["report-unschedulable pod/new Unschedulable"], id="only a cordoned one"
        ),
        pytest.param(
            [unscheduled(NEW, CORDONED), node("n1", cordoned=True)],
            [],
            id="what has been reported is not reported again",
        ),
        pytest.param(
            [unscheduled(NEW, CORDONED), node("n1")], ["bind pod/new NodeFits"], id="bound once the node is uncordoned"
        ),
    ],
)
def test_turn(believes: list[Object], acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes))) == acts


@pytest.mark.parametrize(
    ("believes", "chosen"),
    [
        pytest.param([node("n2"), node("n1")], "n1", id="of equal nodes the first by name"),
        pytest.param([node("n1"), node("n2"), pod("a", node="n1", containers=asking("1"))], "n2", id="the emptier one"),
        pytest.param([node("n1", cordoned=True), node("n2")], "n2", id="not the cordoned one"),
        pytest.param([TAINTED, node("n4")], "n4", id="not the tainted one"),
        pytest.param(
            [node("n1"), node("n2", cpu="8"), pod("a", node="n1", containers=asking("3"))],
            "n2",
            id="where there is room",
        ),
    ],
)
def test_choice(believes: list[Object], chosen: str) -> None:
    act = only(decided(LOOP, turn(LOOP, KEY, BIG, *believes)))
    assert act.request == Bind(KEY, chosen)
    (event,) = act.events
    assert (event.reason, event.source) == ("Scheduled", "default-scheduler")
    assert event.message == f"Successfully assigned default/new to {chosen}"


def test_bindings_of_its_own_count_at_once() -> None:
    """A bound pod takes up its room also before the kubelet knows of it."""
    taken = pod("other", node="n1", phase="Pending", containers=asking("3"))
    act = only(decided(LOOP, turn(LOOP, KEY, BIG, taken, node("n1"))))
    assert isinstance(act.request, PatchStatus)


def test_a_pod_that_fits_nowhere_is_told_why() -> None:
    filler = pod("filler", node="n1", containers=asking("2"))
    believes: list[Object] = [BIG, filler, node("n1"), node("n2", cordoned=True), TAINTED]
    act = only(decided(LOOP, turn(LOOP, KEY, *believes, now=2_900)))
    reasons = "1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable"
    counts = "1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling"
    message = f"0/3 nodes are available: {reasons}. {TAIL.format(n=3, counts=counts)}"
    (event,) = act.events
    assert (event.type, event.reason, event.message) == ("Warning", "FailedScheduling", message)
    row = condition(requested(act).status.conditions, "PodScheduled")
    assert row == Condition("PodScheduled", "False", "Unschedulable", message, 2_000)


def test_the_time_of_the_first_refusal_stays() -> None:
    act = only(decided(LOOP, turn(LOOP, KEY, unscheduled(NEW, "before"), node("n1", cordoned=True), now=9_000)))
    row = condition(requested(act).status.conditions, "PodScheduled")
    assert row is not None
    assert (row.message, row.lastTransitionTime) == (CORDONED, 0)


def test_no_node_at_all_has_words_of_its_own() -> None:
    act = only(decided(LOOP, turn(LOOP, KEY, NEW)))
    assert act.events[0].message == "no nodes available to schedule pods"


def test_of_many_nodes_only_a_part_is_tried_but_a_fit_is_found() -> None:
    crowd = [node(f"n{number}", cordoned=True) for number in range(150)]
    act = only(decided(LOOP, turn(LOOP, KEY, NEW, *crowd, node("the-one"))))
    assert act.request == Bind(KEY, "the-one")


OTHER = pod("other", node="", phase="Pending")


@pytest.mark.parametrize(
    ("changed", "woken"),
    [
        pytest.param(NEW, ["new"], id="a pod without a node"),
        pytest.param(pod("bound"), [], id="a bound pod that runs"),
        pytest.param(pod("bound", phase="Succeeded"), ["new", "other"], id="a bound pod that has ended"),
        pytest.param(pod("gone"), ["new", "other"], id="a bound pod that is gone"),
    ],
)
def test_whom_a_pod_wakes(changed: Pod, woken: list[str]) -> None:
    believed = [NEW, OTHER, *([changed] if changed.metadata.name == "bound" else [])]
    assert [ref.name for ref in _pod(seen(*believed), changed)] == woken


def test_a_node_wakes_all_that_wait() -> None:
    gated = pod("gated", node="", schedulingGates=(PodSchedulingGate("wait"),))
    assert [ref.name for ref in _node(seen(NEW, OTHER, gated, pod("bound")), node("n1", zone="a"))] == [
        "new",
        "other",
    ]


def test_selectors_are_asked() -> None:
    picky = pod("new", node="", phase="Pending", nodeSelector=StringMap({"disk": "ssd"}))
    assert picky.status == PodStatus(phase="Pending")
    act = only(decided(LOOP, turn(LOOP, KEY, picky, node("n1"), node("n2", disk="ssd"))))
    assert act.request == Bind(KEY, "n2")


CLAIMED = pod(
    "new",
    node="",
    phase="Pending",
    volumes=(Volume("disk", persistentVolumeClaim=PersistentVolumeClaimVolumeSource("data")),),
)
CLAIM = PersistentVolumeClaim(ObjectMeta(name="data", namespace="default"))


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        pytest.param([], 'persistentvolumeclaim "data" not found', id="no claim"),
        pytest.param([CLAIM], "pod has unbound immediate PersistentVolumeClaims", id="one without a volume"),
    ],
)
def test_a_claim_that_is_of_no_use_rules_out_every_node(claims: list[Object], reason: str) -> None:
    act = only(decided(LOOP, turn(LOOP, KEY, CLAIMED, node("n1"), node("n2"), *claims)))
    (event,) = act.events
    tail = TAIL.format(n=2, counts="2 Preemption is not helpful for scheduling")
    assert event.message == f"0/2 nodes are available: {reason}. {tail}"


def test_a_bound_claim_rules_out_none_and_wakes_its_pods() -> None:
    bound = replace(CLAIM, spec=replace(CLAIM.spec, volumeName="pv"))
    assert only(decided(LOOP, turn(LOOP, KEY, CLAIMED, node("n1"), bound))).verb == "bind"
    assert LOOP.wakes["PersistentVolumeClaim"](seen(CLAIMED, OTHER, bound), bound) == [KEY]
