"""A world under change, inside one action only; frozen again after every act."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from msgspec import Struct

from app.kube.meta import Ref
from app.kube.objects import Object
from app.kube.releases import Release
from app.sim.acts import Act, Command, Wait, Work
from app.sim.fronts import Front
from app.sim.host import Host
from app.sim.index import UNSEEN, Index, Stored
from app.sim.intervention import Intervention
from app.sim.lags import Bounds, Lag
from app.sim.ledger import Ledger, Load
from app.sim.maps import Map
from app.sim.reflectors import Severed
from app.sim.sharing import Shared
from app.sim.world import Delivery, World

# One call for all parts, in the order of the world's fields (a test holds the two lists together).
PARTS: Callable[[object], tuple[Any, ...]] = attrgetter(*World.__struct_fields__)

Pending = Work | tuple[str, str]
"""What may come due: a timer's work, or the head of a (process, kind) queue."""


class Draft:
    """Mutable slots for each part of a world, and the pending entries that were touched."""

    __slots__ = (*World.__struct_fields__, "raced", "touched", "woken")

    now: int
    etcd: Index
    views: Map[str, Index]
    hosts: Map[str, Host]
    nodes: tuple[str, ...]
    inbox: Map[tuple[str, str, int], Delivery]
    heads: Map[tuple[str, str], tuple[int, int]]
    queued: Map[Work, int]
    timers: Map[Work, Bounds]
    busy: Map[Work, int]
    retries: Map[Work, int]
    memory: Map[Work, Struct]
    incarnations: Map[Ref, tuple[int, int]]
    counters: Map[str, int]
    down: Map[str, int]
    cut: Map[str, int]
    severed: Map[tuple[str, str], Severed]
    frozen: Map[str, int]
    parked: Map[Work, Bounds]
    commands: Map[Ref, Command]
    script: tuple[Intervention, ...]
    manifests: Map[str, tuple[Object, ...]]
    lags: Map[str, Lag]
    release: Release
    narrate_api: tuple[str, ...]
    besides: tuple[str, ...]
    fronts: Map[Ref, Front]
    load: tuple[Load, ...]
    ledger: Ledger

    def __init__(self, world: World) -> None:
        (
            self.now,
            self.etcd,
            self.views,
            self.hosts,
            self.nodes,
            self.inbox,
            self.heads,
            self.queued,
            self.timers,
            self.busy,
            self.retries,
            self.memory,
            self.incarnations,
            self.counters,
            self.down,
            self.cut,
            self.severed,
            self.frozen,
            self.parked,
            self.commands,
            self.script,
            self.manifests,
            self.lags,
            self.release,
            self.narrate_api,
            self.besides,
            self.fronts,
            self.load,
            self.ledger,
        ) = PARTS(world)
        self.touched: set[Pending] = set()
        self.raced: dict[Ref, int] = {}
        """Budgets that an eviction of this action has written, with how many others have met a conflict there."""
        self.woken: list[Work] = []

    def freeze(self) -> World:
        """The world as it now is."""
        return World(*PARTS(self))


def enqueue(draft: Draft, work: Work) -> None:
    """Queue a key; one that is queued already keeps its place, and one that is worked on comes up when that is done."""
    if work in draft.queued:
        return
    if work not in draft.busy:
        draft.queued = draft.queued.set(work, draft.now)
    draft.woken.append(work)


def set_timer(draft: Draft, work: Work, bounds: Bounds | None) -> None:
    """Give a key one pending wake, or none."""
    if draft.timers.get(work) == bounds:
        return
    draft.timers = draft.timers.delete(work) if bounds is None else draft.timers.set(work, bounds)
    draft.touched.add(work)


def keep(draft: Draft, work: Work, decision: Act | Wait) -> None:
    """Let a loop keep in mind what it decided to, and look at the other keys that it named."""
    if decision.memory is not None:
        draft.memory = draft.memory.set(work, decision.memory)
    elif isinstance(decision, Wait) and decision.forget and work in draft.memory:
        draft.memory = draft.memory.delete(work)
    for key in decision.also:
        enqueue(draft, Work(work.loop, work.node, key))


def send(draft: Draft, process: str, delivery: Delivery) -> None:
    """Put a change into a process's queue of that kind."""
    queue = (process, delivery.ref.kind)
    first, free = draft.heads.get(queue, (0, 0))
    draft.inbox = draft.inbox.set((*queue, free), delivery)
    draft.heads = draft.heads.set(queue, (first, free + 1))
    if first == free:
        draft.touched.add(queue)


def receive(draft: Draft, queue: tuple[str, str]) -> Delivery:
    """Take the oldest change out of a queue."""
    first, free = draft.heads[queue]
    delivery = draft.inbox[(*queue, first)]
    draft.inbox = draft.inbox.delete((*queue, first))
    # An empty queue leaves no trace, so that worlds that differ only in how they got here are equal.
    draft.heads = draft.heads.delete(queue) if first + 1 == free else draft.heads.set(queue, (first + 1, free))
    draft.touched.add(queue)
    return delivery


def believe(draft: Draft, process: str, ref: Ref, stored: Stored, *, alike: bool = False) -> None:
    """Let a process see a version of what `ref` names, unless it has seen a newer one.

    Processes that are `alike` on all nodes share their beliefs for as long as they have seen the same.
    """
    view: Index = draft.views.get(process, UNSEEN)
    known = view.get(ref)
    if known is None or known.version < stored.version:
        draft.views = draft.views.set(process, _put(view, stored) if alike else view.put(stored, ref))


_put = Shared(Index.put)
_drop = Shared(Index.drop)


def forget(draft: Draft, process: str, ref: Ref, gone: Stored | None, *, alike: bool = False) -> None:
    """Let a process see that an object went, unless it already knows a successor of the same name."""
    view: Index = draft.views.get(process, UNSEEN)
    known = view.get(ref)
    if known is not None and gone is not None and known.version <= gone.version:
        draft.views = draft.views.set(process, _drop(view, ref) if alike else view.drop(ref))


def stored(draft: Draft, ref: Ref) -> Object | None:
    """The object as etcd holds it."""
    found = draft.etcd.get(ref)
    return found.object if found else None
