"""The queue of lost nodes of one zone: they are tainted NoExecute one by one, at the zone's rate.

As doNoExecuteTaintingPass in pkg/controller/nodelifecycle. The node that has been silent longest goes first; in the
real queue it is the one that a worker happened to reach first.
"""

from __future__ import annotations

from app.kube import node_health as health
from app.kube.meta import Ref
from app.kube.node_monitor import Bucket, Health
from app.kube.nodes import Node
from app.kube.stringmap import StringMap
from app.kube.zones import REGION, zone_of
from app.kube.zones import ZONE as ZONE_LABEL
from app.loops.zone_passes import monitored
from app.sim.acts import Act, Patch, Wait
from app.sim.lags import Bounds
from app.sim.loop import Turn

ZONE = "Zone"


def ref_of(zone: str) -> Ref:
    """The key of a zone's queue; nodes without labels share one."""
    return Ref(ZONE, "", zone)


def look(turn: Turn) -> Act | Wait | None:
    """Taint the next node of the queue, if the limiter has a token."""
    monitor, now = monitored(turn), turn.now
    known = turn.memory if isinstance(turn.memory, Bucket) else Bucket()
    bucket = known.changed(monitor.rate(turn.key.name), now)
    waiting = _waiting(turn)
    if not waiting or bucket.rate <= 0:
        return Wait(None, memory=bucket) if bucket != turn.memory else None
    since, _, node = min(waiting, key=lambda row: (row[0], row[1], row[2].metadata.name))
    at = monitor.looks(max(now, bucket.full, since))
    if at > now:
        return Wait(Bounds.at(at), memory=bucket)
    key = health.EXECUTE[health.ready_status(node)]
    return Act(
        "taint-node",
        node.ref,
        reason=key,
        moment="no-execute-added",
        request=Patch(node.ref, (("spec.taints", health.executed_taints(node, key, now)),)),
        memory=bucket.taken(now),
    )


def _waiting(turn: Turn) -> list[tuple[int, int, Node]]:
    """Nodes in the queue: since when, their last renewal, and what is believed of them."""
    found = []
    for node in _nodes(turn):
        known = turn.recall(node.ref)
        if not isinstance(known, Health) or known.queued is None:
            continue
        if health.ready_status(node) in health.EXECUTE and not health.executing(node):
            found.append((known.queued, known.renewed or 0, node))
    return found


def _nodes(turn: Turn) -> list[Node]:
    zone = turn.key.name
    region, _, name = zone.partition(":")
    labels = {key: value for key, value in ((REGION, region), (ZONE_LABEL, name)) if value}
    rows = turn.selected(Node, "", StringMap(labels)) if labels else turn.all(Node)
    return [node for node in rows if zone_of(node) == zone]
