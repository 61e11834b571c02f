"""The kubelet's report of its node: every ten seconds it is computed anew, and posted when a condition has changed.

A kubelet that has just started reports at once. It tells when its node is cordoned, too, at the next report. Not
modelled: the report that is posted every five minutes without a change, and the jitter of the ten seconds.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.kube.conditions import set_condition
from app.kube.machine_grammar import TICK
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.loops.kubelet.case import NORMAL, event
from app.loops.kubelet.node_conditions import CONDITIONS, PRESSURES, READY, RUNTIME_GRACE, event_of, holds, told, turned
from app.sim.acts import Act, Create, Event, PatchStatus, Wait
from app.sim.host import Host
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key


class Said(Struct, frozen=True):
    """What the kubelet has told of since its start."""

    unschedulable: bool = False


def reconcile(turn: Turn) -> Act | Wait | None:
    """One report, at the next tick, if it would say something new."""
    host = turn.host
    if not host.power:
        return None
    node, known = turn.read(Node, turn.key), turn.memory
    if host.kubelet_since is not None and not isinstance(known, Said):
        return _first(turn, node, host.kubelet_since)
    known = known if isinstance(known, Said) else Said()
    if node is None:
        return None
    tick = turn.now + (phase(host) - turn.now) % TICK
    if not turned(host, node, tick) and node.spec.unschedulable == known.unschedulable:
        return _overdue(host, turn.now)
    return _report(turn, node, known) if tick == turn.now else Wait(Bounds.at(tick))


def phase(host: Host) -> int:
    """Kubelets do not report in step; a fixed spread stands for that."""
    given = host.machine.status_tick
    return (host.number * 3_700 + 1_300) % TICK if given is None else given


def _overdue(host: Host, now: int) -> Wait | None:
    """A runtime that stays away is told of by the first report after its grace."""
    if host.runtime_down is None or now >= host.runtime_down + RUNTIME_GRACE:
        return None
    due = host.runtime_down + RUNTIME_GRACE
    return Wait(Bounds.at(due + (phase(host) - due) % TICK))


def _first(turn: Turn, node: Node | None, since: int) -> Act | Wait:
    """A kubelet that has started says how its node is, and registers one that is not there."""
    bounds = turn.lag("node-register").after(since)
    if not turn.reached(bounds):
        return Wait(bounds)
    starting = event(NORMAL, "Starting", "Starting kubelet.")
    if node is not None:
        return _report(turn, node, Said(), starting)
    registers = turn.host.registers
    if registers is None:
        return Wait(None, memory=Said())
    return Act(
        "register",
        turn.key,
        reason="NodeMissing",
        moment="node-registered",
        request=Create(registers),
        events=(starting,),
        memory=Said(),
    )


def _report(turn: Turn, node: Node, known: Said, *before: Event) -> Act:
    """What has changed; the first report, which has an event before it, tells of all pressures."""
    host, now = turn.host, turn.now
    changed = turned(host, node, now)
    rows, events = node.status.conditions, list(before)
    for name in CONDITIONS:
        if name in changed:
            rows = set_condition(rows, told(host, name, now), now)
        if name in changed or (before and name != READY):
            events.append(_turn(node, event_of(host, name, now)))
    cordoned = node.spec.unschedulable
    if cordoned != known.unschedulable:
        events.append(_turn(node, "NodeNotSchedulable" if cordoned else "NodeSchedulable"))
    wanted = replace(node, status=replace(node.status, conditions=rows))
    return Act(
        "report-node",
        node.ref,
        reason=", ".join(f"{name}={holds(host, name, now)}" for name in changed),
        moment=_moment(host, changed, now) or ("schedulable-told" if cordoned != known.unschedulable else ""),
        request=PatchStatus(node, wanted) if changed else None,
        events=tuple(events),
        memory=Said(cordoned),
    )


def _turn(node: Node, word: str) -> Event:
    return event(NORMAL, word, f"Node {node.metadata.name} status is now: {word}")


def _moment(host: Host, changed: list[str], now: int) -> str:
    if READY in changed:
        return "node-ready" if holds(host, READY, now) else "node-not-ready"
    pressures = [name for name in PRESSURES if name in changed]
    if not pressures:
        return ""
    return "pressure-reported" if any(holds(host, name, now) for name in pressures) else "pressure-cleared"


def _on_host(old: Host, new: Host) -> list[Ref]:
    changed = old.evictor.memory.observed is not new.evictor.memory.observed or old.runtime_down != new.runtime_down
    return [Ref("Node", "", new.node)] if changed else []


LOOP = Loop(
    name="kubelet-node-status",
    lane="kubelet",
    reconcile=reconcile,
    process="kubelet",
    per_node=True,
    wakes={"Node": own_key},
    on_host=_on_host,
    on_start=lambda turn: [Ref("Node", "", turn.node)],
    watches_mine=frozenset({"Node"}),
    retry=(TICK, TICK),
)
