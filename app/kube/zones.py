"""Zones of nodes, how disrupted they are, and how fast their lost nodes are tainted: pkg/controller/nodelifecycle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from app.kube.meta import condition
from app.kube.nodes import Node

REGION, ZONE = "topology.kubernetes.io/region", "topology.kubernetes.io/zone"
EXCLUDED = "node.kubernetes.io/exclude-disruption"

INITIAL, NORMAL, PARTIAL, FULL = "Initial", "Normal", "PartialDisruption", "FullDisruption"

THRESHOLD = 0.55
"""--unhealthy-zone-threshold: the share of nodes that are not ready."""
LARGE = 50
"""--large-cluster-size-threshold: zones of at most so many nodes are not tainted at all while partly disrupted."""
RATE = 0.1
"""--node-eviction-rate: nodes tainted in a second."""
SECONDARY_RATE = 0.01


def zone_of(node: Node) -> str:
    """The key of a node's zone; nodes without labels share the empty one."""
    region, zone = node.metadata.labels.get(REGION) or "", node.metadata.labels.get(ZONE) or ""
    return f"{region}:{zone}" if region or zone else ""


def is_ready(node: Node) -> bool:
    """A node without the condition is not."""
    row = condition(node.status.conditions, "Ready")
    return row is not None and row.status == "True"


class Count(NamedTuple):
    ready: int = 0
    not_ready: int = 0

    @property
    def total(self) -> int:
        return self.ready + self.not_ready


def counted(nodes: Iterable[Node]) -> dict[str, Count]:
    """Ready and other nodes by zone, in the order of the zones' first nodes; excluded ones are left out."""
    found: dict[str, Count] = {}
    for node in nodes:
        if EXCLUDED in node.metadata.labels:
            continue
        zone = zone_of(node)
        count = found.get(zone, Count())
        found[zone] = Count(count.ready + is_ready(node), count.not_ready + (not is_ready(node)))
    return found


def state(count: Count, threshold: float = THRESHOLD) -> str:
    """ComputeZoneState."""
    if count.ready == 0 and count.not_ready > 0:
        return FULL
    if count.not_ready > 2 and count.not_ready / count.total >= threshold:
        return PARTIAL
    return NORMAL


def rate(zone_state: str, nodes: int, *, all_full: bool, large: int = LARGE) -> float:
    """Nodes tainted in a second. A zone that is wholly lost is emptied at the normal rate, unless all zones are."""
    if all_full:
        return 0.0
    if zone_state == PARTIAL:
        return SECONDARY_RATE if nodes > large else 0.0
    return RATE


def states(counts: Mapping[str, Count], threshold: float = THRESHOLD) -> dict[str, str]:
    """The state of each zone."""
    return {zone: state(count, threshold) for zone, count in counts.items()}


def all_full(found: Mapping[str, str]) -> bool:
    """Master disruption: the controller takes its own sight for lost, not the nodes."""
    return all(row == FULL for row in found.values())
