"""The driver's other half: it makes a disk, and a PersistentVolume of it, for each claim that asks for one.

As the external-provisioner beside a CSI driver. Not modelled: errors, and the deletion of disks.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from app.kube.meta import Ref
from app.kube.provisioning import DRIVER, PROVISIONER, made_for
from app.kube.storage import PersistentVolumeClaim
from app.loops.csi_driver import PROCESS
from app.sim.acts import Act, Create, Event, Wait
from app.sim.agenda import Due, decide
from app.sim.loop import Loop, Turn, own_key


class Begun(Struct, frozen=True):
    """When it began to make the disk."""

    at: int


def reconcile(turn: Turn) -> Act | Wait | None:
    """The disk for one claim."""
    claim = turn.read(PersistentVolumeClaim, turn.key)
    asked = claim is not None and claim.metadata.annotations.get(PROVISIONER) == DRIVER
    return decide(turn, _options(turn, claim)) if claim is not None and asked else None


def _options(turn: Turn, claim: PersistentVolumeClaim) -> Iterator[Act | Due]:
    volume = made_for(claim)
    if claim.spec.volumeName or turn.get(volume.ref) is not None:
        return
    name = volume.metadata.name
    if not isinstance(turn.memory, Begun):
        text = f'External provisioner is provisioning volume for claim "{claim.ref.path}"'
        yield Act(
            "provision",
            claim.ref,
            reason=name,
            moment="volume-provisioning",
            events=(_event(claim.ref, "Provisioning", text),),
            memory=Begun(turn.now),
        )
        return
    made = Act(
        "create-volume",
        volume.ref,
        reason=claim.metadata.name,
        moment="volume-provisioned",
        request=Create(volume),
        events=(_event(claim.ref, "ProvisioningSucceeded", f"Successfully provisioned volume {name}"),),
    )
    yield Due(turn.lag("volume-provision").after(turn.memory.at), lambda: made)


def _event(claim: Ref, reason: str, message: str) -> Event:
    return Event("Normal", reason, message, DRIVER, claim)


def _every(turn: Turn) -> list[Ref]:
    return [row.ref for row in turn.all(PersistentVolumeClaim)]


LOOP = Loop(
    name="csi-provisioner",
    lane="CSI driver",
    process=PROCESS,
    reconcile=reconcile,
    wakes={"PersistentVolumeClaim": own_key},
    reads=("PersistentVolume",),
    on_start=_every,
)
