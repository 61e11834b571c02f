"""Which nodes a cloud's load balancer sends to: the service controller's choice, and each node's own answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.kube.annotations import PREFIX
from app.kube.near_names import did_you_mean
from app.kube.networking import EndpointSlice, Service
from app.kube.nodes import Node
from app.kube.quoting import shown
from app.kube.stringmap import StringMap

EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers"
TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler"

READERS = {"load-balancer": ("usual", "without-cordoned")}
"""The annotations of a Service, each with what may stand there: some clouds' controllers leave out cordoned nodes."""


def faults(annotations: StringMap) -> Iterator[tuple[str, str]]:
    """Each annotation of a Service that is wrong, with what is wrong with it."""
    for name, words in READERS.items():
        text = annotations.get(PREFIX + name)
        if text is not None and text not in words:
            yield PREFIX + name, f"found {shown(text)}; allowed: {', '.join(words)}{did_you_mean(text, words)}"


def in_pool(service: Service, node: Node) -> bool:
    """The service controller's stableNodeSetPredicates; a cordon and a NotReady do not count (since 1.19 and 1.27)."""
    kept_out = EXCLUDED in node.metadata.labels or any(taint.key == TO_BE_DELETED for taint in node.spec.taints)
    if service.metadata.annotations.get(f"{PREFIX}load-balancer") == "without-cordoned":
        kept_out |= node.spec.unschedulable
    return node.metadata.deletionTimestamp is None and not kept_out


def answers_healthy(service: Service, node: Node, slices: Iterable[EndpointSlice]) -> bool:
    """With externalTrafficPolicy Local only nodes with a ready endpoint of their own; else every node passes on."""
    if service.spec.externalTrafficPolicy != "Local":
        return True
    name = node.metadata.name
    return any(row.nodeName == name and row.conditions.ready for found in slices for row in found.endpoints)


def backends(service: Service, nodes: Iterable[Node], slices: Iterable[EndpointSlice]) -> list[str]:
    """The nodes that a load balancer sends to for one Service."""
    namespace, name = service.metadata.namespace, service.metadata.name
    own = [row for row in slices if (row.metadata.namespace, row.service) == (namespace, name)]
    return [node.metadata.name for node in nodes if in_pool(service, node) and answers_healthy(service, node, own)]
