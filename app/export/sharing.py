"""Pictures of many steps in one file: what they have in common is written once, and each only says where it stands."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from app.diagram.shapes import Box, Group, Label, Line, Number, Picture

Content = tuple[str, tuple[Box, ...], tuple[Line, ...], tuple[Label, ...]]


class Use(Struct, frozen=True):
    """A shape at its place."""

    shape: str
    x: Number
    y: Number


class Placed(Struct, frozen=True):
    """A picture made of shapes that stand elsewhere in the file."""

    look: str
    frame: str
    width: Number
    height: Number
    title: str
    uses: tuple[Use, ...]


class Shape(Struct, frozen=True):
    """What is written once: one group, or several that always stand together."""

    id: str
    groups: tuple[Group, ...] = ()
    uses: tuple[Use, ...] = ()


class Shapes:
    """All shapes of one file, by what they look like."""

    def __init__(self, prefix: str = "d") -> None:
        self._prefix = prefix
        self._known: dict[Content, Shape] = {}
        self._backdrops: list[Shape] = []

    @property
    def all(self) -> tuple[Shape, ...]:
        return (*self._known.values(), *self._backdrops)

    def placed(self, pictures: Sequence[Picture]) -> list[Placed]:
        """The pictures of one view, each as a list of shapes; what all of them begin with counts as one."""
        rows = [tuple(self._use(group) for group in picture.groups) for picture in pictures]
        shared = _shared(rows)
        backdrop: tuple[Use, ...] = ()
        if shared > 1 and len(rows) > 1:
            # Only what stands before the first difference: later shapes lie above those that differ.
            shape = Shape(f"{self._prefix}-{len(self._backdrops)}", uses=rows[0][:shared])
            self._backdrops.append(shape)
            backdrop = (Use(shape.id, 0, 0),)
        return [
            Placed(
                picture.look,
                picture.frame,
                picture.width,
                picture.height,
                picture.title,
                (*backdrop, *row[shared:]) if backdrop else row,
            )
            for picture, row in zip(pictures, rows, strict=True)
        ]

    def _use(self, group: Group) -> Use:
        content = (group.look, group.boxes, group.lines, group.labels)
        if content not in self._known:
            self._known[content] = Shape(f"{self._prefix}{len(self._known)}", groups=(group,))
        return Use(self._known[content].id, group.x, group.y)


def _shared(rows: Sequence[tuple[Use, ...]]) -> int:
    """How many shapes all begin with."""
    count = 0
    for column in zip(*rows, strict=False):
        if any(use != column[0] for use in column):
            break
        count += 1
    return count
