"""Where the intervals of a timeline lie, wide or narrow (the name of a row above it)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from app.diagram.layout.plan import NARROW
from app.diagram.layout.scale import Piece, Scale, scale, spoken, ticks
from app.diagram.metrics import fitted, width
from app.diagram.shapes import Box, Group, Label, Line, Picture, box, label, line, name_for, rounded
from app.diagram.views import Pin, Segment, TimelineView, Track
from app.diagram.words import say

EDGE = 1
WIDE = 1200.0
AXIS = 34
"""Room for the cursor's time and the ticks."""
BAR = 20
ROW = 26
FOOT = 20
NAME_NARROW = 15
PIN = 9


class Frame(NamedTuple):
    prefix: str
    width: float
    left: float
    """Where time begins."""
    right: float
    top: float
    row: float
    scale: Scale
    narrow: bool


def place_timeline(
    view: TimelineView, *, narrow: bool, desc: str, wide: float = WIDE, told: Callable[[Pin], str] = str
) -> Picture:
    """All rows, the scale and the cursor."""
    prefix = "timeline-narrow" if narrow else "timeline"
    wide = NARROW if narrow else wide
    names = max((width(track.name, "t-text") for track in view.tracks), default=0)
    left = EDGE if narrow else min(190.0, names + 14)
    right = wide - EDGE - (4 if narrow else 8)
    row = ROW + NAME_NARROW if narrow else ROW
    frame = Frame(prefix, wide, left, right, AXIS, row, _scale(view, left, right), narrow)
    rows = len(view.tracks) + bool(view.pins)
    bottom = AXIS + row * rows + 2
    near = _near(frame, view, bottom, bottom + (FOOT if view.races else 4))
    height = bottom + (FOOT if view.races else 4) + (FOOT - 4 if near else 0)
    groups = [
        *near,
        _axis(frame, bottom),
        *_races(frame, view, bottom),
        *(_track(frame, track, at) for at, track in enumerate(view.tracks)),
        *_pins(frame, view, told),
        *_cuts(frame, bottom),
        _cursor(frame, view, bottom, rows),
    ]
    look = "picture timeline narrow" if narrow else "picture timeline"
    return Picture(
        id=prefix, look=look, width=wide, height=rounded(height), title=view.title, desc=desc, groups=tuple(groups)
    )


def _scale(view: TimelineView, left: float, right: float) -> Scale:
    return scale(view.instants, left, right, keeps_waits=view.keeps_waits)


def _axis(frame: Frame, bottom: float) -> Group:
    lines, labels = [], []
    taken = [_cut_room(piece) for piece in frame.scale.cuts]
    instants = ticks(frame.scale, 62 if frame.narrow else 84)
    texts = [spoken(at) for at in instants]
    if len(set(texts)) < len(texts):
        texts = [f"{at / 1000:.3f} s" for at in instants]
    for at, text in zip(instants, texts, strict=True):
        x = frame.scale.at(at)
        half = width(text, "t-note") / 2
        lines.append(line([(x, AXIS - 2), (x, bottom)], "grid"))
        middle = max(EDGE + half, min(x, frame.width - EDGE - half))
        if all(middle + half + 6 <= left or right + 6 <= middle - half for left, right in taken):
            labels.append(label(middle, AXIS - 7, text, "t-note tick", "middle"))
            taken.append((middle - half, middle + half))
    return Group(id=name_for(frame.prefix, "axis"), look="axis", lines=tuple(lines), labels=tuple(labels))


def _length(piece: Piece) -> str:
    """How long a wait is that was cut out: with a sign, as it stands among instants."""
    return f"+{spoken(piece.end - piece.start)}"


def _cut_room(piece: Piece) -> tuple[float, float]:
    """From where to where the length of a cut is written."""
    half = width(_length(piece), "t-loud") / 2 + 3
    middle = (piece.left + piece.right) / 2
    return middle - half, middle + half


def _near(frame: Frame, view: TimelineView, bottom: float, words_at: float) -> list[Group]:
    """The enlarged start, marked as such."""
    near = frame.scale.near
    if near is None:
        return []
    times = f"{near.times:.0f}" if near.times >= 10 else f"{near.times:.1f}"
    text = view.enlarged.replace("{end}", spoken(near.end)).replace("{times}", times)
    room = frame.width - near.left - EDGE
    return [
        Group(
            id=name_for(frame.prefix, "near"),
            look="near",
            title=text,
            boxes=(box(near.left, AXIS - 2, near.right - near.left, bottom - AXIS + 2, "lens"),),
            lines=(line([(near.right, AXIS - 2), (near.right, bottom + 2)], "lens-edge"),),
            labels=(label(near.left, words_at + 10, fitted(text, "t-note", room), "t-note tick"),),
        )
    ]


def _track(frame: Frame, track: Track, at: int) -> Group:
    """A row: its name, then its intervals side by side."""
    y = frame.top + at * frame.row
    if frame.narrow:
        name = label(EDGE, 11, fitted(track.name, "t-text", frame.width - 2 * EDGE), "t-text")
    else:
        name = label(frame.left - 10, 14, fitted(track.name, "t-text", frame.left - 12), "t-text", "end")
    bars = bars_of(frame.scale, track.segments, NAME_NARROW if frame.narrow else 0)
    labels = [name]
    for part, bar in zip(track.segments, bars, strict=True):
        labels += _inside(part, bar, frame.scale.cuts)
    about = ", ".join(f"{part.text} {spoken(max(part.start, 0))} to {spoken(part.end)}" for part in track.segments)
    return Group(
        id=name_for(frame.prefix, track.id),
        look=f"track k-{track.kind}",
        y=y,
        title=f"{track.name}: {about}",
        boxes=tuple(bars),
        labels=tuple(labels),
    )


def bars_of(found: Scale, segments: tuple[Segment, ...], y: float) -> list[Box]:
    """Each interval at its place; one too short to be seen is drawn two wide, at the cost of its neighbour."""
    bars: list[Box] = []
    edge = 0.0
    for part in segments:
        start = max(found.at(part.start), edge)
        end = max(found.at(part.end), start + 2.5)
        bars.append(
            box(start + 0.5, y, max(end - start - 1, 1.5), BAR, f"part {part.state}", min(4, (end - start) / 3))
        )
        edge = end
    return bars


def _inside(part: Segment, bar: Box, cuts: list[Piece]) -> list[Label]:
    """Its words, where they fit whole or nearly so: before, between or after the cuts that go through the bar."""
    edges = [bar.x, *(edge for piece in cuts for edge in _strip(piece)), bar.right]
    spans = [
        (max(left, bar.x) + 6, min(right, bar.right) - 6) for left, right in zip(edges[::2], edges[1::2], strict=True)
    ]
    wide = width(part.text, "t-note")
    left, right = next(
        (span for span in spans if span[1] - span[0] >= wide), max(spans, key=lambda span: span[1] - span[0])
    )
    text = fitted(part.text, "t-note", right - left)
    if wide > right - left and len(text) < 9:
        return []
    return [label(left, bar.y + 14, text, "t-note")]


def _strip(piece: Piece) -> tuple[float, float]:
    """From where to where a cut is drawn."""
    middle = (piece.left + piece.right) / 2
    return middle - 6, middle + 6


def _cuts(frame: Frame, bottom: float) -> list[Group]:
    """A strip over all rows for a wait that was cut out, with its true length."""
    found = []
    for piece in frame.scale.cuts:
        middle, text = (piece.left + piece.right) / 2, _length(piece)
        left, right = _cut_room(piece)
        edges = [line(_wave(middle + side, AXIS - 2, bottom), "cut-edge", 0) for side in (-3, 3)]
        found.append(
            Group(
                id=name_for(frame.prefix, "cut", str(piece.start)),
                look="fold",
                title=text,
                boxes=(
                    box(middle - 3, AXIS - 2, 6, bottom - AXIS + 2, "cut"),
                    box(left, AXIS - 17, right - left, 13, "cut"),
                ),
                lines=tuple(edges),
                labels=(label(middle, AXIS - 7, text, "t-loud", "middle"),),
            )
        )
    return found


def _wave(x: float, top: float, bottom: float) -> list[tuple[float, float]]:
    """A zigzag from top to bottom."""
    count = max(2, round((bottom - top) / 8))
    step = (bottom - top) / count
    return [(x + (2 if at % 2 else -2), top + at * step) for at in range(count + 1)]


def _races(frame: Frame, view: TimelineView, bottom: float) -> list[Group]:
    found = []
    for number, (start, end) in enumerate(view.races):
        left, right = frame.scale.at(start), frame.scale.at(end)
        wide = max(right - left, 2)
        text = f"{view.race} · {spoken(end - start)}"
        half = width(text, "t-loud") / 2
        x = max(EDGE + half, min(frame.width - EDGE - half, left + wide / 2))
        labels = (label(x, bottom + 13, text, "t-loud race-text", "middle"),) if number == 0 or wide > 2 * half else ()
        found.append(
            Group(
                id=name_for(frame.prefix, "race", str(number)),
                look="racing",
                title=text,
                boxes=(box(left, AXIS - 2, wide, bottom - AXIS + 2, "race"),),
                lines=(
                    line([(left, AXIS - 2), (left, bottom + 2)], "race-edge"),
                    line([(left + wide, AXIS - 2), (left + wide, bottom + 2)], "race-edge"),
                ),
                labels=labels,
            )
        )
    return found


def _pins(frame: Frame, view: TimelineView, told: Callable[[Pin], str]) -> list[Group]:
    """The last row: a mark for each instant at which somebody noted something; close ones share theirs."""
    if not view.pins:
        return []
    y, shift = frame.top + len(view.tracks) * frame.row, NAME_NARROW if frame.narrow else 0
    words = say("timeline", "notes")
    name = label(EDGE, 11, words, "t-text") if frame.narrow else label(frame.left - 10, 14, words, "t-text", "end")
    found = [Group(id=name_for(frame.prefix, "notes"), look="pins", y=y, labels=(name,))]
    for number, pins in enumerate(_near_each_other(frame, view.pins)):
        look = "pin decision" if any(pin.kind == "decision" for pin in pins) else "pin"
        found.append(
            Group(
                id=name_for(frame.prefix, "pin", str(number)),
                look=look,
                x=rounded(frame.scale.at(pins[0].at)),
                y=y,
                title="\n".join(told(pin) for pin in pins),
                boxes=(box(-PIN / 2, shift + 3, PIN, BAR - 6, "flag", 2),),
            )
        )
    return found


def _near_each_other(frame: Frame, pins: tuple[Pin, ...]) -> list[list[Pin]]:
    found: list[list[Pin]] = []
    for pin in sorted(pins, key=lambda pin: pin.at):
        if found and frame.scale.at(pin.at) - frame.scale.at(found[-1][0].at) < PIN + 2:
            found[-1].append(pin)
        else:
            found.append([pin])
    return found


def _cursor(frame: Frame, view: TimelineView, bottom: float, rows: int) -> Group:
    """Where the step stands; its time is written on a flag that stays inside."""
    x = frame.scale.at(view.cursor)
    half = width(view.cursor_text, "t-words") / 2 + 5
    middle = max(EDGE + half, min(frame.width - EDGE - half, x))
    return Group(
        id=name_for(frame.prefix, "cursor"),
        look="cursor",
        x=rounded(x),
        title=view.cursor_text,
        boxes=(box(middle - half - x, 0, half * 2, 15, "knob", 4),),
        lines=_upright(frame, rows, bottom),
        labels=(label(middle - x, 11, view.cursor_text, "t-words", "middle"),),
    )


def _upright(frame: Frame, rows: int, bottom: float) -> tuple[Line, ...]:
    """The cursor's line; in a narrow picture it leaves out the names of the rows."""
    if not frame.narrow:
        return (line([(0, 14), (0, bottom + 3)], "cursor-line"),)
    tops = [frame.top + at * frame.row + NAME_NARROW for at in range(rows)]
    ends = [(14.0, AXIS - 1.0), *((top - 2, top + BAR + 2) for top in tops)]
    return tuple(line([(0, start), (0, end)], "cursor-line") for start, end in ends)
