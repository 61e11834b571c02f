"""A kubelet that has just begun, and a runtime that does not answer: what waits for them, and what goes on meanwhile.

While the runtime is away no relist succeeds, and a pod worker waits for one that is newer than its last sync
(podCache.GetNewerThan); so containers are neither started nor ended. Not modelled: the one sync that a pod may get at
its deletion, where none has come since the last relist.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.loops.kubelet.case import Case
from app.loops.kubelet.starting import starting
from app.sim.acts import Act, Wait
from app.sim.agenda import Due
from app.sim.lags import Bounds
from app.sim.loop import Turn


def knows_runtime(turn: Turn) -> bool:
    """Whether a relist has succeeded since the runtime was last started."""
    host = turn.host
    if host.runtime_down is not None:
        return False
    return host.runtime_since is None or turn.reached(_reconnects(turn, host.runtime_since))


def _reconnects(turn: Turn, since: int) -> Bounds:
    return turn.lag("runtime-start").after(since)


def without_runtime(turn: Turn, cases: list[Case]) -> Iterator[Act | Due | Wait]:
    """A pod that was to be looked at again gets this one sync; then all wait for the runtime."""
    since = turn.host.runtime_since
    down = turn.host.runtime_down
    for case in cases:
        if down is not None and case.worker.stage == "sync" and case.worker.synced < down:
            yield from _last_tries(case)
    if down is None and since is not None:
        yield Wait(_reconnects(turn, since))


def _last_tries(case: Case) -> Iterator[Act | Due]:
    for crash in case.worker.crashes:
        option = starting(case, crash.container, ()) if crash.resync is not None else None
        if option is not None:
            yield option


def begins(turn: Turn) -> Bounds | None:
    """When a kubelet that was started not long ago first looks at its pods; None: it has long since."""
    since = turn.host.kubelet_since
    return None if since is None else turn.lag("kubelet-start").after(since)
