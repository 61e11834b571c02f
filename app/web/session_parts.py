"""The parts of a page that belong to a session, every field told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class NoteRow:
    """A reader's note."""

    step: str
    """The step's number as a link text, or its id where this walk has no such step."""
    href: str
    """The step; empty where this walk has none."""
    actor: str
    """Who wrote it."""
    text: str
    """What."""
    here: bool
    """Whether it is on the current step."""


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
    carried: tuple[tuple[str, str], ...]
    """Hidden fields of its forms: the step, how many choices this page knows of, and how it is shown."""
    notes: tuple[NoteRow, ...]
    """All notes."""
    drift: str
    """From which step on the walk is another than when it was taken; empty if it is not."""
    until: str
    """The day on which it is deleted unless it is changed before; empty if it stays."""
    free: str
    """The same walk without the session."""
