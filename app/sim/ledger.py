"""What clients met: exposure to backends that cannot serve, counted in whole milliseconds.

Clients are a steady rate, spread evenly over the nodes; each node's rules spread its share evenly over the backends.
So a route (one node, one Service, one backend among `of`) that leads to a process that cannot serve fails
rate / nodes / of requests a second, for as long as it is open. Milliseconds are added up per (node, service, kind,
of) and divided once, at the end. Clients that come through a front (an ingress, a load balancer) all come through that
one; where it tries again elsewhere, a request fails only if every address that it tries does.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from app.kube.meta import Ref
from app.sim.maps import EMPTY, Map, ordered


class Load(Struct, frozen=True):
    """Clients of one Service."""

    service: Ref
    rate: int
    """Requests a second, over all nodes."""
    duration: int
    """Milliseconds that a request takes."""
    waits: bool = False
    """They come when a `kubectl wait` has returned; the others have always been there."""
    came: int | None = None
    """When they came, of those that waited."""
    local: bool = False
    """Whether they run on the nodes themselves: those of a node that is off or cut off ask no more."""
    through: str = ""
    """The front that they come through, `ingress` or `load-balancer`; empty: the rules of the nodes."""
    refresh: int = 0
    """Milliseconds between two readings of the EndpointSlices by that front; 0: it watches them."""
    offset: int = 0
    """When after t = 0 it first reads them, within one such period."""
    retries: int = 0
    """How many further addresses it tries for one request."""
    check: int = 0
    """Milliseconds between two health checks of an address by that front; 0: it makes none."""


ANY = "*"
"""The address of a route that stands for all that a front tries, one after the other."""


class Route(NamedTuple):
    """One node's rules (or one front) lead to one pod address for one Service; an empty address is a REJECT."""

    node: str
    service: Ref
    address: str


class Span(NamedTuple):
    """How a route was open: among how many backends, from when, and until when (None: still)."""

    of: int
    since: int
    until: int | None


class Failing(NamedTuple):
    """A route that leads to nothing that serves."""

    kind: str
    """refused (process gone), unanswered (address or node gone), rejected (no endpoint), error (answered with one)."""
    of: int
    since: int
    weight: int = 1
    """Of `of` requests on it, how many fail; 0 where another address is tried."""


class Tally(NamedTuple):
    node: str
    service: Ref
    kind: str
    of: int


class Ledger(Struct, frozen=True, gc=False):
    """Search leaves the ledger out of a world's identity and keeps the worst one."""

    routes: Map[Route, tuple[Span, ...]] = EMPTY
    """Open spans, and closed ones younger than a request's duration."""
    failing: Map[Route, Failing] = EMPTY
    noted: Map[Route, Failing] = EMPTY
    """Failing spans that the clients have noticed."""
    spent: Map[Tally, int] = EMPTY
    """Milliseconds of closed failing spans."""
    cut: Map[Tally, int] = EMPTY
    """Milliseconds' worth of requests that were in flight when their process ended."""
    first: int | None = None
    """When the first failing span began."""
    last: int | None = None
    """When the last failing span that has ended did."""
    served: Route | None = None
    """The first route on which clients that came in the walk were served."""
    greeted: bool = False
    """Whether they have noticed."""

    @property
    def loses(self) -> bool:
        """Whether requests fail now; an address that fails loses none where another one is tried."""
        return any(row.weight for row in self.failing.values())

    def exposure(self, now: int) -> Map[Tally, int]:
        """`spent` with the open spans counted up to `now`."""
        total = self.spent
        for route, row in ordered(self.failing):
            if row.weight:
                key = Tally(route.node, route.service, row.kind, row.of)
                total = total.set(key, total.get(key, 0) + (now - row.since) * row.weight)
        return total


def requests(spent: Map[Tally, int], load: tuple[Load, ...], nodes: int) -> Fraction:
    """Failed (or cut) requests: milliseconds times rate / nodes / of / 1000, exactly."""
    rates = {row.service: Fraction(row.rate, share(row, nodes)) for row in load}
    nothing = Fraction(0)
    return sum(
        (rates.get(key.service, nothing) * milliseconds / key.of / 1000 for key, milliseconds in ordered(spent)),
        nothing,
    )


def share(load: Load, nodes: int) -> int:
    """Among how many routes to a Service its clients are spread before any backend is chosen."""
    return 1 if load.through else max(nodes, 1)
