"""What an embed's address says beside the walk: which steps, one picture only, whether its height is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import BadInput
from app.web.address import VIEWS, Place, with_parts

POST = "post"
"""The one value of `height`: a message with it goes to the page around."""


@dataclass(frozen=True, kw_only=True)
class Framing:
    """Values as they stand in the address; empty where nothing is said."""

    first: str = ""
    """The step at which stepping begins: its number or id."""
    last: str = ""
    """The one at which it ends."""
    only: str = ""
    """The one view that is shown, without controls."""
    height: str = ""

    def parts(self) -> tuple[tuple[str, str], ...]:
        return (("from", self.first), ("to", self.last), ("only", self.only), ("height", self.height))


def framing_of(pairs: Sequence[tuple[str, str]]) -> Framing:
    """BadInput lists every value that cannot be."""
    named = {name: value.strip() for name, value in pairs}
    problems = [
        f"{name}: found {named[name][:40]!r}; allowed: {', '.join(allowed)}"
        for name, allowed in (("only", VIEWS), ("height", (POST,)))
        if named.get(name) and named[name] not in allowed
    ]
    if problems:
        raise BadInput(problems)
    return Framing(
        first=named.get("from", ""),
        last=named.get("to", ""),
        only=named.get("only", ""),
        height=named.get("height", ""),
    )


@dataclass(frozen=True, kw_only=True)
class FramedPlace:
    """Where an embed's links lead: as a page's, and what else its address carries along."""

    place: Place
    framing: Framing

    def step(self, step: int | str) -> str:
        return with_parts(self.place.step(step), self.framing.parts())
