"""Rows of a timeline that are about no pod: whether a node is open to new ones, and what a budget allows."""

from __future__ import annotations

from app.diagram.extract.series import Phase, segments
from app.diagram.extract.tracks import Tracks
from app.diagram.views import Track
from app.diagram.words import say
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.policy import PodDisruptionBudget
from app.sim.index import Index

MOST = 3
"""Rows of either kind."""


def nodes(tracks: Tracks) -> list[Track]:
    """Each node that somebody cordons or uncordons in the walk."""
    found = [_node(tracks, name) for name in tracks.walk.start.nodes]
    return [row for row in found if len(row.segments) > 1][:MOST]


def _node(tracks: Tracks, name: str) -> Track:
    ref = Ref("Node", "", name)

    def phase(etcd: Index) -> Phase | None:
        held = etcd.get(ref)
        if held is None or not isinstance(held.object, Node):
            return None
        state = "cordoned" if held.object.spec.unschedulable else "open"
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
