"""Which pods stand in an EndpointSlice, with which conditions, and which of them kube-proxy sends traffic to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from app.kube.networking import (
    Endpoint,
    EndpointConditions,
    EndpointPort,
    ObjectReference,
    ServicePort,
    ServiceSpec,
)
from app.kube.pods import Pod, PodSpec

# What an EndpointSlice holds.


def should_be_in_slice(pod: Pod) -> bool:
    """ShouldPodBeInEndpoints, as the EndpointSlice controller asks it: terminating pods stay, finished ones go."""
    return not pod.finished and bool(pod.status.podIP)


def endpoint_conditions(*, ready: bool, terminating: bool, publish_not_ready: bool) -> EndpointConditions:
    """From the Ready condition of the pod; `ready` is never true while it terminates, unless asked for."""
    return EndpointConditions(
        ready=publish_not_ready or (ready and not terminating), serving=ready, terminating=terminating
    )


def pod_endpoint(pod: Pod, service: ServiceSpec) -> Endpoint:
    """The entry of a pod (podToEndpoint in k8s.io/endpointslice)."""
    return Endpoint(
        addresses=(pod.status.podIP,),
        conditions=endpoint_conditions(
            ready=pod.ready, terminating=pod.terminating, publish_not_ready=service.publishNotReadyAddresses
        ),
        targetRef=ObjectReference("Pod", pod.metadata.namespace, pod.metadata.name, pod.metadata.uid),
        nodeName=pod.spec.nodeName,
    )


def endpoint_ports(service: ServiceSpec, pod: PodSpec) -> tuple[EndpointPort, ...]:
    """The ports of a service as that pod opens them; a named port that the pod lacks is left out."""
    found = ((row, _target(row, pod)) for row in service.ports)
    return tuple(EndpointPort(port=port, name=row.name, protocol=row.protocol) for row, port in found if port)


def _target(service_port: ServicePort, pod: PodSpec) -> int | None:
    target = service_port.targetPort
    if isinstance(target, int) or not target:
        return target or service_port.port
    containers = (*pod.containers, *(row for row in pod.initContainers if row.sidecar))
    return next(
        (
            port.containerPort
            for container in containers
            for port in container.ports
            if (port.name, port.protocol) == (target, service_port.protocol)
        ),
        None,
    )


# Which endpoints kube-proxy uses: CategorizeEndpoints in pkg/proxy/topology.go.


class Policies(NamedTuple):
    """How a service spreads traffic; `external` says whether it takes any from outside."""

    internal_local: bool = False
    external_local: bool = False
    external: bool = False

    @property
    def cluster_used(self) -> bool:
        # External traffic needs these even under the Local policy, to short-cut what comes from pods.
        return not self.internal_local or self.external

    @property
    def local_used(self) -> bool:
        return self.internal_local or (self.external_local and self.external)


class Backends(NamedTuple):
    """Endpoints per policy, None where the service never uses it; `anywhere` says whether the cluster has any."""

    cluster: tuple[Endpoint, ...] | None
    local: tuple[Endpoint, ...] | None
    reachable: tuple[Endpoint, ...]
    anywhere: bool


def is_ready(endpoint: Endpoint) -> bool:
    return endpoint.conditions.ready is not False


def is_serving(endpoint: Endpoint) -> bool:
    return endpoint.conditions.serving is not False


def is_terminating(endpoint: Endpoint) -> bool:
    return endpoint.conditions.terminating is True


def usable(endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
    """The Cluster policy without hints: ready ones, or else those that terminate and still serve."""
    ready = tuple(row for row in endpoints if is_ready(row))
    return ready or tuple(row for row in endpoints if _last_resort(row))


def backends(endpoints: Sequence[Endpoint], node: str, policies: Policies, zone: str = "") -> Backends:
    """What the kube-proxy of a node may send traffic to."""
    cluster = local = None
    if policies.cluster_used:
        hinted = _hint(endpoints, node, zone)
        cluster = usable([row for row in endpoints if not is_ready(row) or hinted(row)])
    if policies.local_used:
        local = usable([row for row in endpoints if row.nodeName == node])
    if cluster is None or local is None:
        reachable = cluster or local or ()
    else:
        reachable = tuple(row for row in endpoints if row in cluster or row in local)
    return Backends(cluster, local, reachable, bool(usable(endpoints)))


def _last_resort(endpoint: Endpoint) -> bool:
    return is_serving(endpoint) and is_terminating(endpoint)


def _hint(endpoints: Sequence[Endpoint], node: str, zone: str) -> Callable[[Endpoint], bool]:
    """Which endpoints are meant for this node, or else for its zone, or else all of them."""
    ready = [row for row in endpoints if is_ready(row)]
    if _followed([_hinted_nodes(row) for row in ready], node):
        return lambda row: node in _hinted_nodes(row)
    if _followed([_hinted_zones(row) for row in ready], zone):
        return lambda row: zone in _hinted_zones(row)
    return lambda _row: True


def _followed(hints: Sequence[tuple[str, ...]], here: str) -> bool:
    """Hints count only if every ready endpoint has some, and one of them points here."""
    return all(hints) and any(here in places for places in hints)


def _hinted_nodes(endpoint: Endpoint) -> tuple[str, ...]:
    return tuple(place.name for place in endpoint.hints.forNodes) if endpoint.hints else ()


def _hinted_zones(endpoint: Endpoint) -> tuple[str, ...]:
    return tuple(place.name for place in endpoint.hints.forZones) if endpoint.hints else ()
