"""The kubelet's report of its node: every ten seconds it is computed anew, and posted when a condition has changed.

Not modelled: the report that is posted every five minutes without a change, and the jitter of the ten seconds.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.conditions import set_condition
from app.kube.eviction_thresholds import DISK_PRESSURE, MEMORY_PRESSURE, PID_PRESSURE
from app.kube.machine_grammar import TICK
from app.kube.meta import Condition, Ref, condition
from app.kube.nodes import Node
from app.loops.kubelet.case import NORMAL, event
from app.sim.acts import Act, PatchStatus, Wait
from app.sim.host import Host
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key

# Reason and message of each condition when True and when False, and the events of its turns (nodestatus/setters.go).
PRESSURES: dict[str, dict[bool, tuple[str, str, str]]] = {
    MEMORY_PRESSURE: {
        True: (
            "KubeletHasInsufficientMemory",
            "kubelet has insufficient memory available",
            "NodeHasInsufficientMemory",
        ),
        False: ("KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"),
    },
    DISK_PRESSURE: {
        True: ("KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure"),
        False: ("KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"),
    },
    PID_PRESSURE: {
        True: ("KubeletHasInsufficientPID", "kubelet has insufficient PID available", "NodeHasInsufficientPID"),
        False: ("KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID"),
    },
}


def reconcile(turn: Turn) -> Act | Wait | None:
    """One report, at the next tick, if it would say something new."""
    node = turn.read(Node, turn.key)
    if node is None or not turn.host.power:
        return None
    turned = [name for name in PRESSURES if _is(node, name) != _under(turn.host, name)]
    if not turned:
        return None
    at = turn.now + (phase(turn.host) - turn.now) % TICK
    return _report(turn, node, turned) if at == turn.now else Wait(Bounds.at(at))


def phase(host: Host) -> int:
    """Kubelets do not report in step; a fixed spread stands for that."""
    told = host.machine.status_tick
    return (host.number * 3_700 + 1_300) % TICK if told is None else told


def _is(node: Node, name: str) -> bool:
    row = condition(node.status.conditions, name)
    return row is not None and row.status == "True"


def _under(host: Host, name: str) -> bool:
    """As the eviction manager has it since its last look."""
    return name in dict(host.evictor.memory.observed)


def _report(turn: Turn, node: Node, turned: list[str]) -> Act:
    rows, events = node.status.conditions, []
    for name in turned:
        true = _under(turn.host, name)
        reason, message, word = PRESSURES[name][true]
        rows = set_condition(rows, Condition(name, str(true), reason, message), turn.now)
        events.append(event(NORMAL, word, f"Node {node.metadata.name} status is now: {word}"))
    wanted = replace(node, status=replace(node.status, conditions=rows))
    return Act(
        "report-node",
        node.ref,
        reason=", ".join(f"{name}={_under(turn.host, name)}" for name in turned),
        moment="pressure-reported" if any(_under(turn.host, name) for name in turned) else "pressure-cleared",
        request=PatchStatus(node, wanted),
        events=tuple(events),
    )


def _on_host(old: Host, new: Host) -> list[Ref]:
    changed = old.evictor.memory.observed is not new.evictor.memory.observed
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
