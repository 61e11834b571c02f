"""What happened on machines that ran short: whom the kubelet evicted, whom the kernel killed, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

from app.kube.eviction_messages import REASON
from app.kube.machine_grammar import TICK
from app.kube.meta import Condition, Ref, condition
from app.kube.networking import Service
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.qos import qos_class
from app.sim.maps import ordered
from app.sim.observations import gauges
from app.sim.usage import when
from app.sim.walk import Record
from app.sim.world import World
from app.story.fact import Fact, Subject, at

LIMIT, MACHINE, EVICTED = "oom-killed", "node-oom", "pod-evicted"
OWN_LIMIT = "StorageLimit"
PRESSURES = ("MemoryPressure", "DiskPressure")


def _happened(subject: Subject, moment: str) -> list[Record]:
    return [row for row in subject.walk.records if row.step.moment == moment]


def _counted(moment: str, unit: str) -> Callable[[Subject], Fact]:
    """How often it happened; the first time decides."""

    def count(subject: Subject) -> Fact:
        rows = _happened(subject, moment)
        step = rows[0].n or None if rows else None
        return Fact(float(len(rows)), unit, step, (("who", _who(rows)), ("at", at(rows[0] if rows else None))))

    return count


def _who(rows: list[Record]) -> str:
    """`report-x, checkout-y 3`: each name once, and how often if more than that."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.step.object.name] = counts.get(row.step.object.name, 0) + 1
    return ", ".join(name if count == 1 else f"{name} ({count} times)" for name, count in counts.items()) or "nobody"


def tombstones(subject: Subject) -> Fact:
    """Pods that are left in the API as Failed with reason Evicted."""
    world = subject.walk.world
    left = [pod.metadata.name for pod in world.etcd.find("Pod") if isinstance(pod, Pod) and _tombstone(pod)]
    rows = [row for row in subject.walk.records if any(_tombstone(commit.after) for commit in row.step.commits)]
    return Fact(float(len(left)), "pods", rows[0].n or None if left else None, (("who", ", ".join(left) or "nobody"),))


def _tombstone(found: object) -> bool:
    return isinstance(found, Pod) and found.status.phase == "Failed" and found.status.reason == REASON


def unmarked(subject: Subject) -> Fact:
    """Evicted pods that end as Succeeded: nothing in kubectl's list tells of the eviction."""
    rows = [row for row in _happened(subject, EVICTED) if _phase(subject.walk.world, row.step.object) == "Succeeded"]
    return Fact(float(len(rows)), "pods", rows[0].n or None if rows else None, (("who", _who(rows)),))


def _phase(world: World, ref: Ref) -> str:
    held = world.etcd.get(ref)
    return held.object.status.phase if held is not None and isinstance(held.object, Pod) else ""


def storage_evictions(subject: Subject) -> Fact:
    """Pods that were evicted for a disk limit of their own, whatever was left on their machine."""
    rows = [row for row in _happened(subject, EVICTED) if row.step.reason == OWN_LIMIT]
    return Fact(float(len(rows)), "pods", rows[0].n or None if rows else None, (("who", _who(rows)),))


def oom_restarts(subject: Subject) -> Fact:
    """How often a container that the kernel had killed was started again in the same pod, on the same machine."""
    killed: set[Ref] = set()
    found = []
    for row in subject.walk.records:
        if row.step.moment in (LIMIT, MACHINE):
            killed.add(row.step.object)
        elif row.step.moment == "start-container" and row.step.object in killed:
            found.append(row)
    return Fact(float(len(found)), "restarts", found[0].n or None if found else None, (("who", _who(found)),))


def _of_class(moment: str) -> Callable[[Subject], Fact]:
    """The QoS class of the first pod that it happened to."""

    def first_class(subject: Subject) -> Fact:
        row = next(iter(_happened(subject, moment)), None)
        held = row.step.before.etcd.get(row.step.object) if row is not None else None
        if row is None or held is None or not isinstance(held.object, Pod):
            return Fact(None, "", None, (("who", "nobody"),))
        pod = held.object
        found = pod.status.qosClass or qos_class(pod.spec)
        return Fact(found, "", row.n or None, (("who", pod.metadata.name),))

    return first_class


def junk_outlived(subject: Subject) -> Fact:
    """Pods behind a Service that were evicted while a pod without any requests, behind none, ran on beside them."""
    found = [row for row in _happened(subject, EVICTED) if _served(row.step.before, row.step.object) and _junk(row)]
    return Fact(float(len(found)), "pods", found[0].n or None if found else None, (("who", _who(found)),))


def _served(world: World, ref: Ref) -> bool:
    held = world.etcd.get(ref)
    pod = held.object if held is not None else None
    services = [row for row in world.etcd.find("Service") if isinstance(row, Service) and row.spec.selector]
    if not isinstance(pod, Pod):
        return False
    here = [row for row in services if row.metadata.namespace == ref.namespace]
    return any(row.spec.selector.selects(pod.metadata.labels) for row in here)


def _junk(row: Record) -> bool:
    """Whether somebody without requests and without a Service lives on that machine, and is not to go."""
    world = row.step.world
    host = world.hosts[row.step.node]
    pods = [host.pods[uid].pod for uid, worker in ordered(host.workers) if worker.eviction is None]
    return any(qos_class(pod.spec) == "BestEffort" and not _served(world, pod.ref) for pod in pods)


# Pressure.


def pressure_taints(subject: Subject) -> Fact:
    """How often a node was tainted for pressure: more than once is a node that flaps."""
    rows = [row for row in _happened(subject, "node-tainted") if row.step.reason.endswith("-pressure")]
    step = rows[-1].n or None if rows else None
    return Fact(float(len(rows)), "times", step, (("who", _who(rows)), ("at", at(rows[0] if rows else None))))


def pressure_seconds(subject: Subject) -> Fact:
    """For how long a node said that it is under pressure."""
    since: dict[tuple[str, str], int] = {}
    total, step = 0, None
    for row in subject.walk.records:
        for commit in row.step.commits:
            for name, holds in _pressures(commit.after):
                began = since.get(name)
                if holds and began is None:
                    since[name] = row.step.at
                    step = step or row.n or None
                elif not holds and began is not None:
                    total += row.step.at - since.pop(name)
    total += sum(subject.end - began for began in since.values())
    return Fact(total / 1000, "s", step)


def _pressures(found: object) -> list[tuple[tuple[str, str], bool]]:
    if not isinstance(found, Node):
        return []
    told: list[tuple[str, Condition | None]] = [(name, condition(found.status.conditions, name)) for name in PRESSURES]
    return [((found.metadata.name, name), row.status == "True") for name, row in told if row is not None]


def noticed_after(subject: Subject) -> Fact:
    """From the instant at which a signal fell below its hard threshold to the look that saw it."""
    row = next(iter(_happened(subject, "hard-threshold-met")), None)
    if row is None:
        return Fact(None, "s", None, (("signal", "no signal"), ("at", "never")))
    host, signal = row.step.before.hosts[row.step.node], row.step.reason.split()[0]
    gauge = gauges(host)[signal]
    least = max(
        one.least(gauge.capacity, with_reclaim=False)
        for one in host.machine.thresholds
        if one.hard and one.signal == signal
    )
    # A look ten seconds earlier saw enough.
    crossed = when(gauge.parts, lambda instant: gauge.available(instant) < least, max(row.step.at - TICK, 0))
    waited = row.step.at - (row.step.at if crossed is None else crossed)
    return Fact(waited / 1000, "s", row.n or None, (("signal", signal), ("at", at(row))))


PRESSURE_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "pods-evicted": _counted(EVICTED, "pods"),
    "tombstones": tombstones,
    "evicted-unmarked": unmarked,
    "storage-evictions": storage_evictions,
    "oom-kills": _counted(LIMIT, "kills"),
    "child-oom-kills": _counted("child-oom-killed", "kills"),
    "node-ooms": _counted(MACHINE, "kills"),
    "oom-restarts": oom_restarts,
    "first-evicted-class": _of_class(EVICTED),
    "first-killed-class": _of_class(MACHINE),
    "junk-outlived": junk_outlived,
    "replacements": _counted("replacement-created", "pods"),
    "pressure-taints": pressure_taints,
    "pressure-seconds": pressure_seconds,
    "noticed-after": noticed_after,
}
