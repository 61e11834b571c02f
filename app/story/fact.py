"""What a fact about a walk is, and the ways in which facts look for the step that decides them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from app.kube.meta import Ref
from app.sim.walk import Record, Walk


class Fact(Struct, frozen=True):
    """A value with the step that decides it; `value` None means it did not happen in this walk."""

    value: float | bool | str | None
    unit: str
    step: int | None = None
    more: tuple[tuple[str, str], ...] = ()
    """Further words that a text may name."""
    least: float | None = None
    most: float | None = None
    """The ends of a range, where the value is one by its nature."""


class Subject(Struct, frozen=True):
    """The walk and the object that its flow is about."""

    walk: Walk
    target: Ref

    @property
    def end(self) -> int:
        return self.walk.world.now


def first(walk: Walk, test: Callable[[Record], bool]) -> Record | None:
    return next((row for row in walk.records if row.n and test(row)), None)


def last(walk: Walk) -> int | None:
    steps = walk.steps
    return steps[-1].n if steps else None


def at(row: Record | None) -> str:
    return f"{row.step.at / 1000:.3f} s" if row else "never"
