"""When a node counts as silent, what is then written in its place, and which taints follow from its conditions."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.conditions import set_condition
from app.kube.defaults import NOT_READY, UNREACHABLE
from app.kube.meta import Condition, condition, whole_second
from app.kube.nodes import Node, Taint
from app.kube.pods import Pod
from app.kube.pressure_admission import TAINT_OF
from app.kube.releases import Release
from app.kube.taints import UNSCHEDULABLE

GRACE, SHORT_GRACE = 50_000, 40_000
"""--node-monitor-grace-period, and what it was before."""
STARTUP_GRACE = 60_000
"""--node-startup-grace-period: for a node that has never said whether it is ready."""
GRACE_FLAG = "node-monitor-grace-period"
NETWORK = "node.kubernetes.io/network-unavailable"

WATCHED = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")
"""Conditions that turn Unknown together, as they are written."""
STOPPED = ("NodeStatusUnknown", "Kubelet stopped posting node status.")
NEVER = ("NodeStatusNeverUpdated", "Kubelet never posted node status.")

EXECUTE = {"Unknown": UNREACHABLE, "False": NOT_READY}
"""The NoExecute taint of each status of Ready that is not True."""

# Which status of which condition has which NoSchedule taint (nodeConditionToTaintKeyStatusMap).
SCHEDULE: dict[str, dict[str, str]] = {
    "Ready": {"False": NOT_READY, "Unknown": UNREACHABLE},
    **{name: {"True": key} for name, key in TAINT_OF.items()},
    "NetworkUnavailable": {"True": NETWORK},
}
OWNED = (UNSCHEDULABLE, *(key for row in SCHEDULE.values() for key in row.values()))


def usual_grace(release: Release) -> int:
    """What the flag is unless somebody sets it."""
    return GRACE if release.long_node_grace else SHORT_GRACE


def grace(node: Node, usual: int = GRACE) -> int:
    """How long a node may be silent."""
    return usual if ready_status(node) else STARTUP_GRACE


def unknown(node: Node, now: int) -> Node:
    """The node as the controller writes it when its kubelet is silent."""
    rows = node.status.conditions
    for name in WATCHED:
        known = condition(rows, name)
        reason, message = NEVER if known is None else STOPPED
        if known is None or known.status != "Unknown":
            rows = set_condition(rows, Condition(name, "Unknown", reason, message), now)
    return replace(node, status=replace(node.status, conditions=rows))


def not_ready(pod: Pod, now: int) -> Pod | None:
    """The pod of a silent node, as it is marked; None where there is nothing to mark."""
    if not pod.ready:
        return None
    rows = tuple(
        replace(row, status="False", lastTransitionTime=whole_second(now)) if row.type == "Ready" else row
        for row in pod.status.conditions
    )
    return replace(pod, status=replace(pod.status, conditions=rows))


def ready_status(node: Node) -> str:
    """True, False or Unknown; empty for a node that has never said, which has no taint of it."""
    row = condition(node.status.conditions, "Ready")
    return row.status if row is not None else ""


def keeps_away(node: Node) -> tuple[str, ...]:
    """The keys of the NoSchedule taints that the node should have of the controller."""
    found = [UNSCHEDULABLE] if node.spec.unschedulable else []
    rows = {row.type: row.status for row in node.status.conditions}
    found += [keys[rows[name]] for name, keys in SCHEDULE.items() if rows.get(name) in keys]
    return tuple(found)


def scheduled_taints(node: Node, now: int) -> tuple[Taint, ...]:
    """All taints of the node, with those NoSchedule taints that follow from its conditions and from a cordon."""
    wanted = keeps_away(node)
    kept = tuple(row for row in node.spec.taints if not _owned(row) or row.key in wanted)
    there = {row.key for row in kept if _owned(row)}
    added = tuple(Taint(key, "NoSchedule", timeAdded=whole_second(now)) for key in wanted if key not in there)
    return (*kept, *added)


def _owned(taint: Taint) -> bool:
    return taint.key in OWNED and taint.effect == "NoSchedule"


def executed_taints(node: Node, key: str, now: int) -> tuple[Taint, ...]:
    """All taints of the node with that NoExecute taint and not the opposite one; an empty key means neither."""
    kept = tuple(row for row in node.spec.taints if row.effect != "NoExecute" or row.key not in EXECUTE.values())
    same = tuple(row for row in node.spec.taints if (row.key, row.effect) == (key, "NoExecute"))
    if not key:
        return kept
    return (*kept, *(same or (Taint(key, "NoExecute", timeAdded=whole_second(now)),)))


def executing(node: Node) -> str:
    """The key of the NoExecute taint for readiness that the node has; empty if none."""
    keys = [row.key for row in node.spec.taints if row.effect == "NoExecute" and row.key in EXECUTE.values()]
    return keys[0] if keys else ""
