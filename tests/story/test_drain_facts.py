"""What is said of a drain, held against the walks of the flow that shows them."""

from __future__ import annotations

import pytest

from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.play import Play, output, play, request

LINE = (
    'error when evicting pods/"{pod}" -n "default" (will retry after 5s): '
    "Cannot evict pod as it would violate the pod's disruption budget."
)


def drained(scene: str = "", *do: str, until: str = "", **settings: str) -> Play:
    choices = [("do", text) for text in do]
    return play(request("drain", scene=scene, settings=tuple(settings.items()), choices=choices, until=until))


def fact(name: str, walk: Play) -> Fact:
    return FACTS[name](Subject(walk.walk, walk.target))


def value(name: str, walk: Play) -> float | bool | str | None:
    return fact(name, walk).value


def test_a_drain_through_a_budget_of_one() -> None:
    walk = drained()
    assert value("drain-exit", walk) == 0
    assert [value(name, walk) for name in ("evicted", "refusals", "waits-for", "came-back")] == [2, 1, 0, 0]
    assert fact("fewest-ready", walk).more == (("workload", "web"),)
    assert value("blocked-for", walk) == 0
    step = fact("drain-finished", walk).step
    assert step is not None
    assert walk.steps[step - 1].step.moment == "node-drained"


def test_a_budget_that_can_never_be_met_stops_the_walk_as_stuck() -> None:
    walk = drained("budget-exhausted", until="60s")
    assert walk.walk.stopped == "stuck"
    more = dict(fact("blocked-for", walk).more)
    pods = more["pods"].split(", ")
    assert len(pods) == 2
    assert (more["budgets"], more["needs"], more["has"]) == ("web", "4", "4")
    assert more["unblock"] == "patch pdb/web minAvailable=3; scale deployment/web replicas=5"
    for pod in pods:
        told = [at for at, _, line in output(walk, len(walk.steps)) if line.text == LINE.format(pod=pod)]
        assert told == [46 + 5_000 * number for number in range(12)]


def test_it_is_not_stuck_while_the_script_goes_on() -> None:
    assert drained("budget-exhausted", "59s patch pdb/web minAvailable=3", until="30s").walk.stopped == "until"


def test_a_drain_that_has_only_begun_is_not_stuck() -> None:
    assert drained("budget-exhausted", until="3s").walk.stopped == "until"


UNBLOCKED: dict[str, dict[str, str]] = {
    "one-replica": {},
    "budget-exhausted": {},
    "unready": {},
    "spare": {"replicas": "6", "min_available": "6", "delete_emptydir_data": "true"},
}


@pytest.mark.parametrize("name", UNBLOCKED)
def test_each_of_the_ways_out_leads_out(name: str) -> None:
    scene = name if not UNBLOCKED[name] else "budget-exhausted"
    walk = drained(scene, until="30s", **UNBLOCKED[name])
    ways = dict(fact("blocked-for", walk).more)["unblock"].split("; ")
    assert len(ways) >= 2
    for way in ways:
        after = drained(scene, f"12s {way}", until="5m", **UNBLOCKED[name])
        assert value("evicted", after), way


def test_what_refuses_to_start_names_the_node() -> None:
    found = fact("drain-refused", drained("refuses"))
    assert found.value is True
    assert found.more == (("node", "node-2"),)


def test_an_eviction_that_fails_for_good_counts_once() -> None:
    walk = drained("two-budgets")
    assert value("refused-for-good", walk) == 1
    assert value("drain-finished", walk) is None
    assert value("drain-exit", walk) == 1


def test_deletes_count_as_pods_sent_away() -> None:
    walk = drained("disable-eviction")
    assert value("evicted", walk) == 2
    assert value("refusals", walk) == 0
    assert value("fewest-ready", walk) == 2


def test_a_workload_of_one_is_down_until_its_replacement_is_ready() -> None:
    walk = drained(replicas="1", min_available="0")
    ready = value("ready-at", walk)
    down = value("none-ready-for", walk)
    assert isinstance(ready, float)
    assert down == pytest.approx(ready - 0.046)
    assert value("fewest-ready", walk) == 0


def test_who_came_back_and_whom_it_waits_for_are_named() -> None:
    back = fact("came-back", drained("uncordoned-midway"))
    assert back.value == 1
    assert dict(back.more)["pods"].startswith("web-")
    left = fact("waits-for", drained("will-not-go"))
    assert left.value == 1
    assert left.step is not None


def test_without_a_drain_there_is_nothing_to_tell() -> None:
    walk = play(request("termination"))
    assert value("drain-exit", walk) is None
    assert value("drain-finished", walk) is None
    assert value("fewest-ready", walk) is None
    assert value("evicted", walk) == 0
