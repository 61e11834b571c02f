"""What an edit of a ConfigMap reached and what not, and in which order the containers of a pod ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.kube.environment import needs
from app.kube.meta import Ref
from app.kube.pods import Container, Pod
from app.sim.host import ContainerRun, HostPod
from app.sim.maps import ordered
from app.sim.walk import Record
from app.sim.world import World
from app.story.fact import Fact, Subject, at, first


def _edits(subject: Subject) -> list[Record]:
    return [row for row in subject.walk.records if row.step.moment == "edit" and row.step.outcome == "ok"]


def files_updated_after(subject: Subject) -> Fact:
    """From the first edit of a ConfigMap to the first mounted files that hold it."""
    edited = next(iter(_edits(subject)), None)
    written = first(subject.walk, lambda row: row.step.moment == "volume-refreshed")
    if edited is None or written is None:
        return Fact(None, "s")
    return Fact((written.step.at - edited.step.at) / 1000, "s", written.n, (("edited", at(edited)),))


def holds_old(subject: Subject) -> Fact:
    """Places in the target that still hold what an edited ConfigMap said before: variables, and files by subPath."""
    edits = {row.step.object: row for row in _edits(subject)}
    found = [place for pod in _pods(subject.walk.world, subject.target) for place in _old(pod, edits)]
    step = next((row.n for row in edits.values() if row.n), None) if found else None
    return Fact(float(len(found)), "places", step, (("places", ", ".join(found) or "none"),))


def _old(pod: HostPod, edits: dict[Ref, Record]) -> Iterator[str]:
    for ref, edited in edits.items():
        for row in pod.pod.spec.containers:
            run = pod.container(row.name)
            if run is None or (run.started or 0) > edited.step.at:
                continue
            if any((need.kind, need.name) == (ref.kind, ref.name) for need in needs(row)):
                yield f"the environment of {row.name}"
            yield from (f"{path} in {row.name}" for path in _by_sub_path(pod.pod, row, ref))


def _by_sub_path(pod: Pod, row: Container, ref: Ref) -> list[str]:
    mine = {volume.name for volume in pod.spec.volumes if volume.configMap and volume.configMap.name == ref.name}
    return [mount.mountPath for mount in row.volumeMounts if mount.subPath and mount.name in mine]


def sidecars_last(subject: Subject) -> Fact:
    """Whether every sidecar of the target was asked to end only after all its apps had ended."""
    for row in reversed(subject.walk.records):
        for pod in _pods(row.step.world, subject.target):
            apps, sidecars = _of(pod, "app"), _of(pod, "sidecar")
            asked = [run.stop.signalled for run in sidecars if run.stop and run.stop.signalled is not None]
            if not asked or any(run.finished is None for run in apps):
                continue
            over = max((run.finished or 0 for run in apps), default=0)
            return Fact(min(asked) >= over, "", row.n or None)
    return Fact(None, "")


def mirrors_made(subject: Subject) -> Fact:
    """Mirror pods that kubelets created in the walk."""
    found = [row for row in subject.walk.records if row.step.moment == "mirror-pod-created"]
    return Fact(float(len(found)), "pods", found[0].n or None if found else None)


def kubelet_unreachable(subject: Subject) -> Fact:
    """How often the API server could not reach a kubelet for a log or a command."""
    found = [row for row in subject.walk.records if row.step.moment == "kubelet-unreachable"]
    return Fact(float(len(found)), "times", found[0].n or None if found else None)


def api_refused(subject: Subject) -> Fact:
    """Requests of kubectl that found no API server."""
    found = [row for row in subject.walk.records if row.step.loop == "kubectl" and "unreachable" in row.step.outcome]
    return Fact(float(len(found)), "requests", found[0].n or None if found else None)


def _pods(world: World, ref: Ref) -> list[HostPod]:
    return [host.pods[uid] for _, host in ordered(world.hosts) for uid in host.uids.get(ref, ())]


def _of(pod: HostPod, role: str) -> list[ContainerRun]:
    return [run for run in pod.containers if run.role == role]


CONFIG_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "files-updated-after": files_updated_after,
    "holds-old": holds_old,
    "sidecars-last": sidecars_last,
    "mirrors-made": mirrors_made,
    "kubelet-unreachable": kubelet_unreachable,
    "api-refused": api_refused,
}
