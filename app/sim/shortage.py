"""What is kept on a machine that runs short."""

from __future__ import annotations

from msgspec import Struct

from app.kube.eviction import Memory


class Evictor(Struct, frozen=True):
    """What the kubelet's eviction manager keeps from look to look."""

    memory: Memory = Memory()
    ran: int | None = None
    """Its last look that was of use: later ones come every ten seconds after it. None before the first."""
    evicted: tuple[str, ...] = ()
    """The uids of pods that it has killed and waits for."""
    killed: int | None = None
    """When the kill came back, and the wait for the pod's cleanup began."""


class SystemOom(Struct, frozen=True):
    """A line of the kernel's log: the whole machine was out of memory, and who was killed for it."""

    at: int
    process: str
    pid: int
