"""Which processes of a machine share which limit of memory, and whom the kernel would end for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from app.kube.oom_score import Process, oom_score_adj, pages, victim
from app.kube.pods import Container
from app.kube.quantity import value
from app.sim.host import ContainerRun, Host, HostPod
from app.sim.maps import ordered
from app.sim.usage import (
    Part,
    child_process,
    container_memory,
    first_process,
    memory_in_use,
    memory_of_pods,
    pod_memory,
    total,
    when,
)


class Running(NamedTuple):
    """One container that runs."""

    uid: str
    pod: HostPod
    run: ContainerRun


class Cgroup(NamedTuple):
    """What shares a limit; the machine as a whole has no name."""

    name: str
    parts: list[Part]
    limit: int
    within: list[Running]

    def breached(self, now: int) -> int | None:
        """When more will be used than the limit, if nothing else happens."""
        return when(self.parts, lambda at: total(self.parts, at) > self.limit, now)


class Task(NamedTuple):
    """One process that may be ended; `child` if the container's first process has started it."""

    owner: Running
    child: bool
    rated: Process


def cgroups(host: Host) -> Iterator[Cgroup]:
    """Containers, pods, all pods, the machine: the inner ones first."""
    everybody = [
        Running(uid, pod, run) for uid, pod in ordered(host.pods) for run in pod.containers if run.state == "running"
    ]
    for row in everybody:
        limit = _limit(_spec(row).resources.limits.get("memory"))
        if limit is not None:
            yield Cgroup(f"limit of {row.run.name}", container_memory(row.pod, row.run), limit, [row])
    for uid, pod in ordered(host.pods):
        limit = _limit(pod.pod.spec.resources.limits.get("memory"))
        if limit is not None:
            yield Cgroup("limit of the pod", pod_memory(pod), limit, [row for row in everybody if row.uid == uid])
    if host.machine.reserved:
        yield Cgroup("limit of all pods", memory_of_pods(host), host.machine.memory - host.machine.reserved, everybody)
    yield Cgroup("", memory_in_use(host), host.machine.memory, everybody)


def _limit(text: str | None) -> int | None:
    """Zero is as good as none."""
    return value(text) or None if text else None


def tasks(host: Host, cgroup: Cgroup, now: int) -> list[Task]:
    """Processes that use memory as far as is known; those of one container have one score."""
    found = []
    for row in cgroup.within:
        score = oom_score_adj(row.pod.pod, _spec(row), host.machine.memory)
        for child, parts in ((False, first_process(row.pod, row.run)), (True, child_process(row.pod, row.run))):
            if parts:
                name = f"{row.uid} {row.run.name}{' child' if child else ''}"
                rated = Process(name, pages(total(parts, now)), score_adj=score)
                found.append(Task(row, child, rated))
    return found


def chosen(host: Host, cgroup: Cgroup, now: int) -> Task | None:
    """Who is ended when that cgroup has no memory left."""
    return _first(tasks(host, cgroup, now), cgroup)


def kernel_order(host: Host, now: int) -> list[Task]:
    """All processes of pods, in the order in which the kernel would end them for the machine's sake."""
    *_, machine = cgroups(host)
    left, found = tasks(host, machine, now), []
    while (task := _first(left, machine)) is not None:
        left.remove(task)
        found.append(task)
    return found


def _first(rows: list[Task], cgroup: Cgroup) -> Task | None:
    found = victim((task.rated for task in rows), pages(cgroup.limit))
    return next((task for task in rows if task.rated is found), None)


def _spec(row: Running) -> Container:
    spec = row.pod.pod.spec
    return next(one for one in (*spec.initContainers, *spec.containers) if one.name == row.run.name)
