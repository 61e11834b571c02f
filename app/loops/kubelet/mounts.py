"""The kubelet's volume manager: each volume of a pod is made ready on the machine before the pod gets its sandbox.

Files of ConfigMaps and Secrets are written out; a disk that was attached to the machine is staged and published by its
driver. As reconciler and operation executor in pkg/kubelet/volumemanager. Not modelled: devices that fail to mount,
projected volumes, and the end of a wait after 2 min 3 s, which says nothing and begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from app.kube import storage
from app.kube.config import ConfigMap, Secret
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod, PodSpec, Volume
from app.kube.storage import PersistentVolume, PersistentVolumeClaim
from app.loops.host_pods import changed_workers, pods_named
from app.loops.kubelet.case import WARNING, Case, cases, event
from app.sim.acts import Act, Wait
from app.sim.agenda import Due, decide
from app.sim.host import Host, Mount, Worker
from app.sim.index import Index, on_node
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

RECONCILE = 100
"""reconcilerLoopSleepPeriod."""
FIRST, LONGEST = 500, 122_000
"""Back-off of an operation that failed (pkg/util/goroutinemap/exponentialbackoff)."""


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next volume of the key's pods that can be made ready."""
    return decide(turn, _options(turn)) if turn.host.power else None


def _options(turn: Turn) -> Iterator[Act | Due]:
    for case in cases(turn):
        if case.worker.stage == "sync" and case.worker.volumes == "waiting" and not case.gone:
            for volume in case.spec.volumes:
                known = case.worker.mount(volume.name) or Mount(volume.name)
                if known.at is None:
                    yield from _next(case, volume, known)


def pending(case: Case) -> bool:
    """Whether a volume of the pod is not ready yet."""
    ready = {row.volume for row in case.worker.mounts if row.at is not None}
    return any(row.name not in ready and _needs(case, row) for row in case.spec.volumes)


def _needs(case: Case, volume: Volume) -> bool:
    return _of_files(volume) or _disk(case, volume) is not None


def _of_files(volume: Volume) -> bool:
    return volume.configMap is not None or volume.secret is not None


def _disk(case: Case, volume: Volume) -> PersistentVolume | None:
    """The disk behind a claim, if it is one that has to be attached."""
    source = volume.persistentVolumeClaim
    if source is None:
        return None
    ref = Ref("PersistentVolumeClaim", case.ref.namespace, source.claimName)
    claim = case.turn.read(PersistentVolumeClaim, ref)
    if claim is None or not claim.spec.volumeName:
        return None
    found = case.turn.read(PersistentVolume, Ref("PersistentVolume", "", claim.spec.volumeName))
    return found if found is not None and found.spec.csi is not None else None


def _next(case: Case, volume: Volume, known: Mount) -> Iterator[Act | Due]:
    if _of_files(volume):
        due = case.worker.since + RECONCILE if known.next is None else known.next
        yield Due(Bounds.at(due), partial(_files, case, volume, known))
        return
    disk = _disk(case, volume)
    if disk is None:
        return
    if known.began is not None:
        yield Due(case.turn.lag("volume-mount").after(known.began), partial(_published, case, known, disk))
    elif _is_attached(case.turn, disk):
        yield _begun(case, known, disk)


def _is_attached(turn: Turn, disk: PersistentVolume) -> bool:
    node = turn.read(Node, Ref("Node", "", turn.node))
    return node is not None and any(row.name == disk.unique_name for row in node.status.volumesAttached)


def _files(case: Case, volume: Volume, known: Mount) -> Act:
    """Write out what a ConfigMap or Secret holds; what is not there is looked for again, ever more rarely."""
    error = _missing(case, volume)
    if error:
        wait = min(FIRST * 2**known.tries, LONGEST)
        failed = replace(known, tries=known.tries + 1, next=case.now + wait)
        return case.act(
            "fail-mount",
            worker=_with(case.worker, failed),
            reason=volume.name,
            moment="mount-failed",
            outcome=error,
            events=(event(WARNING, "FailedMount", storage.mount_failed(volume.name, error)),),
        )
    done = replace(known, at=case.now)
    return case.act(
        "mount",
        worker=_with(case.worker, done),
        reason=volume.name,
        outcome="files written",
        background=not known.tries,
        moment="files-mounted" if known.tries else "",
    )


def _missing(case: Case, volume: Volume) -> str:
    if volume.configMap is not None:
        ref = Ref("ConfigMap", case.ref.namespace, volume.configMap.name)
        found: Object | None = case.turn.read(ConfigMap, ref)
        optional = volume.configMap.optional
    else:
        source = volume.secret
        ref = Ref("Secret", case.ref.namespace, source.secretName if source else "")
        found = case.turn.read(Secret, ref)
        optional = source is not None and source.optional
    return "" if found is not None or optional else f'{ref.kind.lower()} "{ref.name}" not found'


def _begun(case: Case, known: Mount, disk: PersistentVolume) -> Act:
    began = replace(known, began=case.now)
    return case.act(
        "stage", worker=_with(case.worker, began), reason=disk.metadata.name, to=case.runtime, background=True
    )


def _published(case: Case, known: Mount, disk: PersistentVolume) -> Act:
    return case.act(
        "mount",
        worker=_with(case.worker, replace(known, at=case.now)),
        reason=disk.metadata.name,
        moment="volume-mounted",
        outcome="staged and published",
    )


def _with(worker: Worker, mount: Mount) -> Worker:
    others = tuple(row for row in worker.mounts if row.volume != mount.volume)
    return replace(worker, mounts=(*others, mount))


def _mountable(spec: PodSpec) -> bool:
    return any(_of_files(row) or row.persistentVolumeClaim is not None for row in spec.volumes)


def _on_this_node(view: Index, obj: Object) -> list[Ref]:
    """The pods of a node that wait for disks, when its status tells of one."""
    name = obj.metadata.name
    pods = [pod for pod in view.find(on_node(name)) if isinstance(pod, Pod)]
    return [pod.ref for pod in pods if any(row.persistentVolumeClaim for row in pod.spec.volumes)]


def _told(worker: Worker) -> object:
    return worker.stage, worker.volumes, worker.mounts


def _on_host(old: Host, new: Host) -> list[Ref]:
    return [ref for ref in changed_workers(old, new, _told) if _has_mounts(new, ref)]


def _has_mounts(host: Host, ref: Ref) -> bool:
    return any(_mountable(pod.pod.spec) for _, pod in pods_named(host, ref))


LOOP = Loop(
    name="kubelet-mounts",
    lane="kubelet",
    process="kubelet",
    reconcile=reconcile,
    per_node=True,
    wakes={"Node": _on_this_node},
    reads=("ConfigMap", "Secret", "PersistentVolumeClaim", "PersistentVolume"),
    on_host=_on_host,
    watches_mine=frozenset({"Pod", "Node"}),
)
