"""Attach-detach controller: a disk has to be on a node before the kubelet there can mount it, and on no other.

It works through VolumeAttachments, which the driver of the disk fulfils, and tells the kubelet by the Node's status.
Not modelled: volumesInUse, for which a real one waits before it detaches, and the detach by force six minutes after a
node was lost; here a disk is let go when the last pod that uses it is gone.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from app.kube import storage
from app.kube.meta import Ref
from app.kube.nodes import AttachedVolume, Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.storage import PersistentVolume, PersistentVolumeClaim, VolumeAttachment
from app.sim.acts import Act, Create, Delete, Event, PatchStatus, Wait
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

SOURCE = "attachdetach-controller"
TIMEOUT = 120_000
"""csiTimeout: an attachment that the driver has not fulfilled by then is told of, and waited for anew."""
BACK_OFF = 500


class Memory(Struct, frozen=True):
    """What it keeps in mind of one volume."""

    told: tuple[str, ...] = ()
    """Nodes for which it has complained that another one has the volume."""
    began: tuple[tuple[str, int], ...] = ()
    """Since when it waits for an attachment, by node."""


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next thing about one volume: let it go, ask for it, or tell that it is there."""
    volume = turn.read(PersistentVolume, turn.key)
    if volume is None or volume.spec.csi is None:
        return None
    users = _users(turn, volume)
    held = [row for row in turn.all(VolumeAttachment) if row.spec.source.persistentVolumeName == turn.key.name]
    for row in held:
        if row.spec.nodeName not in users and not row.terminating:
            return _let_go(turn, volume, row)
    for node, pods in sorted(users.items()):
        there = [row for row in held if row.spec.nodeName == node]
        decision = _awaited(turn, volume, there[0], pods) if there else _asked(turn, volume, node, held)
        if decision is not None:
            return decision
    return None


def _users(turn: Turn, volume: PersistentVolume) -> dict[str, list[Pod]]:
    """The bound pods whose claims are this volume's, by node; a pod that is over keeps its disk until it is gone."""
    claimed = [row for row in turn.all(PersistentVolumeClaim) if row.spec.volumeName == volume.metadata.name]
    found: dict[str, list[Pod]] = {}
    for claim in claimed:
        for pod in turn.all(Pod, claim.metadata.namespace):
            if pod.spec.nodeName and claim.ref in storage.claims(pod):
                found.setdefault(pod.spec.nodeName, []).append(pod)
    return found


def _memory(turn: Turn) -> Memory:
    return turn.memory if isinstance(turn.memory, Memory) else Memory()


def _asked(turn: Turn, volume: PersistentVolume, node: str, held: Sequence[VolumeAttachment]) -> Act | None:
    """An attachment for a node that has none, unless another node has the volume for itself."""
    known, name = _memory(turn), volume.metadata.name
    pods = _users(turn, volume)[node]
    if held and volume.exclusive:
        if node in known.told:
            return None
        others = [pod for row in held for pod in _users(turn, volume).get(row.spec.nodeName, ())]
        same = tuple(pod.metadata.name for pod in others if pod.metadata.namespace == pods[0].metadata.namespace)
        return Act(
            "refuse-attach",
            pods[0].ref,
            reason=f"{name} is on {held[0].spec.nodeName}",
            moment="multi-attach",
            outcome="refused",
            events=tuple(_event("Warning", storage.multi_attach(name, same), pod) for pod in pods),
            memory=replace(known, told=(*known.told, node)),
        )
    made = storage.attachment(volume, node)
    return Act(
        "attach",
        made.ref,
        reason=f"{name} to {node}",
        moment="attach-requested",
        request=Create(made),
        memory=Memory(
            tuple(row for row in known.told if row != node),
            (*(row for row in known.began if row[0] != node), (node, turn.now)),
        ),
    )


def _awaited(turn: Turn, volume: PersistentVolume, row: VolumeAttachment, pods: Sequence[Pod]) -> Act | Wait | None:
    """An attachment that is fulfilled is written to the Node; one that is not is waited for."""
    known, node = _memory(turn), row.spec.nodeName
    machine = turn.read(Node, Ref("Node", "", node))
    if row.terminating or machine is None:
        return None
    if row.status.attached:
        if volume.unique_name in _names(machine):
            return None
        status = replace(
            machine.status, volumesAttached=(*machine.status.volumesAttached, AttachedVolume(volume.unique_name))
        )
        return Act(
            "confirm-attach",
            machine.ref,
            reason=f"{volume.metadata.name} to {node}",
            moment="volume-attached",
            request=PatchStatus(machine, replace(machine, status=status)),
            events=tuple(_event("Normal", storage.attached(volume.metadata.name), pod) for pod in pods),
        )
    end = dict(known.began).get(node, turn.now) + TIMEOUT
    if turn.now < end:
        return Wait(Bounds.at(end), memory=known)
    began = (*(entry for entry in known.began if entry[0] != node), (node, turn.now + BACK_OFF))
    return Act(
        "time-out",
        pods[0].ref,
        reason=f"{volume.metadata.name} to {node}",
        moment="attach-timed-out",
        outcome="no answer",
        events=tuple(_event("Warning", storage.attach_timed_out(volume), pod) for pod in pods),
        memory=replace(known, began=began),
    )


def _let_go(turn: Turn, volume: PersistentVolume, row: VolumeAttachment) -> Act:
    """Nobody there uses it any more: the node is told first, then the attachment goes."""
    node, what = row.spec.nodeName, f"{volume.metadata.name} from {row.spec.nodeName}"
    machine = turn.read(Node, Ref("Node", "", node))
    if machine is not None and volume.unique_name in _names(machine):
        left = tuple(entry for entry in machine.status.volumesAttached if entry.name != volume.unique_name)
        wanted = replace(machine, status=replace(machine.status, volumesAttached=left))
        request = PatchStatus(machine, wanted)
        return Act("confirm-detach", machine.ref, reason=what, request=request, background=True)
    return Act("detach", row.ref, reason=what, moment="detach-requested", request=Delete(row.ref))


def _names(node: Node) -> list[str]:
    return [row.name for row in node.status.volumesAttached]


def _event(type_: str, message: str, pod: Pod) -> Event:
    reason = "SuccessfulAttachVolume" if type_ == "Normal" else "FailedAttachVolume"
    return Event(type_, reason, message, SOURCE, pod.ref)


def _of_pod(view: Index, obj: Object) -> list[Ref]:
    found = [view.get(ref) for ref in storage.claims(obj)] if isinstance(obj, Pod) else []
    names = [row.object.spec.volumeName for row in found if row and isinstance(row.object, PersistentVolumeClaim)]
    return [Ref("PersistentVolume", "", name) for name in names if name]


def _of_claim(_: Index, obj: Object) -> list[Ref]:
    name = obj.spec.volumeName if isinstance(obj, PersistentVolumeClaim) else ""
    return [Ref("PersistentVolume", "", name)] if name else []


def _of_attachment(_: Index, obj: Object) -> list[Ref]:
    name = obj.spec.source.persistentVolumeName if isinstance(obj, VolumeAttachment) else ""
    return [Ref("PersistentVolume", "", name)] if name else []


def _own(_: Index, obj: Object) -> list[Ref]:
    return [obj.ref]


def _every(turn: Turn) -> list[Ref]:
    return [volume.ref for volume in turn.all(PersistentVolume)]


LOOP = Loop(
    name="attach-detach",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={
        "Pod": _of_pod,
        "PersistentVolumeClaim": _of_claim,
        "PersistentVolume": _own,
        "VolumeAttachment": _of_attachment,
    },
    reads=("Node",),
    on_start=_every,
)
