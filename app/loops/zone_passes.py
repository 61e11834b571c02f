"""The end of a pass over all nodes: zones change their state, and with it the rate at which lost nodes are tainted.

As handleDisruption in pkg/controller/nodelifecycle. A pass that has found something takes a while; the next one comes
5 s after its end.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

from msgspec.structs import replace

from app.kube import node_health as health
from app.kube import zones
from app.kube.meta import Ref
from app.kube.node_monitor import PERIOD, Monitor
from app.kube.nodes import Node
from app.sim.acts import Act, Outcome, Patch, Wait
from app.sim.loop import Turn

MONITOR = Ref("Monitor", "", "nodes")

Turns = Generator[Act | Wait, Outcome, None]
MOMENTS = {zones.FULL: "zone-fully-disrupted", zones.PARTIAL: "zone-partly-disrupted", zones.NORMAL: "zone-recovered"}


def monitored(turn: Turn) -> Monitor:
    """What is kept of the passes."""
    known = turn.recall(MONITOR)
    return known if isinstance(known, Monitor) else Monitor()


def passes(turn: Turn) -> Turns | Wait:
    """Begin a pass, or end it."""
    known = turn.memory
    if not isinstance(known, Monitor):
        # The process has just started: its first pass comes at once.
        return Wait(None, memory=Monitor(base=turn.now, look=turn.now % 100))
    began = turn.now if known.began is None else known.began
    bounds = turn.lag("node-monitor-pass").after(began)
    if not turn.reached(bounds) or known.began is None:
        return Wait(bounds, memory=replace(known, began=began))
    return _ended(turn, known)


def _ended(turn: Turn, known: Monitor) -> Turns:
    nodes = turn.all(Node)
    counts = zones.counted(nodes)
    states, before = zones.states(counts), dict(known.states)
    full = bool(states) and zones.all_full(states)
    rates = {zone: zones.rate(state, counts[zone].total, all_full=full) for zone, state in states.items()}
    done = replace(
        known,
        base=turn.now + PERIOD,
        began=None,
        states=tuple(sorted(states.items())),
        rates=tuple(sorted(rates.items())),
        full=full,
        fresh=turn.now if known.full and not full else known.fresh,
    )
    if full and not known.full:
        yield from _given_up(turn, nodes)
    for zone, state in sorted(states.items()):
        if state != before.get(zone, zones.NORMAL):
            yield _changed(zone, state, counts, rates[zone])
    if full != known.full:
        yield _master(full=full)
    queues = tuple(Ref("Zone", "", zone) for zone in sorted(rates) if rates[zone] != known.rate(zone))
    yield Wait(None, memory=done, also=queues)


def _given_up(turn: Turn, nodes: list[Node]) -> Turns:
    """All nodes seem lost: NoExecute taints are taken back, as if they were reachable."""
    for node in nodes:
        if health.executing(node):
            yield Act(
                "untaint-node",
                node.ref,
                reason="MasterDisruption",
                moment="no-execute-withdrawn",
                request=Patch(node.ref, (("spec.taints", health.executed_taints(node, "", turn.now)),)),
            )


def _changed(zone: str, state: str, counts: Mapping[str, zones.Count], rate: float) -> Act:
    return Act(
        "set-zone-state",
        Ref("Zone", "", zone or "none"),
        reason=f"{counts[zone].not_ready} of {counts[zone].total} not ready",
        moment=MOMENTS[state],
        outcome=f"{state}, {rate:g} nodes/s",
    )


def _master(*, full: bool) -> Act:
    return Act(
        "enter-master-disruption" if full else "leave-master-disruption",
        MONITOR,
        reason="AllZonesFull" if full else "SomeNodeReady",
        moment="master-disruption-entered" if full else "master-disruption-left",
    )
