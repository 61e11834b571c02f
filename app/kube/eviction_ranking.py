"""The order in which a kubelet under pressure would evict its pods. QoS classes play no part in it.

As the rank functions in pkg/kubelet/eviction/helpers.go. Upstream's sort is not stable; here equals go by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

EXCEEDS, PRIORITY, OVER = "exceeds", "priority", "over"

# What decides, the first difference first. A pod asks for no pids, so whether it exceeds is not asked.
KEYS: Mapping[str, tuple[str, ...]] = {
    "memory": (EXCEEDS, PRIORITY, OVER),
    "ephemeral-storage": (EXCEEDS, PRIORITY, OVER),
    "inodes": (EXCEEDS, PRIORITY, OVER),
    "pids": (PRIORITY, OVER),
}


class Candidate(Struct, frozen=True):
    """One pod with what it uses and asks for of the resource that is short."""

    name: str
    priority: int = 0
    usage: int | None = 0
    """None where nothing was measured: such a pod goes first."""
    request: int = 0
    reserved: int | None = None
    """What its excess is counted from, if that is not its request: of inodes, the storage it asks for."""

    @property
    def exceeds(self) -> bool:
        """Strictly: a pod that uses just what it asks for does not."""
        return self.usage is None or self.usage > self.request

    @property
    def over(self) -> int:
        """By how much it is above its request; below, it is negative."""
        return (self.usage or 0) - (self.request if self.reserved is None else self.reserved)


def order(candidates: Iterable[Candidate], keys: Sequence[str]) -> list[Candidate]:
    """The first goes first."""
    return sorted(candidates, key=lambda row: (*(value_of(row, key) for key in keys), row.name))


def rank(candidates: Iterable[Candidate], resource: str) -> list[Candidate]:
    """By the keys of the resource that is short."""
    return order(candidates, KEYS[resource])


def value_of(row: Candidate, key: str) -> tuple[bool, int]:
    """What is compared for one key: the smaller goes first."""
    if key == PRIORITY:
        return False, row.priority
    # What was not measured goes before all that was.
    return row.usage is not None, -row.over if key == OVER else int(not row.exceeds)


def measured(signal: str, *, image_fs: bool = False, split: bool = False) -> frozenset[str]:
    """Which of a pod's bytes count when a disk is short: `root` (writable layers), `logs`, `volumes`."""
    own_disk = signal.startswith(("imagefs", "containerfs"))
    if not image_fs:
        return frozenset({"root", "logs", "volumes"})
    if split:
        return frozenset() if signal.startswith("imagefs") else frozenset({"root", "logs", "volumes"})
    return frozenset({"root"}) if own_disk else frozenset({"logs", "volumes"})
