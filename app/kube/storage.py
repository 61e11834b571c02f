"""Claims, volumes and their attachments, as far as they hold up a pod: who may have a disk, and on which node it is."""

from __future__ import annotations

import hashlib
from typing import ClassVar

from msgspec import Struct

from app.kube.meta import ObjectMeta, Ref
from app.kube.pods import Pod, ResourceRequirements
from app.kube.stringmap import EMPTY, StringMap

ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
SHARED = frozenset({"ReadWriteMany", "ReadOnlyMany"})
"""Access modes with which several nodes may have a volume at once."""


class PersistentVolumeClaimSpec(Struct, frozen=True, omit_defaults=True):
    accessModes: tuple[str, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    storageClassName: str = ""
    volumeName: str = ""


class PersistentVolumeClaimStatus(Struct, frozen=True, omit_defaults=True):
    phase: str = ""


class PersistentVolumeClaim(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "PersistentVolumeClaim"
    apiVersion: ClassVar[str] = "v1"
    metadata: ObjectMeta
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()

    @property
    def ref(self) -> Ref:
        return Ref("PersistentVolumeClaim", self.metadata.namespace, self.metadata.name)


class CSIPersistentVolumeSource(Struct, frozen=True, omit_defaults=True):
    driver: str
    volumeHandle: str


class ClaimReference(Struct, frozen=True, omit_defaults=True):
    namespace: str = ""
    name: str = ""


class PersistentVolumeSpec(Struct, frozen=True, omit_defaults=True):
    accessModes: tuple[str, ...] = ()
    capacity: StringMap = EMPTY
    storageClassName: str = ""
    csi: CSIPersistentVolumeSource | None = None
    claimRef: ClaimReference | None = None
    """The claim that it is kept for."""


class PersistentVolume(Struct, frozen=True, omit_defaults=True):
    """Without `csi` it is of a kind that needs no attaching."""

    kind: ClassVar[str] = "PersistentVolume"
    apiVersion: ClassVar[str] = "v1"
    metadata: ObjectMeta
    spec: PersistentVolumeSpec = PersistentVolumeSpec()

    @property
    def ref(self) -> Ref:
        return Ref("PersistentVolume", "", self.metadata.name)

    @property
    def exclusive(self) -> bool:
        """Whether only one node at a time may have it."""
        return not SHARED.intersection(self.spec.accessModes)

    @property
    def unique_name(self) -> str:
        """What nodes call it in status.volumesAttached; empty for one that needs no attaching."""
        csi = self.spec.csi
        return f"kubernetes.io/csi/{csi.driver}^{csi.volumeHandle}" if csi is not None else ""


class VolumeAttachmentSource(Struct, frozen=True, omit_defaults=True):
    persistentVolumeName: str = ""


class VolumeAttachmentSpec(Struct, frozen=True, omit_defaults=True):
    attacher: str
    nodeName: str
    source: VolumeAttachmentSource = VolumeAttachmentSource()


class VolumeAttachmentStatus(Struct, frozen=True, omit_defaults=True):
    attached: bool = False


class VolumeAttachment(Struct, frozen=True, omit_defaults=True):
    """The wish that a volume be on a node, and whether it is: written by two who share nothing else."""

    kind: ClassVar[str] = "VolumeAttachment"
    apiVersion: ClassVar[str] = "storage.k8s.io/v1"
    metadata: ObjectMeta
    spec: VolumeAttachmentSpec
    status: VolumeAttachmentStatus = VolumeAttachmentStatus()

    @property
    def ref(self) -> Ref:
        return Ref("VolumeAttachment", "", self.metadata.name)

    @property
    def terminating(self) -> bool:
        return self.metadata.deletionTimestamp is not None


def attachment(volume: PersistentVolume, node: str) -> VolumeAttachment:
    """What the attach-detach controller creates (getAttachmentName in pkg/volume/csi/csi_attacher.go, cut short)."""
    csi = volume.spec.csi
    driver, handle = (csi.driver, csi.volumeHandle) if csi is not None else ("", "")
    digest = hashlib.sha256(f"{handle}{driver}{node}".encode()).hexdigest()
    meta = ObjectMeta(name=f"csi-{digest[:16]}", finalizers=(f"external-attacher/{driver.replace('.', '-')}",))
    return VolumeAttachment(meta, VolumeAttachmentSpec(driver, node, VolumeAttachmentSource(volume.metadata.name)))


def claims(pod: Pod) -> tuple[Ref, ...]:
    """The claims that a pod uses."""
    sources = [row.persistentVolumeClaim for row in pod.spec.volumes]
    namespace = pod.metadata.namespace
    return tuple(Ref("PersistentVolumeClaim", namespace, row.claimName) for row in sources if row is not None)


def attached(name: str) -> str:
    return f'AttachVolume.Attach succeeded for volume "{name}"'


def multi_attach(name: str, users: tuple[str, ...], others: int = 0) -> str:
    """What is told of an exclusive volume that another node has; `users` are the pods there that can be named."""
    where = f'Multi-Attach error for volume "{name}" Volume is already'
    elsewhere = f"{others} pod(s) in different namespaces"
    if users:
        return f"{where} used by pod(s) {', '.join(users)}" + (f" and {elsewhere}" if others else "")
    if others:
        return f"{where} used by {elsewhere}"
    return f"{where} exclusively attached to one node and can't be attached to another"


def attach_timed_out(volume: PersistentVolume) -> str:
    csi = volume.spec.csi
    driver, handle = (csi.driver, csi.volumeHandle) if csi is not None else ("", "")
    return (
        f'AttachVolume.Attach failed for volume "{volume.metadata.name}" : '
        f"timed out waiting for external-attacher of {driver} CSI driver to attach volume {handle}"
    )


def mount_failed(volume: str, error: str) -> str:
    return f'MountVolume.SetUp failed for volume "{volume}" : {error}'
