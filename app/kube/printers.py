"""What `kubectl get` prints: pods, nodes, workloads, services and events, in its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.kube.ages import age
from app.kube.meta import DEFAULT_NAMESPACE, Ref, condition
from app.kube.networking import EndpointSlice, Service
from app.kube.nodes import Node
from app.kube.pod_columns import NONE, pod_columns
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.kube.releases import CURRENT, Release
from app.kube.rollout import size
from app.kube.workloads import Deployment, ReplicaSet, StatefulSet

UNKNOWN = "<unknown>"

_ROLE_PREFIX = "node-role.kubernetes.io/"
_ROLE = "kubernetes.io/role"
_GAP = 3


class EventLine(NamedTuple):
    """An Event as far as `kubectl get events` shows it."""

    last_seen: int
    type: str
    reason: str
    object: Ref
    message: str


def get_pods(pods: Sequence[Pod], now: int, *, wide: bool = False, release: Release = CURRENT) -> str:
    header = ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"]
    count = len(header) if wide else 5
    return table(header[:count], [pod_columns(pod, now, release)[:count] for pod in pods])


def get_nodes(nodes: Sequence[Node], now: int, *, wide: bool = False) -> str:
    header = ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    if wide:
        header += ["INTERNAL-IP", "EXTERNAL-IP", "OS-IMAGE", "KERNEL-VERSION", "CONTAINER-RUNTIME"]
    return table(header, [node_cells(node, now)[: len(header)] for node in nodes], cluster_scoped=True)


def node_cells(node: Node, now: int) -> tuple[str, ...]:
    """One row of printNode, wide."""
    info = node.status.nodeInfo
    kernel = info.kernelVersion or UNKNOWN
    return (
        node.metadata.name,
        node_status(node),
        ",".join(node_roles(node)) or NONE,
        age(node.metadata.creationTimestamp, now),
        info.kubeletVersion,
        _address(node, "InternalIP"),
        _address(node, "ExternalIP"),
        info.osImage or UNKNOWN,
        f"{kernel} ({info.architecture})" if info.architecture else kernel,
        info.containerRuntimeVersion or UNKNOWN,
    )


def node_status(node: Node) -> str:
    """The STATUS column: False and Unknown are both NotReady."""
    row = condition(node.status.conditions, "Ready")
    word = "Unknown" if row is None else "Ready" if row.status == "True" else "NotReady"
    return f"{word},SchedulingDisabled" if node.spec.unschedulable else word


def node_roles(node: Node) -> list[str]:
    """From labels, sorted."""
    labels = node.metadata.labels.items()
    found = {key.removeprefix(_ROLE_PREFIX) for key, _ in labels if key.startswith(_ROLE_PREFIX)}
    found.update(value for key, value in labels if key == _ROLE)
    return sorted(found - {""})


def get_deployments(rows: Sequence[Deployment], now: int) -> str:
    cells = [
        (
            row.metadata.name,
            f"{row.status.readyReplicas}/{size(row.spec.replicas)}",
            str(row.status.updatedReplicas),
            str(row.status.availableReplicas),
            age(row.metadata.creationTimestamp, now),
        )
        for row in rows
    ]
    return table(["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"], cells)


def get_replica_sets(rows: Sequence[ReplicaSet], now: int) -> str:
    cells = [
        (
            row.metadata.name,
            str(size(row.spec.replicas)),
            str(row.status.replicas),
            str(row.status.readyReplicas),
            age(row.metadata.creationTimestamp, now),
        )
        for row in rows
    ]
    return table(["NAME", "DESIRED", "CURRENT", "READY", "AGE"], cells)


def get_stateful_sets(rows: Sequence[StatefulSet], now: int) -> str:
    cells = [
        (
            row.metadata.name,
            f"{row.status.readyReplicas}/{size(row.spec.replicas)}",
            age(row.metadata.creationTimestamp, now),
        )
        for row in rows
    ]
    return table(["NAME", "READY", "AGE"], cells)


def get_services(rows: Sequence[Service], now: int) -> str:
    cells = [
        (
            row.metadata.name,
            row.spec.type,
            row.spec.clusterIP or NONE,
            "<pending>" if row.spec.type == "LoadBalancer" else NONE,
            ",".join(_service_port(port.port, port.nodePort, port.protocol) for port in row.spec.ports) or NONE,
            age(row.metadata.creationTimestamp, now),
        )
        for row in rows
    ]
    return table(["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"], cells)


def get_endpoint_slices(rows: Sequence[EndpointSlice], now: int) -> str:
    """All addresses, also of endpoints that are not ready."""
    cells = [
        (
            row.metadata.name,
            row.addressType,
            _limited(["*" if port.port is None else str(port.port) for port in row.ports]),
            _limited([address for endpoint in row.endpoints for address in endpoint.addresses]),
            age(row.metadata.creationTimestamp, now),
        )
        for row in rows
    ]
    return table(["NAME", "ADDRESSTYPE", "PORTS", "ENDPOINTS", "AGE"], cells)


def get_disruption_budgets(rows: Sequence[PodDisruptionBudget], now: int) -> str:
    cells = [
        (
            row.metadata.name,
            "N/A" if row.spec.minAvailable is None else str(row.spec.minAvailable),
            "N/A" if row.spec.maxUnavailable is None else str(row.spec.maxUnavailable),
            str(row.status.disruptionsAllowed),
            age(row.metadata.creationTimestamp, now),
        )
        for row in rows
    ]
    return table(["NAME", "MIN AVAILABLE", "MAX UNAVAILABLE", "ALLOWED DISRUPTIONS", "AGE"], cells)


def get_events(events: Iterable[EventLine], now: int) -> str:
    """In the order given."""
    cells = [
        (
            age(row.last_seen, now),
            row.type,
            row.reason,
            f"{row.object.kind.lower()}/{row.object.name}",
            row.message.strip(),
        )
        for row in events
    ]
    return table(["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"], cells)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, cluster_scoped: bool = False) -> str:
    """Columns as kubectl aligns them."""
    if not rows:
        return "No resources found" if cluster_scoped else f"No resources found in {DEFAULT_NAMESPACE} namespace."
    lines = [header, *rows]
    widths = [max(len(line[number]) for line in lines) + _GAP for number in range(len(header))]
    return "\n".join(
        "".join(cell.ljust(width) for cell, width in zip(line[:-1], widths, strict=False)) + line[-1] for line in lines
    )


def _address(node: Node, type_: str) -> str:
    return next((row.address for row in node.status.addresses if row.type == type_), NONE)


def _service_port(port: int, node_port: int | None, protocol: str) -> str:
    return f"{port}:{node_port}/{protocol}" if node_port else f"{port}/{protocol}"


def _limited(words: Sequence[str]) -> str:
    """Three, and how many more."""
    rest = len(words) - 3
    return ",".join(words[:3]) + (f" + {rest} more..." if rest > 0 else "") or "<unset>"
