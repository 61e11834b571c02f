"""A walk as Markdown: numbered prose, tables, pictures where there are any to point to, and the messages as Mermaid."""

from __future__ import annotations

from app import __version__, diagram
from app.export.asked import MOST_STEPS, VIEWS, Asked
from app.export.telling import origin, told
from app.export.writing import fence, rendered
from app.story.play import Play

MOST_MERMAID = 50_000
"""Characters; Mermaid's own default."""


def prose(played: Play, asked: Asked) -> str:
    """The text. What it shows of readers' words is text in any Markdown."""
    return rendered(
        "walk.md",
        flow=played.flow,
        settings=played.setup.settings,
        verdicts=played.verdicts,
        steps=told(played, asked),
        pictures=(lambda id, n: pictures(asked, id, n)) if asked.pictures else None,
        messages=messages(played, asked.last),
        origin=origin(played, asked),
        version=__version__,
    )


def messages(played: Play, last: int) -> str:
    """All messages as a fence that pages render as a picture; empty where they would refuse it as too long."""
    if last > MOST_STEPS:
        return ""
    text = diagram.mermaid(played.walk, last, played.flow)
    return fence(text, "mermaid") if len(text) <= MOST_MERMAID else ""


def pictures(asked: Asked, id: str, n: int) -> tuple[tuple[str, str], ...]:
    """View and address of each picture of a step."""
    views = (asked.view,) if asked.view else VIEWS
    return tuple(
        (view, asked.pictures.replace("{step}", id).replace("{n}", f"{n:03}").replace("{view}", view)) for view in views
    )
