"""What a machine's pods use of its memory and disks, and when that will be so much if nothing else happens.

Not modelled: page cache, kernel memory, inodes, numbers of processes, and images that no annotation gives a size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from app.kube.annotations import Behaviour, behaviour, volume_use
from app.kube.behaviour import Point, amount_at
from app.kube.oom_score import PAGE
from app.kube.pods import Volume
from app.kube.storage_limits import DiskUse
from app.sim.host import ContainerRun, Host, HostPod
from app.sim.maps import ordered


class Part(NamedTuple):
    """What one thing uses: a curve from an instant on, or an amount that stays."""

    curve: tuple[Point, ...]
    since: int = 0

    def at(self, now: int) -> int:
        """In whole pages, as it is measured."""
        return amount_at(self.curve, now - self.since) // PAGE * PAGE


def total(parts: Iterable[Part], now: int) -> int:
    """All parts together."""
    return sum(part.at(now) for part in parts)


def when(parts: Sequence[Part], holds: Callable[[int], bool], now: int) -> int | None:
    """The first instant from now on at which `holds` is true, if it depends on nothing but these parts."""
    if holds(now):
        return now
    bends = sorted({part.since + point.at for part in parts for point in part.curve if part.since + point.at > now})
    before = now
    for bend in bends:
        if holds(bend):
            return _first(holds, before, bend)
        before = bend
    return None


def _first(holds: Callable[[int], bool], before: int, after: int) -> int:
    """Between bends all grows or shrinks evenly."""
    while after - before > 1:
        middle = (before + after) // 2
        if holds(middle):
            after = middle
        else:
            before = middle
    return after


def _since(instant: int | None) -> int:
    """Curves of what was there before t = 0 begin at t = 0."""
    return max(instant or 0, 0)


# Memory.


def container_memory(pod: HostPod, run: ContainerRun) -> list[Part]:
    """Of one container that runs."""
    return [*first_process(pod, run), *child_process(pod, run)]


def first_process(pod: HostPod, run: ContainerRun) -> list[Part]:
    """With the volumes that it fills in memory."""
    if run.state != "running":
        return []
    curves = [_behaviour(pod, run.name).memory]
    curves += [_filling(pod, row) for row in _in_memory(pod) if _writer(pod, row) == run.name]
    return [Part(curve, _since(run.started)) for curve in curves if curve]


def child_process(pod: HostPod, run: ContainerRun) -> list[Part]:
    """Of what the first process has started, until the kernel ends it."""
    curve = _behaviour(pod, run.name).child_memory
    gone = run.state != "running" or run.child_killed
    return [] if gone or not curve else [Part(curve, _since(run.started))]


def pod_memory(pod: HostPod) -> list[Part]:
    """Of all containers of a pod."""
    return [part for run in pod.containers for part in container_memory(pod, run)]


def memory_of_pods(host: Host) -> list[Part]:
    return [part for _, pod in ordered(host.pods) for part in pod_memory(pod)]


def memory_in_use(host: Host) -> list[Part]:
    """Pods, and the machine's own processes."""
    own = host.machine.system_memory
    return [*memory_of_pods(host), *([Part(own)] if own else [])]


# Disks.


def layers(pod: HostPod, run: ContainerRun) -> Iterator[Part]:
    """What a container and the attempt before it have written to their layers and logs."""
    curve = _behaviour(pod, run.name).disk
    for one in (run, run.last):
        if one is None or not curve or one.removed or one.started is None:
            continue
        since = _since(one.started)
        stays = one.state == "exited" and one.finished is not None
        yield (
            Part((Point(0, amount_at(curve, one.finished - since)),)) if stays and one.finished else Part(curve, since)
        )


def volume_parts(host: Host, uid: str, pod: HostPod) -> Iterator[tuple[str, Part]]:
    """Volumes on this disk, by name, for as long as the kubelet keeps them."""
    worker = host.workers.get(uid)
    if worker is not None and worker.volumes == "gone":
        return
    for row in pod.pod.spec.volumes:
        curve = _filling(pod, row)
        if curve and row not in _in_memory(pod):
            yield row.name, Part(curve, _since(pod.since))


def image_use(host: Host) -> list[Part]:
    sizes = [host.machine.image_size(image) for image in host.images]
    return [Part((Point(0, size),)) for size in sizes if size]


def node_disk(host: Host) -> list[Part]:
    """What counts for nodefs: all, or without layers and images where these have a disk of their own."""
    own = host.machine.system_disk
    found = [Part(own)] if own else []
    for uid, pod in ordered(host.pods):
        found += [part for _, part in volume_parts(host, uid, pod)]
    return found if host.machine.image_disk is not None else found + _images_and_layers(host)


def image_disk(host: Host) -> list[Part]:
    """What counts for imagefs."""
    return node_disk(host) if host.machine.image_disk is None else _images_and_layers(host)


def _images_and_layers(host: Host) -> list[Part]:
    found = image_use(host)
    for _, pod in ordered(host.pods):
        found += [part for run in pod.containers for part in layers(pod, run)]
    return found


def disk_use(host: Host, uid: str, now: int) -> DiskUse:
    """One pod's bytes as they are held against it, by container and by volume; those of dead containers are not."""
    pod = host.pods[uid]
    return DiskUse(
        root={name: part.at(now) for name, part in _written(pod)},
        volumes={name: part.at(now) for name, part in volume_parts(host, uid, pod)},
    )


def disk_parts(host: Host, uid: str) -> list[Part]:
    """The same as parts."""
    pod = host.pods[uid]
    return [part for _, part in (*_written(pod), *volume_parts(host, uid, pod))]


def _written(pod: HostPod) -> Iterator[tuple[str, Part]]:
    for run in pod.containers:
        curve = _behaviour(pod, run.name).disk
        if curve and run.state == "running":
            yield run.name, Part(curve, _since(run.started))


def _behaviour(pod: HostPod, container: str) -> Behaviour:
    return behaviour(pod.pod.metadata.annotations, container)


def _filling(pod: HostPod, volume: Volume) -> tuple[Point, ...]:
    return volume_use(pod.pod.metadata.annotations, volume.name)


def _in_memory(pod: HostPod) -> list[Volume]:
    """A volume of medium Memory lies in the memory of the container that fills it."""
    return [row for row in pod.pod.spec.volumes if row.emptyDir is not None and row.emptyDir.medium == "Memory"]


def _writer(pod: HostPod, volume: Volume) -> str:
    """The first container that mounts it."""
    rows = pod.pod.spec.containers
    mounting = (row.name for row in rows if any(mount.name == volume.name for mount in row.volumeMounts))
    return next(mounting, rows[0].name)
