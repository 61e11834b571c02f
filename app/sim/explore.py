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
from app.sim.collector import uncollected
from app.sim.engine import Model
from app.sim.identity import Fingerprints
from app.sim.lags import Bounds
from app.sim.world import World

Cost = Callable[[World], int]
"""What a world has cost so far, in any whole unit; it never shrinks along a walk."""
Varies = Callable[[World], frozenset[tuple[str, str]]]
"""Who varies in a world: the (process, or loop without one; node) of each; the node is empty where there is one."""


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


@uncollected()
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
            if known is None:
                known = seen[mark] = _Node(world, price, cheapest, node, action)
            elif price > known.cost or cheapest < known.best:
                # What follows from it is looked at again, with the new cost.
                known.best = min(known.best, cheapest)
                if price > known.cost:
                    known.world, known.cost, known.parent, known.action = world, price, node, action
            else:
                continue
            count += 1
            heapq.heappush(queue, (world.now, count, known))
            if stop_above is not None and price > stop_above:
                return Found(0, price, len(seen), finished=False, worst=_path(known))
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
        self._names = {name: loop.process or name for name, loop in model.loops.items()}

    def of(self, world: World) -> tuple[Action, ...]:
        """One action where a loop that does not vary is due; else every possible action of those that vary."""
        now, names = world.now, self._names
        if world.script and (world.script[0].at or 0) <= now:
            return (Intervene(),)
        varying = self.varies(world)
        free: list[Action] = []
        works: list[Reconcile] = []
        for work in world.queued:
            (free if (names[work.loop], work.node) in varying else works).append(Reconcile(work))
        ends: list[Bounds] = []
        for work, bounds in world.timers.items():
            loose = (names[work.loop], work.node) in varying
            ends.append(bounds if loose else Bounds.at(bounds.usual))
            if (bounds.least if loose else bounds.usual) <= now and work not in world.queued:
                (free if loose else works).append(Reconcile(work, timer=True))
        if works:
            return (min(works, key=self._order),)
        queues: list[Deliver] = []
        for queue in world.heads:
            bounds = self.model.bounds(world, queue) or Bounds.at(now)
            process, _, node = queue[0].partition("/")
            loose = (process, node) in varying
            ends.append(bounds if loose else Bounds.at(bounds.usual))
            if (bounds.least if loose else bounds.usual) <= now:
                (free if loose else queues).append(Deliver(*queue))
        if queues:
            return (min(queues, key=str),)
        free.sort(key=str)
        return tuple(free) if world.queued else (*free, *_advances(world, ends))

    def _order(self, action: Reconcile) -> tuple[int, Work]:
        return self.model.order(action.work)


def _advances(world: World, ends: list[Bounds]) -> list[Advance]:
    """Time may stop wherever something may happen, and passes nothing that must."""
    if world.script:
        ends = [*ends, Bounds.at(world.script[0].at or 0)]
    last = min((bounds.most for bounds in ends), default=world.now)
    instants = {at for bounds in ends for at in (bounds.least, bounds.usual, bounds.most) if world.now < at <= last}
    return [Advance(at) for at in sorted(instants)]


__all__ = ["Cost", "Found", "Varies", "explore"]
