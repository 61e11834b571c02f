"""The parts of the player's page, every field told."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Where in the walk a page is, and the links onward."""

    text: str
    """`T+0.600 s`."""
    step: int
    """0 is the start."""
    steps: int
    """How many there are."""
    first: str
    """The start's address."""
    back: str
    """The step before; empty at the start."""
    next: str
    """The step after; empty at the end."""
    last: str
    """The last step's address."""
    wait: str
    """How long until the next step where that is long, else empty."""
    stopped: str
    """Why the walk ends: goal, quiet, until or stuck."""


@dataclass(frozen=True, kw_only=True)
class Tick:
    """One step in the scrubber, in per cent of its width."""

    href: str
    """The step's address."""
    label: str
    """Step, time and title."""
    state: str
    """done, now or ahead."""
    harm: bool
    """Whether requests fail right after it."""
    x: str
    """Left edge."""
    width: str
    """Of the tick."""
    gap: str
    """Middle of the gap before it where a long wait is folded; empty where there is none."""
    wait: str
    """How long that wait is."""


@dataclass(frozen=True, kw_only=True)
class Scrubber:
    """A slider over the steps."""

    ticks: tuple[Tick, ...]
    """From step 1 on."""
    now: int
    """The current step."""
    most: int
    """The last step."""
    text: str
    """The current step in words, for screen readers."""


@dataclass(frozen=True, kw_only=True)
class StepRow:
    """One row of the step list."""

    n: int
    """Its number."""
    href: str
    """Its address."""
    kind: str
    """The colour family of the lane that acts."""
    lane: str
    """Who acts."""
    title: str
    """What is done."""
    at: str
    """Seconds since the stimulus."""
    state: str
    """done, now or ahead."""
    harm: bool
    """Whether requests fail right after it."""
    folded: int
    """Background acts that happened before it."""


@dataclass(frozen=True, kw_only=True)
class Saying:
    """What just happened, in words."""

    title: str
    """In one line."""
    text: str
    """For the chosen reader; empty where the flow says nothing of such a step."""
    facts: tuple[tuple[str, str], ...]
    """What the model knows of the step: name and value."""
    failed: str
    """How many requests failed so far; empty if none did."""
    window: str
    """Seconds for which they did."""
    failing: bool
    """Whether they fail right now."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A picture in the shapes that a page needs, with its twin in text."""

    wide: Markup
    """For wide windows; empty where the window is known to be narrow."""
    narrow: Markup
    """For narrow ones; empty where the window is known to be wide."""
    lines: tuple[str, ...]
    """The same in words."""


@dataclass(frozen=True, kw_only=True)
class Depth:
    """One of the four readers, or of the words that it is told in."""

    name: str
    """junior, middle, senior or principal; of words what their switch says, empty for the flow's own."""
    href: str
    """This page told so."""
    current: bool
    """Whether it is."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line that kubectl prints."""

    text: str
    """As printed; what follows the name, where that is a link."""
    tone: str
    """bad, new or empty."""
    name: str = ""
    """The pod that the line begins with, where it leads to more about it."""
    href: str = ""
    """Where that is."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """One kubectl command with what it prints."""

    words: str
    """After `kubectl`."""
    lines: tuple[Line, ...]
    """Its output."""
    shown: bool
    """Whether it is open from the start."""
    changed: bool
    """Whether the step before printed something else."""
    href: str = ""
    """Where it is printed, if not here: a description is long."""


@dataclass(frozen=True, kw_only=True)
class SymptomRow:
    """One way to fail."""

    title: str
    """What an operator sees."""
    cause: str
    """Why."""
    look: str
    """Where to look."""
    href: str
    """The step that shows it, or the scene that would; empty if there is none."""
    state: str
    """happening, coming (later in this walk) or absent."""
    step: int
    """The step that shows it, or 0."""


@dataclass(frozen=True, kw_only=True)
class SceneLink:
    """A preset of the flow."""

    title: str
    """In a few words."""
    summary: str
    """What it shows."""
    href: str
    """Its walk."""
    current: bool
    """Whether this page is of it."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """A setting in the form."""

    name: str
    """As in the address, `set.grace`."""
    title: str
    """For people."""
    value: str
    """What is set, or what was typed."""
    usual: str
    """What holds if nothing is set."""
    help: str
    """What it means."""
    allowed: str
    """The range or the form of a value."""
    choices: tuple[str, ...]
    """Values to choose from."""
    free: bool
    """Whether others than the choices may be typed."""
    changed: bool
    """Whether it differs from the usual."""
    problem: str
    """What is wrong with the value."""
    placeholder: str = ""
    """What holds if it is left empty; empty where a value has to stand there."""


@dataclass(frozen=True, kw_only=True)
class VerdictRow:
    """A computed answer about the walk."""

    title: str
    """What is asked."""
    value: str
    """The answer."""
    range: str
    """The least and the most over every order; empty where orders were not searched."""
    varies: tuple[str, ...]
    """Whose orders and lags were tried."""
    exact: bool
    """Whether the range is, or only a part of it."""
    ok: str
    """good, bad, or empty where it is neither."""
    text: str
    """In a sentence."""
    href: str
    """The step that decides it; empty if none does."""
    step: int
    """Its number, or 0."""


@dataclass(frozen=True, kw_only=True)
class Offered:
    """Another action that could come next."""

    kind: str
    """deliver, reconcile, wake, intervene or advance."""
    who: str
    """The process or loop; empty where it is the reader, or time."""
    what: str
    """The object, kind of object, intervention or instant."""
    href: str
    """The walk in which it does; in a session the form is used instead."""
    pick: str
    """The value of that form's field."""
    usual: bool
    """Whether it is what the default schedule does."""


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """One decision of the reader."""

    kind: str
    """do or pick."""
    text: str
    """As in the address."""
    without: str
    """The walk without it; empty in a session."""


@dataclass(frozen=True, kw_only=True)
class Insight:
    """A question with its answer, or a trap with what is true instead."""

    trap: bool
    """Which of the two."""
    asks: str
    """The question, or the sentence that is wrong."""
    answers: str
    """The answer, or what is true."""


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """Addresses of this moment."""

    page: str
    """The page, by the step's id, so that it stays right when a step is inserted before it."""
    forms: tuple[tuple[str, str], ...]
    """Other forms: name and address."""
    embed: str
    """The dialog that gives what to paste into other pages."""


@dataclass(frozen=True, kw_only=True)
class Unmodelled:
    """A field of a manifest that the model does not read."""

    object: str
    """`deployment/web`."""
    path: str
    """The field."""
    since: str = ""
    """Where it is dropped, the release that first takes it."""
