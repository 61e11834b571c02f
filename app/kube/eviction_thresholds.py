"""Eviction thresholds of a kubelet: what its settings say, and which of them what it observes has met.

As in pkg/kubelet/eviction/helpers.go. Durations are milliseconds.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from app.kube import durations
from app.kube.near_names import did_you_mean
from app.kube.quantity import canonical, in_bytes, parse, value
from app.kube.quoting import shown

MEMORY, ALLOCATABLE_MEMORY = "memory.available", "allocatableMemory.available"
NODEFS, NODEFS_INODES = "nodefs.available", "nodefs.inodesFree"
IMAGEFS, IMAGEFS_INODES = "imagefs.available", "imagefs.inodesFree"
CONTAINERFS, CONTAINERFS_INODES = "containerfs.available", "containerfs.inodesFree"
PIDS = "pid.available"

MEMORY_PRESSURE, DISK_PRESSURE, PID_PRESSURE = "MemoryPressure", "DiskPressure", "PIDPressure"

# What each signal runs short of, and the condition of the node that tells of it.
RESOURCES: dict[str, str] = {
    MEMORY: "memory",
    ALLOCATABLE_MEMORY: "memory",
    NODEFS: "ephemeral-storage",
    NODEFS_INODES: "inodes",
    IMAGEFS: "ephemeral-storage",
    IMAGEFS_INODES: "inodes",
    CONTAINERFS: "ephemeral-storage",
    CONTAINERFS_INODES: "inodes",
    PIDS: "pids",
}
CONDITIONS: dict[str, str] = {
    "memory": MEMORY_PRESSURE,
    "ephemeral-storage": DISK_PRESSURE,
    "inodes": DISK_PRESSURE,
    "pids": PID_PRESSURE,
}

DEFAULT_HARD: dict[str, str] = {
    MEMORY: "100Mi",
    NODEFS: "10%",
    NODEFS_INODES: "5%",
    IMAGEFS: "15%",
    IMAGEFS_INODES: "5%",
}
DEFAULT_TRANSITION = 300_000
ALLOWED_SIGNALS = (MEMORY, NODEFS, NODEFS_INODES, IMAGEFS, IMAGEFS_INODES, PIDS)


class Amount(Struct, frozen=True):
    """A quantity, or a part of what the signal has in all."""

    quantity: str = ""
    part: float | None = None

    def of(self, capacity: int) -> int:
        """In whole units. A part is a 32-bit float upstream, which shows in the odd numbers of its messages."""
        return value(self.quantity) if self.part is None else int(capacity * _single(self.part))

    def text(self, capacity: int) -> str:
        """As the messages print it."""
        return canonical(self.quantity) if self.part is None else in_bytes(self.of(capacity))


class Threshold(Struct, frozen=True):
    """Met while less than `amount` is available; hard without a grace."""

    signal: str
    amount: Amount
    grace: int = 0
    min_reclaim: Amount | None = None

    @property
    def resource(self) -> str:
        return RESOURCES[self.signal]

    @property
    def condition(self) -> str:
        return CONDITIONS[self.resource]

    @property
    def hard(self) -> bool:
        return self.grace == 0

    def least(self, capacity: int, *, with_reclaim: bool) -> int:
        """The least that must be available for it not to be met."""
        reclaim = self.min_reclaim.of(capacity) if with_reclaim and self.min_reclaim else 0
        return self.amount.of(capacity) + reclaim


class Observation(NamedTuple):
    """What is left of something, and how much there is in all."""

    available: int
    capacity: int = 0
    at: int = 0
    """When it was measured."""


Since = tuple[tuple[Threshold, int], ...]


# Reading.


def read(
    hard: Mapping[str, str],
    soft: Mapping[str, str],
    grace: Mapping[str, str],
    min_reclaim: Mapping[str, str],
    *,
    enforces_pods: bool = False,
) -> tuple[Threshold, ...]:
    """ParseThresholdConfig; ValueError where a kubelet would refuse to start."""
    reclaims = {signal: _reclaim(signal, text) for signal, text in min_reclaim.items()}
    graces = {signal: _grace(signal, text) for signal, text in grace.items()}
    found = [row for signal, text in hard.items() if (row := _threshold(signal, text)) is not None]
    for signal, text in soft.items():
        row = _threshold(signal, text)
        if row is None:
            continue
        if signal not in graces:
            raise ValueError(f"the soft threshold of {signal} has no grace period; allowed: one such as {signal}=90s")
        found.append(Threshold(signal, row.amount, graces[signal]))
    found = [Threshold(row.signal, row.amount, row.grace, reclaims.get(row.signal)) for row in found]
    # The pods' own cgroup is held to the hard threshold of memory, too.
    copies = [row for row in found if row.signal == MEMORY and row.hard] if enforces_pods else []
    return (*found, *(Threshold(ALLOCATABLE_MEMORY, row.amount, 0, row.min_reclaim) for row in copies))


def _threshold(signal: str, text: str) -> Threshold | None:
    """None for a percentage that switches the threshold off."""
    _known(signal)
    if not text.endswith("%"):
        if _quantity(text) <= 0:
            raise ValueError(f"found {shown(text)} for {signal}; allowed: more than 0")
        return Threshold(signal, Amount(text))
    if text in ("0%", "100%"):
        return None
    part = _part(text)
    if not 0 <= part <= 1:
        raise ValueError(f"found {shown(text)} for {signal}; allowed: 0% to 100%")
    return Threshold(signal, Amount(part=part))


def _reclaim(signal: str, text: str) -> Amount:
    _known(signal)
    if text.endswith("%"):
        if _part(text) <= 0:
            raise ValueError(f"found {shown(text)} to reclaim of {signal}; allowed: more than 0%")
        return Amount(part=_part(text))
    if _quantity(text) < 0:
        raise ValueError(f"found {shown(text)} to reclaim of {signal}; allowed: 0 or more")
    return Amount(text)


def _grace(signal: str, text: str) -> int:
    _known(signal)
    return durations.parse(text)


def _known(signal: str) -> None:
    if signal not in RESOURCES:
        allowed = ", ".join(ALLOWED_SIGNALS)
        raise ValueError(
            f"no eviction signal {shown(signal)}; allowed: {allowed}{did_you_mean(signal, ALLOWED_SIGNALS)}"
        )


def _part(text: str) -> float:
    try:
        return float(text.rstrip("%")) / 100
    except ValueError:
        raise ValueError(f"found {shown(text)}; allowed: a percentage such as 10%") from None


def _quantity(text: str) -> float:
    return float(parse(text))


def _single(number: float) -> float:
    """The 32-bit float next to a number."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def with_container_fs(
    thresholds: Sequence[Threshold], *, image_fs: bool = False, split: bool = False
) -> tuple[Threshold, ...]:
    """UpdateContainerFsThresholds: containerfs is never set, it follows nodefs, or an imagefs that holds containers."""
    own = (CONTAINERFS, CONTAINERFS_INODES)
    source = {IMAGEFS: CONTAINERFS, IMAGEFS_INODES: CONTAINERFS_INODES}
    if split or not image_fs:
        source = {NODEFS: CONTAINERFS, NODEFS_INODES: CONTAINERFS_INODES}
    kept = [row for row in thresholds if row.signal not in own]
    made = [
        Threshold(source[row.signal], row.amount, row.grace, row.min_reclaim) for row in kept if row.signal in source
    ]
    return (*kept, *made)


# What is met.


def met(
    thresholds: Iterable[Threshold], observed: Mapping[str, Observation], *, with_reclaim: bool = False
) -> list[Threshold]:
    """Whatever the grace; a signal that was not observed meets nothing."""
    return [
        row
        for row in thresholds
        if (seen := observed.get(row.signal)) is not None
        and seen.available < row.least(seen.capacity, with_reclaim=with_reclaim)
    ]


def merged(some: Sequence[Threshold], others: Iterable[Threshold]) -> list[Threshold]:
    """Both, each once."""
    return list(dict.fromkeys((*some, *others)))


def first_met(thresholds: Iterable[Threshold], before: Since, now: int) -> Since:
    """Since when each has been met without a break."""
    known = dict(before)
    return tuple((row, known.get(row, now)) for row in thresholds)


def grace_over(since: Since, now: int) -> list[Threshold]:
    """Those that have been met for as long as their grace."""
    return [row for row, at in since if now - at >= row.grace]


def freshly_observed(
    thresholds: Iterable[Threshold], observed: Mapping[str, Observation], before: Mapping[str, Observation]
) -> list[Threshold]:
    """Those whose measurement is newer than at the last look: an old one must not evict a second pod."""
    return [
        row
        for row in thresholds
        if (seen := observed.get(row.signal)) is not None
        and ((last := before.get(row.signal)) is None or seen.at > last.at)
    ]


def by_urgency(thresholds: Iterable[Threshold]) -> list[Threshold]:
    """Memory first. Upstream leaves the order among equals open; here it is the given one, hard ones before soft."""
    return sorted(thresholds, key=lambda row: (row.resource != "memory", not row.hard))


def conditions(thresholds: Iterable[Threshold]) -> list[str]:
    """The node conditions that these thresholds stand for, each once."""
    return list(dict.fromkeys(row.condition for row in thresholds))


def still_reported(last_observed: int, period: int, now: int) -> bool:
    """Whether a condition stays True although its threshold is no longer met."""
    return now - last_observed < period
