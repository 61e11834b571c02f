"""The contact sheet: every step as a small picture with its caption, in one SVG."""

from __future__ import annotations

from math import ceil

from msgspec import Struct

from app import diagram
from app.diagram.metrics import fitted, wrapped
from app.diagram.shapes import Label, Number, Picture, label, rounded
from app.diagram.stylesheet import pruned
from app.diagram.words import say
from app.export.asked import Asked
from app.export.sharing import Placed, Shapes
from app.export.telling import Told, told
from app.export.writing import rendered
from app.story.play import Play

COLUMNS = {"cluster": 3, "messages": 3, "timeline": 2}
WIDTH = 1280
GAP = 20
HEAD = 46
CAPTION = 50
FACES = ("t-note", "t-strong", "t-strong", "t-loud race-text")


class Cell(Struct, frozen=True, kw_only=True):
    """One step at its place on the sheet."""

    x: Number
    y: Number
    width: Number
    height: Number
    """Of the picture."""
    below: Number
    """Where the picture begins below the caption."""
    title: str
    labels: tuple[Label, ...]
    picture: Placed


class Sheet(Struct, frozen=True):
    svg: str
    width: Number
    height: Number


def sheet(played: Play, asked: Asked) -> Sheet:
    """The whole sheet as SVG text that stands alone."""
    rows = told(played, asked)
    view = asked.view or "cluster"
    pictures = [diagram.picture(view, played.walk, row.n, played.flow) for row in rows]
    shapes = Shapes()
    placed = shapes.placed(pictures)
    cells = _cells(rows, placed, COLUMNS[view])
    last = cells[-1]
    title = say("export", "sheet", title=played.flow.title)
    height = rounded(last.y + last.below + max(cell.height for cell in cells) + GAP)
    svg = rendered(
        "sheet.svg",
        width=WIDTH,
        height=height,
        title=title,
        heading=label(GAP, 30, fitted(title, "t-head", WIDTH - 2 * GAP), "t-head"),
        desc=say("export", "sheet-desc", count=len(rows), captions="; ".join(f"{row.n}. {row.title}" for row in rows)),
        style=pruned(asked.colours, classes_of(pictures) | ALWAYS),
        shapes=shapes.all,
        cells=cells,
    )
    return Sheet(svg, WIDTH, height)


ALWAYS = frozenset({"picture", "canvas", "frame", *(word for face in FACES for word in face.split()), "t-head"})
"""Classes of what stands on a sheet besides the pictures."""


def classes_of(pictures: list[Picture]) -> frozenset[str]:
    """Every class that occurs in them."""
    looks: set[str] = set()
    for picture in pictures:
        looks.add(picture.look)
        for group in picture.groups:
            looks.add(group.look)
            looks |= {shape.look for part in (group.boxes, group.lines, group.labels) for shape in part}
    return frozenset(word for look in looks for word in look.split())


def _cells(rows: tuple[Told, ...], placed: list[Placed], columns: int) -> list[Cell]:
    width = (WIDTH - GAP * (columns + 1)) / columns
    height = max(width * picture.height / picture.width for picture in placed)
    found = []
    for at, (row, picture) in enumerate(zip(rows, placed, strict=True)):
        found.append(
            Cell(
                x=rounded(GAP + at % columns * (width + GAP)),
                y=rounded(HEAD + at // columns * ceil(CAPTION + height + GAP)),
                width=rounded(width),
                height=rounded(width * picture.height / picture.width),
                below=CAPTION,
                title=f"{row.n}. {row.title}",
                labels=_caption(row, width),
                picture=picture,
            )
        )
    return found


def _caption(row: Told, width: float) -> tuple[Label, ...]:
    lines = wrapped(row.title, "t-strong", width, 2)
    found = [label(0, 10, say("export", "caption", n=row.n, at=row.at), "t-note")]
    if row.failing:
        found.append(label(width, 10, say("export", "failing"), "t-loud race-text", "end"))
    return (*found, *(label(0, 25 + 14 * at, line, "t-strong") for at, line in enumerate(lines)))
