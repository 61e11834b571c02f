"""Rows of a timeline that are about no pod: whether a node runs short, is open to new pods, what a budget allows."""

from __future__ import annotations

from app.diagram.extract.series import Phase, segments
from app.diagram.extract.tracks import Tracks
from app.diagram.views import Track
from app.diagram.words import say
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.policy import PodDisruptionBudget
from app.sim.host import Host
from app.sim.index import Index

MOST = 3
"""Rows of either kind."""


def nodes(tracks: Tracks) -> list[Track]:
    """Each node that runs short in the walk, and each that is closed or opened."""
    names = tracks.walk.start.nodes
    short = [row for name in names if len((row := _pressure(tracks, name)).segments) > 1]
    found = [row for name in names if len((row := _node(tracks, name)).segments) > 1]
    return [*short[:MOST], *found[:MOST]]


def _pressure(tracks: Tracks, name: str) -> Track:
    """What its kubelet holds of it: it may see enough again long before it takes the condition back."""

    def phase(host: Host | None) -> Phase | None:
        if host is None:
            return None
        memory = host.evictor.memory
        state = "short" if memory.since else "held" if memory.observed else "enough"
        return Phase(state, say("timeline", state))

    title = say("timeline", "pressure", node=name)
    return Track(f"pressure-{name}", "kubelet", title, segments(tracks.hosts(name), tracks.end, phase))


def _node(tracks: Tracks, name: str) -> Track:
    ref = Ref("Node", "", name)

    def phase(etcd: Index) -> Phase | None:
        held = etcd.get(ref)
        if held is None or not isinstance(held.object, Node):
            return None
        tainted = any(taint.key.endswith("-pressure") for taint in held.object.spec.taints)
        state = "cordoned" if held.object.spec.unschedulable else "tainted" if tainted else "open"
        return Phase(state, say("timeline", state))

    title = say("timeline", "node", node=name)
    return Track(f"open-{name}", "user", title, segments(tracks.etcd, tracks.end, phase))


def budgets(tracks: Tracks) -> list[Track]:
    """Each budget that changes in the walk, or that has refused an eviction."""
    asked = {
        record.step.object
        for record in tracks.walk.records
        if record.step.moment in ("eviction-refused", "budget-spent")
    }
    held = [row.ref for row in tracks.walk.start.etcd.find(PodDisruptionBudget.kind)]
    return [_budget(tracks, ref) for ref in held if ref in asked][:MOST]


def _budget(tracks: Tracks, ref: Ref) -> Track:
    def phase(etcd: Index) -> Phase | None:
        held = etcd.get(ref)
        if held is None or not isinstance(held.object, PodDisruptionBudget):
            return None
        allowed = held.object.status.disruptionsAllowed
        state = "allows" if allowed > 0 else "holds"
        return Phase(state, say("timeline", "allowed", count=allowed))

    title = say("timeline", "budget", name=ref.name)
    return Track(f"budget-{ref.namespace}-{ref.name}", "controller", title, segments(tracks.etcd, tracks.end, phase))
