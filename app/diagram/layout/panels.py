"""The boxes of the map: chips, lists, pods and frames, each a group at a place."""

from __future__ import annotations

from typing import NamedTuple

from app.diagram.metrics import fitted, tail_fitted, width
from app.diagram.shapes import Group, Label, box, label, name_for, rounded
from app.diagram.views import Chip, Listing, PodCard, Row

CHIP = 34
LOW_CHIP = 28
ROW = 14
LIST_HEAD = 22
POD = 52
POD_LINE = 24


class Rect(NamedTuple):
    x: float
    y: float
    width: float
    height: float


class Pen(NamedTuple):
    """Draws the boxes of one map."""

    prefix: str
    """What the ids of the map begin with."""
    busy: dict[str, str]
    """Looks of the boxes that a message goes between, by id."""

    def chip(self, view: Chip, at: Rect) -> Group:
        """A process: its name, and below it how far its belief has come."""
        room, middle = at.width - 10, at.height / 2
        two = bool(view.note) and at.height >= CHIP
        y = middle - 3 if two else middle + 4
        labels = [label(at.width / 2, y, fitted(view.name, "t-chip", room), "t-chip name", "middle")]
        if two:
            note = fitted(view.note, "t-note", room)
            labels.append(label(at.width / 2, middle + 10, note, "t-note note", "middle"))
        look = _looks("chip", f"k-{view.kind}", view.state, self.busy.get(view.id, ""))
        return self._box(view.id, look, at, view.title or view.name, labels, 7)

    def listing(self, view: Listing, at: Rect, busy: str = "") -> Group:
        """A titled list of endpoints; `busy` is the id that a message names it by."""
        labels = [label(10, 16, fitted(view.title, "t-strong", at.width - 20), "t-strong name")]
        for number, row in enumerate(view.rows):
            labels += _row(row, LIST_HEAD + ROW * number + 10, at.width)
        return self._box(view.id, _looks("list", view.state, self.busy.get(busy, "")), at, view.about, labels, 7)

    def pod(self, view: PodCard, at: Rect) -> Group:
        """A pod in full (name, state, address), or as one line."""
        title = f"{view.full} · {view.status} · {view.ip}".removesuffix(" · ")
        labels = _full(view, at.width) if at.height >= POD else _line(view, at.width)
        look = _looks("pod", view.state, self.busy.get(view.id, ""))
        return self._box(view.id, look, at, title, labels, 8)

    def frame(self, id: str, look: str, at: Rect, labels: list[Label]) -> Group:
        """A frame around other boxes."""
        outline = box(0, 0, at.width, at.height, "frame", 12)
        words = _looks(look, self.busy.get(id, ""))
        return Group(
            id=name_for(self.prefix, id),
            look=words,
            x=rounded(at.x),
            y=rounded(at.y),
            boxes=(outline,),
            labels=tuple(labels),
        )

    def _box(self, id: str, look: str, at: Rect, title: str, labels: list[Label], radius: int) -> Group:  # noqa: PLR0917
        body = box(0, 0, at.width, at.height, "body", radius)
        return Group(
            id=name_for(self.prefix, id),
            look=look,
            x=rounded(at.x),
            y=rounded(at.y),
            title=title,
            boxes=(body,),
            labels=tuple(labels),
        )


def list_height(lines: int) -> int:
    return LIST_HEAD + ROW * max(lines, 1) + 6


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


def _full(view: PodCard, wide: float) -> list[Label]:
    labels = [
        label(10, 18, view.symbol, "t-chip symbol"),
        label(25, 18, tail_fitted(view.name, "t-chip", wide - 33), "t-chip name"),
        label(10, 32, fitted(view.status, "t-note", wide - 18), "t-note note"),
    ]
    if view.ip:
        labels.append(label(10, 45, fitted(view.ip, "t-mono", wide - 18), "t-mono"))
    return labels


def _line(view: PodCard, wide: float) -> list[Label]:
    word = view.status.rpartition(" · ")[2]
    # The name may take what the status leaves, and at least its larger part.
    name = tail_fitted(view.name, "t-chip", wide - 38 - min(width(word, "t-note"), wide * 0.38 - 14))
    status = fitted(word, "t-note", wide - 38 - width(name, "t-chip"))
    labels = (
        label(9, 16, view.symbol, "t-chip symbol"),
        label(23, 16, name, "t-chip name"),
        label(wide - 8, 16, status, "t-note note", "end"),
    )
    return [part for part in labels if part.text]


def _looks(*words: str) -> str:
    return " ".join(word for word in words if word)
