"""Where a walk begins: with kubectl apply, or with the first pod just bound."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from app.catalog import starting
from app.catalog.flow import Flow, Setting, Setup
from app.catalog.goals import clients_served
from app.errors import BadInput
from app.kube.manifests import Manifests, read_manifests
from app.kube.networking import Service
from app.kube.nodes import Lease
from app.kube.pods import Pod
from app.sim.walk import Walk
from app.sim.world import World

BOUND = Setting("bound", "Bound", "switch", "false", sets=("begins bound",))


@pytest.fixture(scope="module")
def fresh(race: Flow) -> Flow:
    """The small flow, as one in which its Deployment and Service are applied."""
    return replace(
        race,
        applies=("deployment/web", "service/web"),
        clients="after-wait",
        script=("200ms wait deployment/web",),
        goal=("replicas-ready", "clients-served"),
        settings=(*(row for row in race.settings if row.name != "force"), BOUND),
    )


def set_up(flow: Flow, settings: Mapping[str, str] | None = None, manifests: Manifests | None = None) -> Setup:
    return starting.set_up(flow, settings=settings or {}, manifests=manifests)


def pods(found: Walk) -> list[Pod]:
    return [obj for obj in found.start.etcd.find("Pod") if isinstance(obj, Pod)]


def test_what_is_applied_is_not_there_before(fresh: Flow) -> None:
    setup = set_up(fresh)
    assert [str(choice) for choice in setup.choices] == ["0s apply m:cluster", "200ms wait deployment/web"]
    world = starting.start(setup)
    assert {ref.kind for ref, _ in world.etcd.objects.items()} == {"Node"}
    assert {obj.kind for obj in setup.later} == {"Deployment", "Service"}


def test_every_kube_proxy_has_been_running_and_syncs_at_once(fresh: Flow) -> None:
    found = starting.walk(set_up(fresh))
    first = next(row for row in found.records if row.step.moment == "rules-changed")
    assert first.step.at < 100


def test_a_bound_walk_begins_with_the_binding_just_done(fresh: Flow) -> None:
    found = starting.walk(set_up(fresh, {"bound": "true"}))
    assert any(pod.spec.nodeName for pod in pods(found))
    assert not found.start.commands
    assert found.steps[0].step.loop == "kubelet-pods"
    assert found.steps[0].step.at < 50
    assert found.stopped == "goal"


def test_a_bound_walk_is_the_other_one_from_the_binding_on(fresh: Flow) -> None:
    whole = starting.walk(set_up(fresh))
    bound = starting.walk(set_up(fresh, {"bound": "true"}))
    binding = next(row.step.at for row in whole.records if row.step.moment == "pod-bound")
    admitted = next(row.step.at for row in whole.records if row.step.moment == "pod-admitted")
    assert next(row.step.at for row in bound.records if row.step.moment == "pod-admitted") == admitted - binding


def test_of_a_readers_files_everything_but_nodes_is_applied(fresh: Flow, own: Manifests) -> None:
    setup = set_up(fresh, manifests=own)
    assert [str(obj.ref) for obj in setup.later] == [
        "statefulset/shop/db",
        "service/shop/db-headless",
        "service/shop/other",
        "service/shop/db",
    ]
    assert {obj.kind for obj in setup.objects} == {"Node"}
    assert str(setup.choices[1]) == "200ms wait statefulset/shop/db"
    assert starting.walk(setup).stopped == "goal"


def test_pods_that_fit_nowhere_are_never_bound(fresh: Flow) -> None:
    text = "{apiVersion: v1, kind: Pod, metadata: {name: big}, spec: {containers: [{name: a, image: 'a:1', %s}]}}"
    big = read_manifests(text % "resources: {requests: {cpu: 900}}")
    with pytest.raises(BadInput, match="no pod of these manifests is bound"):
        starting.start(set_up(fresh, {"bound": "true"}, big))


def test_clients_that_were_to_come_have_to_be_served(fresh: Flow) -> None:
    found = starting.walk(set_up(fresh))
    assert not clients_served(found.start, None)
    assert clients_served(found.world, None)
    assert clients_served(replace(found.start, load=()), None)


LONE = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: prod}
spec:
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec:
      containers:
        - name: api
          image: api:1
          env: [{name: MODE, valueFrom: {configMapKeyRef: {name: settings, key: mode}}}]
          readinessProbe: {httpGet: {port: 8080}, periodSeconds: 1}
"""


def test_a_workload_that_no_service_selects_gets_the_flows(fresh: Flow) -> None:
    """Without one its clients would have no address, and the walk no end."""
    setup = set_up(fresh, manifests=read_manifests(LONE))
    found = starting.walk(setup)
    service = next(obj for obj in setup.later if isinstance(obj, Service))
    assert str(service.ref) == "service/prod/api"
    assert dict(service.spec.selector.items()) == {"app": "api"}
    assert service.spec.ports[0].targetPort == 8080
    assert found.stopped == "goal"
    assert any(row.step.moment == "first-request" for row in found.steps)


def test_what_is_only_assumed_is_there_before_and_not_applied(fresh: Flow) -> None:
    setup = set_up(fresh, manifests=read_manifests(LONE))
    assert {str(obj.ref) for obj in setup.later} == {"deployment/prod/api", "service/prod/api"}
    assert any(str(obj.ref) == "configmap/prod/settings" for obj in setup.objects)


def test_a_flow_that_applies_nothing_adds_no_service(race: Flow) -> None:
    settings = dict.fromkeys(("rate", "takes"), "not set")
    setup = starting.set_up(race, settings=settings, manifests=read_manifests(LONE))
    assert not any(isinstance(obj, Service) for obj in setup.objects)


def test_what_is_to_spare_is_in_no_walk_until_a_script_brings_it(fresh: Flow) -> None:
    flow = replace(fresh, applies=("deployment/web",), spare=("service/web",), settings=(), scenes=())
    setup = set_up(flow)
    assert not any(isinstance(obj, Service) for obj in (*setup.objects, *setup.later))
    chosen = starting.set_up(flow, settings={}, choices=[("do", "1s apply m:service/web")])
    world = starting.walk(chosen).world
    assert [str(row.ref) for row in world.etcd.find("Service")] == ["service/web"]


def test_a_scene_that_stands_instead_of_the_script_applies_nothing(fresh: Flow) -> None:
    alone = replace(fresh.scenes[0], id="alone", script=("1s cordon node/node-1",), instead=True)
    setup = starting.set_up(replace(fresh, scenes=(alone,)), settings={}, scene="alone")
    assert [str(choice) for choice in setup.choices] == ["1s cordon node/node-1"]


def leases(world: World) -> dict[str, int | None]:
    rows = [row for row in world.etcd.find("Lease") if isinstance(row, Lease)]
    return {f"{row.metadata.namespace}/{row.metadata.name}": row.spec.renewTime for row in rows}


def test_without_being_asked_for_nobody_shows_signs_of_life(race: Flow) -> None:
    assert leases(starting.start(set_up(race))) == {}


def test_a_flow_with_heartbeats_has_leases_as_old_as_its_nodes_say(race: Flow) -> None:
    setting = Setting("lease", "Lease of node-2", "duration", "8s", sets=("annotation node/node-2 lease-age",))
    flow = replace(race, heartbeats=True, settings=(*race.settings, setting))
    found = leases(starting.start(set_up(flow)))
    # Others are spread over ten seconds.
    assert found == {"kube-node-lease/node-1": -3_700, "kube-node-lease/node-2": -8_000}
    assert leases(starting.start(set_up(flow, {"lease": "1s"})))["kube-node-lease/node-2"] == -1_000


def test_a_silent_node_is_written_off_by_the_first_pass_after_its_grace(race: Flow) -> None:
    """Its Lease was seen by the pass at 1.000 s, or with another phase at -0.504 s; passes are 5.004 s apart."""
    lost = {}
    for monitor in ("1s", "4500ms"):
        flow = replace(race, heartbeats=True, monitor=monitor, script=("0s power-off node/node-1",), goal=())
        found = starting.walk(starting.set_up(flow, settings={}, until="60s"))
        lost[monitor] = [row.step.at for row in found.steps if row.step.moment == "node-unknown"]
    assert lost == {"1s": [51_040], "4500ms": [49_536]}


def test_a_flow_with_leaders_has_their_leases(race: Flow) -> None:
    flow = replace(race, heartbeats=True, leaders=True)
    names = {"kube-system/kube-controller-manager", "kube-system/kube-scheduler"}
    assert names < leases(starting.start(set_up(flow))).keys()
    assert leases(starting.start(set_up(replace(race, leaders=True)))).keys() == names


@pytest.mark.parametrize(("elects", "names"), [("true", 2), ("false", 1)])
def test_a_setting_says_who_works_without_being_elected(race: Flow, elects: str, names: int) -> None:
    setting = Setting("elects", "Election", "switch", "true", sets=("elects kube-controller-manager",))
    flow = replace(race, leaders=True, settings=(*race.settings, setting))
    assert len(leases(starting.start(set_up(flow, {"elects": elects})))) == names


def test_heartbeats_alone_do_not_keep_a_walk_from_coming_to_rest(race: Flow) -> None:
    plain = starting.walk(set_up(race))
    found = starting.walk(set_up(replace(race, heartbeats=True, leaders=True)))
    assert (found.stopped, found.world.now) == (plain.stopped, plain.world.now)
    quiet = replace(race, heartbeats=True, leaders=True, script=(), goal=())
    assert starting.walk(set_up(quiet)).stopped == "quiet"


def test_a_walk_at_rest_has_everything_applied_long_before(fresh: Flow) -> None:
    """Nothing is created any more, and every pod runs on its node."""
    settings = (*fresh.settings, Setting("rest", "Rest", "switch", "false", sets=("begins rest",)))
    found = starting.walk(set_up(replace(fresh, settings=settings), {"rest": "true"}))
    assert {pod.status.phase for pod in pods(found)} == {"Running"}
    created = [row.step.object for row in found.records for commit in row.step.commits if commit.before is None]
    assert created == []
