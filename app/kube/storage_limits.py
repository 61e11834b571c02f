"""Limits of a pod's own that end in its eviction, whatever the node has left: emptyDir, pod and container storage.

As localStorageEviction in pkg/kubelet/eviction/eviction_manager.go, which asks in this order.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from app.kube import eviction_messages as messages
from app.kube.pods import PodSpec
from app.kube.quantity import in_bytes, value
from app.kube.resources import pod_limits

STORAGE = "ephemeral-storage"


class DiskUse(Struct, frozen=True):
    """Bytes on the disk of a pod, by container and by volume."""

    root: Mapping[str, int] = {}
    """Writable layers."""
    logs: Mapping[str, int] = {}
    volumes: Mapping[str, int] = {}
    """Those that lie on this machine and not in its memory."""

    @property
    def total(self) -> int:
        return sum((*self.root.values(), *self.logs.values(), *self.volumes.values()))


def limit_exceeded(spec: PodSpec, used: DiskUse, *, image_fs: bool = False) -> str:
    """The message of the eviction; empty while the pod keeps to its limits."""
    for volume in spec.volumes:
        limit = volume.emptyDir.sizeLimit if volume.emptyDir else ""
        if limit and 0 < value(limit) < used.volumes.get(volume.name, 0):
            return messages.empty_dir(volume.name, limit)
    total = pod_limits(spec).get(STORAGE)
    if total is not None and used.total > total:
        return messages.pod_storage(in_bytes(total))
    for row in spec.containers:
        limit = row.resources.limits.get(STORAGE) or ""
        # With a disk of its own for images, the writable layer is not counted here.
        own = used.logs.get(row.name, 0) + (0 if image_fs else used.root.get(row.name, 0))
        if limit and 0 < value(limit) < own:
            return messages.container_storage(row.name, limit)
    return ""
