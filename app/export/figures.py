"""The pictures of a report: the whole walk to scale, and the cluster and the messages at the step that decides."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from app import diagram
from app.diagram.shapes import Picture
from app.diagram.words import say
from app.export.review import Review
from app.story.play import Play


class Figure(Struct, frozen=True):
    """A picture with what it is called and its twin in text."""

    caption: str
    picture: Picture
    lines: tuple[str, ...]

    @property
    def view(self) -> str:
        return self.picture.id


def figures(played: Play, review: Review, against: Play | None) -> Iterator[Figure]:
    """In the order in which a report shows them."""
    n = deciding(review, len(played.steps))
    yield _figure("timeline", say("report", "timeline"), played, n)
    if against is not None:
        yield _figure("timeline", say("report", "timeline-other"), against, len(against.steps))
    yield _figure("cluster", say("report", "cluster"), played, n)
    yield _figure("messages", say("report", "messages"), played, n)


def deciding(review: Review, last: int) -> int:
    """The step of the first verdict that is bad, or of the first that a step decides, or the last."""
    bad = [row.step for row in review.answers if row.ok == "bad" and row.step]
    any_of = [row.step for row in review.answers if row.step]
    return next(iter([*bad, *any_of]), last)


def _figure(view: str, caption: str, played: Play, n: int) -> Figure:
    shown = diagram.picture(view, played.walk, n, played.flow)
    return Figure(f"{caption}: {shown.title}", shown, diagram.describe(view, played.walk, n, played.flow))
