"""What kube-proxy keeps on one machine."""

from __future__ import annotations

from msgspec import Struct

from app.kube.meta import Ref
from app.sim.maps import EMPTY, Map


class Rules(Struct, frozen=True, gc=False):
    """kube-proxy's rules for one Service on one node; no backends means REJECT."""

    backends: tuple[str, ...] = ()
    """Pod addresses, ordered."""


class Proxy(Struct, frozen=True, gc=False):
    """kube-proxy's kernel rules, which outlive the process, and its one sync runner."""

    rules: Map[Ref, Rules] = EMPTY
    since: int | None = None
    """When the process began to watch; None before."""
    seen: tuple[tuple[Ref, int], ...] = ()
    """The versions that the last started sync took."""
    last_sync_end: int | None = None
    """None after a start: the first sync is not delayed."""
    sync_started: int | None = None
    """None while no sync runs."""
    taken: Map[Ref, Rules] = EMPTY
    """What the running sync will commit."""
    committed: bool = True
    """Whether the running sync has already changed the rules."""
