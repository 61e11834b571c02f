"""One look of a kubelet's eviction manager: from what it remembers and observes to what it reports and acts on.

The pure part of synchronize in pkg/kubelet/eviction/eviction_manager.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from app.kube.eviction_thresholds import (
    Observation,
    Since,
    Threshold,
    by_urgency,
    conditions,
    first_met,
    grace_over,
    merged,
    met,
    still_reported,
)


class Memory(Struct, frozen=True):
    """What the manager keeps from look to look."""

    since: Since = ()
    """The thresholds that are met, and since when."""
    enforced: tuple[Threshold, ...] = ()
    """Those of them whose grace was over: they stay met until the minimum is reclaimed."""
    observed: tuple[tuple[str, int], ...] = ()
    """When each condition was last observed."""

    def pressures(self, period: int, now: int) -> list[str]:
        """The conditions that are True: a transition period goes on after the last observation."""
        return [name for name, at in self.observed if still_reported(at, period, now)]

    def looked(self, at: int) -> Memory:
        """After looks until `at` that found all as it was: what is met has been observed again."""
        present = conditions(row for row, _ in self.since)
        return replace(self, observed=tuple((name, at if name in present else old) for name, old in self.observed))


class Look(NamedTuple):
    """`memory` is what is kept; `acted_on` are the thresholds that call for an eviction, the most urgent first."""

    memory: Memory
    acted_on: list[Threshold]


def look(
    memory: Memory, thresholds: Sequence[Threshold], observed: Mapping[str, Observation], period: int, now: int
) -> Look:
    """Thresholds that are met, graces that are over, and conditions that were or are still observed."""
    present = merged(met(thresholds, observed), met(memory.enforced, observed, with_reclaim=True))
    since = first_met(present, memory.since, now)
    seen = dict.fromkeys(conditions(present), now)
    kept = [(name, seen.pop(name, at)) for name, at in memory.observed]
    observed_at = tuple((name, at) for name, at in (*kept, *seen.items()) if still_reported(at, period, now))
    due = grace_over(since, now)
    return Look(Memory(since, tuple(due), observed_at), by_urgency(due))
