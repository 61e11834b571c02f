"""When two worlds are one to a search."""

from __future__ import annotations

from typing import get_args, get_origin, get_type_hints

from clusters import POD, ask, pod, watcher, world
from msgspec import Struct
from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim.acts import Create, Work
from app.sim.engine import Model
from app.sim.identity import WHOLE, Fingerprints
from app.sim.lags import Bounds
from app.sim.ledger import Failing, Ledger, Route
from app.sim.maps import Map

ONE, TWO = Work("toy", "node-1", POD), Work("toy", "node-2", POD)
MODEL = Model([watcher(kind="Pod")])


def test_how_it_came_about_does_not_count() -> None:
    marks = Fingerprints()
    there, back = world(nodes=2), world(nodes=2)
    for name in ("web-1", "web-2"):
        there, _ = ask(MODEL, there, Create(pod(name)))
    for name in ("web-2", "web-1"):
        back, _ = ask(MODEL, back, Create(pod(name)))
    assert marks.of(there) != marks.of(world(nodes=2))
    # What was created last is told last.
    assert marks.of(replace(there, inbox=Map(), heads=Map())) == marks.of(replace(back, inbox=Map(), heads=Map()))


def test_values_that_change_places_count() -> None:
    marks = Fingerprints()
    start = world(nodes=2)
    # Many, as a weak sum of hashes confuses some of them.
    for other in range(1, 200):
        first, second = Map({ONE: 0, TWO: other}), Map({ONE: other, TWO: 0})
        assert marks.of(replace(start, queued=first)) != marks.of(replace(start, queued=second))


def test_time_counts() -> None:
    marks = Fingerprints()
    assert marks.of(world(now=1)) != marks.of(world(now=2))


def test_ledger_does_not_count() -> None:
    marks = Fingerprints()
    route = Route("node-1", Ref("Service", "default", "web"), "10.244.0.1")
    ledger = Ledger(failing=Map({route: Failing("refused", 1, 0)}))
    assert marks.of(replace(world(), ledger=ledger)) == marks.of(world())


def test_what_came_before_does_not_count() -> None:
    """A world has the same identity whatever other worlds were asked about in between."""
    marks = Fingerprints()
    start = world(nodes=2)
    other = replace(start, now=5, queued=Map({ONE: 1}), timers=Map({TWO: Bounds.at(7)}))
    first = marks.of(start)
    assert marks.of(other) != first
    assert marks.of(start) == first
    assert marks.of(other) == marks.of(replace(start, now=5, queued=Map({ONE: 1}), timers=Map({TWO: Bounds.at(7)})))


def test_what_is_hashed_whole_holds_no_map() -> None:
    """A map's own hash is weak: of maps whose values change places it is often the same."""
    left: list[type] = [kind for kind in WHOLE if isinstance(kind, type) and issubclass(kind, Struct)]
    seen: set[type] = set()
    while left:
        kind = left.pop()
        seen.add(kind)
        for hint in get_type_hints(kind).values():
            parts = [hint, *get_args(hint), *(inner for outer in get_args(hint) for inner in get_args(outer))]
            assert Map not in {get_origin(part) or part for part in parts}, kind
            left += [part for part in parts if isinstance(part, type) and issubclass(part, Struct) and part not in seen]
