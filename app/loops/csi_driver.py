"""A disk's driver beside the control plane: it fulfils VolumeAttachments, and knows nothing of pods.

The external-attacher and the driver's controller plugin in one. Not modelled: drivers that answer with an error, and
snapshots.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.kube.disks import attach_takes
from app.kube.meta import Ref
from app.kube.objects import Object
from app.kube.storage import PersistentVolume, VolumeAttachment
from app.sim.acts import Act, Patch, UpdateStatus, Wait
from app.sim.index import Index
from app.sim.lags import Bounds, Lag
from app.sim.loop import Loop, Turn, own_key

PROCESS = "csi-driver"


class Since(Struct, frozen=True):
    """When it began with what it does about an attachment."""

    what: str
    at: int


def reconcile(turn: Turn) -> Act | Wait | None:
    """Attach what is asked for, detach what is being deleted."""
    row = turn.read(VolumeAttachment, turn.key)
    if row is None or (row.status.attached and not row.terminating):
        return None
    volume = turn.read(PersistentVolume, Ref("PersistentVolume", "", row.spec.source.persistentVolumeName))
    what = "detach" if row.terminating else "attach"
    known = turn.memory if isinstance(turn.memory, Since) and turn.memory.what == what else Since(what, turn.now)
    bounds = _takes(turn, volume, known)
    if bounds is None:
        return None
    if not turn.reached(bounds):
        return Wait(bounds, memory=known)
    return _detached(row) if row.terminating else _attached(row)


def _takes(turn: Turn, volume: PersistentVolume | None, known: Since) -> Bounds | None:
    """When it is done, if ever."""
    if known.what == "detach":
        return turn.lag("volume-detach").after(known.at)
    lag = turn.lag("volume-attach")
    takes = lag.usual if volume is None else attach_takes(volume, lag.usual)
    if takes is None:
        return None
    return (lag if takes == lag.usual else Lag(takes, takes, takes)).after(known.at)


def _attached(row: VolumeAttachment) -> Act:
    return Act(
        "fulfil",
        row.ref,
        reason=f"{row.spec.source.persistentVolumeName} to {row.spec.nodeName}",
        moment="disk-attached",
        request=UpdateStatus(replace(row, status=replace(row.status, attached=True))),
    )


def _detached(row: VolumeAttachment) -> Act:
    return Act(
        "release",
        row.ref,
        reason=f"{row.spec.source.persistentVolumeName} from {row.spec.nodeName}",
        moment="disk-detached",
        request=Patch(row.ref, (("metadata.finalizers", ()),)),
    )


def _of_volume(view: Index, obj: Object) -> list[Ref]:
    """The attachments of a volume, whose ways may have changed."""
    rows = [row for row in view.find(VolumeAttachment.kind) if isinstance(row, VolumeAttachment)]
    return [row.ref for row in rows if row.spec.source.persistentVolumeName == obj.metadata.name]


def _every(turn: Turn) -> list[Ref]:
    return [row.ref for row in turn.all(VolumeAttachment)]


LOOP = Loop(
    name="csi-driver",
    lane="CSI driver",
    process=PROCESS,
    reconcile=reconcile,
    wakes={"VolumeAttachment": own_key, "PersistentVolume": _of_volume},
    on_start=_every,
)
