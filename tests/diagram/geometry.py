"""What must be true of every picture, checked on its shapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from app.diagram.metrics import FACES, width
from app.diagram.shapes import Group, Label, Picture, Point

SLACK = 0.6
"""Coordinates are rounded to tenths; borders have a width."""


class Rect(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: Rect, slack: float = SLACK) -> bool:
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )

    def meets(self, other: Rect) -> bool:
        return (
            self.left + SLACK < other.right
            and other.left + SLACK < self.right
            and self.top + SLACK < other.bottom
            and other.top + SLACK < self.bottom
        )

    def on_border(self, x: float, y: float) -> bool:
        inside = self.left - 1 <= x <= self.right + 1 and self.top - 1 <= y <= self.bottom + 1
        near = min(abs(x - self.left), abs(x - self.right), abs(y - self.top), abs(y - self.bottom)) <= 1
        return inside and near


def canvas(picture: Picture) -> Rect:
    return Rect(0, 0, picture.width, picture.height)


def boxes_of(group: Group) -> list[Rect]:
    return [Rect(group.x + box.x, group.y + box.y, group.x + box.right, group.y + box.bottom) for box in group.boxes]


def named_boxes(picture: Picture, *looks: str) -> dict[str, Rect]:
    """The first box of each group of one of these looks, by the group's id."""
    return {
        group.id: boxes_of(group)[0] for group in picture.groups if group.boxes and set(looks) & set(group.look.split())
    }


def extent(group: Group, label: Label) -> Rect:
    """The room that a label's text takes, by the fonts' own measures."""
    look = label.look.split()[0]
    wide, size = width(label.text, look), FACES[look].size
    x, y = group.x + label.x, group.y + label.y
    if label.turned:
        return Rect(x - size * 0.78, y - wide, x + size * 0.24, y)
    left = {"start": x, "middle": x - wide / 2, "end": x - wide}[label.anchor]
    return Rect(left, y - size * 0.78, left + wide, y + size * 0.24)


def labels(picture: Picture) -> Iterator[tuple[Group, Label, Rect]]:
    for group in picture.groups:
        for label in group.labels:
            yield group, label, extent(group, label)


def ends(group: Group) -> list[tuple[Point, Point]]:
    """Start and end of each line that is no head of an arrow."""
    return [
        ((group.x + line.start[0], group.y + line.start[1]), (group.x + line.end[0], group.y + line.end[1]))
        for line in group.lines
        if "head" not in line.look.split()
    ]


def outside(picture: Picture) -> list[str]:
    """Boxes, labels and lines that leave the canvas."""
    whole = canvas(picture)
    found = [f"{group.id}: box {box}" for group in picture.groups for box in boxes_of(group) if not whole.holds(box, 1)]
    found += [
        f"{group.id}: {label.text!r} {room}" for group, label, room in labels(picture) if not whole.holds(room, 1.5)
    ]
    for group in picture.groups:
        points = [point for pair in ends(group) for point in pair]
        found += [f"{group.id}: line to {x}, {y}" for x, y in points if not whole.holds(Rect(x, y, x, y), 1)]
    return found


def crossing(picture: Picture, *looks: str) -> list[tuple[str, str]]:
    """Pairs of boxes that overlap without one of them lying within the other."""
    rows = sorted(named_boxes(picture, *looks).items(), key=lambda row: row[1].top)
    found = []
    for at, (one, a) in enumerate(rows):
        for other, b in rows[at + 1 :]:
            if b.top >= a.bottom:
                break
            if a.meets(b) and not (a.holds(b) or b.holds(a)):
                found.append((one, other))
    return found


def squeezed(picture: Picture, *looks: str) -> list[str]:
    """Labels that leave the box they stand in."""
    found = []
    for group, label, room in labels(picture):
        if set(looks) & set(group.look.split()) and not any(box.holds(room, 1) for box in boxes_of(group)):
            found.append(f"{group.id}: {label.text!r} {room} in {boxes_of(group)}")
    return found


def collisions(picture: Picture) -> list[str]:
    """Pairs of labels of one group that lie over each other."""
    found = []
    for group in picture.groups:
        rooms = [(label.text, extent(group, label)) for label in group.labels]
        for at, (one, a) in enumerate(rooms):
            found += [f"{group.id}: {one!r} over {other!r}" for other, b in rooms[at + 1 :] if a.meets(b)]
    return found


def overlaid(picture: Picture) -> list[str]:
    """Labels of different groups that lie over each other."""
    rooms = sorted(((room, group.id, label.text) for group, label, room in labels(picture)), key=lambda row: row[0].top)
    found = []
    for at, (a, one, text) in enumerate(rooms):
        for b, other, words in rooms[at + 1 :]:
            if b.top >= a.bottom:
                break
            if one != other and a.meets(b):
                found.append(f"{one}: {text!r} over {other}: {words!r}")
    return found


def covered(picture: Picture, *looks: str) -> list[str]:
    """Labels that a box of another group cuts through."""
    boxes = named_boxes(picture, *looks)
    return [
        f"{group.id}: {label.text!r} under {id}"
        for group, label, room in labels(picture)
        for id, box in boxes.items()
        if id != group.id and room.meets(box) and not box.holds(room, 1)
    ]
