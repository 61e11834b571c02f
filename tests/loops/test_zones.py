"""The tables of zones: the state that a pass ends with, and the queue by which lost nodes are tainted."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import Condition, Ref
from app.kube.node_monitor import Bucket, Health, Monitor
from app.kube.nodes import Node, Taint
from app.kube.stringmap import StringMap
from app.kube.zones import FULL, NORMAL, PARTIAL, ZONE
from app.loops.node_lifecycle import LOOP
from app.loops.zone_passes import MONITOR
from app.sim.acts import Act, Wait
from tests.loops.beliefs import decided, node, told, turn

NOW = 100_000
UNREACHABLE = Taint("node.kubernetes.io/unreachable", "NoExecute")


def zone(name: str, ready: int, lost: int, *taints: Taint) -> list[Node]:
    """Its nodes; those that are lost have the taints."""
    return [
        _node(name, n, "True" if n < ready else "Unknown", taints if n >= ready else ()) for n in range(ready + lost)
    ]


def _node(zone: str, number: int, ready: str, taints: tuple[Taint, ...]) -> Node:
    made = node(f"{zone}{number}", *taints)
    labels = replace(made.metadata, labels=StringMap({ZONE: zone}))
    return replace(made, metadata=labels, status=replace(made.status, conditions=(Condition("Ready", ready),)))


def ended(nodes: list[Node], before: Monitor | None = None) -> list[Act | Wait]:
    """The end of a pass that began long enough ago."""
    kept = {MONITOR: replace(before or Monitor(), began=NOW - 1_000)}
    return decided(LOOP, turn(LOOP, MONITOR, *nodes, now=NOW, fired=True, memory=kept))


def monitor(made: list[Act | Wait]) -> Monitor:
    (kept,) = [row.memory for row in made if isinstance(row, Wait)]
    assert isinstance(kept, Monitor)
    return kept


@pytest.mark.parametrize(
    ("nodes", "states", "rates"),
    [
        pytest.param(zone("a", 3, 0), {"a": NORMAL}, {"a": 0.1}, id="all is well"),
        pytest.param(zone("a", 1, 2), {"a": NORMAL}, {"a": 0.1}, id="two lost nodes are never a disruption"),
        pytest.param(zone("a", 3, 3), {"a": NORMAL}, {"a": 0.1}, id="half of them neither"),
        pytest.param(zone("a", 3, 4), {"a": PARTIAL}, {"a": 0.0}, id="55 % of a small zone: nobody is tainted"),
        pytest.param(zone("a", 22, 28), {"a": PARTIAL}, {"a": 0.0}, id="50 nodes are small"),
        pytest.param(zone("a", 22, 29), {"a": PARTIAL}, {"a": 0.01}, id="51 are large: one node in 100 s"),
        pytest.param(
            [*zone("a", 0, 1), *zone("b", 2, 0)], {"a": FULL, "b": NORMAL}, {"a": 0.1, "b": 0.1}, id="one zone of two"
        ),
        pytest.param([*zone("a", 0, 2), *zone("b", 0, 1)], {"a": FULL, "b": FULL}, {"a": 0.0, "b": 0.0}, id="both"),
    ],
)
def test_the_states_of_zones(nodes: list[Node], states: dict[str, str], rates: dict[str, float]) -> None:
    found = monitor(ended(nodes))
    assert {name.removeprefix(":"): state for name, state in found.states} == states
    assert {name.removeprefix(":"): rate for name, rate in found.rates} == rates
    assert found.full == (set(states.values()) == {FULL})
    assert (found.base, found.began) == (NOW + 5_000, None)


def test_a_change_of_state_is_told_once() -> None:
    first = ended(zone("a", 3, 4))
    assert told(first) == ["set-zone-state zone/:a 4 of 7 not ready", "wait None"]
    assert told(ended(zone("a", 2, 5), monitor(first))) == ["wait None"]
    assert told(ended(zone("a", 7, 0), monitor(first))) == ["set-zone-state zone/:a 0 of 7 not ready", "wait None"]


def test_when_all_zones_are_lost_taints_are_taken_back() -> None:
    first = ended([*zone("a", 0, 1, UNREACHABLE), *zone("b", 0, 1)])
    assert [row.object.name for row in first if isinstance(row, Act) and row.verb == "untaint-node"] == ["a0"]
    assert [row.verb for row in first if isinstance(row, Act)][-1] == "enter-master-disruption"
    # What a human tainted meanwhile is no matter of a pass in which nothing changes.
    again = ended([*zone("a", 0, 1, UNREACHABLE), *zone("b", 0, 1)], monitor(first))
    assert told(again) == ["wait None"]


def test_leaving_it_gives_every_node_a_fresh_grace_period() -> None:
    found = ended(zone("a", 1, 1), monitor(ended(zone("a", 0, 2))))
    assert [row.verb for row in found if isinstance(row, Act)] == ["set-zone-state", "leave-master-disruption"]
    assert (monitor(found).full, monitor(found).fresh) == (False, NOW)


def test_a_pass_that_finds_something_takes_a_while() -> None:
    """75 ms as recorded, from its beginning to the change of states."""
    (wait,) = decided(LOOP, turn(LOOP, MONITOR, *zone("a", 1, 1), now=NOW, memory={MONITOR: Monitor()}))
    assert isinstance(wait, Wait)
    assert wait.bounds is not None
    assert (wait.bounds.usual, wait.memory) == (NOW + 75, Monitor(began=NOW))


# Queues.

QUEUE = Ref("Zone", "", ":a")
NORMAL_RATE = Monitor(look=25)


def looked(
    nodes: list[Node],
    *,
    queued: dict[str, int],
    kept: Monitor = NORMAL_RATE,
    bucket: Bucket | None = None,
    now: int = 25,
) -> list[Act | Wait]:
    memory = {Ref("Node", "", name): Health(at, at, "Unknown", queued=at) for name, at in queued.items()}
    given = {MONITOR: kept, **memory, **({QUEUE: bucket} if bucket else {})}
    return decided(LOOP, turn(LOOP, QUEUE, *nodes, now=now, memory=given))


SPENT = Bucket(full=10_025)
TAINTED = "taint-node node/a1 node.kubernetes.io/unreachable"
SLOW, NEVER = (replace(NORMAL_RATE, rates=((":a", rate),)) for rate in (0.01, 0.0))


@pytest.mark.parametrize(
    ("queued", "kept", "bucket", "now", "decisions"),
    [
        pytest.param({}, NORMAL_RATE, SPENT, 25, [], id="an empty queue"),
        pytest.param({"a1": 0}, NORMAL_RATE, None, 10, ["wait 25"], id="the next look"),
        pytest.param({"a1": 0}, NORMAL_RATE, None, 25, [TAINTED], id="the first at once"),
        pytest.param(
            {"a1": 5, "a2": 1},
            NORMAL_RATE,
            None,
            25,
            ["taint-node node/a2 node.kubernetes.io/unreachable"],
            id="in their order",
        ),
        pytest.param({"a1": 0}, NORMAL_RATE, SPENT, 125, ["wait 10025"], id="the second 10 s later"),
        pytest.param({"a1": 0}, NORMAL_RATE, SPENT, 10_025, [TAINTED], id="then"),
        pytest.param({"a1": 0}, NEVER, SPENT, 10_025, ["wait None"], id="never at a rate of 0"),
        pytest.param({"a1": 0}, SLOW, SPENT, 125, ["wait 100125"], id="a slower limiter begins empty"),
        pytest.param({"a1": 0}, SLOW, None, 25, [TAINTED], id="but where none had to wait full"),
    ],
)
def test_the_queue_of_a_zone(
    queued: dict[str, int], kept: Monitor, bucket: Bucket | None, now: int, decisions: list[str]
) -> None:
    assert told(looked(zone("a", 1, len(queued)), queued=queued, kept=kept, bucket=bucket, now=now)) == decisions


def test_a_token_is_taken() -> None:
    (act,) = looked(zone("a", 1, 1), queued={"a1": 0})
    assert isinstance(act, Act)
    assert act.memory == Bucket(full=10_025)


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param(zone("a", 2, 0), id="is ready again"),
        pytest.param(zone("a", 1, 1, UNREACHABLE), id="has its taint"),
        pytest.param(zone("b", 1, 1), id="is of another zone"),
    ],
)
def test_a_node_leaves_the_queue_when_it(nodes: list[Node]) -> None:
    assert looked(nodes, queued={"a1": 0, "b1": 0}, bucket=Bucket()) == []
