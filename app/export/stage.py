"""Everybody who acts in a walk side by side, and the arrow of each step between them: the lower part of what moves."""

from __future__ import annotations

from msgspec import Struct

from app.diagram.extract import messages_view
from app.diagram.metrics import fitted
from app.diagram.shapes import Group, Line, Number, arrow, box, label, name_for, rounded
from app.diagram.views import MessagesView, Shot
from app.story.play import Play

HEIGHT = 74
EDGE = 10
CHIP = (30.0, 38.0)
"""Top and height of a chip."""
ARROW = 16.0
MOST_LANES = 14


class Deed(Struct, frozen=True):
    """The arrow of a step."""

    kind: str
    harm: bool
    lines: tuple[Line, ...]


class Stage(Struct, frozen=True):
    """Empty where too many act to stand side by side."""

    heads: tuple[Group, ...]
    deeds: dict[int, Deed]


def stage(played: Play, last: int, wide: Number) -> Stage:
    """Who acts up to a step."""
    view = messages_view(played.walk, last, played.flow, whole=True)
    if not view.lanes or len(view.lanes) > MOST_LANES:
        return Stage((), {})
    pitch = (float(wide) - 2 * EDGE) / len(view.lanes)
    places = [EDGE + pitch * (at + 0.5) for at in range(len(view.lanes))]
    heads = tuple(_head(view, at, x, pitch - 8) for at, x in enumerate(places))
    deeds = {shot.n: Deed(shot.kind, shot.harm, _lines(shot, places)) for shot in view.shots if shot.look != "watch"}
    return Stage(heads, deeds)


def _head(view: MessagesView, at: int, x: float, room: float) -> Group:
    lane = view.lanes[at]
    top, high = CHIP
    lines = [text for text in (lane.title, lane.under) if text]
    first = top + high / 2 + 4 - 7 * (len(lines) - 1)
    return Group(
        id=name_for("stage", lane.id),
        look=f"lane k-{lane.kind}",
        boxes=(box(x - room / 2, top, room, high, "body", 6),),
        labels=tuple(
            label(
                x,
                first + 14 * row,
                fitted(text, ("t-chip", "t-note")[row], room - 6),
                ("t-chip", "t-note")[row],
                "middle",
            )
            for row, text in enumerate(lines)
        ),
    )


def _lines(shot: Shot, places: list[float]) -> tuple[Line, ...]:
    """Out of one chip, along above them and down into the other; an act on oneself goes out and back."""
    start, end = places[shot.sender], places[shot.receiver]
    top = CHIP[0]
    if shot.sender == shot.receiver:
        return arrow([(start - 9, top), (start - 9, ARROW), (start + 9, ARROW), (start + 9, top)], "flow")
    aside = 9 if end > start else -9
    points = [(rounded(start + aside), top), (rounded(start + aside), ARROW), (rounded(end - aside), ARROW)]
    return arrow([(float(x), float(y)) for x, y in [*points, (end - aside, top)]], "flow")
