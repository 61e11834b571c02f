"""Where the columns of a chart stand: one for each value of a setting, as high as the verdict there."""

from __future__ import annotations

from typing import NamedTuple

from app.diagram.layout.plan import NARROW
from app.diagram.metrics import fitted, width
from app.diagram.shapes import Box, Group, Label, Picture, box, label, line, name_for, rounded
from app.diagram.views import ChartView, Column

WIDE = 960.0
TOP = 34
"""Room for what the heights mean, and the highest column's number."""
PLOT = 190
FOOT = 40
EDGE = 4
WIDEST = 46
"""A column is no wider, however few there are."""
LEAST_HEIGHT = 2
"""So that a zero is seen to be there."""
STEPS = (1.0, 2.0, 2.5, 5.0)


class Frame(NamedTuple):
    prefix: str
    width: float
    left: float
    high: float
    """What the top of the plot stands for."""
    slot: float

    def y(self, value: float) -> float:
        """Where a value stands."""
        return TOP + PLOT - PLOT * value / self.high

    def middle(self, at: int) -> float:
        """Of a column."""
        return self.left + self.slot * (at + 0.5)


def place_chart(view: ChartView, *, narrow: bool, desc: str) -> Picture:
    """The scale, and a column for each value."""
    prefix = "chart-narrow" if narrow else "chart"
    wide = NARROW if narrow else WIDE
    heights = [top for column in view.columns for top in (column.height, column.high) if top is not None]
    step = _step(max(heights, default=0.0) or 1.0)
    high = step
    while high < max(heights, default=0.0):
        high += step
    marks = [round(step * n, 6) for n in range(round(high / step) + 1)]
    left = EDGE + max(width(f"{mark:g}", "t-note") for mark in marks) + 8
    frame = Frame(prefix, wide, left, high, (wide - left - EDGE) / max(len(view.columns), 1))
    groups = [_scale(frame, view, marks), *_columns(frame, view), _names(frame, view)]
    return Picture(
        id=prefix,
        look="picture chart",
        width=wide,
        height=TOP + PLOT + FOOT,
        title=view.title,
        desc=desc,
        groups=tuple(groups),
    )


def _step(highest: float) -> float:
    """Between two marks: a round number, so that there are three to six of them."""
    power = 1.0
    while power * 10 <= highest / 3:
        power *= 10
    while power > highest / 3:
        power /= 10
    return next((power * digit for digit in STEPS if highest / (power * digit) <= 5), power * 10)


def _scale(frame: Frame, view: ChartView, marks: list[float]) -> Group:
    lines = tuple(line([(frame.left, frame.y(mark)), (frame.width - EDGE, frame.y(mark))], "grid") for mark in marks)
    labels = [label(frame.left - 6, frame.y(mark) + 3.5, f"{mark:g}", "t-note tick", "end") for mark in marks]
    labels.append(label(EDGE, 12, fitted(view.measure, "t-text", frame.width - 2 * EDGE), "t-text"))
    return Group(id=name_for(frame.prefix, "scale"), look="scale", lines=lines, labels=tuple(labels))


def _columns(frame: Frame, view: ChartView) -> list[Group]:
    numbers = max((width(column.text, "t-note") for column in view.columns), default=0) + 4 <= frame.slot
    return [_column(frame, column, at, numbered=numbers) for at, column in enumerate(view.columns)]


def _column(frame: Frame, column: Column, at: int, *, numbered: bool) -> Group:
    middle, wide = frame.middle(at), min(frame.slot * 0.7, WIDEST)
    boxes: list[Box] = []
    lines = []
    top = frame.y(0)
    if column.height is not None:
        top = min(frame.y(column.height), frame.y(0) - LEAST_HEIGHT)
        boxes.append(box(middle - wide / 2, top, wide, frame.y(0) - top, "column", 2))
    if column.low is not None and column.high is not None:
        ends = (frame.y(column.low), frame.y(column.high))
        lines.append(line([(middle, ends[0]), (middle, ends[1])], "span"))
        lines += [line([(middle - 4, end), (middle + 4, end)], "span") for end in ends]
        top = min(top, ends[1])
    labels: tuple[Label, ...] = ()
    if numbered or column.height is None:
        text = fitted(column.text, "t-note", max(frame.slot, 14))
        labels = (label(middle, top - 5, text, "t-note number", "middle"),)
    return Group(
        id=name_for(frame.prefix, "at", str(at)),
        look=f"bar {column.state}" + (" usual" if column.usual else ""),
        title=column.about,
        boxes=tuple(boxes),
        lines=tuple(lines),
        labels=labels,
    )


def _names(frame: Frame, view: ChartView) -> Group:
    """The values below their columns: as many as there is room for, the usual one always."""
    labels = []
    usual = next((at for at, column in enumerate(view.columns) if column.usual), None)
    taken: list[tuple[float, float]] = []
    order = [usual] if usual is not None else []
    order += [at for at in range(len(view.columns)) if at != usual]
    for at in order:
        column = view.columns[at]
        text = fitted(column.name, "t-note", max(frame.slot - 4, 60))
        half = width(text, "t-note") / 2
        x = max(EDGE + half, min(frame.middle(at), frame.width - EDGE - half))
        if all(right + 5 <= x - half or x + half + 5 <= left for left, right in taken):
            taken.append((x - half, x + half))
            look = "t-loud tick" if column.usual else "t-note tick"
            labels.append(label(x, TOP + PLOT + 15, text, look, "middle"))
    labels.append(label(rounded(frame.width / 2), TOP + PLOT + 33, view.axis, "t-text", "middle"))
    return Group(id=name_for(frame.prefix, "names"), look="names", labels=tuple(labels))
