"""What a kubelet frees of the node itself before it evicts a pod, as buildSignalToNodeReclaimFuncs upstream."""

from __future__ import annotations

from typing import NamedTuple


class Reclaim(NamedTuple):
    containers: bool = False
    """Deletes dead containers."""
    images: bool = False
    """Deletes images that no container uses."""


def node_reclaim(signal: str, *, image_fs: bool = False, split: bool = False) -> Reclaim:
    """Nothing for memory and pids; of disks, what lies on the one that is short."""
    disk = signal.partition(".")[0]
    if disk not in ("nodefs", "imagefs", "containerfs"):
        return Reclaim()
    if not image_fs:
        return Reclaim(containers=True, images=True)
    if split:
        return Reclaim(images=True) if disk == "imagefs" else Reclaim(containers=True)
    return Reclaim() if disk == "nodefs" else Reclaim(containers=True, images=True)
