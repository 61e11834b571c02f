"""Memory as bars: in a pod's box, and as a box of its own for the machine.

What a bar is held against is told by the form of its mark: a request is a foot below the bar, a limit a cap above it,
a threshold and what is allocatable cross it, a soft threshold in dashes.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.diagram.layout.panels import Pen, Rect
from app.diagram.metrics import fitted
from app.diagram.shapes import Box, Group, Line, box, label, name_for, rounded
from app.diagram.views import Bar, Mark, Meter, PodCard

BAR = 5
MARGIN = 10


def metered(group: Group, view: PodCard, at: Rect) -> Group:
    """The pod's box made as high as its place, with its memory below its words, if it uses any."""
    body = replace(group.boxes[0], height=rounded(at.height))
    if view.memory is None:
        return replace(group, boxes=(body,))
    bar = view.memory.bars[0]
    y = at.height - 8
    boxes, lines = _bar(bar, MARGIN, y - BAR, at.width - 2 * MARGIN)
    words = label(MARGIN, y - BAR - 5, fitted(bar.note, "t-note", at.width - 2 * MARGIN), f"t-note m-{bar.state}")
    return replace(
        group,
        title=f"{group.title} · {view.memory.title}",
        boxes=(body, *boxes),
        lines=(*group.lines, *lines),
        labels=(*group.labels, words),
    )


def meter_box(pen: Pen, view: Meter, at: Rect) -> Group:
    """A machine's memory: each bar with its words above it."""
    boxes, lines, labels = [box(0, 0, at.width, at.height, "body", 7)], [], []
    for number, bar in enumerate(view.bars):
        top = 4 + 25 * number
        words = _shortened(bar.note, at.width - 2 * MARGIN)
        labels.append(label(MARGIN, top + 9, words, f"t-note m-{bar.state}"))
        found = _bar(bar, MARGIN, top + 13, at.width - 2 * MARGIN)
        boxes += found[0]
        lines += found[1]
    look = f"list meter {view.bars[0].state} {pen.busy.get(view.id, '')}".strip()
    return Group(
        id=name_for(pen.prefix, view.id),
        look=look,
        x=rounded(at.x),
        y=rounded(at.y),
        title=view.title,
        boxes=tuple(boxes),
        lines=tuple(lines),
        labels=tuple(labels),
    )


def _shortened(note: str, wide: float) -> str:
    """What there is room for: all of it, or without its last part, which the other bar or the title says as well."""
    forms = (note, note.rpartition(" · ")[0] or note, note.rpartition(" ")[0])
    return next((text for text in forms if fitted(text, "t-note", wide) == text), fitted(note, "t-note", wide))


def _bar(bar: Bar, x: float, y: float, wide: float) -> tuple[list[Box], list[Line]]:
    boxes = [box(x, y, wide, BAR, "gauge", 2), box(x, y, max(wide * bar.used, 1), BAR, f"gauge-used m-{bar.state}", 2)]
    return boxes, [_mark(row, x + wide * row.at, y) for row in bar.marks]


def _mark(row: Mark, x: float, y: float) -> Line:
    x, top, bottom = rounded(x), rounded(y - 2), rounded(y + BAR + 2)
    path = f"M{x} {top}V{bottom}"
    if row.kind == "request":
        path += f"M{rounded(x - 2.5)} {bottom}h5"
    elif row.kind == "limit":
        path += f"M{rounded(x - 2.5)} {top}h5"
    return Line(path, f"mark {row.kind}", (x, top), (x, bottom))
