"""The parts of a page that belong to a session: its notes, its links, and those who follow it; every field told."""

from __future__ import annotations

from dataclasses import dataclass

from app.diagram import Pin


@dataclass(frozen=True, kw_only=True)
class NoteRow:
    """What somebody wrote beside a step."""

    n: int
    """The step's number; -1 where this walk has no such step."""
    step: str
    """The same as a text; the step's id where this walk has none."""
    step_id: str
    """The step's id."""
    href: str
    """The step; empty where this walk has none."""
    kind: str
    """note or decision."""
    actor: str
    """What it is pinned to; empty where that is the step itself."""
    text: str
    """What."""
    author: str
    """Who wrote it; empty where nobody says."""
    here: bool
    """Whether it is on the current step."""
    action: str
    """Where its form goes."""


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """How a session stands to its followers, and what one page may do about it."""

    stream: str
    """Where changes are told as they happen."""
    shown: str
    """The id by which followers read the session that they are shown."""
    step: int
    """The step that they are shown."""
    revision: int
    """How many changes there were until this page."""
    live: bool
    """Whether somebody presents."""
    mine: bool
    """Whether that is this browser."""
    me: str
    """How changes name this browser where it is the one that presents."""
    name: str
    """Who presents; empty where nobody says."""
    may_edit: bool
    """Whether this address may present."""
    action: str
    """Where the forms that begin, take over and end go."""
    carried: tuple[tuple[str, str], ...]
    """Their hidden fields: the step, and how it is looked at."""
    follow: str
    """The address for followers, whole."""
    back: str
    """Where this page's reader sees what the followers see."""
    present: str
    """The large view of this step."""
    current: str
    """The large view of whatever is presented."""
    speaker: str
    """The notes to speak from, in a window of their own."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """The session that a page is of."""

    title: str
    """As it was named."""
    may_edit: bool
    """Whether the address allows changes."""
    action: str
    """The path that its forms post to."""
    reading: str
    """The address that may be given to others: it cannot change anything."""
    editing: str
    """The address that changes it, for whoever has it already; empty on a page that only reads."""
    carried: tuple[tuple[str, str], ...]
    """Hidden fields of its forms: the step, how many choices this page knows of, and how it is shown."""
    notes: tuple[NoteRow, ...]
    """All notes, in the order of the walk."""
    pins: tuple[str, ...]
    """What a note on this step can be pinned to, beside the step itself."""
    marks: tuple[Pin, ...]
    """The notes as marks on the timeline."""
    drift: str
    """From which step on the walk is another than when it was taken; empty if it is not."""
    until: str
    """The day on which it is deleted unless it is changed before; empty if it stays."""
    free: str
    """The same walk without the session."""
    question: str
    """What a review of it is to answer; may be empty."""
    meeting: Meeting
    """How it stands to those who follow it."""
