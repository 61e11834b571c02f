"""When a walk is over: each predicate before and after what it waits for."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from msgspec.structs import replace

from app.catalog import goals, starting
from app.catalog.flow import Flow
from app.kube.meta import Ref
from app.kube.nodes import Node, NodeSpec, Taint
from app.kube.pods import Pod
from app.kube.taints import UNSCHEDULABLE
from app.sim.fronts import Front, ready_addresses
from app.sim.index import Stored
from app.sim.ledger import Failing, Ledger, Route
from app.sim.maps import Map
from app.sim.walk import Walk
from app.sim.world import World


@pytest.fixture(scope="module")
def walk(race: Flow) -> Walk:
    return starting.walk(starting.set_up(race, settings={}))


@pytest.fixture(scope="module")
def subject(race: Flow) -> goals.Subject:
    setup = starting.set_up(race, settings={})
    world = starting.start(setup)
    ref = starting.target(setup, world)
    held = world.etcd.get(ref)
    assert held is not None
    return goals.Subject(ref, held.object.metadata.uid)


def worlds(walk: Walk) -> list[World]:
    return [walk.start, *(record.step.world for record in walk.records), walk.world]


def test_all_goals_hold_at_the_end_and_not_all_before(walk: Walk, subject: goals.Subject) -> None:
    over = goals.goal(list(goals.GOALS), subject)
    assert over is not None
    assert over(walk.world)
    before = next(world for world in reversed(worlds(walk)) if world.now < walk.world.now)
    assert not over(before)


def test_without_names_there_is_no_goal(subject: goals.Subject) -> None:
    assert goals.goal((), subject) is None


LATER = ("target-gone", "processes-gone", "script-done")


@pytest.mark.parametrize("name", [name for name in goals.GOALS if name not in LATER])
def test_at_rest_every_goal_but_the_targets_end_holds(walk: Walk, subject: goals.Subject, name: str) -> None:
    assert goals.GOALS[name](walk.start, subject)


def test_the_target_is_gone_once_its_object_is(walk: Walk, subject: goals.Subject) -> None:
    gone = [goals.target_gone(world, subject) for world in worlds(walk)]
    held = [world.etcd.get(subject.ref) is None for world in worlds(walk)]
    assert gone == held
    assert not gone[0]


def test_the_targets_processes_are_gone_once_its_container_has_ended(walk: Walk, subject: goals.Subject) -> None:
    gone = [(record.step.moment, goals.processes_gone(record.step.world, subject)) for record in walk.steps]
    assert next(moment for moment, over in gone if over) == "process-exited"
    assert not goals.processes_gone(walk.start, subject)


def test_a_machine_that_is_off_runs_no_process(walk: Walk, subject: goals.Subject) -> None:
    off = Map({node: replace(host, power=False) for node, host in walk.start.hosts.items()})
    assert goals.processes_gone(replace(walk.start, hosts=off), subject)


def test_a_namesake_is_not_the_target(walk: Walk, subject: goals.Subject) -> None:
    assert goals.target_gone(walk.start, subject._replace(uid="of-one-before"))


def test_replicas_are_ready_again_only_when_the_replacement_is(walk: Walk, subject: goals.Subject) -> None:
    ready = [(world.now, goals.replicas_ready(world, subject)) for world in worlds(walk)]
    changes = [after for before, after in pairwise(ready) if before[1] != after[1]]
    assert [settled for _, settled in changes] == [False, True]
    # The replacement needs at least its startup of a second.
    assert changes[1][0] > 1000


@pytest.mark.parametrize(
    "change",
    [
        lambda row: replace(row, status=replace(row.status, readyReplicas=1)),
        lambda row: replace(row, status=replace(row.status, updatedReplicas=1)),
        lambda row: replace(row, metadata=replace(row.metadata, generation=row.metadata.generation + 1)),
        lambda row: replace(row, spec=replace(row.spec, replicas=3)),
    ],
    ids=["one not ready", "one outdated", "spec not seen yet", "more asked for"],
)
def test_a_workload_with_anything_left_to_do_is_not_ready(walk: Walk, change: Callable[[object], object]) -> None:
    ref = Ref("Deployment", "default", "web")
    held = walk.start.etcd.get(ref)
    assert held is not None
    changed = replace(held, object=change(held.object))
    world = replace(walk.start, etcd=walk.start.etcd.put(changed))
    assert not goals.replicas_ready(world, None)


def test_rules_are_current_only_when_no_node_has_a_sync_to_make(walk: Walk) -> None:
    """node-2 synced just before, so that its rules change about a second after the others'."""
    stale = [world for world in worlds(walk) if not goals.rules_current(world, None)]
    assert stale[0].now < 100
    late = [record for record in walk.steps if record.step.moment == "rules-changed" and record.step.node == "node-2"]
    assert late[0].step.at == -5 + 1000 + 22
    assert any(world.now == late[0].step.at - 22 for world in stale)
    assert goals.rules_current(walk.world, None)


def test_a_node_without_power_has_no_rules_to_wait_for(walk: Walk) -> None:
    stale = next(world for world in worlds(walk) if not goals.rules_current(world, None))
    hosts = Map({node: replace(host, power=False) for node, host in stale.hosts.items()})
    assert goals.rules_current(replace(stale, hosts=hosts), None)


def test_nothing_fails_while_no_route_does(walk: Walk) -> None:
    route = Route("node-1", Ref("Service", "default", "web"), "10.244.1.2")
    failing = Ledger(failing=Map({route: Failing("refused", 2, 0)}))
    assert not goals.nothing_failing(replace(walk.start, ledger=failing), None)
    assert any(not goals.nothing_failing(world, None) for world in worlds(walk))


def test_a_command_is_done_when_it_has_returned(walk: Walk) -> None:
    done = [(world.now, goals.commands_done(world, None)) for world in worlds(walk) if world.commands]
    assert done[0] == (0, False)
    assert done[-1][1]


def test_the_script_is_done_when_its_last_line_is(walk: Walk, subject: goals.Subject) -> None:
    assert not goals.script_done(walk.start, subject)
    assert goals.script_done(walk.world, subject)


def test_the_target_is_well_while_it_is_ready_and_serves_its_clients_well(walk: Walk, subject: goals.Subject) -> None:
    assert goals.target_well(walk.start, subject)
    held = walk.start.etcd.get(subject.ref)
    assert held is not None
    assert isinstance(held.object, Pod)
    host = walk.start.hosts[held.object.spec.nodeName]
    pod = host.pods[subject.uid]
    for changes in ({"fails": "error"}, {"serving": False}):
        worse = replace(pod, containers=tuple(replace(run, **changes) for run in pod.containers))
        machine = replace(host, pods=host.pods.set(subject.uid, worse))
        world = replace(walk.start, hosts=walk.start.hosts.set(host.node, machine))
        assert not goals.target_well(world, subject)


def test_a_target_that_goes_is_not_waited_for(walk: Walk, subject: goals.Subject) -> None:
    assert goals.target_well(walk.world, subject)


def test_taints_are_current_when_they_follow_the_field(walk: Walk, subject: goals.Subject) -> None:
    held = walk.start.etcd.get(Ref("Node", "", walk.start.nodes[0]))
    assert held is not None
    assert isinstance(held.object, Node)
    cordoned = replace(held.object, spec=NodeSpec(unschedulable=True))
    tainted = replace(cordoned, spec=NodeSpec(unschedulable=True, taints=(Taint(UNSCHEDULABLE, "NoSchedule"),)))
    opened = replace(tainted, spec=NodeSpec(taints=tainted.spec.taints))
    rows = [(cordoned, False), (tainted, True), (opened, False)]
    for node, current in rows:
        etcd = walk.start.etcd.put(Stored(2, node))
        assert goals.taints_current(replace(walk.start, etcd=etcd), subject) is current


def test_all_are_back_only_when_leaders_lead_and_watches_have_listed() -> None:
    walk = starting.walk(starting.setup("api-outage", settings={}))
    back = [goals.all_back(world, None) for world in worlds(walk)]
    assert (back[0], back[-1], sum(after != before for before, after in pairwise(back))) == (True, True, 2)
    first = next(row for row in walk.records if goals.all_back(row.step.world, None) and row.step.at > 0)
    leads = [row.step.at for row in walk.steps if row.step.moment == "leader-elected"]
    assert first.step.at >= max(leads)


@pytest.mark.parametrize("process", ["kube-scheduler", "kubelet/node-2"])
def test_whoever_is_cut_off_is_not_back(walk: Walk, process: str) -> None:
    assert not goals.all_back(replace(walk.start, cut=Map({process: 0})), None)
    assert not goals.all_back(replace(walk.start, down=Map({process: 0})), None)


def test_nobody_terminates_when_the_old_pod_is_gone(walk: Walk) -> None:
    leaving = [world.now for world in worlds(walk) if not goals.none_terminating(world, None)]
    gone = next(record for record in walk.records if record.step.verb == "remove")
    assert leaving
    assert max(leaving) == gone.step.at
    assert goals.none_terminating(walk.world, None)


def test_a_front_is_current_when_it_lists_what_is_ready_and_keeps_nothing_out(walk: Walk) -> None:
    web = Ref("Service", "default", "web")
    ready = ready_addresses(web, walk.start.etcd.find("EndpointSlice"))
    assert len(ready) == 2
    for front, current in ((Front(ready), True), (Front(ready[:1]), False), (Front(ready, out=ready[:1]), False)):
        assert goals.fronts_current(replace(walk.start, fronts=Map({web: front})), None) is current
