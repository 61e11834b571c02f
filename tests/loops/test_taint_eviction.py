"""The table of the taint eviction controller: when it begins to count, what stops it, and what it then does."""

from __future__ import annotations

import pytest

from app.kube.meta import Ref
from app.kube.nodes import Taint
from app.kube.objects import Object
from app.kube.pods import Pod, Toleration
from app.kube.taint_eviction import Timer
from app.loops.taint_eviction import LOOP
from app.sim.acts import Act, Delete, Wait
from tests.loops.beliefs import decided, node, pod, requested, told, turn

KEY = Ref("Pod", "default", "web-1")
NOW = 50_000
REPAIRED = Taint("maintenance", "NoExecute")
TAINTED = node("n1", REPAIRED)
NAMES = ((REPAIRED.key, ""),)
EVICTED = [
    "mark-disrupted pod/web-1 maintenance",
    "delete-pod pod/web-1 maintenance",
    "wait None",
]
STARTED = "start-timer pod/web-1 maintenance"
CANCELLED = "cancel-deletion pod/web-1 TaintManagerEviction"


def web(*seconds: int | None) -> Pod:
    """A pod that tolerates the taint for so long; without any not at all."""
    rows = tuple(Toleration(REPAIRED.key, "Exists", effect="NoExecute", tolerationSeconds=row) for row in seconds)
    return pod("web-1", tolerations=rows)


def timer(due: int, *, since: int = 0, fired: bool = False) -> Timer:
    return Timer(since, due, NAMES, fired)


def made(*believes: Object, memory: Timer | None = None, refuse: tuple[int, ...] = ()) -> list[Act | Wait]:
    kept = {KEY: memory} if memory else {}
    return decided(LOOP, turn(LOOP, KEY, *believes, now=NOW, memory=kept), refuse=refuse)


@pytest.mark.parametrize(
    ("believes", "memory", "decisions"),
    [
        pytest.param([node("n1"), web(300)], None, [], id="no taint"),
        pytest.param([node("n1", Taint("a", "NoSchedule")), web(300)], None, [], id="one that only keeps away"),
        pytest.param([TAINTED, web()], None, EVICTED, id="what is not tolerated ends at once"),
        pytest.param([TAINTED, web(0)], None, EVICTED, id="and what is tolerated for 0 s"),
        pytest.param([TAINTED, web(-5)], None, EVICTED, id="or less"),
        pytest.param([TAINTED, web(300)], None, [STARTED], id="five minutes from now on, whenever the taint was set"),
        pytest.param([TAINTED, web(300)], timer(350_000, since=NOW), ["wait 350000"], id="and then it waits"),
        pytest.param([TAINTED, web(None)], None, [], id="tolerated for ever"),
        pytest.param(
            [TAINTED, web(60)], timer(300_000), ["wait 300000"], id="a shorter time does not count once it runs"
        ),
        pytest.param([TAINTED, web(900)], timer(300_000), ["wait 300000"], id="nor a longer one"),
        pytest.param([TAINTED, web(0)], timer(300_000), ["wait 300000"], id="nor none at all"),
        pytest.param([TAINTED, web()], timer(300_000), [CANCELLED, "wait None"], id="unless the toleration goes"),
        pytest.param([TAINTED, web()], timer(NOW, since=NOW), EVICTED, id="which ends it at once"),
        pytest.param([TAINTED, web(None)], timer(300_000), [CANCELLED, "wait None"], id="or is for ever now"),
        pytest.param([node("n1"), web(300)], timer(300_000), [CANCELLED, "wait None"], id="the taint is gone in time"),
        pytest.param([TAINTED], timer(300_000), [CANCELLED, "wait None"], id="the pod is"),
        pytest.param([web(300)], timer(300_000), ["wait 300000"], id="that the node is gone stops nothing"),
        pytest.param([web(300)], timer(NOW), EVICTED, id="nor is it a reprieve"),
        pytest.param([web(300)], None, [], id="without a timer none begins"),
        pytest.param(
            [TAINTED, pod("web-1", node="")],
            timer(300_000),
            [CANCELLED, "wait None"],
            id="a namesake that has no node yet: the old pod is gone",
        ),
        pytest.param([TAINTED, web(300)], timer(NOW), EVICTED, id="time is up"),
        pytest.param([TAINTED, web(300)], timer(NOW, fired=True), [], id="it is done once"),
        pytest.param([TAINTED], timer(NOW, fired=True), ["wait None"], id="and forgotten with the pod"),
        pytest.param([node("n1"), web(300)], timer(NOW, fired=True), ["wait None"], id="or with the taint"),
    ],
)
def test_a_pod(believes: list[Object], memory: Timer | None, decisions: list[str]) -> None:
    assert told(made(*believes, memory=memory)) == decisions


def test_the_first_of_several_taints_to_run_out_counts() -> None:
    two = node("n1", REPAIRED, Taint("own", "NoExecute"))
    rows = (Toleration("own", "Exists", tolerationSeconds=10), Toleration(operator="Exists", tolerationSeconds=100))
    (act,) = made(two, pod("web-1", tolerations=rows))
    assert told([act]) == ["start-timer pod/web-1 maintenance, own"]
    assert isinstance(act, Act)
    assert isinstance(act.memory, Timer)
    assert (act.memory.due, act.outcome, act.moment) == (60_000, "10 s", "eviction-timer-started")


def test_a_deletion_is_marked_told_and_then_asked_for() -> None:
    mark, delete, last = made(TAINTED, web())
    (row,) = requested(mark).status.conditions
    assert (row.type, row.status, row.reason) == ("DisruptionTarget", "True", "DeletionByTaintManager")
    assert row.message == "Taint manager: deleting due to NoExecute taint"
    assert isinstance(mark, Act)
    assert isinstance(delete, Act)
    assert [(event.type, event.reason, event.message) for event in mark.events] == [
        ("Normal", "TaintManagerEviction", "Marking for deletion Pod default/web-1")
    ]
    # With its own grace, no budget asked, and only this very pod.
    assert delete.request == Delete(KEY, None, "uid-web-1")
    assert isinstance(last, Wait)
    assert last.memory == timer(NOW, since=NOW, fired=True)


def test_a_cancelled_deletion_is_told() -> None:
    act = made(node("n1"), web(300), memory=timer(300_000))[0]
    assert isinstance(act, Act)
    assert [(row.type, row.message) for row in act.events] == [("Normal", "Cancelling deletion of Pod default/web-1")]


@pytest.mark.parametrize("refused", [0, 1])
def test_what_is_refused_is_not_done(refused: int) -> None:
    """The timer stays unfired, and the next turn tries again."""
    assert told(made(TAINTED, web(), refuse=(refused,))) == EVICTED[: refused + 1]
