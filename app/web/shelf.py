"""The first page's pictures and numbers: the default walk of every flow, played once."""

from __future__ import annotations

from collections.abc import Iterable

from app.catalog.flow import Flow
from app.story import play as story
from app.story.play import Play
from app.web import pictures
from app.web.address import Query
from app.web.moment import clock_text
from app.web.pages import Card, Chapter, Example


def chapters(flows: Iterable[Flow], theme: str) -> tuple[Chapter, ...]:
    """Flows by chapter, each before those that build on it; chapters in the order of their first flows."""
    found: dict[str, list[Card]] = {}
    for flow in sorted(flows, key=lambda flow: flow.place):
        found.setdefault(flow.chapter, []).append(_card(flow, theme))
    return tuple(
        Chapter(id=title.lower().replace(" ", "-"), title=title, cards=tuple(cards)) for title, cards in found.items()
    )


def _card(flow: Flow, theme: str) -> Card:
    played = story.play(story.request(flow.id))
    return Card(
        href=f"/f/{flow.id}{Query(theme=theme)}",
        title=flow.title,
        summary=flow.summary,
        picture=pictures.thumbnail(played),
        steps=len(played.steps),
        lasts=_lasts(played.walk.world.now),
        symptoms=len(flow.symptoms),
    )


def _lasts(milliseconds: int) -> str:
    """To tenths of a second below ten, to seconds from there on."""
    return f"{milliseconds / 1000:.{1 if milliseconds < 10_000 else 0}f} s"


def example(flow: Flow, theme: str) -> Example:
    """The walk beside the headline: where its main symptom shows, and what came of it."""
    played = story.play(story.request(flow.id))
    n = _main_step(played)
    verdict = next((row for row in played.verdicts if row.ok is False), next(iter(played.verdicts), None))
    return Example(
        title=flow.title,
        clock=clock_text(played.steps[n - 1].step.at if n else 0),
        href=f"/f/{flow.id}/{n}{Query(theme=theme)}",
        start=f"/f/{flow.id}{Query(theme=theme)}",
        picture=pictures.thumbnail(played),
        verdict=verdict.text if verdict else "",
        bad=verdict is not None and verdict.ok is False,
    )


def _main_step(played: Play) -> int:
    about = next((row for row in played.symptoms if row.id == played.flow.about and row.present), None)
    return (about.step if about else None) or len(played.steps)
