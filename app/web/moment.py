"""One moment of a walk: which step a page is of, and the addresses that lead on from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.kube import durations
from app.sim.intervention import parse as parse_intervention
from app.sim.walk import Record, parse_pick
from app.story.play import Play
from app.web.address import Choice, Kind, Place, Query

LEAST_WAIT = 1_000
"""Milliseconds from which on a wait between two steps is worth a word."""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A walk at one of its steps, at an address."""

    played: Play
    n: int
    place: Place
    free: Query
    """The walk as an address gives it that needs no session; `place` has the same, or only how it is shown."""

    @property
    def steps(self) -> list[Record]:
        return self.played.steps

    @property
    def now(self) -> int:
        """Milliseconds since the stimulus; the start counts as its instant."""
        return self.steps[self.n - 1].step.at if self.n else 0

    @property
    def id(self) -> str:
        """The step's id; `0` at the start."""
        return self.steps[self.n - 1].id if self.n else "0"

    def step(self, n: int) -> str:
        """The address of another step of this walk."""
        return self.place.step(n)

    def at(self, n: int) -> Moment:
        """Another moment of the same walk."""
        return replace(self, n=n)

    def beside(self, tail: str) -> Place:
        """The same walk in another of its pages."""
        return replace(self.place, tail=tail)

    @property
    def without_session(self) -> Place:
        """The same walk where anybody may change it."""
        looks = self.place.query
        query = replace(self.free, depth=looks.depth, view=looks.view, theme=looks.theme, pod=looks.pod)
        query = query.in_words(looks.words)
        return Place(path=f"/f/{self.played.flow.id}", query=query)

    def scene(self, name: str) -> str:
        """The start of another preset of the flow."""
        place = self.without_session
        return place.asking(place.query.in_scene(name)).step(0)

    def asking(self, query: Query) -> str:
        """The address of this step of another walk."""
        return self.place.asking(query).step(self.n)

    def choosing(self, kind: Kind, text: str) -> Query:
        """The walk in which the reader decides this at this step. What was picked later cannot be kept."""
        query = self.place.query
        kept = query.choices[: self.kept_with(kind, query.choices)]
        return query.with_choices((*kept, (kind, text)))

    def kept_with(self, kind: Kind, choices: tuple[Choice, ...]) -> int:
        """How many of the choices stay possible with another one at this step: all, or those before a later pick."""
        # What is picked at this very step comes before an intervention a millisecond later.
        least = self.n if kind == "pick" else self.n + 1
        found = (at for at, (what, text) in enumerate(choices) if what == "pick" and self._picked_at(text) >= least)
        return next(found, len(choices))

    def _picked_at(self, text: str) -> int:
        step = parse_pick(text).step
        return next((row.n for row in self.steps if row.id == step), 0)

    def chosen_until_here(self, choices: tuple[Choice, ...]) -> int:
        """How many of the choices, from the first on, were made at this step or before."""
        for at, (kind, text) in enumerate(choices):
            if self._lies_ahead(kind, text):
                return at
        return len(choices)

    def _lies_ahead(self, kind: Kind, text: str) -> bool:
        if kind == "pick":
            return self._picked_at(text) >= self.n
        return (parse_intervention(text).at or 0) > self.now


def seconds(milliseconds: int) -> str:
    """`0.600`, as every list of steps shows it."""
    return f"{milliseconds / 1000:.3f}"


def how_long(milliseconds: int) -> str:
    """As one says it: `300 ms`, `1.177 s`, `4m40s`."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".") + " s"
    return durations.format(round(milliseconds, -3))


def clock_text(milliseconds: int) -> str:
    """`T+0.600 s`."""
    sign = "-" if milliseconds < 0 else "+"
    return f"T{sign}{seconds(abs(milliseconds))} s"
