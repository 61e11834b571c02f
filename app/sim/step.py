"""A step: one act with what it changed, as the walk keeps it."""

from __future__ import annotations

from msgspec import Struct

from app.kube.meta import Ref
from app.kube.objects import Object
from app.sim.acts import Event, Line
from app.sim.world import World


class Commit(Struct, frozen=True, gc=False):
    """One version that the API server stored; `after` None means the object went."""

    ref: Ref
    before: Object | None
    after: Object | None
    writer: str
    """The field manager, as `managedFields` names it; empty where a watcher sees none (deletes)."""


class Step(Struct, frozen=True, gc=False):
    """An act, done. Numbers and ids are given by the walk, not by the engine."""

    at: int
    loop: str
    node: str
    sender: str
    """The lane it comes from."""
    to: str
    """The lane it goes to."""
    verb: str
    object: Ref
    outcome: str
    reason: str
    moment: str
    cause: str
    """What woke the loop: `watch pod/web-1`, `timer`, `host node-1`, `command`, or empty."""
    background: bool
    commits: tuple[Commit, ...]
    events: tuple[Event, ...]
    output: tuple[Line, ...]
    command: int
    """The number of the command line that printed the output, or 0."""
    before: World
    world: World

    @property
    def id(self) -> str:
        """`LOOP[@NODE].VERB:KIND~[NS~]NAME`, before repeats are numbered."""
        where = f"@{self.node}" if self.node else ""
        return f"{self.loop}{where}.{self.verb}:{str(self.object).replace('/', '~')}"
