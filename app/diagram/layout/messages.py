"""Where lanes and arrows of the message picture lie, wide (labels above arrows) or narrow (labels beside them)."""

from __future__ import annotations

from typing import NamedTuple

from app.diagram.layout.plan import NARROW
from app.diagram.metrics import fitted, width, wrapped
from app.diagram.shapes import Group, Label, Line, Picture, arrow, box, label, line, name_for, rounded
from app.diagram.views import LaneHead, MessagesView, Shot

EDGE = 1
NUMBERS = 24
"""The column of step numbers."""
HEAD = 38
HEAD_NARROW = (60, 130)
"""As high as the longest title needs, within limits."""
FOLDED = 20
ROW = 25
ROW_NARROW = 31
RACE_HEAD = 16
WIDE = 780.0
LOOP = 14
BEND = 3


class Grid(NamedTuple):
    """Measures of one picture."""

    width: float
    lanes: tuple[float, ...]
    """The x of each lifeline."""
    pitch: float
    top: float
    row: float
    words: float
    """Where the column of labels begins in a narrow picture; 0 in a wide one."""

    @property
    def narrow(self) -> bool:
        return self.words > 0


def place_messages(view: MessagesView, *, narrow: bool, desc: str, wide: float = WIDE) -> Picture:
    """The picture, so wide or narrow."""
    prefix = "messages-narrow" if narrow else "messages"
    grid = _grid(view, NARROW if narrow else wide, narrow=narrow)
    rows, height = _rows(view, grid)
    groups = [
        *_races(prefix, view, grid, rows),
        *_present(prefix, view, grid, rows),
        *(_lane(prefix, lane, at, grid, height) for at, lane in enumerate(view.lanes)),
        *_folded(prefix, view, grid, height),
        *(_shot(prefix, shot, y, grid) for shot, y in zip(view.shots, rows, strict=True)),
    ]
    return Picture(
        id=prefix,
        look="picture messages narrow" if narrow else "picture messages",
        width=grid.width,
        height=rounded(height),
        title=view.title,
        desc=desc,
        groups=tuple(groups),
    )


def _grid(view: MessagesView, wide: float, *, narrow: bool) -> Grid:
    count = max(len(view.lanes), 1)
    if narrow:
        pitch = max(13.0, min(22.0, 156 / count))
        lanes = tuple(EDGE + pitch * (at + 0.5) for at in range(count))
        longest = max((width(_title(lane), "t-words") for lane in view.lanes), default=0)
        head = min(max(longest + 16, HEAD_NARROW[0]), HEAD_NARROW[1])
        return Grid(wide, lanes, pitch, rounded(head), ROW_NARROW, EDGE + pitch * count + 8)
    pitch = (wide - EDGE - NUMBERS) / count
    return Grid(wide, tuple(NUMBERS + pitch * (at + 0.5) for at in range(count)), pitch, HEAD, ROW, 0)


def _rows(view: MessagesView, grid: Grid) -> tuple[list[float], float]:
    """The top of each arrow's row, and the height of the whole."""
    y = grid.top + (FOLDED if view.before else 4)
    found = []
    racing = False
    for shot in view.shots:
        if shot.racing and not racing:
            y += RACE_HEAD
        racing = shot.racing
        found.append(y)
        y += grid.row
    return found, y + (FOLDED if view.after else 4)


def _lane(prefix: str, lane: LaneHead, at: int, grid: Grid, height: float) -> Group:
    x = grid.lanes[at]
    life = line([(x, grid.top - 3), (x, height - 1)], "life")
    title = _title(lane)
    wide = grid.pitch - (2 if grid.narrow else 6)
    frame = box(x - wide / 2, EDGE, wide, grid.top - 4, "body", 3 if grid.narrow else 6)
    labels = (_upwards(title, x, grid),) if grid.narrow else _heading(lane, x, wide)
    return Group(
        id=name_for(prefix, "lane", lane.id),
        look=f"lane k-{lane.kind}",
        title=title,
        boxes=(frame,),
        lines=(life,),
        labels=labels,
    )


def _title(lane: LaneHead) -> str:
    return f"{lane.title} {lane.under}".strip()


def _heading(lane: LaneHead, x: float, wide: float) -> tuple[Label, ...]:
    """Title and node, or a long title broken; smaller and broken within a word where many lanes leave little room."""
    room = wide - 6
    bold = "t-chip" if width(lane.title, "t-chip") <= room or " " in lane.title else "t-lane"
    if bold == "t-lane" and width(lane.title, bold) > room:
        lines = [*_broken(lane.title, bold, room), *([fitted(lane.under, bold, room)] if lane.under else [])]
        return _stacked(x, lines, [bold] * len(lines), 10)
    if not lane.under:
        lines = list(wrapped(lane.title, bold, room, 2))
        return _stacked(x, lines, [bold, bold], 13)
    return _stacked(x, [lane.title, fitted(lane.under, "t-note", room)], [bold, "t-note"], 13)


def _stacked(x: float, lines: list[str], looks: list[str], pitch: float) -> tuple[Label, ...]:
    first = EDGE + (HEAD - 4) / 2 + 4 - pitch * (len(lines) - 1) / 2
    return tuple(label(x, first + pitch * at, text, looks[at], "middle") for at, text in enumerate(lines))


def _broken(word: str, look: str, room: float) -> tuple[str, str]:
    """One word on two lines: after its own hyphen if that fits, else with one."""
    head, dash, tail = word.partition("-")
    if dash and width(head + dash, look) <= room:
        return head + dash, fitted(tail, look, room)
    cut = max((at for at in range(1, len(word)) if width(word[:at] + "-", look) <= room), default=1)
    return word[:cut] + "-", fitted(word[cut:], look, room)


def _upwards(title: str, x: float, grid: Grid) -> Label:
    text = fitted(title, "t-words", grid.top - 14)
    y = grid.top - 10
    return Label(rounded(x + 3.5), rounded(y), text, "t-words", turned=f"rotate(-90 {rounded(x + 3.5)} {rounded(y)})")


def _folded(prefix: str, view: MessagesView, grid: Grid, height: float) -> list[Group]:
    """How many steps lie before and after those that are drawn."""
    found: list[Group] = []
    x, anchor = (grid.words, "start") if grid.narrow else (grid.width / 2, "middle")
    for name, text, y in (("before", view.before, grid.top), ("after", view.after, height - FOLDED)):
        if text:
            shown = fitted(text, "t-note", grid.width - grid.words - EDGE)
            found.append(
                Group(
                    id=name_for(prefix, name),
                    look="folded",
                    y=y,
                    labels=(label(x, 14, shown, "t-note folded", anchor),),
                )
            )
    return found


def _races(prefix: str, view: MessagesView, grid: Grid, rows: list[float]) -> list[Group]:
    """A shade behind the rows in which requests fail."""
    found: list[Group] = []
    start: int | None = None
    for at, shot in enumerate([*view.shots, None]):
        racing = shot is not None and shot.racing
        if racing and start is None:
            start = at
        if not racing and start is not None:
            span = (rows[start] - RACE_HEAD, rows[at - 1] + grid.row)
            found.append(_race(name_for(prefix, "race", str(len(found))), view.race, grid, span))
            start = None
    return found


def _race(id: str, words: str, grid: Grid, span: tuple[float, float]) -> Group:
    top, bottom = span
    text = fitted(words, "t-loud", grid.width - grid.words - 12)
    wide = grid.width - 2 * EDGE
    return Group(
        id=id,
        look="racing",
        y=rounded(top),
        boxes=(box(EDGE, 0, wide, bottom - top, "race"),),
        lines=(
            line([(EDGE, 0), (grid.width - EDGE, 0)], "race-edge"),
            line([(EDGE, bottom - top), (grid.width - EDGE, bottom - top)], "race-edge"),
        ),
        labels=(label(grid.width - 8, 12, text, "t-loud race-text", "end"),),
    )


def _present(prefix: str, view: MessagesView, grid: Grid, rows: list[float]) -> list[Group]:
    """A band behind the present step."""
    now = [at for at, shot in enumerate(view.shots) if shot.state == "now"]
    if not now:
        return []
    top, bottom = rows[now[0]], rows[now[-1]] + grid.row
    harm = any(view.shots[at].harm for at in now)
    band = box(EDGE, 0, grid.width - 2 * EDGE, bottom - top, f"present{' harm' if harm else ''}", 6)
    return [Group(id=name_for(prefix, "now"), look="now", y=rounded(top), boxes=(band,))]


def _shot(prefix: str, shot: Shot, y: float, grid: Grid) -> Group:
    look = " ".join(
        word for word in ("shot", f"k-{shot.kind}", shot.look, shot.state, "harm" if shot.harm else "") if word
    )
    lines = _loop(shot, grid) if shot.sender == shot.receiver else _across(shot, grid)
    labels = _beside(shot, grid) if grid.narrow else _above(shot, grid)
    if shot.look != "watch" and not grid.narrow:
        labels = (label(NUMBERS - 7, 17, str(shot.n), "t-mono number", "end"), *labels)
    return Group(id=name_for(prefix, shot.id), look=look, y=rounded(y), title=shot.title, lines=lines, labels=labels)


def _line_y(grid: Grid) -> float:
    return grid.row / 2 if grid.narrow else 18


def _across(shot: Shot, grid: Grid) -> tuple[Line, ...]:
    y = _line_y(grid)
    return arrow([(grid.lanes[shot.sender], y), (grid.lanes[shot.receiver], y)], "flow")


def _loop(shot: Shot, grid: Grid) -> tuple[Line, ...]:
    """An act on oneself: out and back, towards the side that has room for its label."""
    x, out = grid.lanes[shot.sender], LOOP if _rightwards(shot, grid) else -LOOP
    if grid.narrow:
        out = 8 if out > 0 else -8
    y = _line_y(grid) - 7 if grid.narrow else 7
    return arrow([(x, y), (x + out, y), (x + out, y + 11), (x, y + 11)], "flow", BEND)


def _rightwards(shot: Shot, grid: Grid) -> bool:
    x = grid.lanes[shot.sender]
    room = (grid.words or grid.width) - x
    return room > 12 if grid.narrow else room > LOOP + 14 + min(width(shot.text, _face(shot)), grid.width / 2)


def _face(shot: Shot) -> str:
    """The present step is set bolder."""
    return "t-loud" if shot.state == "now" else "t-words"


def _above(shot: Shot, grid: Grid) -> tuple[Label, ...]:
    """Wide: over the middle of the arrow, or beside the loop."""
    look = _face(shot)
    x = grid.lanes[shot.sender]
    left, right = NUMBERS + 4, grid.width - 6
    if shot.sender == shot.receiver:
        away = LOOP + 6
        if _rightwards(shot, grid):
            return (label(x + away, 16, fitted(shot.text, look, right - x - away), look),)
        return (label(x - away, 16, fitted(shot.text, look, x - away - left), look, "end"),)
    text = fitted(shot.text, look, (right - left) * 0.6)
    half = width(text, look) / 2
    middle = (x + grid.lanes[shot.receiver]) / 2
    return (label(max(left + half, min(right - half, middle)), 12, text, look, "middle"),)


def _beside(shot: Shot, grid: Grid) -> tuple[Label, ...]:
    """Narrow: in the column on the right, in one line or two."""
    number = f"{shot.n} " if shot.look != "watch" else ""
    look = _face(shot)
    lines = wrapped(number + shot.text, look, grid.width - grid.words - 6, 2)
    first = grid.row / 2 + 3.5 - 6 * (len(lines) - 1)
    return tuple(label(grid.words, first + 12 * at, text, look) for at, text in enumerate(lines))
