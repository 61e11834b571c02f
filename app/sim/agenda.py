"""What a loop could do next, each within its bounds: picks the one that it does, or how long it waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from app.sim.acts import Act, Wait
from app.sim.lags import Bounds
from app.sim.loop import Turn


class Due(NamedTuple):
    """An act whose time comes within bounds that follow from stored instants."""

    bounds: Bounds
    act: Callable[[], Act]


def decide(turn: Turn, options: Iterable[Act | Due | Wait]) -> Act | Wait | None:
    """The first act without bounds; else the due one that usually comes first; else a wait for all of them."""
    waiting: list[Due | Wait] = []
    for option in options:
        if isinstance(option, Act):
            return option
        waiting.append(option)
    if not waiting:
        return None
    ready = [due for due in waiting if isinstance(due, Due) and turn.reached(due.bounds)]
    if ready:
        return min(ready, key=_usual).act()
    bounds = [due.bounds for due in waiting if due.bounds is not None]
    return Wait(
        Bounds(
            min(row.least for row in bounds),
            min(row.usual for row in bounds),
            min(row.most for row in bounds),
        )
    )


def _usual(due: Due) -> int:
    return due.bounds.usual
