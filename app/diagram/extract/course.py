"""What the map must know of a whole walk so that nothing jumps from step to step: places, sizes, old addresses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.diagram.extract.kept import once_per_walk
from app.diagram.extract.pods import pods_on
from app.diagram.views import Extent
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.sim.fronts import Front
from app.sim.host import Host
from app.sim.index import Index, on_node
from app.sim.maps import EMPTY, Map, ordered
from app.sim.naming import WORK, Zone
from app.sim.step import Step
from app.sim.walk import Walk
from app.sim.world import World


class Course(NamedTuple):
    slots: dict[tuple[str, str], int]
    """A pod's place on its node, by (node, uid)."""
    names: dict[str, str]
    """Pods' names by address, also of pods that are gone."""
    extent: Extent


class _Watcher:
    """Goes through the worlds in order and looks only at what may have changed."""

    def __init__(self) -> None:
        self.slots: dict[tuple[str, str], int] = {}
        self.names: dict[str, str] = {}
        self.seen: dict[str, tuple[object, Host | None]] = {}
        self.taken: dict[str, dict[int, str]] = {}
        self.pods = self.backends = self.endpoints = self.slices = self.waiting = self.budgets = 0
        self.etcd = Index()
        self.fronts: Map[Ref, Front] = EMPTY
        self.zone: object = None

    def look(self, world: World, nodes: Iterable[str]) -> None:
        for node in nodes:
            self._node(world, node)
        zone = world.memory.get(WORK) if world.besides else None
        if world.etcd is not self.etcd or world.fronts is not self.fronts or zone is not self.zone:
            self.etcd, self.fronts, self.zone = world.etcd, world.fronts, zone
            slices = [obj for obj in world.etcd.find("EndpointSlice") if isinstance(obj, EndpointSlice)]
            lengths = [len(row.endpoints) for row in slices] + [len(row.listed) for _, row in ordered(world.fronts)]
            lengths += [len(zone.records)] if isinstance(zone, Zone) else []
            self.slices = max(self.slices, len(lengths))
            self.endpoints = max(self.endpoints, sum(max(1, length) for length in lengths))
            self.waiting = max(self.waiting, len(unbound(world)))
            self.budgets = max(self.budgets, len(world.etcd.find(PodDisruptionBudget.kind)))

    def _node(self, world: World, node: str) -> None:
        bound, host = world.etcd.by.get(on_node(node)), world.hosts.get(node)
        known = self.seen.get(node)
        if known is not None and known[0] is bound and known[1] is host:
            return
        self.seen[node] = (bound, host)
        if host is not None:
            self.names |= {pod.ip: pod.ref.name for _, pod in ordered(host.pods) if pod.ip}
            lines = sum(max(1, len(rules.backends)) for _, rules in ordered(host.proxy.rules))
            self.backends = max(self.backends, lines)
        self._places(node, list(pods_on(world, node)))

    def _places(self, node: str, uids: list[str]) -> None:
        taken = {slot: uid for slot, uid in self.taken.get(node, {}).items() if uid in uids}
        placed = set(taken.values())
        for uid in uids:
            if uid not in placed:
                slot = next(at for at in range(len(uids) + 1) if at not in taken)
                taken[slot] = uid
                self.slots[(node, uid)] = slot
        self.taken[node] = taken
        self.pods = max(self.pods, max(taken, default=-1) + 1)


def unbound(world: World) -> list[Pod]:
    """Pods that no node has been chosen for."""
    return [pod for pod in world.etcd.find(on_node("")) if isinstance(pod, Pod) and not pod.finished]


def _touched(step: Step) -> list[str]:
    """The nodes that an act may have changed anything on: its own, and those of the pods it wrote."""
    names = [step.node] if step.node in step.world.hosts else []
    if step.object.kind == "Node" and step.object.name in step.world.hosts:
        names.append(step.object.name)
    for commit in step.commits:
        names += [
            pod.spec.nodeName for pod in (commit.before, commit.after) if isinstance(pod, Pod) and pod.spec.nodeName
        ]
    return list(dict.fromkeys(name for name in names if name in step.world.hosts))


@once_per_walk
def course(walk: Walk) -> Course:
    """One pass over a walk."""
    watcher = _Watcher()
    watcher.look(walk.start, walk.start.nodes)
    for record in walk.records:
        watcher.look(record.step.world, _touched(record.step))
    extent = Extent(watcher.pods, watcher.backends, watcher.endpoints, watcher.slices, watcher.waiting, watcher.budgets)
    return Course(watcher.slots, watcher.names, extent)
