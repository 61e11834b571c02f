"""Files of mounted ConfigMaps: the kubelet knows of an edit at once, and writes them anew at the pod's next sync.

As the volume manager does with configMapAndSecretChangeDetectionStrategy Watch, the default. A file that is mounted by
subPath stays as it is. Not modelled: Secrets, which go the same way, and projected volumes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from app.kube.config import ConfigMap
from app.kube.meta import Ref
from app.kube.objects import Object
from app.kube.pods import Pod, PodSpec, Volume
from app.kube.stringmap import StringMap
from app.loops.host_pods import changed_pods, changed_workers, pods_named, with_pod
from app.sim.acts import Act, Wait
from app.sim.agenda import Due, decide
from app.sim.host import Host, HostPod, Worker
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.maps import ordered


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next volume of this pod that is to hold what its ConfigMap says."""
    return decide(turn, _options(turn)) if turn.host.power else None


def _options(turn: Turn) -> Iterator[Act | Due]:
    for uid, pod in pods_named(turn.host, turn.key):
        worker = turn.host.workers.get(uid)
        if worker is None or worker.stage != "sync" or pod.sandbox != "ready":
            continue
        files = dict(pod.files)
        for volume in pod.pod.spec.volumes:
            data = _wanted(turn, pod, volume)
            if data is None:
                continue
            held = files.get(volume.name)
            if held is None:
                yield _written(turn, uid, pod, volume, data)
            elif held != data and _refreshed(pod.pod.spec, volume):
                tick = _next_sync(turn, worker.synced)
                yield Due(Bounds.at(tick), partial(_written, turn, uid, pod, volume, data))


def _wanted(turn: Turn, pod: HostPod, volume: Volume) -> StringMap | None:
    """What the volume should hold, as this kubelet believes; None where it is of another kind, or nothing is there."""
    if volume.configMap is None:
        return None
    held = turn.read(ConfigMap, Ref("ConfigMap", pod.ref.namespace, volume.configMap.name))
    return None if held is None else held.data.merged(held.binaryData)


def _refreshed(spec: PodSpec, volume: Volume) -> bool:
    """A mount of a single path of the volume is a bind mount of the file that was there; it goes on showing that."""
    mounts = [row for part in (*spec.initContainers, *spec.containers) for row in part.volumeMounts]
    mine = [row for row in mounts if row.name == volume.name]
    return not mine or any(not row.subPath for row in mine)


def _next_sync(turn: Turn, synced: int) -> int:
    """Syncs without any other reason come a minute to a minute and a half apart, on a clock that is the pod's own."""
    every = turn.lag("pod-resync").usual
    return synced + max(-(-(turn.now - synced) // every), 1) * every


def _written(turn: Turn, uid: str, pod: HostPod, volume: Volume, data: StringMap) -> Act:
    first = volume.name not in dict(pod.files)
    files = (*(row for row in pod.files if row[0] != volume.name), (volume.name, data))
    return Act(
        "write-files",
        pod.ref,
        reason=volume.name,
        moment="" if first else "volume-refreshed",
        outcome="mounted" if first else "refreshed",
        background=first,
        host=with_pod(turn.host, uid, replace(pod, files=files)),
    )


def _mounting(view: Index, obj: Object) -> list[Ref]:
    """The pods that mount a ConfigMap."""
    pods = [
        pod for pod in view.find("Pod") if isinstance(pod, Pod) and pod.metadata.namespace == obj.metadata.namespace
    ]
    name = obj.metadata.name
    return [pod.ref for pod in pods if any(row.configMap and row.configMap.name == name for row in pod.spec.volumes)]


def _with_config(pod: HostPod) -> object:
    """When there is something to write, for a pod that mounts a ConfigMap at all."""
    return (pod.sandbox, pod.files) if any(row.configMap for row in pod.pod.spec.volumes) else None


def _told(worker: Worker) -> object:
    """A kubelet that begins anew finds its pods again after a while."""
    return worker.stage


def _on_host(old: Host, new: Host) -> list[Ref]:
    found = {ref for ref in changed_workers(old, new, _told) if _mounts(new, ref)}
    return sorted({*found, *changed_pods(old, new, _with_config)})


def _mounts(host: Host, ref: Ref) -> bool:
    return any(_with_config(pod) is not None for _, pod in pods_named(host, ref))


def _on_start(turn: Turn) -> list[Ref]:
    return sorted(pod.ref for _, pod in ordered(turn.host.pods) if _with_config(pod) is not None)


LOOP = Loop(
    name="kubelet-volumes",
    lane="kubelet",
    process="kubelet",
    reconcile=reconcile,
    per_node=True,
    wakes={"ConfigMap": _mounting},
    on_host=_on_host,
    on_start=_on_start,
)
