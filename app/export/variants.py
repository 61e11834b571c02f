"""Two variants of one walk in a report: what was set differently, what each comes to, where they part."""

from __future__ import annotations

from msgspec import Struct

from app.diagram.extract import names
from app.story import comparing
from app.story.comparing import Pair
from app.story.play import Answered, Play
from app.story.sweeping import value_of

JUDGED = {True: "good", False: "bad", None: ""}
MOST_PAIRS = 60
"""Steps that are listed one by one."""


class Contrast(Struct, frozen=True):
    """Something that is not the same in both."""

    title: str
    first: str
    second: str
    first_ok: str = ""
    second_ok: str = ""
    differs: bool = True


class Differing(Struct, frozen=True):
    """A step that only one of them has, or that comes at another time or to another end."""

    title: str
    state: str
    """earlier, later, changed, first or second."""
    first: str
    """When; empty where it is not there."""
    second: str


class Variants(Struct, frozen=True, kw_only=True):
    """The comparison."""

    set: tuple[Contrast, ...]
    answers: tuple[Contrast, ...]
    parts_at: int
    """The step of the first at which they part, or the last that they share; 0 where they never do."""
    parts: str
    """What happens there."""
    steps: tuple[Differing, ...]
    more: int
    """Steps that differ and are not listed."""


def variants(first: Play, second: Play) -> Variants:
    """The second beside the first."""
    found = comparing.compare(first, second)
    differing = [pair for pair in found.pairs if pair.state != "same"]
    at = found.parts_at
    return Variants(
        set=tuple(_set(first, second)),
        answers=tuple(_contrast(row.title, row.first, row.second, differs=row.differs) for row in found.verdicts),
        parts_at=_own_step(found.pairs, at) if at is not None else 0,
        parts=found.pairs[at].title if at is not None else "",
        steps=tuple(_differing(pair) for pair in differing[:MOST_PAIRS]),
        more=max(0, len(differing) - MOST_PAIRS),
    )


def _set(first: Play, second: Play) -> list[Contrast]:
    one, other = first.setup.settings, second.setup.settings
    rows = [
        Contrast(row.title, one[row.name], other[row.name])
        for row in first.flow.settings
        if one[row.name] != other[row.name]
    ]
    if first.setup.scene != second.setup.scene:
        rows.insert(0, Contrast("scene", first.setup.scene, second.setup.scene))
    mine, theirs = (_chosen(of.request.choices) for of in (first, second))
    if mine != theirs:
        rows.append(Contrast("choices", mine, theirs))
    return rows


def _chosen(choices: tuple[tuple[str, str], ...]) -> str:
    return "; ".join(f"{kind} {text}" for kind, text in choices)


def _contrast(title: str, first: Answered, second: Answered, *, differs: bool) -> Contrast:
    return Contrast(title, value_of(first), value_of(second), JUDGED[first.ok], JUDGED[second.ok], differs)


def _own_step(pairs: tuple[Pair, ...], at: int) -> int:
    """The step of the first walk there, or the one before where only the second has it."""
    return next((pair.first.n for pair in reversed(pairs[: at + 1]) if pair.first is not None), 0)


def _differing(pair: Pair) -> Differing:
    first, second = (f"T+{names.seconds(place.at)} s" if place else "" for place in (pair.first, pair.second))
    return Differing(pair.title, pair.state, first, second)
