"""What a kubelet observes of its machine when it asks whether anything runs short, and in which order pods would go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from app.kube import eviction_ranking
from app.kube.eviction_messages import Above
from app.kube.eviction_ranking import Candidate
from app.kube.eviction_thresholds import ALLOCATABLE_MEMORY, IMAGEFS, MEMORY, NODEFS, RESOURCES, Observation
from app.kube.pods import Pod
from app.kube.resources import amounts, pod_requests
from app.kube.storage_limits import STORAGE, DiskUse
from app.sim.host import Host
from app.sim.maps import ordered
from app.sim.usage import (
    Part,
    container_memory,
    disk_use,
    image_disk,
    memory_in_use,
    memory_of_pods,
    node_disk,
    pod_memory,
    total,
)


class Gauge(NamedTuple):
    """What a signal measures: how much there is, and what uses it."""

    capacity: int
    parts: list[Part]

    def available(self, now: int) -> int:
        return max(self.capacity - total(self.parts, now), 0)


def gauges(host: Host) -> dict[str, Gauge]:
    """Signals that can be observed; inodes and pids are not modelled."""
    machine = host.machine
    return {
        MEMORY: Gauge(machine.memory, memory_in_use(host)),
        ALLOCATABLE_MEMORY: Gauge(machine.memory - machine.reserved, memory_of_pods(host)),
        NODEFS: Gauge(machine.disk, node_disk(host)),
        IMAGEFS: Gauge(machine.disk if machine.image_disk is None else machine.image_disk, image_disk(host)),
    }


def observed(known: Mapping[str, Gauge], now: int) -> dict[str, Observation]:
    return {signal: Observation(gauge.available(now), gauge.capacity, now) for signal, gauge in known.items()}


class Ranked(NamedTuple):
    """One pod in the order of eviction."""

    uid: str
    pod: Pod
    candidate: Candidate


def active(host: Host) -> Iterator[str]:
    """The uids of pods that still run, or may again."""
    return (uid for uid, worker in ordered(host.workers) if worker.stage in ("sync", "terminating"))


def ranking(host: Host, signal: str, now: int) -> list[Ranked]:
    """Who would go first if that signal were short."""
    resource = RESOURCES[signal]
    pods = {uid: host.pods[uid] for uid in active(host)}
    rows = {_name(pod.pod): Ranked(uid, pod.pod, _candidate(host, uid, signal, now)) for uid, pod in pods.items()}
    return [rows[row.name] for row in eviction_ranking.rank((row.candidate for row in rows.values()), resource)]


def _name(pod: Pod) -> str:
    return f"{pod.ref.path} {pod.metadata.uid}"


def _candidate(host: Host, uid: str, signal: str, now: int) -> Candidate:
    pod = host.pods[uid]
    resource = RESOURCES[signal]
    if resource == "memory":
        used = total(pod_memory(pod), now)
    else:
        used = _counted(disk_use(host, uid, now), signal, separate=host.machine.image_disk is not None)
    asked = pod_requests(pod.pod.spec).get(resource, 0)
    return Candidate(_name(pod.pod), pod.pod.spec.priority or 0, used, asked)


def _counted(use: DiskUse, signal: str, *, separate: bool) -> int:
    kinds = eviction_ranking.measured(signal, image_fs=separate)
    found = {"root": use.root, "logs": use.logs, "volumes": use.volumes}
    return sum(sum(amounts.values()) for kind, amounts in found.items() if kind in kinds)


def above(host: Host, uid: str, resource: str, now: int) -> list[Above]:
    """Containers that use more than they ask for, as the message lists them."""
    pod = host.pods[uid]
    spec = pod.pod.spec
    found = []
    for row in (*spec.containers, *spec.initContainers):
        run = pod.container(row.name)
        if run is None:
            continue
        asked = row.resources.requests.get(resource) or ""
        used = total(container_memory(pod, run), now)
        if resource == STORAGE:
            use = disk_use(host, uid, now)
            used = use.root.get(row.name, 0) + use.logs.get(row.name, 0)
        if used > amounts(row.resources.requests).get(resource, 0):
            found.append(Above(row.name, used, asked))
    return found


def pod_above(host: Host, uid: str, resource: str, now: int) -> Above | None:
    """The pod itself, where it asks for memory beside its containers."""
    pod = host.pods[uid]
    asked = pod.pod.spec.resources.requests.get(resource)
    if resource != "memory" or asked is None:
        return None
    return Above(pod.ref.name, total(pod_memory(pod), now), asked)
