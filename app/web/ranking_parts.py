"""What the panel of a node's ranking is made of, every field told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Key:
    """One of the sort keys of a pod."""

    text: str
    """Its value."""
    decides: bool
    """Whether it put the pod before the next one."""


@dataclass(frozen=True, kw_only=True)
class EvicteeRow:
    """One pod in the kubelet's order."""

    place: int
    """From 1."""
    name: str
    """The pod's, as the map has it."""
    full: str
    """The whole of it."""
    qos: str
    """Its class, which is no key."""
    uses: str
    """Of what is short."""
    asks: str
    """What it requests of that."""
    keys: tuple[Key, ...]
    """Above its request or not, priority, by how much."""
    spared: bool
    """Whether it is critical and passed over."""


@dataclass(frozen=True, kw_only=True)
class KilledRow:
    """One process in the kernel's order."""

    place: int
    """From 1."""
    name: str
    """The pod's, as the map has it."""
    full: str
    """The whole of it."""
    container: str
    """Whose process it is."""
    child: bool
    """Whether the container's first process has started it."""
    qos: str
    """The pod's class, from which the score comes."""
    uses: str
    """Memory."""
    memory: int
    """The same in thousandths of the machine."""
    adj: int
    """oom_score_adj."""
    badness: int
    """Both together."""


@dataclass(frozen=True, kw_only=True)
class ThresholdRow:
    """One threshold of the signal."""

    amount: str
    """Below which it is met."""
    hard: bool
    """Whether it needs no grace."""
    grace: int
    """Seconds for which a soft one must be met."""
    met: bool
    """Whether it is, right now."""


@dataclass(frozen=True, kw_only=True)
class RankingPanel:
    """Who would go first on one node, for its kubelet and for its kernel."""

    node: str
    """Its name."""
    before: bool
    """Whether this is the order that led to the step, and not the one after it."""
    signal: str
    """What the kubelet's order is about."""
    available: str
    """How much of it is left."""
    capacity: str
    """How much there is."""
    thresholds: tuple[ThresholdRow, ...]
    """When the kubelet calls it short; none where it does not watch it."""
    evictees: tuple[EvicteeRow, ...]
    """The kubelet's order."""
    killed: tuple[KilledRow, ...]
    """The kernel's order, if the machine's memory ran out."""
