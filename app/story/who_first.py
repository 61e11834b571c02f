"""Which node's ranking belongs to a step, and how it reads as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from app.kube.eviction_thresholds import ALLOCATABLE_MEMORY, MEMORY
from app.kube.oom_score import pages
from app.kube.quantity import value
from app.sim.host import Host
from app.sim.observations import gauges
from app.sim.walk import Record, Walk
from app.sim.world import World
from app.story.ranking import Evictee, Killed, Ranking, ranked

DECIDED = ("eviction-threshold-met", "pod-evicted", "node-oom", "oom-killed", "child-oom-killed")
"""Steps that an order stands behind: what they show is the order that led to them."""
TOLD = ("eviction-threshold-met", "node-oom")
MOST = 3
"""Orders that the text of a walk shows."""


def ranking_at(walk: Walk, n: int) -> Ranking | None:
    """The order on the node that a step is about, else on the one with the least memory left; 0 is the start."""
    record = walk.steps[n - 1] if n else None
    world = walk.start if record is None else record.step.world
    if record is not None and record.step.moment in DECIDED:
        world = record.step.before
    named = record.step.node if record is not None else ""
    if not named and record is not None and record.step.object.kind == "Node":
        named = record.step.object.name
    node = named if named in world.hosts else _fullest(world)
    return ranked(world, node, _signal(world.hosts[node])) if node else None


def _fullest(world: World) -> str:
    """The first node of those with the smallest share of memory left."""

    def left(name: str) -> float:
        gauge = gauges(world.hosts[name])[MEMORY]
        return gauge.available(world.now) / gauge.capacity if gauge.capacity else 1

    return min(world.nodes, key=left, default="")


def _signal(host: Host) -> str:
    """The signal that the kubelet knows to be short, else memory."""
    found = next((row.signal for row, _ in host.evictor.memory.since), MEMORY)
    return MEMORY if found == ALLOCATABLE_MEMORY else found


def decisive(found: Ranking, row: Evictee) -> str:
    """The key that put a pod before the next one; empty for the last, and where only the names differ."""
    after = found.evictees[row.place] if row.place < len(found.evictees) else row
    alike = (row.exceeds, row.priority, row.over) == (after.exceeds, after.priority, after.over)
    return "" if alike else row.keys[-1]


def thousandths(row: Killed, machine: str) -> tuple[int, int]:
    """A process's memory and its badness in thousandths of the machine, as oom_score_adj counts."""
    total = pages(value(machine))
    whole = row.score_adj if row.badness is None else round(row.badness * 1000 / total)
    return whole - row.score_adj, whole


# As text.


def told(walk: Walk) -> Iterator[tuple[Record, list[str]]]:
    """The first orders that something came of, with the step that they led to."""
    for row, found in first_orders(walk):
        yield row, lines(found, kernel=row.step.moment == "node-oom")


def first_orders(walk: Walk) -> Iterator[tuple[Record, Ranking]]:
    """The same as values."""
    rows = [row for row in walk.steps if row.step.moment in TOLD]
    for row in rows[:MOST]:
        found = ranking_at(walk, row.n)
        if found is not None:
            yield row, found


def lines(found: Ranking, *, kernel: bool) -> list[str]:
    """One order as a table with its sort keys, the ones that decided in brackets."""
    if kernel:
        rows: list[tuple[str, ...]] = [("#", "process", "class", "uses", "uses + oom_score_adj, in 1/1000")]
        rows += [_process(row, found.machine) for row in found.killed]
    else:
        rows = [("#", "pod", "class", "uses", "asks for", "1 above", "2 priority", "3 by")]
        rows += [_pod(row, decisive(found, row)) for row in found.evictees]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return ["  ".join(cell.ljust(wide) for cell, wide in zip(row, widths, strict=True)).rstrip() for row in rows]


def _pod(row: Evictee, decides: str) -> tuple[str, ...]:
    keys = {"exceeds": "yes" if row.exceeds else "no", "priority": str(row.priority), "over": row.over}
    cells = [f"[{text}]" if name == decides else text for name, text in keys.items()]
    place = "-" if row.spared else str(row.place)
    return (place, row.pod.removeprefix("pod/"), row.qos, row.usage, row.request, *cells)


def _process(row: Killed, capacity: str) -> tuple[str, ...]:
    sign = "-" if row.score_adj < 0 else "+"
    memory, whole = thousandths(row, capacity)
    name = f"{row.pod.removeprefix('pod/')}/{row.container}{' (child)' if row.child else ''}"
    return (str(row.place), name, row.qos, row.memory, f"{memory} {sign} {abs(row.score_adj)} = {whole}")
