"""A whole walk as one HTML file: every step's pictures and words, stepped through with no server at all."""

from __future__ import annotations

from msgspec import Struct

from app import __version__, diagram
from app.export.asked import VIEWS, Asked
from app.export.sharing import Placed, Shapes
from app.export.telling import Told, origin, step_anchor, told
from app.export.writing import page_script, page_style, policy, rendered
from app.story.play import Play


class Figure(Struct, frozen=True):
    """One picture of a step with its twin in text."""

    view: str
    picture: Placed
    lines: tuple[str, ...]


class Section(Struct, frozen=True, kw_only=True):
    """One step of the page."""

    told: Told
    anchor: str
    back: str
    """The anchor of the step before; empty at the first."""
    next: str
    figures: tuple[Figure, ...]


def walk_page(played: Play, asked: Asked) -> str:
    """The page. Its fonts are in it, so that the pictures' words fit everywhere."""
    rows = told(played, asked)
    shapes = Shapes()
    views = (asked.view,) if asked.view else VIEWS
    drawn = {
        view: shapes.placed([diagram.picture(view, played.walk, row.n, played.flow) for row in rows]) for view in views
    }
    anchors = [step_anchor(row.n) for row in rows]
    sections = tuple(
        Section(
            told=row,
            anchor=anchors[at],
            back=anchors[at - 1] if at else "",
            next=anchors[at + 1] if at + 1 < len(rows) else "",
            figures=tuple(
                Figure(view, drawn[view][at], diagram.describe(view, played.walk, row.n, played.flow)) for view in views
            ),
        )
        for at, row in enumerate(rows)
    )
    style, script = page_style(fonts=True), page_script()
    return rendered(
        "walk.html",
        policy=policy(style, script),
        style=style,
        script=script,
        theme=asked.theme,
        flow=played.flow,
        settings=played.setup.settings,
        verdicts=played.verdicts,
        sections=sections,
        shapes=shapes.all,
        version=__version__,
        origin=origin(played, asked),
        last=len(played.steps),
    )
