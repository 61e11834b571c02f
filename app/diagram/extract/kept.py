"""What is computed once for a walk: pictures of its steps share it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from app.sim.walk import Record, Walk
from app.sim.world import World

T = TypeVar("T")

KEPT = 16
"""Walks of which something is kept."""


class Same:
    """Stands for one walk by identity: to compare worlds by value would cost more than it saves."""

    __slots__ = ("walk",)

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def __hash__(self) -> int:
        return id(self.walk)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.walk is self.walk


def once_per_walk(compute: Callable[[Walk], T]) -> Callable[[Walk], T]:
    """The function, with its last answers kept."""

    @lru_cache(maxsize=KEPT)
    def kept(same: Same) -> T:
        return compute(same.walk)

    def found(walk: Walk) -> T:
        return kept(Same(walk))

    return found


@once_per_walk
def steps(walk: Walk) -> list[Record]:
    """The numbered steps."""
    return walk.steps


def record_at(walk: Walk, n: int) -> Record | None:
    """The step at a position; None at the start."""
    return steps(walk)[n - 1] if n else None


def world_at(walk: Walk, n: int) -> World:
    """The world right after a step; 0 is the start."""
    return steps(walk)[n - 1].step.world if n else walk.start
