"""A walk: the default schedule plus a reader's choices, as a list of numbered steps."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from app.errors import BadInput
from app.sim.actions import Action
from app.sim.actions import parse as parse_action
from app.sim.intervention import Intervention
from app.sim.step import Step
from app.sim.world import World

# Neither `²`, which Python counts as a digit, nor more digits than any walk lasts.
_SECONDS = re.compile(r"\d{1,9}(\.\d{0,6})?", re.ASCII)

Goal = Callable[[World], bool]


class Pick(Struct, frozen=True):
    """Right after the step with that id, at that instant, do this action: `STEP-ID!ACTION[@SECONDS]`."""

    step: str
    action: Action
    at: int | None = None

    def __str__(self) -> str:
        when = "" if self.at is None else f"@{self.at / 1000:g}"
        return f"{self.step}!{self.action}{when}"


Choice = Intervention | Pick


def parse_pick(text: str) -> Pick:
    """Read one pick; BadInput says what the form is."""
    step, mark, rest = text.rpartition("!")
    if not mark or not step:
        raise BadInput([f"pick {text!r}: the form is STEP-ID!ACTION[@SECONDS]"])
    # A loop's node is also written with @; only a trailing number is a time.
    action, at, seconds = rest.rpartition("@")
    if at and _SECONDS.fullmatch(seconds):
        return Pick(step, parse_action(action), round(float(seconds) * 1000))
    return Pick(step, parse_action(rest))


class Record(Struct, frozen=True):
    """A step in a walk."""

    n: int
    """From 1; 0 for a background act, which is folded into the next numbered step."""
    id: str
    step: Step
    cause: str
    folded: int = 0
    """Deliveries and background acts since the numbered step before."""
    left: World | None = None
    """The world that its action left behind, where a reader may choose what comes next; None when steps of the same
    action follow, because a sync runs whole."""


class Walk(Struct, frozen=True):
    """What happened from a starting world on."""

    start: World
    world: World
    """The last one."""
    records: tuple[Record, ...]
    """All acts in order, background ones included."""
    stopped: str
    """goal, quiet, until or stuck."""
    problems: tuple[str, ...] = ()
    """Choices that did not apply."""

    @property
    def steps(self) -> list[Record]:
        """The numbered steps."""
        return [record for record in self.records if record.n]
