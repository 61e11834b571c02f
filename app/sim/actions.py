"""What can happen next; every action has a readable id that parses back."""

from __future__ import annotations

import re

from msgspec import Struct

from app.errors import BadInput
from app.kube.meta import Ref
from app.sim.acts import Work


class Deliver(Struct, frozen=True, gc=False, order=True):
    """The oldest undelivered change of a kind reaches a process."""

    process: str
    kind: str

    def __str__(self) -> str:
        return f"deliver:{self.process}:{self.kind}"


class Reconcile(Struct, frozen=True, gc=False, order=True):
    """A loop works on a key; `timer` when it was not queued and its own wake has come."""

    work: Work
    timer: bool = False

    def __str__(self) -> str:
        loop, node, key = self.work
        where = f"@{node}" if node else ""
        verb = "wake" if self.timer else "reconcile"
        return f"{verb}:{loop}{where}:{key.kind}~{key.namespace}~{key.name}"


class Intervene(Struct, frozen=True, order=True):
    """The next line of the script is carried out."""

    def __str__(self) -> str:
        return "intervene"


class Advance(Struct, frozen=True, gc=False, order=True):
    """Time moves to an instant, in milliseconds after t = 0."""

    to: int

    def __str__(self) -> str:
        sign = "-" if self.to < 0 else ""
        return f"advance:{sign}{abs(self.to) // 1000}.{abs(self.to) % 1000:03d}"


FORMS = (
    "allowed are deliver:PROCESS:KIND, reconcile:LOOP[@NODE]:KIND~NS~NAME, wake:LOOP[@NODE]:KIND~NS~NAME, intervene "
    "and advance:SECONDS.mmm"
)

_INSTANT = re.compile(r"(?P<sign>-?)(?P<whole>\d{1,9})\.(?P<part>\d{3})", re.ASCII)

Action = Deliver | Reconcile | Intervene | Advance


def parse(text: str) -> Action:
    """The action with that id; BadInput says what an id looks like."""
    verb, _, rest = text.partition(":")
    parts = rest.split(":")
    match verb:
        case "intervene" if not rest:
            return Intervene()
        case "deliver" if len(parts) == 2 and all(parts):
            return Deliver(*parts)
        case "reconcile" | "wake" if len(parts) == 2 and parts[1].count("~") == 2:
            loop, _, node = parts[0].partition("@")
            return Reconcile(Work(loop, node, Ref(*parts[1].split("~"))), timer=verb == "wake")
        case "advance":
            if found := _INSTANT.fullmatch(rest):
                size = int(found["whole"]) * 1000 + int(found["part"])
                return Advance(-size if found["sign"] else size)
    raise BadInput([f"action {text!r}: not an action id; {FORMS}"])
