"""How one part of the world went through a walk: its versions with their instants, and intervals of equal states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from app.diagram.views import Segment
from app.sim.walk import Walk
from app.sim.world import World

T = TypeVar("T")

BEFORE = 1
"""Milliseconds before the start at which a timeline begins, so that it shows what was."""
Series = list[tuple[int, T]]


class Phase(NamedTuple):
    """What a row shows at one time; equal neighbours are one interval."""

    state: str
    text: str


def worlds(walk: Walk) -> Iterator[tuple[int, World]]:
    """Every world of a walk with its instant; the first one also stood before it."""
    yield walk.start.now - BEFORE, walk.start
    yield walk.start.now, walk.start
    for record in walk.records:
        yield record.step.at, record.step.world
    yield walk.world.now, walk.world


def series(walk: Walk, part: Callable[[World], T]) -> Series[T]:
    """The versions of a part, each with the instant from which it stood; only the last one of an instant counts."""
    found: Series[T] = []
    for at, world in worlds(walk):
        value = part(world)
        if found and found[-1][1] is value:
            continue
        if found and found[-1][0] == at:
            found.pop()
            if found and found[-1][1] is value:
                continue
        found.append((at, value))
    return found


def segments(rows: Series[T], end: int, phase: Callable[[T], Phase | None]) -> tuple[Segment, ...]:
    """Intervals of equal phases up to `end`; where there is no phase there is no interval."""
    found: list[Segment] = []
    for at, (start, value) in enumerate(rows):
        until = rows[at + 1][0] if at + 1 < len(rows) else end
        now = phase(value)
        if now is None or until <= start:
            continue
        last = found[-1] if found else None
        if last is not None and (last.state, last.text, last.end) == (*now, start):
            found[-1] = Segment(last.start, until, *now)
        else:
            found.append(Segment(start, until, *now))
    return tuple(found)
