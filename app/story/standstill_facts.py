"""What stands still while nobody can decide: pods without a node, rollouts, capacity, and what the API says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.static_pods import is_mirror
from app.kube.workloads import Deployment, ReplicaSet
from app.sim.host import HostPod
from app.sim.maps import ordered
from app.sim.walk import Record, Walk
from app.sim.world import World
from app.story.fact import Fact, Subject
from app.story.stretches import Stretch, longest, step_at


def _seconds(found: Stretch | None) -> Fact:
    if found is None:
        return Fact(0.0, "s", more=(("what", "nothing"), ("from", "never")))
    more = (("what", found.what), ("from", f"{found.since / 1000:.3f} s"))
    return Fact(found.lasted / 1000, "s", found.step, more)


def longest_unbound(subject: Subject) -> Fact:
    """The longest time for which a pod had no node."""
    return _seconds(longest(subject.walk, lambda world: [str(pod.ref) for pod in _pods(world) if _unbound(pod)]))


def _unbound(pod: Pod) -> bool:
    return not pod.spec.nodeName and not pod.terminating


def status_lied(subject: Subject) -> Fact:
    """The longest time for which the API said of a pod that it is Ready, or not, and its clients met the contrary."""
    return _seconds(
        longest(subject.walk, lambda world: [str(pod.ref) for pod in _pods(world) if _lied_about(world, pod)])
    )


def _lied_about(world: World, pod: Pod) -> bool:
    host = world.hosts.get(pod.spec.nodeName)
    if host is None or pod.terminating or pod.finished or is_mirror(pod):
        return False
    return pod.ready != (host.power and _serves(host.pods.get(pod.metadata.uid)))


def _serves(pod: HostPod | None) -> bool:
    return pod is not None and pod.serves and not any(run.fails for run in pod.containers)


def capacity_lost(subject: Subject) -> Fact:
    """The longest time for which a Deployment had fewer pods that serve than it asks for."""
    return _seconds(longest(subject.walk, _short))


def _short(world: World) -> Iterator[str]:
    serving = [
        pod.pod for _, host in ordered(world.hosts) for _, pod in ordered(host.pods) if host.power and pod.serves
    ]
    for row in _deployments(world):
        there = [pod for pod in serving if _of(row, pod)]
        if len(there) < _wanted(row):
            yield str(row.ref)


def left_dead(subject: Subject) -> Fact:
    """The longest time for which a program that is to run lay dead on a machine that was on, its kubelet idle."""
    return _seconds(longest(subject.walk, _dead))


def _dead(world: World) -> Iterator[str]:
    for host in [host for _, host in ordered(world.hosts) if host.power]:
        for uid, pod in ordered(host.pods):
            worker = host.workers.get(uid)
            waits = worker is not None and any(crash.resync is not None for crash in worker.crashes)
            asked = pod.pod.spec.restartPolicy == "Always" and not waits and pod.sandbox != "stopped"
            if asked and any(run.state == "exited" and run.role == "app" for run in pod.containers):
                yield str(pod.ref)


def rollout_stood(subject: Subject) -> Fact:
    """The longest time for which a rollout that was not done made no progress."""
    found: Stretch | None = None
    for name in rolled(subject.walk):
        rows = [row for row in subject.walk.records if _moves(row, name)]
        for before, after in pairwise([*rows, None]):
            began = before.step if before is not None else None
            if before is None or began is None or not _unfinished(began.world, name):
                continue
            until = after.step.at if after is not None else subject.end
            stood = Stretch(str(name), began.at, until, step_at(subject.walk, before))
            found = stood if found is None or stood.lasted > found.lasted else found
    return _seconds(found)


def rolled(walk: Walk) -> list[Ref]:
    """Deployments whose template was changed in the walk."""
    commits = [commit for row in walk.records for commit in row.step.commits]
    return list(dict.fromkeys(commit.ref for commit in commits if _new_template(commit.before, commit.after)))


def _new_template(before: object, after: object) -> bool:
    both = isinstance(before, Deployment) and isinstance(after, Deployment)
    return both and before.spec.template != after.spec.template  # type: ignore[attr-defined]


def _moves(row: Record, name: Ref) -> bool:
    """Whether an act is a step of the rollout: of the Deployment itself, a ReplicaSet, or a pod."""
    held = row.step.world.etcd.get(name)
    if held is None or not isinstance(held.object, Deployment):
        return False
    for commit in row.step.commits:
        obj = commit.after or commit.before
        if commit.ref == name or (isinstance(obj, ReplicaSet | Pod) and _of(held.object, obj)):
            return True
    return False


def _unfinished(world: World, name: Ref) -> bool:
    held = world.etcd.get(name)
    if held is None or not isinstance(held.object, Deployment):
        return False
    row = held.object
    sizes = {row.status.updatedReplicas, row.status.replicas, row.status.availableReplicas}
    return row.status.observedGeneration < row.metadata.generation or sizes != {_wanted(row)}


def _pods(world: World) -> list[Pod]:
    return [pod for pod in world.etcd.find(Pod.kind) if isinstance(pod, Pod)]


def _deployments(world: World) -> list[Deployment]:
    return [row for row in world.etcd.find(Deployment.kind) if isinstance(row, Deployment)]


def _wanted(row: Deployment) -> int:
    return 1 if row.spec.replicas is None else row.spec.replicas


def _of(row: Deployment, obj: Pod | ReplicaSet) -> bool:
    meta = obj.metadata
    return meta.namespace == row.metadata.namespace and row.spec.selector.selects(meta.labels)


STANDSTILL_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "longest-unbound": longest_unbound,
    "status-lied": status_lied,
    "capacity-lost": capacity_lost,
    "left-dead": left_dead,
    "rollout-stood": rollout_stood,
}
