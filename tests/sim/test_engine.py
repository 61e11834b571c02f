"""Actions: what is enabled, in which order, and what each leads to."""

from __future__ import annotations

import pytest
from clusters import DEPLOYMENT, ask, deployment, held, queued, watcher, world
from msgspec.structs import replace

from app.errors import BadInput
from app.kube.meta import Ref
from app.kube.workloads import Deployment
from app.sim.actions import Action, Advance, Deliver, Intervene, Reconcile, parse
from app.sim.acts import Act, Create, Patch, Update, Wait, Work
from app.sim.engine import Model
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key
from app.sim.schedule import run

KCM = "kube-controller-manager"


def scale_to_three(turn: Turn) -> Act | None:
    seen = turn.read(Deployment, turn.key)
    if seen is None or seen.spec.replicas == 3:
        return None
    return Act("scale", turn.key, request=Update(replace(seen, spec=replace(seen.spec, replicas=3))))


def scaler() -> Loop:
    return Loop(name="scaler", lane="scaler", process=KCM, reconcile=scale_to_three, wakes={"Deployment": own_key})


def test_a_change_is_delivered_no_earlier_than_the_least_lag_and_no_later_than_the_most() -> None:
    model = Model([watcher()])
    after, _ = ask(model, world(), Create(deployment()))
    assert model.enabled(after) == (Advance(1), Advance(5), Advance(50))
    early = model.step(after, Advance(1)).world
    assert Deliver(KCM, "Deployment") in model.enabled(early)
    late = model.step(after, Advance(50)).world
    assert model.enabled(late) == (Deliver(KCM, "Deployment"),)


def test_time_stands_still_while_a_key_is_queued() -> None:
    model = Model([watcher()])
    after, _ = ask(model, world(), Create(deployment()))
    woken = model.step(replace(after, now=5), Deliver(KCM, "Deployment")).world
    assert queued(woken) == [Work("watcher", "", DEPLOYMENT)]
    assert model.enabled(woken) == (Reconcile(Work("watcher", "", DEPLOYMENT)),)


def test_one_kind_reaches_a_process_in_order_and_beliefs_never_go_back() -> None:
    model = Model([watcher()])
    after, _ = ask(model, world(), Create(deployment(1)))
    after, _ = ask(model, after, Patch(DEPLOYMENT, (("spec.replicas", 2),)))
    after = replace(after, now=50)
    seen = []
    for _ in range(2):
        after = model.step(after, Deliver(KCM, "Deployment")).world
        stored = after.views[KCM].get(DEPLOYMENT)
        assert stored is not None
        assert isinstance(stored.object, Deployment)
        seen.append((stored.version, stored.object.spec.replicas))
    assert seen == [(1, 1), (2, 2)]
    assert not after.heads


def test_a_refused_write_is_tried_again_after_the_loop_s_back_off() -> None:
    """client-go's workqueue: 5 ms, doubling. The stale belief is healed by the delivery, not by the retry."""
    model = Model([scaler()])
    after, _ = ask(model, world(), Create(deployment(1)))
    after = model.step(replace(after, now=5), Deliver(KCM, "Deployment")).world
    after, _ = ask(model, after, Patch(DEPLOYMENT, (("spec.minReadySeconds", 7),)))
    work = Work("scaler", "", DEPLOYMENT)
    refused = model.step(after, Reconcile(work))
    assert refused.steps[0].outcome.startswith("conflict")
    assert refused.world.timers[work] == Bounds.at(10)
    walk = run(model, refused.world)
    stored = held(walk.world, DEPLOYMENT)
    assert isinstance(stored, Deployment)
    assert (stored.spec.replicas, stored.spec.minReadySeconds) == (3, 7)
    assert not walk.world.retries


def test_a_wait_is_one_timer_that_replaces_the_one_before() -> None:
    def wait(turn: Turn) -> Wait | None:
        return None if turn.reached(Bounds(10, 20, 30)) else Wait(Bounds(10, 20, 30))

    loop = Loop(name="waiter", lane="waiter", process=KCM, reconcile=wait, wakes={"Deployment": own_key})
    model = Model([loop])
    after, _ = ask(model, world(), Create(deployment()))
    after = model.step(replace(after, now=5), Deliver(KCM, "Deployment")).world
    after = model.step(after, Reconcile(Work("waiter", "", DEPLOYMENT))).world
    assert model.enabled(after) == (Advance(10), Advance(20), Advance(30))
    assert run(model, after).world.now == 20


@pytest.mark.parametrize(
    "action",
    [
        Deliver("kubelet/node-1", "Pod"),
        Reconcile(Work("replicaset", "", Ref("ReplicaSet", "default", "web"))),
        Reconcile(Work("kubelet-pods", "node-1", Ref("Pod", "default", "web-1")), timer=True),
        Intervene(),
        Advance(1_200),
        Advance(-599_995),
    ],
)
def test_an_action_s_id_parses_back(action: Action) -> None:
    assert parse(str(action)) == action


@pytest.mark.parametrize("text", ["", "advance:x", "deliver:kubelet", "reconcile:a:b", "advance:1.2", "jump:1"])
def test_what_is_no_action_id_says_what_is_allowed(text: str) -> None:
    with pytest.raises(BadInput, match="allowed are deliver"):
        parse(text)
