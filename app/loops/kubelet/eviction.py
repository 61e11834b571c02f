"""The kubelet's eviction manager: every ten seconds it asks whether memory or disk runs short, and ends pods if so.

As pkg/kubelet/eviction/eviction_manager.go. A look that would find nothing new is not taken. Not modelled: signals of
inodes and pids, the age of statistics of disks, containerfs apart from the disk that it lies on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator

from msgspec.structs import replace

from app.kube.eviction_thresholds import Threshold, conditions
from app.kube.machine_grammar import TICK
from app.kube.meta import Ref
from app.kube.storage_limits import limit_exceeded
from app.loops.host_pods import any_changed, changed_workers
from app.loops.kubelet.case import WARNING, event
from app.loops.kubelet.evicting import Look
from app.sim.acts import Act, Outcome, Wait
from app.sim.host import Eviction, Host, HostPod, Worker
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key
from app.sim.observations import Gauge, active, gauges
from app.sim.usage import disk_parts, disk_use, pod_memory, when

POLL, PATIENCE = 1_000, 30_000
"""podCleanupPollFreq, podCleanupTimeout: how often and how long the cleanup of an evicted pod is asked for."""
LEAST_KILL = 10_000
"""How long a kill is waited for (killPodNow), or half as long again as the grace, if that is more."""

Decision = Act | Wait | Generator[Act | Wait, Outcome, None] | None


def reconcile(turn: Turn) -> Decision:
    """A look, if it is time for one and there is something to see; else the wait for the next that is of use."""
    host = turn.host
    if not host.power:
        return None
    if host.evictor.evicted:
        return _after_eviction(turn)
    tick = next_tick(host, turn.now)
    if tick == turn.now and (acts := list(_look(turn, tick).acts())):
        return _each(acts)
    of_use = min(_of_use(host, tick), default=None)
    if of_use is None:
        return None
    # What is found at this very instant was looked at just now.
    at = next_tick(host, max(of_use, turn.now + 1))
    return Wait(Bounds.at(at))


def _each(acts: list[Act]) -> Generator[Act | Wait, Outcome, None]:
    for act in acts:
        # A list takes no answers, as `yield from` would give it.
        _ = yield act


def next_tick(host: Host, instant: int) -> int:
    """The first look at that instant or later."""
    ran = host.evictor.ran
    since = ran + TICK if ran is not None else phase(host)
    past = max(instant - since, 0) if ran is not None else instant - since
    return since + -(-past // TICK) * TICK


def phase(host: Host) -> int:
    """Kubelets do not look in step; a fixed spread stands for that."""
    told = host.machine.eviction_tick
    return host.number * 2_300 % TICK if told is None else told


def _look(turn: Turn, tick: int) -> Look:
    """With what was seen at the looks that were not taken: all as before."""
    ran = turn.host.evictor.ran
    last = tick - TICK if ran is None else max(tick - TICK, ran)
    return Look(turn.host, tick, turn.host.evictor.memory.looked(last), turn.release)


# When a look is of use.


def _of_use(host: Host, now: int) -> Iterator[int]:
    """Instants from which on a look would find something, if nothing else happens."""
    memory, known = host.evictor.memory, gauges(host)
    since = dict(memory.since)
    for row in host.machine.thresholds:
        gauge = known.get(row.signal)
        if gauge is None:
            continue
        if row not in since:
            yield from _found(when(gauge.parts, _short(gauge, row), now))
            continue
        yield max(since[row] + row.grace, now)
        enough = _enough(gauge, row, with_reclaim=row in memory.enforced)
        yield from _found(when(gauge.parts, enough, now))
    present = conditions(since)
    yield from (at + host.machine.transition for name, at in memory.observed if name not in present)
    for uid in active(host):
        if host.workers[uid].eviction is None:
            yield from _found(_exceeds(host, uid, now))


def _found(instant: int | None) -> Iterable[int]:
    return () if instant is None else (instant,)


def _short(gauge: Gauge, row: Threshold) -> Callable[[int], bool]:
    least = row.least(gauge.capacity, with_reclaim=False)
    return lambda at: gauge.available(at) < least


def _enough(gauge: Gauge, row: Threshold, *, with_reclaim: bool) -> Callable[[int], bool]:
    least = row.least(gauge.capacity, with_reclaim=with_reclaim)
    return lambda at: gauge.available(at) >= least


def _exceeds(host: Host, uid: str, now: int) -> int | None:
    """When a pod goes beyond a limit of its own."""
    spec, separate = host.pods[uid].pod.spec, host.machine.image_disk is not None
    parts = disk_parts(host, uid)
    return when(parts, lambda at: bool(limit_exceeded(spec, disk_use(host, uid, at), image_fs=separate)), now)


# After an eviction.


def _after_eviction(turn: Turn) -> Decision:
    """It waits for the kill to come back, then asks every second whether the pod is cleaned up, and looks at once."""
    host, now = turn.host, turn.now
    evictor = host.evictor
    workers = [host.workers[uid] for uid in evictor.evicted if uid in host.workers]
    if evictor.killed is None:
        return _kill(turn, workers)
    gone = all(worker.stage == "terminated" and worker.volumes != "mounted" for worker in workers)
    poll = evictor.killed + max(-(-(now - evictor.killed) // POLL), 1) * POLL
    at = poll if gone else evictor.killed + PATIENCE
    if now < at:
        return Wait(Bounds.at(at))
    look = _look(turn, now)
    return _each(list(look.acts()) or [look.remembered("PodCleanedUp")])


def _kill(turn: Turn, workers: list[Worker]) -> Decision:
    """A blocking call, whose end is when the last container and the sandbox are gone."""
    host = turn.host
    if all(worker.ended is not None for worker in workers):
        ended = max((worker.ended or 0 for worker in workers), default=turn.now)
        return _killed(turn, ended)
    at = max(_patience(row.eviction) for row in workers if row.eviction is not None)
    if turn.now < at:
        return Wait(Bounds.at(at))
    refs = [host.pods[uid].ref for uid in host.evictor.evicted if uid in host.workers]
    text = "Container runtime did not kill the pod within specified grace period."
    events = tuple(replace(event(WARNING, "ExceededGracePeriod", text), object=ref) for ref in refs)
    return replace(_killed(turn, turn.now), events=events, moment="kill-takes-too-long", background=False)


def _killed(turn: Turn, ended: int) -> Act:
    evictor = replace(turn.host.evictor, killed=ended)
    node = Ref("Node", "", turn.node)
    return Act("note-kill", node, reason="PodKilled", host=replace(turn.host, evictor=evictor), background=True)


def _patience(eviction: Eviction) -> int:
    return eviction.at + max(eviction.grace * 1_500, LEAST_KILL)


# What wakes it.


def _using(pod: HostPod) -> object:
    """How its containers use memory and disk, if they do."""
    words = pod.pod.metadata.annotations
    runs = tuple((run.name, run.attempt, run.state, run.child_killed, run.removed) for run in pod.containers)
    # Volumes fill before there is a container.
    filling = any(key.endswith(".volume") for key in words)
    disk = any(key.endswith("disk") for key in words)
    return (words, runs) if filling or disk or pod_memory(pod) else None


def _awaited(worker: Worker) -> object:
    return worker.stage, worker.ended, worker.volumes


def _on_host(old: Host, new: Host) -> list[Ref]:
    changed = old.machine is not new.machine or old.images is not new.images or any_changed(old, new, _using)
    if new.evictor.evicted:
        changed = changed or bool(changed_workers(old, new, _awaited))
    return [Ref("Node", "", new.node)] if changed else []


def _on_start(turn: Turn) -> list[Ref]:
    return [Ref("Node", "", turn.node)]


LOOP = Loop(
    name="kubelet-eviction",
    lane="kubelet",
    reconcile=reconcile,
    process="kubelet",
    per_node=True,
    wakes={"Node": own_key},
    on_host=_on_host,
    on_start=_on_start,
    watches_mine=frozenset({"Node"}),
    foresees=True,
)
