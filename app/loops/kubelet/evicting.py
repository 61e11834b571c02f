"""One look of the eviction manager, from what it observes to the pod that has to go (upstream's synchronize)."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from msgspec.structs import replace

from app.kube import eviction_messages as messages
from app.kube.critical_pods import critical
from app.kube.eviction import Memory, look
from app.kube.eviction_thresholds import Observation, Threshold, conditions, met
from app.kube.meta import Ref
from app.kube.node_reclaim import node_reclaim
from app.kube.quantity import in_bytes
from app.kube.releases import CURRENT, Release
from app.kube.storage_limits import limit_exceeded
from app.loops.kubelet.case import WARNING, event
from app.sim.acts import Act
from app.sim.host import Eviction, Host
from app.sim.observations import Ranked, above, active, gauges, observed, pod_above, ranking
from app.sim.shortage import Evictor
from app.sim.usage import disk_use, total


class Look:
    """A look at one instant; each of its acts changes the machine a little further."""

    def __init__(self, host: Host, now: int, memory: Memory, release: Release = CURRENT) -> None:
        self.release = release
        self.now = now
        self.node = Ref("Node", "", host.node)
        self.before = memory
        self.observed = observed(gauges(host), now)
        machine = host.machine
        found = look(memory, machine.thresholds, self.observed, machine.transition, now)
        self.due = found.acted_on
        self.host = replace(host, evictor=Evictor(memory=found.memory, ran=now))

    def acts(self) -> Iterator[Act]:
        """What it notes, and what it does: at most one pod is evicted for the node's sake."""
        notes = list(self._notes())
        yield from notes
        exceeding = [(uid, text) for uid in active(self.host) if (text := self._exceeds(uid))]
        if exceeding:
            for uid, text in exceeding:
                grace = messages.at_once(self.host.pods[uid].pod.spec.terminationGracePeriodSeconds, self.release)
                yield self._evict(uid, Eviction(self.now, text, grace, condition=False), "StorageLimit")
        elif self.due:
            yield from self._reclaim(self.due[0])
        elif not notes and self._differs():
            yield self.remembered("Observed")

    def remembered(self, reason: str) -> Act:
        """Only what it keeps has changed."""
        return Act("look", self.node, reason=reason, host=self.host, background=True)

    def _differs(self) -> bool:
        after = self.host.evictor.memory
        return (self.before.since, self.before.enforced) != (after.since, after.enforced)

    def _exceeds(self, uid: str) -> str:
        """Limits of the pod's own; a pod that is evicted already is left alone."""
        if self.host.workers[uid].eviction is not None:
            return ""
        spec, separate = self.host.pods[uid].pod.spec, self.host.machine.image_disk is not None
        return limit_exceeded(spec, disk_use(self.host, uid, self.now), image_fs=separate)

    # What it notes.

    def _notes(self) -> Iterator[Act]:
        before, after = self.before, self.host.evictor.memory
        known = dict(before.since)
        begun = [row for row, _ in after.since if row not in known]
        past = set(conditions(row for row, _ in before.since)) - set(conditions(row for row, _ in after.since))
        ended = [name for name, _ in before.observed if name not in dict(after.observed)]
        for row in begun[:1]:
            yield self._note(
                "note-threshold", "hard-threshold-met" if row.hard else "soft-threshold-met", self._seen(row)
            )
        for name in sorted(past):
            yield self._note("note-recovery", "signal-recovered", name)
        for name in ended:
            yield self._note("end-pressure", "pressure-over", name)

    def _note(self, verb: str, moment: str, reason: str) -> Act:
        return Act(verb, self.node, reason=reason, moment=moment, host=self.host)

    def _seen(self, row: Threshold) -> str:
        seen = self.observed[row.signal]
        return f"{row.signal} {in_bytes(seen.available)}, below {row.amount.text(seen.capacity)}"

    # What it does.

    def _reclaim(self, row: Threshold) -> Iterator[Act]:
        text = f"Attempting to reclaim {row.resource}"
        yield Act(
            "attempt-reclaim",
            self.node,
            reason=self._seen(row),
            moment="eviction-threshold-met",
            events=(event(WARNING, "EvictionThresholdMet", text),),
            host=self.host,
        )
        if (yield from self._free_the_node(row)):
            return
        for found in ranking(self.host, row.signal, self.now):
            if not critical(found.pod):
                yield self._evict(found.uid, self._eviction(row, found), _because(found))
                return
        yield Act("find-nobody", self.node, reason="only critical pods", moment="nobody-to-evict", host=self.host)

    def _free_the_node(self, row: Threshold) -> Generator[Act, None, bool]:
        """Dead containers, then unused images; True when that was enough."""
        wanted = node_reclaim(row.signal, image_fs=self.host.machine.image_disk is not None)
        if wanted.containers:
            yield from self._freed("delete-containers", without_dead_containers(self.host))
        if wanted.images:
            yield from self._freed("delete-images", without_unused_images(self.host))
        if not (wanted.containers or wanted.images):
            return False
        # What is written of an eviction that follows is still what was seen before.
        left = observed(gauges(self.host), self.now)
        return not met(self.host.machine.thresholds, left, with_reclaim=True)

    def _freed(self, verb: str, after: Host) -> Iterator[Act]:
        before = self._disks(self.host)
        self.host = after
        freed = before - self._disks(after)
        if freed:
            moment = "node-reclaimed"
            yield Act(
                verb, self.node, reason="NodeReclaim", moment=moment, outcome=f"{in_bytes(freed)} freed", host=after
            )

    def _disks(self, host: Host) -> int:
        signals = gauges(host)
        found = [signals["nodefs.available"]] + ([signals["imagefs.available"]] if host.machine.image_disk else [])
        return sum(total(gauge.parts, self.now) for gauge in found)

    def _eviction(self, row: Threshold, found: Ranked) -> Eviction:
        """With the numbers of the first threshold of that resource that calls for it."""
        seen: Observation = self.observed[row.signal]
        text = messages.node_pressure(
            row.resource,
            row.amount.text(seen.capacity),
            in_bytes(seen.available),
            above(self.host, found.uid, row.resource, self.now),
            pod_above(self.host, found.uid, row.resource, self.now),
        )
        own = found.pod.spec.terminationGracePeriodSeconds
        longest = self.host.machine.longest_grace
        grace = messages.grace_override(hard=row.hard, longest=longest, own=own, release=self.release)
        return Eviction(self.now, text, grace)

    def _evict(self, uid: str, eviction: Eviction, reason: str) -> Act:
        worker = replace(self.host.workers[uid], eviction=eviction)
        evictor = replace(self.host.evictor, evicted=(*self.host.evictor.evicted, uid))
        self.host = replace(self.host, workers=self.host.workers.set(uid, worker), evictor=evictor)
        return Act(
            "evict-pod",
            self.host.pods[uid].ref,
            reason=reason,
            moment="pod-evicted",
            outcome=f"grace {eviction.grace} s",
            events=(event(WARNING, messages.REASON, eviction.message),),
            host=self.host,
        )


def _because(found: Ranked) -> str:
    """The keys that put it first."""
    row = found.candidate
    over = f"{in_bytes(row.over)} above its request" if row.exceeds else "below its request"
    return f"{over}, priority {row.priority}"


def without_dead_containers(host: Host) -> Host:
    """Layers and logs of containers that have exited are deleted, those of earlier attempts too."""
    pods = host.pods
    for uid, pod in host.pods.items():
        runs = tuple(
            replace(
                run,
                removed=run.removed or run.state == "exited",
                last=replace(run.last, removed=True) if run.last is not None else None,
            )
            for run in pod.containers
        )
        if runs != pod.containers:
            pods = pods.set(uid, replace(pod, containers=runs))
    return replace(host, pods=pods) if pods is not host.pods else host


def without_unused_images(host: Host) -> Host:
    """Images of which no container is left are deleted."""
    used = {
        row.image
        for pod in host.pods.values()
        for row in (*pod.pod.spec.initContainers, *pod.pod.spec.containers)
        if any(run.name == row.name and not run.removed for run in pod.containers)
    }
    kept = tuple(image for image in host.images if image in used)
    return replace(host, images=kept) if kept != host.images else host
