"""Attach-detach controller: a disk has to be on a node before the kubelet there can mount it, and on no other.

It works through VolumeAttachments, which the driver of the disk fulfils, and tells the kubelet by the Node's status,
where the kubelet says which disks it uses. Not modelled: its period of 100 ms, and nodes that keep the volumes of pods
that are over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from app.kube import storage
from app.kube.meta import Ref, condition
from app.kube.nodes import AttachedVolume, Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.storage import PersistentVolume, PersistentVolumeClaim, VolumeAttachment
from app.sim.acts import Act, Create, Delete, Event, PatchStatus, Wait
from app.sim.agenda import Due, decide
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

SOURCE = "attachdetach-controller"
TIMEOUT = 120_000
"""csiTimeout: an attachment that the driver has not fulfilled by then is told of, and waited for anew."""
BACK_OFF = 500
LONGEST_WAIT = 360_000
"""maxWaitForUnmountDuration: so long a node that is not healthy may use a disk that nobody needs there."""
OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"


class Memory(Struct, frozen=True):
    """What it keeps in mind of one volume."""

    told: tuple[str, ...] = ()
    """The uids of pods that were told that another node has the volume."""
    began: tuple[tuple[str, int], ...] = ()
    """Since when it waits for an attachment, by node."""
    leaving: tuple[tuple[str, int], ...] = ()
    """Since when it waits for a node to unmount the volume."""


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next thing about one volume: let it go, ask for it, or tell that it is there."""
    volume = turn.read(PersistentVolume, turn.key)
    if volume is None or volume.spec.csi is None:
        return None
    users = _users(turn, volume)
    held = [row for row in turn.all(VolumeAttachment) if row.spec.source.persistentVolumeName == turn.key.name]
    return decide(turn, _options(turn, volume, users, held))


def _options(
    turn: Turn, volume: PersistentVolume, users: dict[str, list[Pod]], held: Sequence[VolumeAttachment]
) -> Iterator[Act | Due]:
    for row in held:
        if row.spec.nodeName not in users and not row.terminating:
            yield from _leaving(turn, volume, row)
    for node, pods in sorted(users.items()):
        there = [row for row in held if row.spec.nodeName == node]
        yield from _awaited(turn, volume, there[0], pods) if there else _asked(turn, volume, users, node, held)


def _users(turn: Turn, volume: PersistentVolume) -> dict[str, list[Pod]]:
    """The bound pods whose claims are this volume's, by node, without those that are over."""
    claimed = [row for row in turn.all(PersistentVolumeClaim) if row.spec.volumeName == volume.metadata.name]
    found: dict[str, list[Pod]] = {}
    for claim in claimed:
        for pod in turn.all(Pod, claim.metadata.namespace):
            if pod.spec.nodeName and not pod.finished and claim.ref in storage.claims(pod):
                found.setdefault(pod.spec.nodeName, []).append(pod)
    return found


def _memory(turn: Turn) -> Memory:
    return turn.memory if isinstance(turn.memory, Memory) else Memory()


def _asked(
    turn: Turn, volume: PersistentVolume, users: dict[str, list[Pod]], node: str, held: Sequence[VolumeAttachment]
) -> Iterator[Act]:
    """An attachment for a node that has none, unless another node has the volume for itself."""
    known, name = _memory(turn), volume.metadata.name
    if held and volume.exclusive:
        waiting = [pod for pod in users[node] if pod.metadata.uid not in known.told]
        if waiting:
            holders = [pod for row in held for pod in users.get(row.spec.nodeName, ())]
            yield _refused(volume, waiting, holders, held[0].spec.nodeName, known)
        return
    made = storage.attachment(volume, node)
    began = (*(row for row in known.began if row[0] != node), (node, turn.now))
    yield Act(
        "attach",
        made.ref,
        reason=f"{name} to {node}",
        moment="attach-requested",
        request=Create(made),
        memory=replace(known, told=(), began=began),
    )


def _refused(volume: PersistentVolume, pods: list[Pod], holders: list[Pod], node: str, known: Memory) -> Act:
    """Told once to each pod that has to wait."""
    name, namespace = volume.metadata.name, pods[0].metadata.namespace
    same = tuple(pod.metadata.name for pod in holders if pod.metadata.namespace == namespace)
    text = storage.multi_attach(name, same, len(holders) - len(same))
    return Act(
        "refuse-attach",
        pods[0].ref,
        reason=f"{name} is on {node}",
        moment="multi-attach",
        outcome="refused",
        events=tuple(_event("Warning", text, pod) for pod in pods),
        memory=replace(known, told=(*known.told, *(pod.metadata.uid for pod in pods))),
    )


def _awaited(turn: Turn, volume: PersistentVolume, row: VolumeAttachment, pods: Sequence[Pod]) -> Iterator[Act | Due]:
    """An attachment that is fulfilled is written to the Node; one that is not is waited for."""
    known, node = _memory(turn), row.spec.nodeName
    machine = _machine(turn, node)
    if row.terminating or machine is None:
        return
    if row.status.attached:
        if volume.unique_name not in _names(machine):
            yield _confirmed(volume, machine, pods)
        return
    since = dict(known.began).get(node)
    if since is None:
        # A controller that has just started waits anew.
        yield _waits("await-driver", row, replace(known, began=(*known.began, (node, turn.now))))
        return
    began = (*(entry for entry in known.began if entry[0] != node), (node, turn.now + BACK_OFF))
    late = Act(
        "time-out",
        pods[0].ref,
        reason=f"{volume.metadata.name} to {node}",
        moment="attach-timed-out",
        outcome="no answer",
        events=tuple(_event("Warning", storage.attach_timed_out(volume), pod) for pod in pods),
        memory=replace(known, began=began),
    )
    yield Due(Bounds.at(max(since + TIMEOUT, turn.now)), lambda: late)


def _confirmed(volume: PersistentVolume, machine: Node, pods: Sequence[Pod]) -> Act:
    rows = (*machine.status.volumesAttached, AttachedVolume(volume.unique_name))
    status = replace(machine.status, volumesAttached=rows)
    return Act(
        "confirm-attach",
        machine.ref,
        reason=f"{volume.metadata.name} to {machine.metadata.name}",
        moment="volume-attached",
        request=PatchStatus(machine, replace(machine, status=status)),
        events=tuple(_event("Normal", storage.attached(volume.metadata.name), pod) for pod in pods),
    )


def _leaving(turn: Turn, volume: PersistentVolume, row: VolumeAttachment) -> Iterator[Act | Due]:
    """Nobody there needs it any more: it goes as soon as the kubelet has unmounted it, or cannot be asked."""
    node, known = row.spec.nodeName, _memory(turn)
    machine = _machine(turn, node)
    if machine is None or volume.unique_name not in machine.status.volumesInUse or _out_of_service(machine):
        yield _let_go(volume, row, machine, known)
        return
    since = dict(known.leaving).get(node)
    if since is None:
        yield _waits("await-unmount", row, replace(known, leaving=(*known.leaving, (node, turn.now))))
    elif not _healthy(machine):
        yield Due(Bounds.at(max(since + LONGEST_WAIT, turn.now)), lambda: _let_go(volume, row, machine, known))


def _waits(verb: str, row: VolumeAttachment, memory: Memory) -> Act:
    return Act(verb, row.ref, reason=row.spec.nodeName, memory=memory, background=True)


def _let_go(volume: PersistentVolume, row: VolumeAttachment, machine: Node | None, known: Memory) -> Act:
    """The node is told first, then the attachment goes."""
    node, what = row.spec.nodeName, f"{volume.metadata.name} from {row.spec.nodeName}"
    if machine is not None and volume.unique_name in _names(machine):
        left = tuple(entry for entry in machine.status.volumesAttached if entry.name != volume.unique_name)
        wanted = replace(machine, status=replace(machine.status, volumesAttached=left))
        request = PatchStatus(machine, wanted)
        return Act("confirm-detach", machine.ref, reason=what, request=request, background=True)
    rest = tuple(entry for entry in known.leaving if entry[0] != node)
    return Act(
        "detach",
        row.ref,
        reason=what,
        moment="detach-requested",
        request=Delete(row.ref),
        memory=replace(known, leaving=rest),
    )


def _machine(turn: Turn, name: str) -> Node | None:
    return turn.read(Node, Ref("Node", "", name))


def _healthy(node: Node) -> bool:
    row = condition(node.status.conditions, "Ready")
    return row is not None and row.status == "True"


def _out_of_service(node: Node) -> bool:
    return any(taint.key == OUT_OF_SERVICE for taint in node.spec.taints)


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


def _of_node(view: Index, obj: Object) -> list[Ref]:
    """The volumes that are on a node, or on their way."""
    rows = [row for row in view.find(VolumeAttachment.kind) if isinstance(row, VolumeAttachment)]
    names = [row.spec.source.persistentVolumeName for row in rows if row.spec.nodeName == obj.metadata.name]
    return [Ref("PersistentVolume", "", name) for name in names]


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
        "Node": _of_node,
    },
    on_start=_every,
)
