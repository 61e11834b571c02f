"""Arrows of the map: they run in the gutters between boxes, turn at right angles, and end on borders."""

from __future__ import annotations

from typing import NamedTuple

Points = list[tuple[float, float]]


class Spot(NamedTuple):
    """Where a box is and how it is reached."""

    x: float
    y: float
    width: float
    height: float
    home: str
    """The frame that it stands in."""
    left: float | None = None
    """A channel inside the frame, left of the box."""
    right: float | None = None
    gutter: float = 0
    """The channel outside the frame."""
    out: str = "left"
    """The side that faces the gutter."""
    corridor: float = 0
    """The horizontal channel above its frame, by which other gutters are reached."""
    shelf: float | None = None
    """A horizontal channel inside the frame that joins the inner channels."""

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    def border(self, side: str, shift: float) -> tuple[float, float]:
        limit = self.height / 2 - 4
        y = self.middle + max(-limit, min(limit, shift))
        return (self.x if side == "left" else self.x + self.width, y)


def route(a: Spot, b: Spot, shift: float = 0) -> Points:
    """From a's border to b's; `shift` keeps arrows apart that use the same channels."""
    if a.home == b.home:
        return _inside(a, b, shift)
    if stacked(a, b):
        return _straight_down(a, b, shift)
    start, end = a.border(a.out, shift), b.border(b.out, shift)
    out, back = a.gutter + shift * 0.8, b.gutter + shift * 0.8
    if a.gutter == b.gutter:
        return [start, (out, start[1]), (out, end[1]), end]
    corridor = max(a.corridor, b.corridor) + shift * 0.5
    return [start, (out, start[1]), (out, corridor), (back, corridor), (back, end[1]), end]


def stacked(a: Spot, b: Spot) -> bool:
    """Whether one stands right above the other with nothing between them (their frames touch)."""
    low, high = (a, b) if a.y > b.y else (b, a)
    return a.x <= b.x + b.width and b.x <= a.x + a.width and 0 < low.y - high.y - high.height < 46


def _straight_down(a: Spot, b: Spot, shift: float) -> Points:
    left, right = max(a.x, b.x), min(a.x + a.width, b.x + b.width)
    x = left + (right - left) * 0.82 + shift
    return [(x, a.y + a.height), (x, b.y)] if a.y < b.y else [(x, a.y), (x, b.y + b.height)]


def _inside(a: Spot, b: Spot, shift: float) -> Points:
    """Within one frame: side by side, or by one of the channels along its edges."""
    if abs(a.middle - b.middle) < 2 and (a.x + a.width <= b.x or b.x + b.width <= a.x):
        sides = ("right", "left") if a.x < b.x else ("left", "right")
        return [a.border(sides[0], shift), b.border(sides[1], shift)]
    for side in ("right", "left"):
        one, other = getattr(a, side), getattr(b, side)
        if one is not None and other is not None:
            start, end, x = a.border(side, shift), b.border(side, shift), one + shift * 0.5
            return [start, (x, start[1]), (x, end[1]), end]
    return _by_shelf(a, b, shift)


def _by_shelf(a: Spot, b: Spot, shift: float) -> Points:
    """From the channel on one edge to that on the other, over the shelf between two rows of boxes."""
    one = "right" if a.right is not None else "left"
    other = "right" if b.right is not None else "left"
    start, end = a.border(one, shift), b.border(other, shift)
    out = (a.right if one == "right" else a.left) or start[0]
    back = (b.right if other == "right" else b.left) or end[0]
    shelf = a.shelf if a.shelf is not None else (b.shelf if b.shelf is not None else (start[1] + end[1]) / 2)
    return [start, (out, start[1]), (out, shelf), (back, shelf), (back, end[1]), end]
