"""Two at once: processes that can write to one volume, and processes that go by one name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from app.kube import storage
from app.kube.meta import Ref
from app.kube.storage import PersistentVolume, PersistentVolumeClaim, VolumeAttachment
from app.sim.host import Host, HostPod
from app.sim.maps import ordered
from app.sim.walk import Walk
from app.sim.world import World
from app.story.fact import Fact, Subject


class Process(NamedTuple):
    """A pod of which something runs on a machine."""

    node: str
    pod: Ref
    uid: str
    claims: tuple[Ref, ...]
    named: bool
    """Whether its name is to be used by one pod at a time."""


class Machines:
    """What runs on each machine, read once per state of a machine."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, tuple[Process, ...]]] = {}

    def running(self, world: World) -> Iterator[Process]:
        for node in world.nodes:
            host = world.hosts[node]
            yield from self._on(node, host) if host.power else ()

    def _on(self, node: str, host: Host) -> tuple[Process, ...]:
        known = self._known.get(node)
        if known is None or known[0] is not host.pods:
            rows = tuple(_process(node, uid, pod) for uid, pod in ordered(host.pods) if _runs(pod))
            known = (host.pods, tuple(row for row in rows if row.claims or row.named))
            self._known[node] = known
        return known[1]


def _process(node: str, uid: str, held: HostPod) -> Process:
    owner = held.pod.metadata.controller
    named = owner is not None and owner.kind == "StatefulSet"
    return Process(node, held.ref, uid, storage.claims(held.pod), named)


def _runs(pod: HostPod) -> bool:
    return any(run.state == "running" for run in pod.containers)


def split_brain(subject: Subject) -> Fact:
    """Seconds in which two processes on different machines could write to one volume."""
    volumes: dict[str, str] = {}

    def doubled(world: World, machines: Machines) -> str:
        writers: dict[str, set[str]] = {}
        for process in machines.running(world):
            for claim in process.claims:
                name = _volume(world, claim)
                if name and _reaches(world, name, process.node):
                    writers.setdefault(name, set()).add(process.node)
        found = sorted(name for name, nodes in writers.items() if len(nodes) > 1)
        volumes.update({name: ", ".join(sorted(writers[name])) for name in found})
        return found[0] if found else ""

    seconds, step, what = _spent(subject.walk, doubled)
    return Fact(seconds, "s", step, (("volume", what or "none"), ("nodes", volumes.get(what, "none"))))


def two_of_a_name(subject: Subject) -> Fact:
    """Seconds in which two processes ran for pods of one StatefulSet's name."""

    def doubled(world: World, machines: Machines) -> str:
        uids: dict[Ref, set[str]] = {}
        for process in machines.running(world):
            if process.named:
                uids.setdefault(process.pod, set()).add(process.uid)
        return next((ref.name for ref in sorted(uids) if len(uids[ref]) > 1), "")

    seconds, step, what = _spent(subject.walk, doubled)
    return Fact(seconds, "s", step, (("name", what or "none"),))


def _spent(walk: Walk, doubled: Callable[[World, Machines], str]) -> tuple[float, int | None, str]:
    """How long something was doubled, the step that made it so, and the first thing that was."""
    machines, total, what = Machines(), 0, ""
    first: int | None = None
    since: int | None = None
    for row in walk.records if _concerned(walk.world) else ():
        # What begins in a folded act is told by the step that it is folded into.
        first = first or (row.n if what else 0) or None
        before, after = row.step.before, row.step.world
        if before.hosts is after.hosts and before.etcd is after.etcd:
            continue
        found = doubled(after, machines)
        if found and since is None:
            since, what = row.step.at, what or found
            first = first or row.n or None
        elif not found and since is not None:
            total, since = total + row.step.at - since, None
    if since is not None:
        total += walk.world.now - since
    return total / 1000, first, what


def _concerned(world: World) -> bool:
    return any(world.etcd.find(kind) for kind in ("PersistentVolumeClaim", "StatefulSet"))


def _volume(world: World, claim: Ref) -> str:
    held = world.etcd.get(claim)
    return held.object.spec.volumeName if held and isinstance(held.object, PersistentVolumeClaim) else ""


def _reaches(world: World, volume: str, node: str) -> bool:
    """Whether the storage lets a machine write: always, unless it is a disk that has to be attached to it."""
    held = world.etcd.get(Ref(PersistentVolume.kind, "", volume))
    if held is None or not isinstance(held.object, PersistentVolume):
        return False
    if held.object.spec.csi is None:
        return True
    rows = (row for row in world.etcd.find(VolumeAttachment.kind) if isinstance(row, VolumeAttachment))
    return any((row.spec.source.persistentVolumeName, row.spec.nodeName) == (volume, node) for row in rows)


WRITER_FACTS: dict[str, Callable[[Subject], Fact]] = {"split-brain": split_brain, "two-of-a-name": two_of_a_name}
