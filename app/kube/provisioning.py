"""Which volume a claim gets: one that is there and free, or one that is made for it.

Not modelled: StorageClasses, of which there is one for every name, and volumes that are made where a pod needs them
(WaitForFirstConsumer).
"""

from __future__ import annotations

from collections.abc import Iterable

from app.kube import quantity
from app.kube.meta import ObjectMeta
from app.kube.storage import (
    ClaimReference,
    CSIPersistentVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeSpec,
)
from app.kube.stringmap import StringMap

DRIVER = "csi.example.com"
"""The driver of disks that are made on demand."""
PROVISIONER = "volume.kubernetes.io/storage-provisioner"
"""The annotation of a claim that asks for a volume to be made."""
STORAGE = "storage"


def match(
    claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume], claims: Iterable[PersistentVolumeClaim]
) -> PersistentVolume | None:
    """The one that is kept for it, or else the smallest that is free and will do (findBestMatchForClaim)."""
    taken = {row.spec.volumeName for row in claims}
    free = [row for row in volumes if row.metadata.name not in taken and _suits(claim, row)]
    return min(free, key=lambda row: (row.spec.claimRef is None, _size(row), row.metadata.name), default=None)


def _suits(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    if volume.spec.claimRef is not None:
        return volume.spec.claimRef == reference(claim)
    wanted = claim.spec.resources.requests.get(STORAGE)
    alike = volume.spec.storageClassName == claim.spec.storageClassName
    enough = wanted is None or quantity.value(wanted) <= _size(volume)
    return alike and enough and set(claim.spec.accessModes).issubset(volume.spec.accessModes)


def _size(volume: PersistentVolume) -> int:
    return quantity.value(volume.spec.capacity.get(STORAGE) or "0")


def reference(claim: PersistentVolumeClaim) -> ClaimReference:
    return ClaimReference(claim.metadata.namespace, claim.metadata.name)


def made_for(claim: PersistentVolumeClaim) -> PersistentVolume:
    """What the external provisioner creates."""
    return PersistentVolume(
        ObjectMeta(name=f"pvc-{claim.metadata.uid}"),
        PersistentVolumeSpec(
            accessModes=claim.spec.accessModes,
            capacity=StringMap({STORAGE: claim.spec.resources.requests.get(STORAGE) or "1Gi"}),
            storageClassName=claim.spec.storageClassName,
            csi=CSIPersistentVolumeSource(DRIVER, f"vol-{claim.metadata.uid[:8]}"),
            claimRef=reference(claim),
        ),
    )
