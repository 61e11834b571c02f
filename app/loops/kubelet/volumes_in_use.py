"""Which disks a machine needs: its kubelet says so in the Node's status, with every report, and before it mounts one.

A disk is not detached as long as it stands there. A kubelet that has just started lets go of nothing that it finds.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube import storage
from app.kube.machine_grammar import TICK
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.storage import PersistentVolume, PersistentVolumeClaim
from app.loops.host_pods import changed_pods, changed_workers, pods_named
from app.loops.kubelet.node_status import phase
from app.sim.acts import Act, PatchStatus, Wait
from app.sim.agenda import Due, decide
from app.sim.host import Host, HostPod, Worker
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key
from app.sim.maps import ordered


def reconcile(turn: Turn) -> Act | Wait | None:
    """The list in the Node's status, if it has to change."""
    node = turn.read(Node, turn.key)
    if not turn.host.power or node is None:
        return None
    wanted = tuple(sorted({disk.unique_name for disk in _needed(turn) if disk.unique_name}))
    return decide(turn, _options(turn, node, wanted)) if wanted != node.status.volumesInUse else None


def _options(turn: Turn, node: Node, wanted: tuple[str, ...]) -> Iterator[Due]:
    after = replace(node, status=replace(node.status, volumesInUse=wanted))
    made = Act(
        "report-volumes",
        node.ref,
        reason="needs a disk" if set(wanted) - set(node.status.volumesInUse) else "has let go of a disk",
        moment="volumes-in-use",
        request=PatchStatus(node, after),
    )
    yield Due(Bounds.at(turn.now + (phase(turn.host) - turn.now) % TICK), lambda: made)


def _needed(turn: Turn) -> Iterator[PersistentVolume]:
    for uid, pod in ordered(turn.host.pods):
        worker = turn.host.workers.get(uid)
        if worker is not None and (worker.volumes == "gone" or _never_mounted(worker)):
            continue
        for ref in storage.claims(pod.pod):
            claim = turn.read(PersistentVolumeClaim, ref)
            name = claim.spec.volumeName if claim is not None else ""
            found = turn.read(PersistentVolume, Ref(PersistentVolume.kind, "", name))
            if found is not None:
                yield found


def _never_mounted(worker: Worker) -> bool:
    return worker.volumes == "waiting" and worker.stage in ("terminated", "finished")


def _node_of_users(view: Index, _: Object) -> list[Ref]:
    """The Node, if a pod on it has a disk."""
    rows = [pod for pod in view.find("Pod") if isinstance(pod, Pod) and pod.spec.nodeName and storage.claims(pod)]
    return sorted({Ref("Node", "", pod.spec.nodeName) for pod in rows})


def _state(worker: Worker) -> object:
    return worker.stage, worker.volumes


def _there(pod: HostPod) -> object:
    return pod.pod.spec.volumes


def _on_host(old: Host, new: Host) -> list[Ref]:
    changed = {*changed_workers(old, new, _state), *changed_pods(old, new, _there)}
    rows = [pod for ref in changed for host in (old, new) for _, pod in pods_named(host, ref)]
    return [Ref("Node", "", new.node)] if any(storage.claims(pod.pod) for pod in rows) else []


def _on_start(turn: Turn) -> list[Ref]:
    return [Ref("Node", "", turn.node)]


LOOP = Loop(
    name="kubelet-volumes-in-use",
    lane="kubelet",
    process="kubelet",
    reconcile=reconcile,
    per_node=True,
    wakes={"Node": own_key, "PersistentVolume": _node_of_users, "PersistentVolumeClaim": _node_of_users},
    on_host=_on_host,
    on_start=_on_start,
    watches_mine=frozenset({"Pod", "Node"}),
    retry=(TICK, TICK),
)
