"""What each page is made of: one frozen dataclass a page, every field told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from app.catalog.inputs import Inputs
from app.catalog.releases import Elsewhere, Row
from app.web.player_parts import VerdictRow
from app.web.rendering import Page


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What every page has around it."""

    title: str
    """Of the browser's window, without our name."""
    description: str
    """One sentence for search engines and link previews."""
    theme: str
    """`light`, `dark`, or empty: as the reader's system is set."""
    current: str
    """Which link of the navigation is this page."""
    themes: tuple[tuple[str, str], ...]
    """Links to this page in the other theme: name, address."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """A flow on the first page."""

    href: str
    """Its first step."""
    title: str
    """Of the lesson."""
    summary: str
    """In one or two sentences."""
    picture: Markup
    """The computed default walk, small."""
    steps: int
    """How many steps that walk has."""
    lasts: str
    """From the stimulus to the end."""
    symptoms: int
    """How many ways to fail it shows."""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """Flows that belong together."""

    id: str
    """For links to it."""
    title: str
    """As the flows name it."""
    cards: tuple[Card, ...]
    """In the catalogue's order."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A symptom that fits what somebody sees."""

    title: str
    """What an operator sees."""
    cause: str
    """Why."""
    look: str
    """Where to look."""
    flow_title: str
    """The lesson that tells of it."""
    flow_href: str
    """The lesson itself."""
    href: str
    """A walk that shows it."""
    words: tuple[str, ...]
    """Fragments of messages by which it is known."""
    fits: bool
    """Whether that is what was asked for, and not only something that shares a word with it."""


@dataclass(frozen=True, kw_only=True)
class Example:
    """The walk that the first page opens with."""

    title: str
    """The lesson."""
    clock: str
    """The time it ends."""
    href: str
    """The step at which its main symptom shows."""
    start: str
    """The beginning of that lesson."""
    picture: Markup
    """Its timeline, small."""
    verdict: str
    """What came of it, computed."""
    bad: bool
    """Whether that is harm."""


@dataclass(frozen=True, kw_only=True)
class GalleryPage(Page):
    """The first page: every flow, and the question what one is seeing."""

    template: ClassVar[str] = "gallery.html"

    frame: Frame
    """Title, theme, navigation."""
    asked: str
    """What was typed into the search."""
    findings: tuple[Finding, ...]
    """Symptoms that fit it, the best first."""
    example: Example | None
    """A computed walk beside the headline; none while something is searched."""
    chapters: tuple[Chapter, ...]
    """All flows."""


@dataclass(frozen=True, kw_only=True)
class OrdersPage(Page):
    """The verdicts of a walk over every order of the loops."""

    template: ClassVar[str] = "orders.html"
    part: ClassVar[str] = "partials/verdicts.html"

    frame: Frame
    """Title, theme, navigation."""
    flow_title: str
    """Of the lesson."""
    verdicts: tuple[VerdictRow, ...]
    """With the least and the most."""
    orders: str
    """Empty: there is nothing left to search."""
    back: str
    """The walk."""


@dataclass(frozen=True, kw_only=True)
class SymptomsPage(Page):
    """Every symptom that a flow explains."""

    template: ClassVar[str] = "symptoms.html"

    frame: Frame
    """Title, theme, navigation."""
    asked: str
    """What was typed into the search."""
    findings: tuple[Finding, ...]
    """Those that fit, or all."""


@dataclass(frozen=True, kw_only=True)
class GlossaryPage(Page):
    """Words that Loopscope uses."""

    template: ClassVar[str] = "glossary.html"

    frame: Frame
    """Title, theme, navigation."""
    entries: tuple[tuple[str, str], ...]
    """Word and meaning, by word."""


@dataclass(frozen=True, kw_only=True)
class InputsPage(Page):
    """What can be said to the model besides plain Kubernetes objects."""

    template: ClassVar[str] = "inputs.html"

    frame: Frame
    """Title, theme, navigation."""
    inputs: Inputs
    """Annotations, interventions and settings, with what is allowed and what they mean."""
    facts: tuple[str, ...]
    """What can be asked of a walk."""
    versions: tuple[str, ...]
    """Every Kubernetes that there is a setting for."""


@dataclass(frozen=True, kw_only=True)
class VersionsPage(Page):
    """What came with which release of Kubernetes."""

    template: ClassVar[str] = "versions.html"

    frame: Frame
    """Title, theme, navigation."""
    versions: tuple[str, ...]
    """Every release that there is a setting for, the oldest first."""
    usual: str
    """The one that holds if nothing is set."""
    behaviours: tuple[Row, ...]
    """Each with the release that it came with."""
    elsewhere: tuple[Elsewhere, ...]
    """What came with a release and is not followed here."""


@dataclass(frozen=True, kw_only=True)
class SessionRow:
    """A session in the list."""

    href: str
    """Where its reader stood last."""
    title: str
    """As it was named."""
    flow: str
    """The lesson's title."""
    position: int
    """The last step."""
    touched: str
    """When it was changed last, in UTC."""
    branch: bool
    """Whether it was forked from another."""


@dataclass(frozen=True, kw_only=True)
class SessionsPage(Page):
    """The sessions of this browser."""

    template: ClassVar[str] = "sessions.html"

    frame: Frame
    """Title, theme, navigation."""
    sessions: tuple[SessionRow, ...]
    """The latest touched first."""
    days: int
    """For how long one is kept that nobody changes; 0 if it stays."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One address that programs may use."""

    method: str
    """GET or POST."""
    path: str
    """With its parameters in braces."""
    summary: str
    """What it gives."""


@dataclass(frozen=True, kw_only=True)
class DocsPage(Page):
    """The machine interface, listed without foreign scripts."""

    template: ClassVar[str] = "docs.html"

    frame: Frame
    """Title, theme, navigation."""
    schema: str
    """The address of the OpenAPI document."""
    operations: tuple[Operation, ...]
    """All of them."""


@dataclass(frozen=True, kw_only=True)
class FailurePage(Page):
    """Something that cannot be carried out, with what was tried."""

    template: ClassVar[str] = "failure.html"
    part: ClassVar[str] = "partials/failure.html"

    frame: Frame
    """Title, theme, navigation."""
    status: int
    """The HTTP status."""
    problems: tuple[str, ...]
    """Every fault."""
    typed: tuple[tuple[str, str], ...]
    """What was given: name and value."""
    afresh: str
    """The same address without what was given; empty if that would be no help."""
