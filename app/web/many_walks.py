"""What the pages about several walks of one flow are made of: one setting over a range, and two walks side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from app.catalog.releases import Row
from app.web.pages import Frame
from app.web.player_parts import Drawn
from app.web.rendering import Page


@dataclass(frozen=True, kw_only=True)
class SweepRow:
    """One value of the setting."""

    value: str
    """As it is written."""
    usual: bool
    """Whether the flow has it usually."""
    ok: str
    """good, bad, or empty."""
    number: str
    """With its unit; empty where there is no walk."""
    text: str
    """The verdict in words, or why there is no walk."""
    href: str
    """The walk with that value, at the step that decides; empty where there is none."""


@dataclass(frozen=True, kw_only=True)
class SweepPage(Page):
    """A verdict over the values of one setting."""

    template: ClassVar[str] = "sweep.html"
    part: ClassVar[str] = "partials/sweep.html"

    frame: Frame
    """Title, theme, navigation."""
    flow_title: str
    """Of the lesson."""
    back: str
    """The walk."""
    action: str
    """Where the form goes."""
    carried: tuple[tuple[str, str], ...]
    """What of the address the form keeps."""
    settings: tuple[tuple[str, str], ...]
    """Name and title of those to choose from."""
    verdicts: tuple[tuple[str, str], ...]
    """Id and title of those to choose from."""
    named: dict[str, str]
    """What was asked, as it was typed."""
    searches: bool
    """Whether any verdict can be searched over orders."""
    problems: tuple[str, ...]
    """What is wrong with what was asked."""
    picture: Drawn | None
    """The chart of the values so far."""
    rows: tuple[SweepRow, ...]
    """The values so far."""
    done: int
    """How many."""
    total: int
    """Of how many."""
    go_on: str
    """The address that computes further; empty when all is there."""


@dataclass(frozen=True, kw_only=True)
class ComparedVerdict:
    """A verdict of two walks."""

    title: str
    """The question."""
    first: str
    """The answer of the first walk, with its unit."""
    second: str
    """That of the second."""
    first_ok: str
    """good, bad, or empty."""
    second_ok: str
    """The same of the second."""
    first_text: str
    """The answer as a sentence."""
    second_text: str
    """The same of the second."""
    differs: bool
    """Whether they are not the same."""


@dataclass(frozen=True, kw_only=True)
class ComparedStep:
    """A step of two walks, or of one of them."""

    title: str
    """What happens."""
    state: str
    """same, later, earlier, changed, first or second."""
    parts: bool
    """Whether the walks first differ here."""
    first: str
    """When, in the first walk; empty where it is not there."""
    second: str
    """The same in the second."""
    first_href: str
    """The step in the first walk."""
    second_href: str
    """The same in the second."""
    outcomes: str
    """Both outcomes, where they differ."""
    says: tuple[str, ...]
    """What each says and the other does not, the first such thing; nothing where they say the same."""


@dataclass(frozen=True, kw_only=True)
class ComparePage(Page):
    """Two walks of one flow side by side."""

    template: ClassVar[str] = "compare.html"

    frame: Frame
    """Title, theme, navigation."""
    flow_title: str
    """Of the lesson."""
    action: str
    """Where the form goes."""
    first: str
    """What follows the `?` of the first walk's address, as it was typed."""
    second: str
    """The same of the second."""
    problems: tuple[str, ...]
    """What is wrong with either."""
    walks: tuple[str, ...]
    """The start of each; none where there is a problem."""
    pictures: tuple[Markup, ...]
    """Each as a small timeline."""
    verdicts: tuple[ComparedVerdict, ...]
    """All that the flow has."""
    steps: tuple[ComparedStep, ...]
    """In the order of their time."""
    releases: tuple[str, ...]
    """The Kubernetes of each, where they are not the same."""
    behaviours: tuple[Row, ...]
    """What one of these has and the other has not."""
    parts: bool
    """Whether they differ at all."""
    differing: int
    """How many of the steps do."""
