"""What a loop does of several things that it could do, and how long it waits for them."""

from __future__ import annotations

from functools import partial

import pytest
from clusters import POD

from app.sim.acts import Act, Wait
from app.sim.agenda import Due, decide
from app.sim.host import Host
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.maps import Map
from app.sim.world import World

EARLY, LATE = Bounds(10, 20, 100), Bounds(5, 40, 50)
LOOP = Loop(name="toy", lane="toy", reconcile=lambda _: None, per_node=True)


def turn(now: int, *, fired: bool) -> Turn:
    return Turn(World(now=now, hosts=Map({"n1": Host("n1")})), LOOP, "n1", POD, fired=fired)


def due(name: str, bounds: Bounds) -> Due:
    return Due(bounds, partial(Act, name, POD))


@pytest.mark.parametrize(
    ("now", "fired", "options", "decision"),
    [
        pytest.param(0, False, [], None, id="nothing to do"),
        pytest.param(0, False, [Act("now", POD), due("a", EARLY)], "now", id="an act without bounds goes first"),
        pytest.param(0, False, [due("a", EARLY), Act("now", POD)], "now", id="wherever it stands"),
        pytest.param(0, False, [due("a", EARLY), due("b", LATE)], Bounds(5, 20, 50), id="one wait covers all"),
        pytest.param(20, True, [due("b", LATE), due("a", EARLY)], "a", id="the timer is for the usually first one"),
        pytest.param(20, False, [due("a", EARLY)], EARLY, id="a wake for another reason does not hurry it"),
        pytest.param(5, True, [due("a", EARLY), due("b", LATE)], "b", id="a search may let the other be early"),
        pytest.param(50, False, [due("a", EARLY), due("b", LATE)], "b", id="no later than its latest instant"),
        pytest.param(30, False, [due("a", Bounds.at(30))], "a", id="an exact instant has come"),
    ],
)
def test_decide(now: int, fired: bool, options: list[Act | Due], decision: str | Bounds | None) -> None:
    found = decide(turn(now, fired=fired), options)
    match found:
        case Act(verb=verb):
            assert verb == decision
        case Wait(bounds=bounds):
            assert bounds == decision
        case None:
            assert decision is None
