"""Two orders of one node's pods, with the keys that decide them: whom the kubelet would evict, whom the kernel kill."""

from __future__ import annotations

from msgspec import Struct

from app.kube import eviction_ranking
from app.kube.critical_pods import critical
from app.kube.eviction_ranking import KEYS, Candidate
from app.kube.eviction_thresholds import MEMORY, RESOURCES
from app.kube.oom_score import PAGE, badness, pages
from app.kube.pods import Pod
from app.kube.qos import qos_class
from app.kube.quantity import in_bytes
from app.sim.host import Host
from app.sim.memory_limits import kernel_order
from app.sim.observations import gauges, ranking
from app.sim.world import World


class Threshold(Struct, frozen=True):
    """One threshold of the signal."""

    amount: str
    hard: bool
    grace: int
    """Seconds for which it must be met before a pod is evicted."""
    met: bool


class Evictee(Struct, frozen=True):
    """One pod in the kubelet's order; `keys` are compared from the first to the last."""

    place: int
    pod: str
    qos: str
    usage: str
    request: str
    exceeds: bool
    priority: int
    over: str
    """By how much it uses more than it asks for; with a minus, less."""
    keys: tuple[str, ...]
    """Of exceeds, priority and over, those up to the one in which it differs from the next pod; all for the last."""
    spared: bool
    """A critical pod, which is passed over."""


class Killed(Struct, frozen=True):
    """One process in the kernel's order: its pages and its score, added up."""

    place: int
    pod: str
    container: str
    qos: str
    child: bool
    memory: str
    score_adj: int
    badness: int | None


class Ranking(Struct, frozen=True):
    """One node at one instant."""

    node: str
    signal: str
    resource: str
    available: str
    capacity: str
    machine: str
    """The memory of the whole machine."""
    thresholds: tuple[Threshold, ...]
    evictees: tuple[Evictee, ...]
    killed: tuple[Killed, ...]


def ranked(world: World, node: str, signal: str = MEMORY) -> Ranking:
    """Both orders as they would be if that signal, and the machine's memory, ran short right now."""
    host, now = world.hosts[node], world.now
    gauge = gauges(host)[signal]
    left = gauge.available(now)
    return Ranking(
        node=node,
        signal=signal,
        resource=RESOURCES[signal],
        available=in_bytes(left),
        capacity=in_bytes(gauge.capacity),
        machine=in_bytes(host.machine.memory),
        thresholds=tuple(
            Threshold(
                amount=row.amount.text(gauge.capacity),
                hard=row.hard,
                grace=row.grace // 1000,
                met=left < row.least(gauge.capacity, with_reclaim=False),
            )
            for row in host.machine.thresholds
            if row.signal == signal
        ),
        evictees=_evictees(host, signal, now),
        killed=_killed(host, now),
    )


def _evictees(host: Host, signal: str, now: int) -> tuple[Evictee, ...]:
    rows = ranking(host, signal, now)
    keys = KEYS[RESOURCES[signal]]
    found = []
    for place, row in enumerate(rows):
        after = rows[place + 1].candidate if place + 1 < len(rows) else None
        one = row.candidate
        found.append(
            Evictee(
                place=place + 1,
                pod=str(row.pod.ref),
                qos=_qos(row.pod),
                usage=in_bytes(one.usage or 0),
                request=in_bytes(one.request),
                exceeds=one.exceeds,
                priority=one.priority,
                over=in_bytes(one.over),
                keys=_deciding(one, after, keys),
                spared=critical(row.pod),
            )
        )
    return tuple(found)


def _deciding(one: Candidate, after: Candidate | None, keys: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that had to be looked at to put one before the other."""
    if after is None:
        return keys
    for at, key in enumerate(keys):
        if eviction_ranking.value_of(one, key) != eviction_ranking.value_of(after, key):
            return keys[: at + 1]
    return keys


def _killed(host: Host, now: int) -> tuple[Killed, ...]:
    total = pages(host.machine.memory)
    return tuple(
        Killed(
            place=place,
            pod=str(task.owner.pod.ref),
            container=task.owner.run.name,
            qos=_qos(task.owner.pod.pod),
            child=task.child,
            memory=in_bytes(task.rated.rss * PAGE),
            score_adj=task.rated.score_adj,
            badness=badness(task.rated, total),
        )
        for place, task in enumerate(kernel_order(host, now), 1)
    )


def _qos(pod: Pod) -> str:
    return pod.status.qosClass or qos_class(pod.spec)
