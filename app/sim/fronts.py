"""What clients may come through instead of the nodes' rules: an ingress or a load balancer that sends to pods."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from app.kube.endpoints import is_ready
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice
from app.kube.objects import Object
from app.sim.proxy_rules import Rules

PROCESS = "ingress"
FRONTS = ("ingress", "load-balancer")


class Front(Struct, frozen=True):
    """What it keeps of one Service."""

    listed: tuple[str, ...] = ()
    """Addresses as it has last read them, ordered."""
    out: tuple[str, ...] = ()
    """Of these, the ones that its health checks keep out, ordered."""

    @property
    def rules(self) -> Rules:
        """Where it sends requests to; if its checks would keep out all, they keep out none."""
        return Rules(tuple(address for address in self.listed if address not in self.out) or self.listed)


def ready_addresses(service: Ref, objects: Iterable[Object]) -> tuple[str, ...]:
    """The ready addresses that EndpointSlices name for a Service; those that only serve yet are not among them."""
    slices = [row for row in objects if isinstance(row, EndpointSlice)]
    mine = [row for row in slices if (row.metadata.namespace, row.service) == (service.namespace, service.name)]
    rows = [endpoint for row in mine for endpoint in row.endpoints if is_ready(endpoint)]
    return tuple(sorted({address for row in rows for address in row.addresses}))
