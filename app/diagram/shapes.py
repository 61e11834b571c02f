"""What a placed picture consists of: groups of boxes, lines and labels, with numbers only.

A group's `look` and a shape's `look` become CSS classes: what it is (`pod`) and how it is (`dead`).
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from app.diagram.metrics import width

Number = int | float
Point = tuple[Number, Number]

HEAD = 7
"""Length of an arrowhead; it is drawn, not a marker, because its tip must lie on the border."""


class Box(Struct, frozen=True):
    x: Number
    y: Number
    width: Number
    height: Number
    look: str
    radius: Number = 0

    @property
    def right(self) -> Number:
        return self.x + self.width

    @property
    def bottom(self) -> Number:
        return self.y + self.height


class Line(Struct, frozen=True):
    """A path, with the points it joins kept beside it."""

    path: str
    look: str
    start: Point
    end: Point


class Label(Struct, frozen=True):
    x: Number
    y: Number
    text: str
    look: str
    """The first class names the face that it was measured in."""
    anchor: str = "start"
    turned: str = ""
    """A `transform` for a label that reads upwards."""

    @property
    def length(self) -> Number:
        """How wide it is drawn, also by a viewer that has none of our fonts."""
        return rounded(width(self.text, self.look.partition(" ")[0]))


class Group(Struct, frozen=True, kw_only=True):
    """Shapes that move together; their coordinates count from the group's own corner."""

    id: str
    look: str
    x: Number = 0
    y: Number = 0
    title: str = ""
    """What there is to say about it, in full."""
    boxes: tuple[Box, ...] = ()
    lines: tuple[Line, ...] = ()
    labels: tuple[Label, ...] = ()

    @property
    def transform(self) -> str:
        return f"translate({self.x} {self.y})"


class Picture(Struct, frozen=True, kw_only=True):
    """A whole picture: one template writes it down."""

    id: str
    look: str
    width: Number
    height: Number
    title: str
    desc: str
    groups: tuple[Group, ...]

    @property
    def frame(self) -> str:
        return f"0 0 {self.width} {self.height}"


def rounded(value: float) -> Number:
    """To a tenth; whole numbers stay short."""
    if type(value) is int:
        return value
    short = round(value, 1)
    return int(short) if short.is_integer() else short


def box(x: float, y: float, width: float, height: float, look: str, radius: float = 0) -> Box:  # noqa: PLR0917
    return Box(rounded(x), rounded(y), rounded(width), rounded(height), look, rounded(radius))


def label(x: float, y: float, text: str, look: str, anchor: str = "start") -> Label:
    return Label(rounded(x), rounded(y), text, look, anchor)


def line(points: list[tuple[float, float]], look: str, bend: float = 5) -> Line:
    """Straight pieces from point to point, their corners rounded."""
    path = [f"M{rounded(points[0][0])} {rounded(points[0][1])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        start, end = _towards(corner, before, bend), _towards(corner, after, bend)
        path.append(f"L{_written(start)}Q{_written(corner)} {_written(end)}")
    path.append(f"L{_written(points[-1])}")
    return Line("".join(path), look, _point(points[0]), _point(points[-1]))


def arrow(points: list[tuple[float, float]], look: str, bend: float = 5) -> tuple[Line, Line]:
    """A line and its head, whose tip lies on the last point."""
    points = [point for at, point in enumerate(points) if at == 0 or point != points[at - 1]]
    before, tip = points[-2:]
    foot = _towards(tip, before, HEAD - 1)
    shaft = line([*points[:-1], foot], look, bend)
    return Line(shaft.path, shaft.look, shaft.start, _point(tip)), head(before, tip, look)


def head(before: tuple[float, float], tip: tuple[float, float], look: str) -> Line:
    """A filled triangle that points from `before` to `tip`."""
    foot = _towards(tip, before, HEAD)
    across = ((foot[1] - tip[1]) / HEAD * 3.5, (tip[0] - foot[0]) / HEAD * 3.5)
    one, other = (foot[0] + across[0], foot[1] + across[1]), (foot[0] - across[0], foot[1] - across[1])
    return Line(f"M{_written(tip)}L{_written(one)}L{_written(other)}Z", f"head {look}", _point(tip), _point(tip))


def _towards(start: tuple[float, float], goal: tuple[float, float], most: float) -> tuple[float, float]:
    """The point so far from `start` on the way to `goal`, at most half of it."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    distance = (dx * dx + dy * dy) ** 0.5
    if distance == 0:
        return start
    share = min(most, distance / 2 if most < HEAD - 1 else distance) / distance
    return start[0] + dx * share, start[1] + dy * share


def _point(point: tuple[float, float]) -> Point:
    return rounded(point[0]), rounded(point[1])


def _written(point: tuple[float, float]) -> str:
    return f"{rounded(point[0])} {rounded(point[1])}"


@lru_cache(maxsize=8192)
def name_for(*parts: str) -> str:
    """An XML id from names: letters, digits, hyphens and underscores."""
    return "-".join("".join(char if char.isalnum() or char in "-_" else "_" for char in part) for part in parts if part)
