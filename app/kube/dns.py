"""Names of Services: what cluster DNS answers, and which names a resolver in a pod tries for what a program asks.

As CoreDNS's kubernetes plugin and /etc/resolv.conf of a pod with dnsPolicy ClusterFirst have it.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.kube.endpoints import is_ready
from app.kube.networking import EndpointSlice, Service

DOMAIN = "cluster.local"
NDOTS = 5
"""Names with fewer dots are tried with the search list first."""
TTL = 30_000
"""How long an answer may be kept, in milliseconds: `ttl 30` in the usual Corefile."""


def candidates(name: str, namespace: str) -> tuple[str, ...]:
    """The full names that are asked for one after the other, until one is answered."""
    if name.endswith("."):
        return (name.removesuffix("."),)
    searched = tuple(f"{name}.{part}" for part in (f"{namespace}.svc.{DOMAIN}", f"svc.{DOMAIN}", DOMAIN))
    return (name, *searched) if name.count(".") >= NDOTS else (*searched, name)


def full_name(namespace: str, name: str) -> str:
    return f"{name}.{namespace}.svc.{DOMAIN}"


def answer(service: Service, slices: Iterable[EndpointSlice]) -> tuple[str, ...]:
    """The addresses behind a Service's name; none is the same as no such name.

    The cluster IP whether there is a pod behind it or not; of a headless Service the ready pods.
    """
    meta, spec = service.metadata, service.spec
    if spec.type == "ExternalName":
        return ()
    if not spec.headless:
        return (spec.clusterIP,) if spec.clusterIP else ()
    mine = [row for row in slices if (row.metadata.namespace, row.service) == (meta.namespace, meta.name)]
    ready = [endpoint for row in mine for endpoint in row.endpoints if is_ready(endpoint)]
    return tuple(sorted({address for row in ready for address in row.addresses}))
