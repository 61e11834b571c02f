"""What the page of a report is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from app.export.figures import Figure
from app.export.review import Review
from app.export.sharing import Placed, Shape
from app.web.pages import Frame
from app.web.rendering import Page


@dataclass(frozen=True, kw_only=True)
class Deciding:
    """The forms by which a session's report gets its question and decisions."""

    action: str
    """The path of the session."""
    carried: tuple[tuple[str, str], ...]
    """Hidden fields: how the report is shown."""
    steps: tuple[tuple[int, str], ...]
    """Number and title of those that a decision may be pinned to."""
    step: int
    """The one that is chosen."""


@dataclass(frozen=True, kw_only=True)
class ReportPage(Page):
    """The report of a review, and what it asks for."""

    template: ClassVar[str] = "report.html"

    frame: Frame
    """Title, theme, navigation."""
    back: str
    """The walk."""
    action: str
    """Where the form with the question and the other variant goes."""
    carried: tuple[tuple[str, str], ...]
    """Its hidden fields: the walk."""
    asks: bool
    """Whether that form has a question; a session keeps its own."""
    against: str
    """The other variant, as it was typed: what follows the `?` of its address."""
    problems: tuple[str, ...]
    """What is wrong with it."""
    files: tuple[tuple[str, str], ...]
    """The report as a file: name and address."""
    deciding: Deciding | None
    """None where nothing is kept, or the address only reads."""
    review: Review
    """All that it says."""
    words: dict[str, str]
    """Its headings."""
    shapes: tuple[Shape, ...]
    """What its pictures consist of."""
    figures: tuple[tuple[Figure, Placed], ...]
    """The pictures."""
    href: Callable[[int], str]
    """The address of a step."""
