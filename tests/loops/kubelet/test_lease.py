"""The table of the kubelet's heartbeat."""

from __future__ import annotations

import pytest

from app.kube.meta import Ref
from app.kube.node_monitor import Beat
from app.kube.nodes import LEASES, Lease
from app.loops.kubelet.lease import LOOP
from app.sim.acts import Act, Outcome, Renew, Wait
from app.sim.host import Host
from tests.loops.beliefs import decided, requested, told, turn
from tests.loops.machines import NODE, off

KEY = Ref(Lease.kind, LEASES, NODE)
LEASED = Host(NODE, leased=True)


def made(host: Host, beat: int | None, now: int) -> list[Act | Wait]:
    kept = {KEY: Beat(beat)} if beat is not None else {}
    return decided(LOOP, turn(LOOP, KEY, now=now, node=NODE, host=host, memory=kept))


@pytest.mark.parametrize(
    ("host", "beat", "now", "decisions"),
    [
        pytest.param(LEASED, None, 5_000, ["renew lease/kube-node-lease/n1 Heartbeat"], id="at once after its start"),
        pytest.param(LEASED, 5_000, 5_000, ["wait 15200"], id="then every ten seconds and 2 %"),
        pytest.param(LEASED, 5_000, 15_199, ["wait 15200"], id="not before"),
        pytest.param(LEASED, 5_000, 15_200, ["renew lease/kube-node-lease/n1 Heartbeat"], id="again"),
        pytest.param(off(LEASED), 5_000, 15_200, [], id="a machine without power is silent"),
        pytest.param(Host(NODE), None, 5_000, [], id="and one that has no Lease"),
    ],
)
def test_when_it_is_renewed(host: Host, beat: int | None, now: int, decisions: list[str]) -> None:
    assert told(made(host, beat, now)) == decisions


def test_a_renewal_says_when_and_nothing_else() -> None:
    (act,) = made(LEASED, 5_000, 15_200)
    assert isinstance(act, Act)
    assert (act.request, act.memory, act.background) == (Renew(KEY), Beat(15_200), True)


def test_waiting_for_it_is_no_unrest() -> None:
    (wait,) = made(LEASED, 5_000, 6_000)
    assert isinstance(wait, Wait)
    assert wait.bounds is not None
    assert wait.bounds.idle


def test_a_lease_that_is_not_there_is_made() -> None:
    turns = LOOP.reconcile(turn(LOOP, KEY, now=7_000, node=NODE, host=LEASED))
    assert not isinstance(turns, Act | Wait | None)
    next(turns)
    act = turns.send(Outcome("not-found"))
    made = requested(act)
    assert (made.metadata.name, made.metadata.namespace) == (NODE, LEASES)
    assert (made.spec.holderIdentity, made.spec.leaseDurationSeconds, made.spec.renewTime) == (NODE, 40, 7_000)


def test_a_failed_renewal_is_tried_at_the_next_interval() -> None:
    assert LOOP.retry == (10_000, 10_000)
