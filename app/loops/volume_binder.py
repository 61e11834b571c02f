"""PersistentVolume controller: every claim gets a volume, one that is free or one that is made for it.

As pkg/controller/volume/persistentvolume with classes that bind at once. Not modelled: reclaiming, and the finalizers
that keep claims and volumes in use from being deleted.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.kube.meta import Ref
from app.kube.objects import Object
from app.kube.provisioning import DRIVER, PROVISIONER, match
from app.kube.storage import PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus
from app.sim.acts import Act, Event, Patch, Wait
from app.sim.agenda import Due, decide
from app.sim.index import Index
from app.sim.loop import Loop, Turn, own_key

SOURCE = "persistentvolume-controller"
AWAITED = (
    f"Waiting for a volume to be created either by the external provisioner '{DRIVER}' or manually by the system "
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly "
    "registered."
)


def reconcile(turn: Turn) -> Act | Wait | None:
    """The claim that the key names, as long as it has no volume."""
    claim = turn.read(PersistentVolumeClaim, turn.key)
    return None if claim is None or claim.spec.volumeName else decide(turn, _options(turn, claim))


def _options(turn: Turn, claim: PersistentVolumeClaim) -> Iterator[Act | Due]:
    found = match(claim, turn.all(PersistentVolume), turn.all(PersistentVolumeClaim))
    if found is not None:
        name = found.metadata.name
        bound = (("spec.volumeName", name), ("status", PersistentVolumeClaimStatus("Bound")))
        yield Act("bind-claim", claim.ref, reason=name, moment="claim-bound", request=Patch(claim.ref, bound))
    elif PROVISIONER not in claim.metadata.annotations:
        yield Act(
            "ask-for-volume",
            claim.ref,
            reason="NothingFits",
            moment="volume-awaited",
            request=Patch(claim.ref, ((f"metadata.annotations.{PROVISIONER}", DRIVER),)),
            events=(Event("Normal", "ExternalProvisioning", AWAITED, SOURCE),),
        )


def _waiting(view: Index, _: Object) -> list[Ref]:
    """The claims that a volume may be for."""
    rows = [row for row in view.find(PersistentVolumeClaim.kind) if isinstance(row, PersistentVolumeClaim)]
    return [row.ref for row in rows if not row.spec.volumeName]


def _every(turn: Turn) -> list[Ref]:
    return [row.ref for row in turn.all(PersistentVolumeClaim)]


LOOP = Loop(
    name="volume-binder",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={"PersistentVolumeClaim": own_key, "PersistentVolume": _waiting},
    on_start=_every,
)
