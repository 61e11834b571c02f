"""Search of orders: every walk in which some processes may be early, late or first.

The loops that vary may act at `least`, `usual` or `most`, in every order among themselves; all others act at `usual`
in the default order. Costs grow linearly between actions, so their extremes lie at these bounds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from msgspec import Struct

from app.sim.actions import Action, Advance, Deliver, Intervene, Reconcile
from app.sim.acts import Work
from app.sim.engine import Model
from app.sim.identity import Fingerprints
from app.sim.lags import Bounds
from app.sim.maps import ordered_keys
from app.sim.world import World

Cost = Callable[[World], int]
"""What a world has cost so far, in any whole unit; it never shrinks along a walk."""
Varies = Callable[[World, str, str], bool]
"""(world, process or loop without one, node) -> whether it varies there."""


class Found(Struct, frozen=True):
    """What a search saw."""

    least: int
    most: int
    worlds: int
    finished: bool
    worst: tuple[Action, ...] = ()
    """The actions that lead to the highest cost."""


class _Node(Struct):
    """A world under search; its ledger is the worst that any order gave it."""

    world: World
    cost: int
    best: int
    """The lowest cost of any order that leads here."""
    parent: _Node | None
    action: Action | None


def explore(
    model: Model,
    start: World,
    *,
    varies: Varies,
    cost: Cost,
    until: int,
    over: Callable[[World], bool] | None = None,
    most_worlds: int = 200_000,
    stop_above: int | None = None,
) -> Found:
    """Least and most of `cost` at the end of every walk up to `until`.

    `over` tells that a world's cost cannot change any more; `stop_above` ends the search at the first cost above it.
    An honest cap: with `finished` False, `most` is a lower bound and `worlds` tells how far it came.
    """
    marks = Fingerprints()
    searching = _Successors(model, varies)
    first = _Node(start, cost(start), cost(start), None, None)
    seen: dict[int, _Node] = {marks.of(start): first}
    queue: list[tuple[int, int, _Node]] = [(start.now, 0, first)]
    count = 1
    ends: list[_Node] = []
    while queue:
        _, _, node = heapq.heappop(queue)
        if (over is not None and over(node.world)) or node.world.now > until:
            ends.append(node)
            continue
        actions = searching.of(node.world)
        if not actions:
            ends.append(node)
        for action in actions:
            world = model.step(node.world, action).world
            price = cost(world)
            cheapest = node.best + (price - node.cost)
            mark = marks.of(world)
            known = seen.get(mark)
            if known is not None:
                known.best = min(known.best, cheapest)
                if price <= known.cost:
                    continue
                known.world, known.cost, known.parent, known.action = world, price, node, action
                queue_node = known
            else:
                queue_node = seen[mark] = _Node(world, price, cheapest, node, action)
            count += 1
            heapq.heappush(queue, (world.now, count, queue_node))
            if stop_above is not None and price > stop_above:
                return Found(0, price, len(seen), finished=False, worst=_path(queue_node))
        if len(seen) > most_worlds:
            most = max((row.cost for _, _, row in queue), default=0)
            return Found(0, most, len(seen), finished=False)
    worst = max(ends, key=lambda row: row.cost, default=first)
    least = min((row.best for row in ends), default=0)
    return Found(least, worst.cost, len(seen), finished=True, worst=_path(worst))


def _path(node: _Node) -> tuple[Action, ...]:
    actions: list[Action] = []
    at: _Node | None = node
    while at is not None and at.action is not None:
        actions.append(at.action)
        at = at.parent
    return tuple(reversed(actions))


class _Successors:
    """The actions that a search branches over in a world."""

    def __init__(self, model: Model, varies: Varies) -> None:
        self.model = model
        self.varies = varies

    def of(self, world: World) -> tuple[Action, ...]:
        """One action where a loop that does not vary is due; else every possible action of those that vary."""
        now = world.now
        if world.script and (world.script[0].at or 0) <= now:
            return (Intervene(),)
        fixed, free = self._works(world)
        ends: list[Bounds] = [Bounds.at(world.script[0].at or 0)] if world.script else []
        for queue in ordered_keys(world.heads):
            bounds = self.model.bounds(world, queue)
            if bounds is None:
                continue
            process, _, node = queue[0].partition("/")
            loose = self.varies(world, process, node)
            bounds = bounds if loose else Bounds.at(bounds.usual)
            ends.append(bounds)
            if bounds.least <= now:
                (free if loose else fixed).append(Deliver(*queue))
        for work, bounds in world.timers.items():
            loose = self._loose(world, work)
            limits = bounds if loose else Bounds.at(bounds.usual)
            ends.append(limits)
            if limits.least <= now and work not in world.queued:
                (free if loose else fixed).append(Reconcile(work, timer=True))
        if fixed:
            return (min(fixed, key=self._default),)
        if world.queued:
            return tuple(sorted(free, key=str))
        return (*sorted(free, key=str), *_advances(now, ends))

    def _works(self, world: World) -> tuple[list[Action], list[Action]]:
        fixed: list[Action] = []
        free: list[Action] = []
        for work in world.queued:
            (free if self._loose(world, work) else fixed).append(Reconcile(work))
        return fixed, free

    def _loose(self, world: World, work: Work) -> bool:
        loop = self.model.loops[work.loop]
        return self.varies(world, loop.process or loop.name, work.node)

    def _default(self, action: Action) -> tuple[object, ...]:
        if isinstance(action, Reconcile):
            return (0, *self.model.order(action.work))
        return (1, 0, str(action))


def _advances(now: int, ends: list[Bounds]) -> tuple[Action, ...]:
    last = min((bounds.most for bounds in ends), default=now)
    instants = {at for bounds in ends for at in (bounds.least, bounds.usual, bounds.most) if now < at <= last}
    return tuple(Advance(at) for at in sorted(instants))


__all__ = ["Cost", "Found", "Varies", "explore"]
