"""When a pod worker is due again after a sync that failed."""

from __future__ import annotations

from typing import NamedTuple

RETRY = 10_000
"""backOffPeriod in pkg/kubelet/kubelet.go."""
NETWORK = 1_000
"""backOffOnTransientErrorPeriod: the network of the machine is not ready."""
LONGEST = 60_000
"""A back-off that lasts longer is looked at in between (maxBackOff of a sync's error)."""


class Nap(NamedTuple):
    """Milliseconds from a sync to the next: at least, and less than."""

    least: int
    below: int


def nap(*, network: bool = False, expires_in: int | None = None) -> Nap:
    """As completeWork in pkg/kubelet/pod_workers.go: a back-off is waited for; each nap is up to half as long again."""
    least = NETWORK if network else RETRY if expires_in is None else min(max(expires_in, 0), LONGEST)
    return Nap(least, least + least // 2)
