"""Rows of a timeline about a machine that falls silent: signs of life, what the API says of it, and what runs out."""

from __future__ import annotations

from app.diagram.extract.names import short
from app.diagram.extract.series import Phase, Series, segments, series
from app.diagram.extract.subjects import Subject
from app.diagram.extract.tracks import Tracks
from app.diagram.views import Track
from app.diagram.words import say
from app.kube.meta import Ref, condition
from app.kube.nodes import LEASES, Node
from app.kube.taint_eviction import Timer
from app.sim.acts import Work
from app.sim.index import Index
from app.sim.loop import SERVER
from app.sim.walk import Walk
from app.sim.world import World

MOST = 2
"""Machines."""
EXECUTES, SCHEDULES = "NoExecute", "NoSchedule"


def rows(tracks: Tracks) -> list[Track]:
    """Those of each machine whose Lease was renewed for a while and then was not, the first ones of them."""
    found: list[Track] = []
    for name in _silent(tracks.walk)[:MOST]:
        found += [_lease(tracks, name), _ready(tracks, name), _taints(tracks, name)]
    return found


def _silent(walk: Walk) -> list[str]:
    """Machines that the controller has written off, in the order in which it did."""
    leases = {ref.name for ref in walk.start.etcd.by.get("Lease", ()) if ref.namespace == LEASES}
    names = [row.step.object.name for row in walk.records if row.step.moment == "node-unknown"]
    return [name for name in dict.fromkeys(names) if name in leases]


def _lease(tracks: Tracks, name: str) -> Track:
    def part(world: World) -> str:
        host, kubelet = world.hosts[name], f"kubelet/{name}"
        heard = host.power and kubelet not in world.down and kubelet not in world.cut and SERVER not in world.down
        return "renewed" if heard else "silent"

    def phase(state: str) -> Phase:
        return Phase("running" if state == "renewed" else "none", say("timeline", state))

    title = say("timeline", "lease", node=name)
    return Track(f"lease-{name}", "kubelet", title, segments(series(tracks.walk, part), tracks.end, phase))


def _ready(tracks: Tracks, name: str) -> Track:
    def phase(etcd: Index) -> Phase | None:
        node = _node(etcd, name)
        row = condition(node.status.conditions, "Ready") if node else None
        if row is None:
            return None
        state = {"True": "ready", "Unknown": "unknown"}.get(row.status, "unready")
        return Phase("ready" if state == "ready" else "failure", say("node", state))

    title = say("timeline", "condition", node=name)
    return Track(f"ready-{name}", "controller", title, segments(tracks.etcd, tracks.end, phase))


def _taints(tracks: Tracks, name: str) -> Track:
    """The stronger of the two that an unreachable node gets."""

    def phase(etcd: Index) -> Phase | None:
        node = _node(etcd, name)
        effects = {row.effect for row in node.spec.taints} if node else set()
        word = EXECUTES if EXECUTES in effects else SCHEDULES if SCHEDULES in effects else ""
        return Phase("holds" if word == EXECUTES else "pending", word) if word else None

    title = say("timeline", "taints", node=name)
    return Track(f"taints-{name}", "controller", title, segments(tracks.etcd, tracks.end, phase))


def _node(etcd: Index, name: str) -> Node | None:
    held = etcd.get(Ref(Node.kind, "", name))
    return held.object if held is not None and isinstance(held.object, Node) else None


def timer(tracks: Tracks, subject: Subject) -> list[Track]:
    """The time that a pod may stay under a taint, where one was given."""
    work = Work("taint-eviction", "", subject.ref)
    found: Series[object] = series(tracks.walk, lambda world: world.memory.get(work))

    def phase(known: object) -> Phase | None:
        if not isinstance(known, Timer) or known.fired:
            return None
        return Phase("used", say("timeline", "may-stay", seconds=f"{(known.due - known.since) / 1000:g}"))

    parts = segments(found, tracks.end, phase)
    title = say("timeline", "timer", name=short(subject.ref.name))
    return [Track(f"timer-{subject.uid}", "controller", title, parts)] if parts else []
