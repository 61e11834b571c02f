"""The kubelet's volume manager: each volume of a pod is made ready on the machine before the pod gets its sandbox.

Files of ConfigMaps and Secrets are written out; a disk that was attached to the machine is staged and published by its
driver. As reconciler and operation executor in pkg/kubelet/volumemanager. Not modelled: resizing, and what else can go
wrong with files, such as a disk that is full.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from app.kube import storage, volume_rules
from app.kube.config import ConfigMap, Secret
from app.kube.disks import mount_takes
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


def _next(case: Case, volume: Volume, known: Mount) -> Iterator[Act | Due]:
    if volume_rules.of_files(volume):
        due = case.worker.since + RECONCILE if known.next is None else known.next
        yield Due(Bounds.at(due), partial(_files, case, volume, known))
        return
    disk = disk_of(case, volume)
    node = case.turn.read(Node, Ref("Node", "", case.turn.node))
    if disk is None or node is None or disk.unique_name not in node.status.volumesInUse:
        return
    if all(row.name != disk.unique_name for row in node.status.volumesAttached):
        if known.sought is None:
            yield _sought(case, known, disk)
    elif known.began is None:
        yield Due(Bounds.at(_begins(case, known)), partial(_begun, case, known, disk))
    else:
        yield _published(case, known, disk, known.began)


def disk_of(case: Case, volume: Volume) -> PersistentVolume | None:
    """The disk behind a claim, if it is one that has to be attached."""
    found = _behind(case, volume)
    return found if isinstance(found, PersistentVolume) and found.spec.csi is not None else None


def unprocessed(case: Case) -> str:
    """What is told of claims that are of no use; the scheduler lets no such pod through."""
    found = {row.name: _behind(case, row) for row in case.spec.volumes}
    errors = {name: error for name, error in found.items() if isinstance(error, str)}
    return volume_rules.unprocessed(errors) if errors else ""


def _behind(case: Case, volume: Volume) -> PersistentVolume | str | None:
    """The volume of a claim, or why there is none; None where no claim is asked for."""
    source = volume.persistentVolumeClaim
    if source is None:
        return None
    ref = Ref(PersistentVolumeClaim.kind, case.ref.namespace, source.claimName)
    claim = case.turn.read(PersistentVolumeClaim, ref)
    wrong = f"error processing PVC {ref.path}: "
    if claim is None:
        text = f'persistentvolumeclaims "{ref.name}" not found'
        return f"{wrong}failed to fetch PVC from API server: {text}"
    name = claim.spec.volumeName
    if not name:
        return f"{wrong}PVC is not bound"
    found = case.turn.read(PersistentVolume, Ref(PersistentVolume.kind, "", name))
    text = f'failed to fetch PV {name} from API server: persistentvolumes "{name}" not found'
    return f"{wrong}{text}" if found is None else found


def pending(case: Case) -> bool:
    """Whether a volume of the pod is not ready yet."""
    ready = {row.volume for row in case.worker.mounts if row.at is not None}
    return any(row.name not in ready and _needs(case, row) for row in case.spec.volumes)


def _needs(case: Case, volume: Volume) -> bool:
    return volume_rules.of_files(volume) or disk_of(case, volume) is not None


def _files(case: Case, volume: Volume, known: Mount) -> Act:
    """Write out what ConfigMaps or Secrets hold; what is not there is looked for again, ever more rarely."""
    error = volume_rules.missing(volume, case.ref.namespace, lambda ref: _keys(case, ref))
    if error:
        return _failed(case, known, error, storage.mount_failed(volume.name, error))
    return case.act(
        "mount",
        worker=_with(case.worker, replace(known, at=case.now)),
        reason=volume.name,
        outcome="files written",
        background=not known.tries,
        moment="files-mounted" if known.tries else "",
    )


def _keys(case: Case, ref: Ref) -> frozenset[str] | None:
    found = case.turn.get(ref)
    return found.keys if isinstance(found, ConfigMap | Secret) else None


def _failed(case: Case, known: Mount, error: str, message: str) -> Act:
    tries = known.tries + 1
    after = replace(known, tries=tries, next=case.now + volume_rules.retry_after(tries), began=None)
    return case.act(
        "fail-mount",
        worker=_with(case.worker, after),
        reason=known.volume,
        moment="mount-failed",
        outcome=error,
        events=(event(WARNING, "FailedMount", message),),
    )


def _sought(case: Case, known: Mount, disk: PersistentVolume) -> Act:
    """It fails like any other operation: when the disk has come, that is found only at the next try."""
    after = replace(known, sought=case.now)
    return case.act("miss-disk", worker=_with(case.worker, after), reason=disk.metadata.name, background=True)


def _begins(case: Case, known: Mount) -> int:
    """When an operation that failed before is due again."""
    if known.next is not None:
        return max(known.next, case.now)
    return case.now if known.sought is None else volume_rules.next_try(known.sought, case.now)


def _begun(case: Case, known: Mount, disk: PersistentVolume) -> Act:
    began = replace(known, began=case.now)
    return case.act(
        "stage", worker=_with(case.worker, began), reason=disk.metadata.name, to=case.runtime, background=True
    )


def _published(case: Case, known: Mount, disk: PersistentVolume, began: int) -> Due:
    lag = case.turn.lag("volume-mount")
    takes = mount_takes(disk, lag.usual)
    if takes is None:
        text = volume_rules.device_failed(disk.metadata.name)
        return Due(lag.after(began), lambda: _failed(case, known, "MountDevice failed", text))
    bounds = lag.after(began) if takes == lag.usual else Bounds.at(began + takes).no_earlier(case.now)
    return Due(bounds, partial(_mounted, case, known, disk))


def _mounted(case: Case, known: Mount, disk: PersistentVolume) -> Act:
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
    return any(volume_rules.of_files(row) or row.persistentVolumeClaim is not None for row in spec.volumes)


def _on_this_node(view: Index, obj: Object) -> list[Ref]:
    """The pods of a node that wait for disks, when its status tells of one."""
    return _with_disks(view.find(on_node(obj.metadata.name)))


def _of_disk(view: Index, _: Object) -> list[Ref]:
    """The pods of this node, of which one may wait for that claim or volume."""
    return _with_disks(view.find("Pod"))


def _with_disks(pods: list[Object]) -> list[Ref]:
    found = [pod for pod in pods if isinstance(pod, Pod)]
    return [pod.ref for pod in found if any(row.persistentVolumeClaim for row in pod.spec.volumes)]


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
    wakes={"Node": _on_this_node, "PersistentVolume": _of_disk, "PersistentVolumeClaim": _of_disk},
    reads=("ConfigMap", "Secret"),
    on_host=_on_host,
    watches_mine=frozenset({"Pod", "Node"}),
)
