"""Loops that write a whole sync in one turn: their key rests while the requests take their time."""

from __future__ import annotations

from collections.abc import Generator

from clusters import DEPLOYMENT, ask, deployment, held, queued, world
from msgspec.structs import replace

from app.kube.workloads import Deployment
from app.sim.actions import Deliver, Intervene, Reconcile
from app.sim.acts import Act, Create, Outcome, Patch, Work
from app.sim.engine import REQUEST, Model
from app.sim.intervention import parse
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key
from app.sim.maps import Map
from app.sim.schedule import run
from app.sim.world import World

KCM = "kube-controller-manager"
WORK = Work("grower", "", DEPLOYMENT)


def grow(turn: Turn) -> Generator[Act, Outcome, None]:
    """Two more in each sync, one by one, until there are four."""
    seen = turn.read(Deployment, turn.key)
    size = seen.spec.replicas or 0 if seen else 4
    for count in (size + 1, size + 2) if size < 4 else ():
        yield Act("grow", turn.key, request=Patch(DEPLOYMENT, (("spec.replicas", count),)))


GROWER = Loop(name="grower", lane="grower", process=KCM, reconcile=grow, wakes={"Deployment": own_key}, whole_sync=True)
MODEL = Model([GROWER])


def synced() -> World:
    """A world in which one sync has just written twice, at t = 5 ms."""
    created, _ = ask(MODEL, world(), Create(deployment(0)))
    delivered = MODEL.step(replace(created, now=5), Deliver(KCM, "Deployment")).world
    return MODEL.step(delivered, Reconcile(WORK)).world


def replicas(found: World) -> int | None:
    obj = held(found, DEPLOYMENT)
    assert isinstance(obj, Deployment)
    return obj.spec.replicas


def test_a_sync_writes_all_at_once_and_is_over_after_the_time_of_its_requests() -> None:
    after = synced()
    assert replicas(after) == 2
    assert after.timers[WORK] == Bounds.at(5 + 2 * REQUEST)
    assert queued(after) == []


def test_what_happens_meanwhile_does_not_start_another() -> None:
    woken = MODEL.step(replace(synced(), now=10), Deliver(KCM, "Deployment")).world
    assert queued(woken) == []
    assert woken.timers[WORK] == Bounds.at(13)


def test_at_its_end_the_key_is_looked_at_again() -> None:
    again = MODEL.step(replace(synced(), now=13), Reconcile(WORK, timer=True)).world
    assert replicas(again) == 4
    rested = MODEL.step(replace(again, now=21), Reconcile(WORK, timer=True)).world
    assert (rested.busy, rested.timers) == (Map(), Map())


def test_the_walk_names_what_woke_the_key_meanwhile() -> None:
    walk = run(MODEL, synced(), until=1_000)
    assert [(record.step.at, record.cause) for record in walk.records] == [(13, "watch deployment/web")] * 2


def test_a_process_that_is_stopped_works_on_nothing() -> None:
    stopping = replace(synced(), script=(replace(parse(f"stop {KCM}"), at=5),))
    stopped = MODEL.step(stopping, Intervene()).world
    assert (stopped.busy, stopped.timers) == (Map(), Map())
