"""Whole nodes: kubelet, runtime and applications together, held against the pure rules and known numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import (
    Container,
    ExecAction,
    HTTPGetAction,
    Lifecycle,
    LifecycleHandler,
    Pod,
    Probe,
)
from app.kube.termination import Behaviour, termination_schedule
from app.loops import app_process, kubectl, runtime
from app.loops.kubelet import pods, probes, status
from app.sim.engine import Model
from app.sim.host import ContainerRun
from app.sim.intervention import parse
from app.sim.lags import Lag
from app.sim.loop import Turn
from app.sim.schedule import Runner, run
from app.sim.start import at_rest
from app.sim.walk import Walk
from app.sim.world import World
from tests.loops.machines import APP, KEY, NODE, api

NODE_LOOPS = (pods.LOOP, probes.LOOP, status.LOOP, runtime.LOOP, app_process.LOOP)
MODEL = Model((kubectl.LOOP, *NODE_LOOPS))
IMAGES = ("app:v1",)
# Nothing takes time but what the pod says: the pure rules know no lags.
INSTANT = dict.fromkeys(("kubelet", "process-exit", "sandbox-stop"), Lag(0, 0, 0))


def started(*objects: Object, lags: dict[str, Lag] | None = None) -> World:
    return at_rest(MODEL, [Node(metadata=ObjectMeta(name=NODE)), *objects], images=IMAGES, lags=lags)


def walked(world: World, *script: str, until: int = 600_000) -> Walk:
    walk = run(MODEL, world, [parse(line) for line in script], until=until)
    assert walk.problems == ()
    return walk


def when(walk: Walk, moment: str) -> list[float]:
    """The seconds of a moment's steps."""
    return [row.step.at / 1000 for row in walk.records if row.step.moment == moment]


def container_at(walk: Walk, moment: str) -> dict[str, float]:
    """When each container met a moment: the one that the step changed."""
    found: dict[str, float] = {}
    for row in walk.records:
        if row.step.moment == moment:
            before, after = (_runs(world) for world in (row.step.before, row.step.world))
            found |= {name: row.step.at / 1000 for name, one in after.items() if before.get(name) != one}
    return found


def _runs(world: World) -> dict[str, ContainerRun]:
    return {one.name: one for pod in world.hosts[NODE].pods.values() for one in pod.containers}


def hooked(name: str = "app", seconds: int = 0, **more: Any) -> Container:
    hook = LifecycleHandler(exec=ExecAction(("sleep", str(seconds))))
    return Container(name, "app:v1", lifecycle=Lifecycle(preStop=hook) if seconds else None, **more)


@pytest.mark.parametrize(
    ("grace", "hook", "reaction"),
    [
        (grace, hook, reaction)
        for grace in (1, 2, 10, 30)
        for hook in (0, 1, 8, 12, 40)
        for reaction in ("exit", "drain=3s", "drain=25s", "ignore")
    ],
)
def test_one_container_is_stopped_as_the_rule_says(grace: int, hook: int, reaction: str) -> None:
    pod = api(hooked(seconds=hook), grace=grace, behaves={"on-sigterm": reaction})
    walk = walked(started(pod, lags=INSTANT), "0s delete pod/web-1")
    _, _, after = reaction.partition("=")
    exits = None if reaction == "ignore" else int(after[:-1] or 0) * 1_000 if after else 0
    rule = termination_schedule(pod.spec, {"app": Behaviour(exits, hook * 1_000)}, grace)["app"]
    assert when(walk, "sigterm-sent") == [rule.signalled / 1000]
    assert when(walk, "sigkill-sent") == ([rule.ended / 1000] if rule.killed else [])
    assert when(walk, "process-exited") == ([] if rule.killed else [rule.ended / 1000])


SIDECARS = (("first", 1), ("second", 2))


@pytest.mark.parametrize("grace", [1, 3, 6, 30])
@pytest.mark.parametrize("main", [1, 5, 40])
def test_sidecars_are_stopped_as_the_rule_says(grace: int, main: int) -> None:
    init = tuple(Container(name, "app:v1", restartPolicy="Always") for name, _ in SIDECARS)
    behaves = {f"{name}.on-sigterm": f"drain={seconds}s" for name, seconds in (*SIDECARS, ("app", main))}
    pod = api(APP, init=init, grace=grace, behaves=behaves)
    walk = walked(started(pod, lags=INSTANT), "0s delete pod/web-1")
    exits = {name: Behaviour(seconds * 1_000) for name, seconds in (*SIDECARS, ("app", main))}
    rule = termination_schedule(pod.spec, exits, grace)
    assert container_at(walk, "sigterm-sent") == {name: row.signalled / 1000 for name, row in rule.items()}
    ended = container_at(walk, "sigkill-sent") | container_at(walk, "process-exited")
    assert ended == {name: row.ended / 1000 for name, row in rule.items()}


def test_a_hook_that_is_too_long_is_cut_and_two_seconds_are_left() -> None:
    pod = api(hooked(seconds=40), behaves={"on-sigterm": "ignore"})
    walk = walked(started(pod), "0s delete pod/web-1")
    # The kubelet hears of the delete after 6 ms.
    assert when(walk, "prestop-cut") == when(walk, "sigterm-sent") == [30.006]
    assert when(walk, "sigkill-sent") == [32.006]
    assert when(walk, "prestop-failed") == [32.006]


def test_a_pod_goes_through_all_its_ends_in_order() -> None:
    walk = walked(started(api(hooked(seconds=4), behaves={"on-sigterm": "drain=2s"})), "0s delete pod/web-1")
    order = [
        "deletion-timestamp-set",
        "killing",
        "prestop-started",
        "prestop-done",
        "stop-container",
        "sigterm-sent",
        "drain-started",
        "process-exited",
        "stop-sandbox",
        "sandbox-stopped",
        "pod-terminal",
        "volumes-unmounted",
        "final-delete",
        "object-removed",
    ]
    assert [row.step.moment for row in walk.records if row.step.moment in order] == order
    assert walk.stopped == "quiet"
    assert not walk.world.hosts[NODE].pods
    assert not walk.world.hosts[NODE].workers


def test_a_forced_delete_leaves_the_process_to_a_kubelet_that_hears_of_it_later() -> None:
    world = started(api(hooked(seconds=20), behaves={"on-sigterm": "ignore"}))
    walk = walked(world, "0s delete pod/web-1 force=true")
    assert when(walk, "object-removed") == [0.0]
    # Effective grace 1: a second of preStop, then the floor of two.
    assert (when(walk, "sigterm-sent"), when(walk, "sigkill-sent")) == ([1.006], [3.006])
    assert when(walk, "pod-terminal") == when(walk, "final-delete") == []


def test_a_finalizer_holds_the_object_and_nothing_else() -> None:
    pod = api()
    world = started(replace(pod, metadata=replace(pod.metadata, finalizers=("example.com/hold",))))
    walk = walked(world, "0s delete pod/web-1 wait=false", until=100_000)
    assert len(when(walk, "final-delete")) == 1
    held = walk.world.etcd.get(KEY)
    assert held is not None
    assert held.object.metadata.deletionGracePeriodSeconds == 0
    again = walked(world, "0s delete pod/web-1 wait=false", "50s remove-finalizer pod/web-1 example.com/hold")
    assert when(again, "object-removed") == [50.0]
    assert not again.world.hosts[NODE].pods


def test_a_second_delete_shortens_what_the_api_shows_and_not_the_kill() -> None:
    world = started(api(behaves={"on-sigterm": "ignore"}))
    walk = walked(world, "0s delete pod/web-1 wait=false", "5s delete pod/web-1 grace=3")
    assert when(walk, "sigkill-sent") == [30.006]


def test_a_kubelet_that_was_away_kills_when_it_is_back() -> None:
    world = started(api())
    walk = walked(world, "0s stop kubelet/n1", "1s delete pod/web-1", "20s start kubelet/n1")
    assert when(walk, "sigterm-sent") == [21.29]
    assert not walk.world.hosts[NODE].pods


def test_a_container_that_ends_by_itself_while_its_pod_is_killed_is_not_started_again() -> None:
    world = started(api(behaves={"on-sigterm": "ignore"}))
    walk = walked(world, '0s set pod/web-1 exit="after 605s code 1"', "1s delete pod/web-1")
    assert len(when(walk, "process-exited")) == 1
    assert when(walk, "container-started") == when(walk, "sigkill-sent") == []
    assert len(when(walk, "pod-terminal")) == 1


LIVE = Probe(httpGet=HTTPGetAction(8080, "/live"), periodSeconds=5, failureThreshold=3)


def test_a_container_that_fails_liveness_is_restarted_and_ready_again() -> None:
    """Three failures 5 s apart; the fault begins 17 s after the start, as in the recording kubelet-liveness."""
    behaves = {"health": "/live: 200; after 17s: 500", "on-sigterm": "drain=1s"}
    world = replace(started(api()), now=0)
    pod = replace(api(replace(APP, livenessProbe=LIVE), behaves=behaves), metadata=replace(api().metadata, name="live"))
    pod = replace(pod, metadata=replace(pod.metadata, annotations=api(behaves=behaves).metadata.annotations, uid=""))
    world = replace(world, manifests=world.manifests.set("live", (pod,)))
    walk = walked(world, "0s apply m:live", until=40_000)
    first = when(walk, "container-started")[0]
    (failed,) = when(walk, "liveness-failed")
    assert 17 + 2 * 5 < failed - first <= 17 + 3 * 5
    assert when(walk, "liveness-kill") == [failed]
    assert when(walk, "container-started")[1] == pytest.approx(failed + 1.017, abs=0.001)
    held = walk.world.etcd.get(Ref("Pod", "default", "live"))
    assert held is not None
    assert isinstance(held.object, Pod)
    (row,) = held.object.status.containerStatuses
    assert (row.restartCount, row.ready) == (1, True)


def undecided(world: World) -> list[str]:
    """Every act that a node's loop would decide on although the world is at rest."""
    keys = [obj.ref for obj in world.etcd.find("Pod")] + [Ref("Pod", "default", "never-was")]
    return [
        f"{loop.name} {key}: {decision}"
        for loop in NODE_LOOPS
        for key in keys
        for decision in [loop.reconcile(Turn(world, loop, NODE, key))]
        if decision is not None
    ]


RICH = api(
    replace(APP, readinessProbe=LIVE, livenessProbe=LIVE, startupProbe=LIVE),
    init=(Container("setup", "app:v1"), Container("proxy", "app:v1", restartPolicy="Always", startupProbe=LIVE)),
    behaves={"setup.exit": "after 2s", "startup": "3s", "on-sigterm": "drain=2s"},
)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([], id="a pod that came up"),
        pytest.param(["0s delete pod/web-1"], id="one that went"),
        pytest.param(["0s stop kubelet/n1", "60s start kubelet/n1"], id="a kubelet that was restarted"),
        pytest.param(["0s delete pod/web-1 force=true", "0s delete pod/web-1"], id="a forced delete"),
    ],
)
def test_at_rest_the_loops_of_a_node_decide_nothing(script: list[str]) -> None:
    world = started(RICH)
    assert all(pod.serves for pod in world.hosts[NODE].pods.values())
    walk = walked(world, *script)
    assert walk.stopped == "quiet"
    assert undecided(walk.world) == []


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_in_any_order_a_pod_ends_as_it_should(data: st.DataObject) -> None:
    """Whatever goes first and however late things are: hook before signal, all processes gone, then the object."""
    pod = api(hooked(seconds=2), hooked("log", seconds=0), grace=5, behaves={"log.on-sigterm": "ignore"})
    runner = Runner(MODEL, started(pod), [parse("0s delete pod/web-1")])
    for _ in range(data.draw(st.integers(0, 120))):
        enabled = MODEL.enabled(runner.world)
        if not enabled:
            break
        runner.take(enabled[data.draw(st.integers(0, len(enabled) - 1))])
    walk = runner.run(until=600_000)
    assert walk.stopped == "quiet"
    (done,) = when(walk, "prestop-done")
    assert container_at(walk, "sigterm-sent")["app"] >= done
    assert set(container_at(walk, "sigkill-sent")) == {"log"}
    gone = [*when(walk, "process-exited"), *when(walk, "sigkill-sent")]
    assert max(gone) <= min(when(walk, "pod-terminal")) <= min(when(walk, "final-delete"))
    assert walk.world.etcd.get(KEY) is None
    assert not walk.world.hosts[NODE].pods


def test_every_act_has_a_word_for_its_step() -> None:
    """Steps that a reader sees carry a moment, those that only keep books are in the background."""
    world = started(RICH)
    walk = walked(world, "0s delete pod/web-1")
    silent = {
        row.step.verb
        for row in walk.records
        if row.n and not row.step.moment and row.step.loop in {loop.name for loop in NODE_LOOPS}
    }
    assert silent == set()
