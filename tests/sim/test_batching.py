"""Loops that hold changes back, and changes that concern nobody."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.pods import Pod, PodStatus
from app.kube.workloads import Deployment, DeploymentSpec, DeploymentStatus
from app.sim.actions import Deliver, Reconcile
from app.sim.acts import Act, Work
from app.sim.draft import Draft
from app.sim.engine import Model
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key
from app.sim.maps import Map
from app.sim.world import World
from tests.sim.clusters import rest, world

KEY = Ref("Deployment", "default", "web")
PROCESS = "kube-controller-manager"
WEB = Deployment(ObjectMeta(name="web", namespace="default", generation=1), DeploymentSpec(replicas=1))


def its_deployment(_: Index, __: Object) -> list[Ref]:
    return [KEY]


SLOW = Loop(
    name="slow",
    lane="slow",
    process=PROCESS,
    reconcile=rest,
    wakes={"Deployment": own_key, "Pod": its_deployment},
    batch=1000,
)
WORK = Work("slow", "", KEY)
POD = Pod(ObjectMeta(name="web-1", namespace="default"))


def told(model: Model, before: World, *versions: Object | None) -> World:
    """The world after its process has heard of these versions, one after the other."""
    draft = Draft(before)
    for obj in versions:
        ref = obj.ref if obj is not None else KEY
        model.api.commit(draft, "", ref, obj, "")
    found = draft.freeze()
    for _ in versions:
        kind = next(kind for process, kind in found.heads if process == PROCESS)
        found = model.step(found, Deliver(PROCESS, kind)).world
    return found


@pytest.mark.parametrize(
    ("versions", "at_once"),
    [
        pytest.param([WEB], True, id="a new object"),
        pytest.param([POD], False, id="a pod of it"),
    ],
)
def test_what_is_held_back(versions: list[Object], at_once: bool) -> None:
    found = told(Model([SLOW]), world(now=500), *versions)
    assert (WORK in found.queued) is at_once
    assert (found.timers.get(WORK) == Bounds.at(1_500)) is not at_once


def settled(model: Model) -> World:
    """The Deployment is known and nothing is left to do."""
    return replace(told(model, world(), WEB), queued=World().queued)


def test_a_status_is_held_back_and_a_new_spec_is_not() -> None:
    model = Model([SLOW])
    counted = replace(WEB, status=DeploymentStatus(replicas=1))
    found = told(model, settled(model), counted)
    assert (WORK in found.queued, found.timers.get(WORK)) == (False, Bounds.at(1_000))
    asked = replace(counted, metadata=replace(WEB.metadata, generation=2))
    assert WORK in told(model, found, asked).queued
    assert WORK in told(model, found, None).queued


def test_a_second_change_comes_with_the_first() -> None:
    model = Model([SLOW])
    first = told(model, settled(model), POD)
    later = told(model, replace(first, now=600), replace(POD, status=PodStatus(phase="Running")))
    assert later.timers.get(WORK) == Bounds.at(1_000)


def test_a_long_wait_is_cut_short() -> None:
    model = Model([SLOW])
    waiting = settled(model)
    waiting = replace(waiting, timers=waiting.timers.set(WORK, Bounds.at(60_000)))
    assert told(model, waiting, POD).timers.get(WORK) == Bounds.at(1_000)


def alike(before: Object, after: Object) -> bool:
    return before.metadata.labels == after.metadata.labels


def test_changes_that_make_no_difference_wake_nobody() -> None:
    picky = replace(SLOW, name="picky", batch=0, ignores={"Deployment": alike})
    model = Model([picky])
    work = Work("picky", "", KEY)
    found = told(model, world(), WEB)
    assert work in found.queued
    found = told(model, replace(found, queued=World().queued), replace(WEB, status=DeploymentStatus(replicas=1)))
    assert work not in found.queued


def touches(_: Turn) -> Act:
    return Act("touch", KEY)


@pytest.mark.parametrize(("batch", "again"), [(0, True), (1000, False)])
def test_a_loop_that_batches_is_not_asked_again_at_once_after_its_acts(batch: int, again: bool) -> None:
    model = Model([replace(SLOW, reconcile=touches, batch=batch)])
    found = model.step(replace(world(), queued=Map({WORK: 0})), Reconcile(WORK)).world
    assert (WORK in found.queued, WORK in found.timers) == (again, False)
