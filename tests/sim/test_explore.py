"""What a search of orders finds, against races small enough to be worked out by hand."""

from __future__ import annotations

import gc

import pytest
from clusters import POD
from msgspec import Struct

from app.sim.acts import Act, Wait, Work
from app.sim.engine import Model
from app.sim.explore import Found, Varies, explore
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.maps import Map
from app.sim.world import World

SOON = Bounds(0, 5, 10)
TAKER, GIVER = Work("taker", "", POD), Work("giver", "", POD)
BOTH = frozenset({("taker", ""), ("giver", "")})


class Done(Struct, frozen=True):
    at: int


def once(turn: Turn) -> Act | Wait | None:
    """Does its one thing within the bounds."""
    if turn.memory is not None:
        return None
    return Act("go", turn.key, memory=Done(turn.now)) if turn.reached(SOON) else Wait(SOON)


MODEL = Model([Loop(name="taker", lane="taker", reconcile=once), Loop(name="giver", lane="giver", reconcile=once)])
START = World(queued=Map({TAKER: 0, GIVER: 0}))


def missed(world: World) -> int:
    """Milliseconds for which what was taken was not given back."""
    taken, given = world.memory.get(TAKER), world.memory.get(GIVER)
    if not isinstance(taken, Done):
        return 0
    return max(0, (given.at if isinstance(given, Done) else world.now) - taken.at)


def searched(varies: Varies, *, stop_above: int | None = None, most_worlds: int = 1000) -> Found:
    return explore(MODEL, START, varies=varies, cost=missed, until=100, stop_above=stop_above, most_worlds=most_worlds)


@pytest.mark.parametrize(
    ("varies", "least", "most"),
    [
        pytest.param(frozenset[tuple[str, str]](), 0, 0, id="both at their usual instant"),
        pytest.param(frozenset({("taker", "")}), 0, 5, id="only the taker: at 0 at the earliest, the giver at 5"),
        pytest.param(frozenset({("giver", "")}), 0, 5, id="only the giver: at 10 at the latest, the taker at 5"),
        pytest.param(BOTH, 0, 10, id="both: the whole range apart"),
    ],
)
def test_range(varies: frozenset[tuple[str, str]], least: int, most: int) -> None:
    found = searched(lambda _: varies)
    assert (found.least, found.most, found.finished) == (least, most, True)


def test_worst_actions_lead_to_the_highest_cost() -> None:
    world = START
    for action in searched(lambda _: BOTH).worst:
        assert action in MODEL.enabled(world)
        world = MODEL.step(world, action).world
    assert missed(world) == 10


def test_stops_at_the_first_cost_above() -> None:
    found = searched(lambda _: BOTH, stop_above=0)
    assert (found.most > 0, found.finished) == (True, False)


def test_cap_is_told() -> None:
    found = searched(lambda _: BOTH, most_worlds=3)
    assert (found.finished, found.worlds > 3) == (False, True)


def test_collector_runs_again_afterwards() -> None:
    searched(lambda _: BOTH)
    assert gc.isenabled()
