"""How long a client's watches stay away once the API server answers again: client-go's reflector and its back-off.

A failed try is followed by a pause of 0.8 s, doubling to 30 s, each up to as long again by chance. A watch that comes
back first finds its version too old, which costs one pause more before the list; kube-controller-manager streams its
lists and is spared that. Held against recordings of v1.36: kube-proxy 37-61 s after 30 s, its usual here 46 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from msgspec import Struct

from app.sim.index import Index
from app.sim.lags import Lag

FIRST = 800
LONGEST = 30_000
PINGED = 45_000
"""A connection whose other end is silent is given up after so long: a ping after 30 s, and 15 s for its answer."""
STREAMING = ("kube-controller-manager", "kube-scheduler")
"""Processes whose watches need no second try."""
MANY = 15
"""So many kinds the scheduler waits for."""


class Severed(Struct, frozen=True):
    """A watch that is broken."""

    since: int
    fresh: bool = False
    """Whether its process has not listed yet since its start: it knows nothing, and its next try is a list."""
    known: Index = Index()
    """What its process had seen by then. Its own writes it still believes, but its loops do not hear of them."""


def away(severed: Severed, now: int, process: str, kind: str) -> Lag:
    """From the return of the API server to the list, for one watch that failed since then."""
    lasted = now - severed.since
    once = severed.fresh or process.partition("/")[0] in STREAMING
    # Kinds and machines are not in step; a fixed spread stands for that.
    jitter = 1.25 + crc32(f"{process} {kind}".encode()) % 1000 / 2000
    longest = _longest(lasted)
    least, most = 0, 2 * longest
    usual, pause = _rest(lasted, jitter)
    if not once:
        again = min(LONGEST, 2 * longest)
        least, usual, most = min(FIRST * 2, again), usual + round(pause * jitter), most + 2 * again
    return Lag(least, min(max(usual, least), most), most)


def slowest(lasted: int) -> Lag:
    """The same for a process that waits until all its lists have come."""
    usual = max(_rest(lasted, 1 + (number + 0.5) / MANY)[0] for number in range(MANY))
    return Lag(min(lasted, 500), usual, max(usual, 2 * _longest(lasted)))


def after_silence(lasted: int) -> Lag:
    """After a server that hung and hangs no more: connections that were given up are tried every ten seconds."""
    return Lag(0, 3_000, 12_000) if lasted > PINGED else Lag(0, 1, 50)


def _pauses() -> Iterator[int]:
    pause = FIRST
    while True:
        yield pause
        pause = min(LONGEST, 2 * pause)


def _rest(lasted: int, jitter: float) -> tuple[int, int]:
    """What is left of the pause in which the server comes back, and the one that would follow."""
    at = 0.0
    pauses = _pauses()
    while at < lasted:
        at += next(pauses) * jitter
    return round(at) - lasted, next(pauses)


def _longest(lasted: int) -> int:
    """The longest pause that can have begun by then."""
    at, pause = 0, FIRST
    while at + pause <= lasted and pause < LONGEST:
        at, pause = at + pause, min(LONGEST, 2 * pause)
    return pause
