"""For how long something was the case in a walk, looked at after every act."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import is_
from typing import NamedTuple

from app.sim.walk import Record, Walk
from app.sim.world import World


class Stretch(NamedTuple):
    """One time in which it was so without a break."""

    what: str
    """What it was the case for."""
    since: int
    until: int
    step: int | None
    """The numbered step with which it began, or the first one after that."""

    @property
    def lasted(self) -> int:
        return self.until - self.since


def stretches(walk: Walk, found: Callable[[World], Iterable[str]]) -> list[Stretch]:
    """All of them, in the order of their ends; `found` depends on nothing but objects, machines and fronts."""
    ended: list[Stretch] = []
    open_: dict[str, Record | None] = dict.fromkeys(found(walk.start))
    seen = (walk.start.etcd, walk.start.hosts, walk.start.fronts)
    for row in walk.records:
        world = row.step.world
        now_seen = (world.etcd, world.hosts, world.fronts)
        if all(map(is_, seen, now_seen)):
            continue
        seen = now_seen
        now = list(found(world))
        ended += [_ended(walk, what, open_.pop(what), row.step.at) for what in list(open_) if what not in now]
        open_ = {what: open_.get(what, row) for what in now}
    return ended + [_ended(walk, what, began, walk.world.now) for what, began in open_.items()]


def longest(walk: Walk, found: Callable[[World], Iterable[str]]) -> Stretch | None:
    """The longest of them, the earliest where several are equal."""
    return max(stretches(walk, found), key=lambda row: (row.lasted, -row.since), default=None)


def _ended(walk: Walk, what: str, began: Record | None, until: int) -> Stretch:
    since = began.step.at if began is not None else 0
    return Stretch(what, since, until, step_at(walk, began) if began is not None else None)


def step_at(walk: Walk, row: Record) -> int | None:
    """The number of a step; of a background act, that of the step that it is folded into."""
    if row.n:
        return row.n
    at = next(number for number, other in enumerate(walk.records) if other is row)
    return next((other.n for other in walk.records[at:] if other.n), None)
