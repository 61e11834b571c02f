"""Claims and disks to believe in."""

from __future__ import annotations

from typing import Any

from app.kube.meta import ObjectMeta, Ref
from app.kube.pods import ResourceRequirements
from app.kube.provisioning import DRIVER, PROVISIONER
from app.kube.storage import (
    ClaimReference,
    CSIPersistentVolumeSource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
)
from app.kube.stringmap import StringMap

KEY = Ref("PersistentVolumeClaim", "default", "data")
MINE = ClaimReference("default", "data")


def claim(
    name: str = "data", *, volume: str = "", asks: bool = False, size: str = "2Gi", **spec: Any
) -> PersistentVolumeClaim:
    notes = StringMap({PROVISIONER: DRIVER} if asks else {})
    given: dict[str, Any] = {"accessModes": ("ReadWriteOnce",), "volumeName": volume, **spec}
    return PersistentVolumeClaim(
        ObjectMeta(name=name, namespace="default", uid=f"uid-{name}", annotations=notes),
        PersistentVolumeClaimSpec(resources=ResourceRequirements(StringMap({"storage": size})), **given),
    )


def disk(name: str, size: str = "2Gi", **spec: Any) -> PersistentVolume:
    given: dict[str, Any] = {"accessModes": ("ReadWriteOnce",), "capacity": StringMap({"storage": size}), **spec}
    return PersistentVolume(
        ObjectMeta(name=name), PersistentVolumeSpec(csi=CSIPersistentVolumeSource(DRIVER, name), **given)
    )
