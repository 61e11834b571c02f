"""The kubelet's heartbeat: it renews its Lease every ten seconds and a little.

A node has a Lease only where the starting world gives it one, so that clusters in which no node is lost stay quiet.
Not modelled: the five immediate tries after a failure.
"""

from __future__ import annotations

from collections.abc import Generator

from app.kube.meta import ObjectMeta, Ref
from app.kube.node_monitor import RENEW, Beat
from app.kube.nodes import LEASES, Lease, LeaseSpec
from app.sim.acts import Act, Create, Outcome, Renew, Wait
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

RETRY = 10_000


def reconcile(turn: Turn) -> Generator[Act, Outcome, None] | Wait | None:
    """Renew, or wait for the next time."""
    if not (turn.host.power and turn.host.leased):
        return None
    known = turn.memory
    due = known.renewed + RENEW if isinstance(known, Beat) else turn.now
    return Wait(Bounds(due, due, due, idle=True)) if turn.now < due else _renewed(turn)


def _renewed(turn: Turn) -> Generator[Act, Outcome, None]:
    beat = Beat(turn.now)
    answer = yield Act("renew", turn.key, reason="Heartbeat", request=Renew(turn.key), memory=beat, background=True)
    if answer.status == "not-found":
        meta = ObjectMeta(name=turn.node, namespace=LEASES)
        lease = Lease(meta, LeaseSpec(holderIdentity=turn.node, renewTime=turn.now))
        yield Act("create-lease", turn.key, request=Create(lease), memory=beat, background=True)


def _on_start(turn: Turn) -> list[Ref]:
    return [Ref(Lease.kind, LEASES, turn.node)] if turn.host.leased else []


LOOP = Loop(
    name="kubelet-lease",
    lane="kubelet",
    process="kubelet",
    per_node=True,
    reconcile=reconcile,
    on_start=_on_start,
    retry=(RETRY, RETRY),
)
