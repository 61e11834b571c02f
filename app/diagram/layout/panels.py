"""The pieces of the map: chips, lists and pods, each a group at a place."""

from __future__ import annotations

from app.diagram.metrics import fitted, tail_fitted, width
from app.diagram.shapes import Box, Group, Label, box, label, name_for
from app.diagram.views import Chip, Listing, PodCard, Row

CHIP = 34
LOW_CHIP = 24
ROW = 14
LIST_HEAD = 22
POD = 52
POD_LINE = 24


def chip(prefix: str, view: Chip, x: float, y: float, wide: float, high: float = CHIP, busy: str = "") -> Group:
    """A process: its name, and below it how far its belief has come."""
    room = wide - 10
    two = bool(view.note) and high >= CHIP
    labels = [label(wide / 2, high / 2 - 3 if two else high / 2 + 4, fitted(view.name, "t-chip", room), "t-chip name", "middle")]
    if two:
        labels.append(label(wide / 2, high / 2 + 10, fitted(view.note, "t-note", room), "t-note note", "middle"))
    return Group(
        id=name_for(prefix, view.id),
        look=_looks("chip", f"k-{view.kind}", view.state, busy),
        x=x,
        y=y,
        title=view.title or view.name,
        boxes=(box(0, 0, wide, high, "body", 7),),
        labels=tuple(labels),
    )


def list_height(lines: int) -> int:
    return LIST_HEAD + ROW * max(lines, 1) + 6


def listing(prefix: str, view: Listing, x: float, y: float, wide: float, high: float, busy: str = "") -> Group:
    """A titled list of endpoints."""
    labels = [label(10, 16, fitted(view.title, "t-text", wide - 20), "t-text name")]
    for at, row in enumerate(view.rows):
        labels += _row(row, LIST_HEAD + ROW * at + 10, wide)
    return Group(
        id=name_for(prefix, view.id),
        look=_looks("list", view.state, busy),
        x=x,
        y=y,
        title=view.about,
        boxes=(box(0, 0, wide, high, "body", 7),),
        labels=tuple(labels),
    )


def _row(row: Row, y: float, wide: float) -> list[Label]:
    """Symbol and name on the left, what is to be said of it on the right."""
    note = fitted(row.note, "t-note", wide - 90)
    room = wide - 32 - (width(note, "t-note") + 6 if note else 0)
    found = [
        label(10, y, row.symbol, f"t-note symbol s-{row.state}"),
        label(23, y, tail_fitted(row.name, "t-mono", room), f"t-mono s-{row.state}"),
    ]
    if note:
        found.append(label(wide - 8, y, note, f"t-note s-{row.state}", "end"))
    return [part for part in found if part.text]


def pod(prefix: str, view: PodCard, x: float, y: float, wide: float, high: float, busy: str = "") -> Group:
    """A pod in full (name, state, address), or as one line."""
    return Group(
        id=name_for(prefix, view.id),
        look=_looks("pod", view.state, busy),
        x=x,
        y=y,
        title=f"{view.full} · {view.status} · {view.ip}".removesuffix(" · "),
        boxes=(box(0, 0, wide, high, "body", 8),),
        labels=_full(view, wide) if high >= POD else _line(view, wide),
    )


def _full(view: PodCard, wide: float) -> tuple[Label, ...]:
    labels = [
        label(10, 18, view.symbol, "t-chip symbol"),
        label(25, 18, tail_fitted(view.name, "t-chip", wide - 33), "t-chip name"),
        label(10, 32, fitted(view.status, "t-note", wide - 18), "t-note note"),
    ]
    if view.ip:
        labels.append(label(10, 45, fitted(view.ip, "t-mono", wide - 18), "t-mono"))
    return tuple(labels)


def _line(view: PodCard, wide: float) -> tuple[Label, ...]:
    name = tail_fitted(view.name, "t-chip", wide * 0.62 - 24)
    room = wide - 32 - width(name, "t-chip") - 6
    status = fitted(view.status.rpartition(" · ")[2], "t-note", room)
    labels = (
        label(9, 16, view.symbol, "t-chip symbol"),
        label(23, 16, name, "t-chip name"),
        label(wide - 8, 16, status, "t-note note", "end"),
    )
    return tuple(part for part in labels if part.text)


def container(prefix: str, id: str, look: str, x: float, y: float, wide: float, high: float, labels: list[Label]) -> Group:
    """A frame around other boxes."""
    return Group(
        id=name_for(prefix, id), look=look, x=x, y=y, boxes=(Box(0, 0, wide, high, "frame", 12),), labels=tuple(labels)
    )


def _looks(*words: str) -> str:
    return " ".join(word for word in words if word)
