"""Pods as their machine has them: which of them changed, and the machine with one of them changed."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from app.kube.annotations import Behaviour, behaviour
from app.kube.meta import Ref
from app.kube.pods import Container
from app.sim.host import ContainerRun, Host, HostPod, Worker

START_ERROR = "StartError"
"""The reason of a container whose program the runtime could not start."""

Part = Callable[[HostPod], object]


def changed_pods(old: Host, new: Host, part: Part) -> list[Ref]:
    """The pods of which this part is not what it was."""
    if old.pods is new.pods:
        return []
    found = set()
    for uid, pod in new.pods.items():
        before = old.pods.get(uid)
        if before is not pod and (before is None or part(before) != part(pod)):
            found.add(pod.ref)
    if len(old.pods) >= len(new.pods):
        found |= {pod.ref for uid, pod in old.pods.items() if uid not in new.pods}
    return sorted(found)


def any_changed(old: Host, new: Host, part: Part) -> bool:
    """Whether this part of any pod is not what it was; a pod in which there is none is as good as no pod."""
    if old.pods is new.pods:
        return False
    for uid, pod in new.pods.items():
        before = old.pods.get(uid)
        if before is not pod and (None if before is None else part(before)) != part(pod):
            return True
    return any(part(pod) is not None for uid, pod in old.pods.items() if uid not in new.pods)


def changed_workers(old: Host, new: Host, part: Callable[[Worker], object]) -> list[Ref]:
    """The pods of which this part of the kubelet's memory is not what it was."""
    if old.workers is new.workers:
        return []
    found = set()
    for uid, worker in new.workers.items():
        before = old.workers.get(uid)
        if before is not worker and (before is None or part(before) != part(worker)):
            found.add(new.pods[uid].ref)
    return sorted(found)


def pods_named(host: Host, ref: Ref) -> list[tuple[str, HostPod]]:
    """All pods of that name on a machine, with their uids, older ones first."""
    return [(uid, host.pods[uid]) for uid in host.uids.get(ref, ())]


def with_pod(host: Host, uid: str, pod: HostPod, worker: Worker | None = None) -> Host:
    """The machine with that pod as it is now, and what the kubelet keeps of it."""
    if uid not in host.pods:
        host = replace(host, uids=host.uids.set(pod.ref, (*host.uids.get(pod.ref, ()), uid)))
    if host.pods.get(uid) is not pod:
        host = replace(host, pods=host.pods.set(uid, pod))
    if worker is None or host.workers.get(uid) is worker:
        return host
    return replace(host, workers=host.workers.set(uid, worker))


def without_pod(host: Host, uid: str) -> Host:
    """The machine after the pod and all memory of it are gone."""
    ref = host.pods[uid].ref
    rest = tuple(other for other in host.uids.get(ref, ()) if other != uid)
    return replace(
        host,
        pods=host.pods.delete(uid),
        workers=host.workers.delete(uid) if uid in host.workers else host.workers,
        uids=host.uids.set(ref, rest) if rest else host.uids.delete(ref),
    )


def with_next_pull(host: Host, now: int) -> Host:
    """The machine with the pull that has waited longest under way, if none is: one at a time (serializeImagePulls)."""
    asked = [(pod.pull, uid) for uid, pod in host.pods.items() if pod.pull is not None and pod.pull.ended is None]
    if not asked or any(pull.began is not None for pull, _ in asked):
        return host
    pull, uid = min(asked, key=lambda pair: (pair[0].since, pair[1]))
    return replace(host, pods=host.pods.set(uid, replace(host.pods[uid], pull=replace(pull, began=now))))


def with_run(pod: HostPod, run: ContainerRun) -> HostPod:
    """The pod with one container changed, or added."""
    if pod.container(run.name) is None:
        return replace(pod, containers=(*pod.containers, run))
    return replace(pod, containers=tuple(run if row.name == run.name else row for row in pod.containers))


def container_spec(pod: HostPod, name: str) -> Container:
    """The container of that name in the spec; every container that runs has one."""
    spec = pod.pod.spec
    return next(row for row in (*spec.initContainers, *spec.containers) if row.name == name)


def role_of(pod: HostPod, name: str) -> str:
    """init, sidecar or app."""
    found = next((row for row in pod.pod.spec.initContainers if row.name == name), None)
    if found is None:
        return "app"
    return "sidecar" if found.sidecar else "init"


def behaviour_of(pod: HostPod, name: str) -> Behaviour:
    """How the application in that container behaves."""
    return behaviour(pod.pod.metadata.annotations, name)


def process_lane(pod: HostPod) -> str:
    """The lane of a pod's processes."""
    return f"{pod.pod.metadata.name} process"


def may_serve(pod: HostPod, name: str) -> bool:
    """Whether clients of the pod are answered by that container: it declares ports, or none does and it is an app."""
    spec = pod.pod.spec
    if any(row.ports for row in (*spec.initContainers, *spec.containers)):
        return bool(container_spec(pod, name).ports)
    return role_of(pod, name) == "app"
