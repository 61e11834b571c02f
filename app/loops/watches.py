"""Watches that the API server's absence has broken: each comes back by its own back-off and lists its kind anew.

When that is, the return of the API server says (app/sim/reflectors); this loop lets it happen.
"""

from __future__ import annotations

from collections.abc import Generator

from app.sim.acts import Act, Outcome, Wait
from app.sim.lags import Bounds
from app.sim.links import WATCHES
from app.sim.loop import Loop, Turn


def reconcile(turn: Turn) -> Generator[Act | Wait, Outcome, None] | Wait | None:
    """List a kind when its watch's pause is over."""
    due = turn.memory
    if not isinstance(due, Bounds):
        return None
    if not turn.reaches(turn.process):
        return Wait(None, forget=True)
    return _back(turn) if turn.reached(due) else Wait(due)


def _back(turn: Turn) -> Generator[Act | Wait, Outcome, None]:
    yield Act("relist", turn.key, reason="WatchBack", moment="watch-back", lists=turn.key.name)
    yield Wait(None, forget=True)


def _of(process: str, lane: str, *, per_node: bool) -> Loop:
    return Loop(name=f"{process}{WATCHES}", lane=lane, process=process, per_node=per_node, reconcile=reconcile)


LOOPS = (
    _of("kube-controller-manager", "controller-manager", per_node=False),
    _of("kube-scheduler", "scheduler", per_node=False),
    _of("kubelet", "kubelet", per_node=True),
    _of("kube-proxy", "kube-proxy", per_node=True),
    _of("ingress", "Front", per_node=False),
    _of("coredns", "CoreDNS", per_node=False),
)
