"""Limits on what one client may ask for: so many a minute of what costs much, and few searches at a time.

Each process counts for itself, in memory: behind two of them a client may get twice as much.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from threading import BoundedSemaphore
from time import monotonic

from starlette.requests import Request

from app.configuration import (
    RATE_EXPORTS,
    RATE_MANIFESTS,
    RATE_SEARCHES,
    RATE_SESSIONS,
    RATE_SWEEPS,
    SEARCHES_AT_ONCE,
    Rate,
    Variable,
)
from app.errors import TooMuch

RATES: dict[str, Variable[Rate | None]] = {
    "sessions": RATE_SESSIONS,
    "manifests": RATE_MANIFESTS,
    "searches": RATE_SEARCHES,
    "sweeps": RATE_SWEEPS,
    "exports": RATE_EXPORTS,
}
ROUTES = {
    ("POST", "/sessions"): "sessions",
    ("POST", "/s/{id}/fork"): "sessions",
    ("POST", "/manifests"): "manifests",
    ("POST", "/inspect"): "manifests",
    ("POST", "/f/{flow}/overlay"): "manifests",
    ("GET", "/f/{flow}/orders"): "searches",
    ("GET", "/f/{flow}/sweep"): "sweeps",
    ("GET", "/f/{flow}/export"): "exports",
    ("GET", "/s/{id}/export"): "exports",
    ("GET", "/f/{flow}/report"): "exports",
    ("GET", "/s/{id}/report"): "exports",
}
"""Which requests count towards which rate."""

MOST_CLIENTS = 10_000
"""Remembered at a time; the one that has not asked for longest is forgotten first."""
MOST_WAITING = 8
"""Requests that may wait for a search before them. Each holds one of the server's threads."""
PATIENCE = 30.0
"""Seconds that one of them waits."""


class Bucket:
    """A token bucket for each client: full at first, and filled again at its rate."""

    def __init__(self, rate: Rate) -> None:
        self._most = rate.count
        self._a_second = rate.count / rate.seconds
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, now: float) -> float:
        """Seconds to wait until there is one to take; 0 when one was taken."""
        left, then = self._left.pop(client, (float(self._most), now))
        left = min(self._most, left + (now - then) * self._a_second)
        taken = left >= 1
        self._left[client] = (left - taken, now)
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if taken else (1 - left) / self._a_second


class Limits:
    """The rates that one application holds its clients to, as they are configured."""

    def __init__(self) -> None:
        rates = {name: variable.get() for name, variable in RATES.items()}
        self._buckets = {name: Bucket(rate) for name, rate in rates.items() if rate is not None}

    def check(self, name: str, client: str) -> None:
        bucket = self._buckets.get(name)
        wait = bucket.take(client, monotonic()) if bucket else 0
        if wait:
            seconds = ceil(wait)
            raise TooMuch(
                f"too many {name} from your address for now; the next may come in {seconds} s", limit=name, wait=seconds
            )


async def within_limits(request: Request) -> None:
    """Refuse what comes too often, before anything of it is read."""
    name = ROUTES.get((request.method, getattr(request.scope.get("route"), "path", "")))
    if name is not None:
        request.app.state.limits.check(name, client_of(request))


def client_of(request: Request) -> str:
    """The address that a request came from; of IPv6 the network, of which one client has all addresses."""
    host = request.client.host if request.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return str(ip_network((address, 64), strict=False)) if isinstance(address, IPv6Address) else host


@lru_cache(maxsize=1)
def _places() -> tuple[BoundedSemaphore, BoundedSemaphore]:
    """Those at work, and those at work or waiting."""
    most = SEARCHES_AT_ONCE.get()
    return BoundedSemaphore(most), BoundedSemaphore(most + MOST_WAITING)


@contextmanager
def searching() -> Iterator[None]:
    """A place among the few searches that run at a time; TooMuch if there is none to be had soon."""
    working, coming = _places()
    with _place("searches", coming, 0), _place("searches", working, PATIENCE):
        yield


@contextmanager
def exporting() -> Iterator[None]:
    """The same for exports and reports: a large PNG takes a processor for seconds, and its memory."""
    working, coming = _EXPORTS
    with _place("exports", coming, 0), _place("exports", working, PATIENCE):
        yield


_EXPORTS = (BoundedSemaphore(1), BoundedSemaphore(1 + MOST_WAITING))


@contextmanager
def _place(what: str, places: BoundedSemaphore, patience: float) -> Iterator[None]:
    if not places.acquire(timeout=patience):
        raise TooMuch(f"other {what} are under way; try again in a minute", limit=f"{what}-at-once", wait=60)
    try:
        yield
    finally:
        places.release()
