"""What the node lifecycle controller keeps in mind: passes over all nodes, signs of life, queues of nodes to taint.

A pass comes 5 s after the end of the one before; ones that find nothing take next to no time. Lost nodes are tainted by
a look at each zone's queue every 100 ms, held to the zone's rate by a bucket of one token.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.kube.node_health import GRACE
from app.kube.zones import RATE

RENEW = 10_200
"""Between two renewals of a Lease: a quarter of its duration, 10 s, and up to 4 % more by chance."""
PERIOD = 5_000
"""--node-monitor-period."""
NOTHING = 4
"""Milliseconds that a pass takes which finds nothing, as recorded."""
LOOK = 100
"""Between two looks at the queues (nodeEvictionPeriod)."""


class Monitor(Struct, frozen=True):
    """The passes over all nodes."""

    base: int = 0
    """One pass begins at this instant, others at whole periods from it."""
    look: int = 0
    """Where within 100 ms the queues are looked at."""
    began: int | None = None
    """When the pass began that has found something and still goes on."""
    states: tuple[tuple[str, str], ...] = ()
    """Each zone's state as of the last pass."""
    rates: tuple[tuple[str, float], ...] = ()
    """Nodes tainted in a second by zone; others have the normal rate."""
    full: bool = False
    """Master disruption: all zones are wholly lost, and nothing is tainted."""
    fresh: int | None = None
    """When it ended last: every node's silence counts from then."""

    def tick(self, at: int) -> int:
        """The first pass that does not begin before an instant."""
        return at + (self.base - at) % (PERIOD + NOTHING)

    def after(self, at: int) -> int:
        """The first pass that begins later."""
        return self.tick(at + 1)

    def looks(self, at: int) -> int:
        """The first look at the queues from an instant on."""
        return at + (self.look - at) % LOOK

    def rate(self, zone: str) -> float:
        return dict(self.rates).get(zone, RATE)


class Beat(Struct, frozen=True):
    """When a kubelet renewed its Lease last."""

    renewed: int


class Health(Struct, frozen=True):
    """One node."""

    renewed: int | None
    """The renewal that was seen last, by the kubelet's clock."""
    observed: int
    """The pass in which it was: by the controller's own clock."""
    ready: str = "True"
    """What the last pass found."""
    queued: int | None = None
    """When it was put into its zone's queue."""

    def silent_from(self, monitor: Monitor, grace: int = GRACE) -> int:
        """The pass that takes the node for lost: more than the grace period after the last sign of life."""
        observed = self.observed if monitor.fresh is None else max(self.observed, monitor.fresh)
        return monitor.after(observed + grace)


class Bucket(Struct, frozen=True):
    """The limiter of one zone's queue: a bucket that holds one token."""

    rate: float = RATE
    full: int = 0
    """From when on there is a token."""

    def taken(self, now: int) -> Bucket:
        return replace(self, full=now + round(1000 / self.rate))

    def changed(self, rate: float, now: int) -> Bucket:
        """SwapLimiter: where the old limiter would have made one wait, the new one begins empty."""
        if rate == self.rate:
            return self
        waits = self.rate <= 0 or now < self.full
        return Bucket(rate, now + round(1000 / rate) if waits and rate > 0 else now)
