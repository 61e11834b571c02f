"""Which values are in effect, and where they are written."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from app.catalog import setting_checks, settings
from app.catalog.flow import Flow, Setting
from app.catalog.ground import UNSET, Ground, foreign_ground, own_ground
from app.catalog.targets import parse
from app.errors import BadInput
from app.kube.annotations import PREFIX
from app.kube.manifests import Manifests, read_manifests
from app.kube.meta import Ref
from app.kube.objects import Object
from app.kube.pods import ExecAction, Pod, Toleration
from app.kube.stringmap import StringMap
from app.kube.workloads import Deployment, StatefulSet
from app.sim.lags import Lag
from app.sim.ledger import Load

DEFAULTS = {
    "grace": "30s",
    "prestop": "0s",
    "on_sigterm": "exit",
    "rate": "20",
    "takes": "100ms",
    "force": "false",
    "lag_kube_proxy": "0s..1ms..10ms",
    "lag_node_2": "1ms..1ms..1ms",
    "kubernetes": "1.36",
}


def held(objects: tuple[Object, ...], ref: str) -> Any:
    return next(obj for obj in objects if str(obj.ref) == ref)


def written(flow: Flow, ground: Ground, given: Mapping[str, str]) -> settings.Applied:
    said = ground.says(flow)
    return settings.applied(flow, ground, settings.effective(flow, None, given, said), said)


def test_without_anything_given_the_defaults_hold(race: Flow) -> None:
    assert settings.effective(race, None, {}) == DEFAULTS


def test_what_is_given_wins_over_the_scene_and_the_scene_over_the_default(race: Flow) -> None:
    hook = settings.scene_of(race, "hook")
    assert settings.effective(race, hook, {})["prestop"] == "5s"
    assert settings.effective(race, hook, {"prestop": "9s"})["prestop"] == "9s"


def test_settings_keep_the_order_of_the_flow(race: Flow) -> None:
    assert list(settings.effective(race, None, {"rate": "5", "grace": "1s"})) == list(DEFAULTS)


def test_all_faults_are_told_at_once(race: Flow) -> None:
    with pytest.raises(BadInput) as refused:
        settings.effective(race, None, {"grase": "5s", "rate": "lots", "force": "yes"})
    names = "grace, prestop, on_sigterm, rate, takes, force, lag_kube_proxy, lag_node_2, kubernetes"
    assert refused.value.problems == [
        f'setting "grase": the flow race has no such setting; allowed: {names}; did you mean "grace"?',
        'setting rate: found "lots"; allowed: a whole number up to 1000',
        'setting force: found "yes"; allowed: true, false; write true',
    ]


def test_an_unknown_scene_names_the_near_one(race: Flow) -> None:
    with pytest.raises(BadInput, match=r'scene "hok": .* allowed: hook, dead; did you mean "hook"\?'):
        settings.scene_of(race, "hok")


def test_values_go_to_their_targets(race: Flow) -> None:
    given = {"grace": "5s", "on_sigterm": "drain=3s", "lag_kube_proxy": "50ms..1s", "force": "true", "rate": "7"}
    found = written(race, own_ground(race), given)
    web = held(found.objects, "deployment/web").spec.template
    assert web.spec.terminationGracePeriodSeconds == 5
    assert web.metadata.annotations[f"{PREFIX}on-sigterm"] == "drain=3s"
    assert web.metadata.annotations[f"{PREFIX}startup"] == "1s"
    assert found.lags == {"kube-proxy": Lag(50, 50, 1000), "kube-proxy/node-2": Lag(1, 1, 1)}
    assert found.loads == (Load(Ref("Service", "default", "web"), 7, 100),)
    assert found.words == {"force": "true"}


FRONT = {
    "through": ("choice", "nodes", "load-balancer", "load-balancer"),
    "refresh": ("duration", "3s", "10s", 10_000),
    "offset": ("duration", "0s", "700ms", 700),
    "retries": ("count", "0", "2", 2),
    "check": ("duration", "0s", "5s", 5_000),
}


@pytest.mark.parametrize("part", FRONT)
def test_clients_may_come_through_a_front(race: Flow, part: str) -> None:
    kind, default, given, kept = FRONT[part]
    choices = ("nodes", "ingress", "load-balancer") if kind == "choice" else ()
    extra = Setting(part, part, kind, default, choices=choices, sets=(f"load service/web {part}",))
    flow = with_settings(race, extra)
    assert not list(setting_checks.check(flow))
    (load,) = written(flow, own_ground(flow), {part: given}).loads
    assert getattr(load, part) == kept
    (plain,) = written(flow, own_ground(flow), {}).loads
    assert getattr(plain, part) in ("", 0, 3_000)


def test_an_image_may_behave_in_its_own_way(race: Flow) -> None:
    extra = Setting("new", "new", "choice", "200", choices=("200", "503"), sets=("program web:2 health",))
    flow = with_settings(race, replace(extra, default="*: 200", choices=("*: 200", "*: 503")))
    assert not list(setting_checks.check(flow))
    assert written(flow, own_ground(flow), {"new": "*: 503"}).programs == {"web:2": {"health": "*: 503"}}
    (problem,) = setting_checks.check(with_settings(race, replace(extra, sets=("program web:2 helth",))))
    assert "no such annotation" in problem.text


def test_no_requests_are_no_load(race: Flow) -> None:
    assert written(race, own_ground(race), {"rate": "0"}).loads == ()


@pytest.mark.parametrize(("length", "command"), [("15s", "15"), ("1500ms", "1.5"), ("2m", "120")])
def test_a_prestop_hook_is_a_sleep_that_its_annotation_repeats(race: Flow, length: str, command: str) -> None:
    web = held(written(race, own_ground(race), {"prestop": length}).objects, "deployment/web").spec.template
    assert web.spec.containers[0].lifecycle.preStop.exec == ExecAction(("sleep", command))
    assert web.metadata.annotations[f"{PREFIX}pre-stop"] == DURATIONS[length]


DURATIONS = {"15s": "15s", "1500ms": "1s500ms", "2m": "2m"}


def test_a_prestop_of_nothing_is_no_hook(race: Flow) -> None:
    web = held(written(race, own_ground(race), {}).objects, "deployment/web").spec.template
    assert web.spec.containers[0].lifecycle is None
    assert f"{PREFIX}pre-stop" not in web.metadata.annotations


def test_the_flow_itself_stays_as_it_is(race: Flow) -> None:
    before = race.cluster
    written(race, own_ground(race), {"grace": "5s"})
    assert race.cluster == before


# The reader's own manifests.


def test_manifests_win_over_defaults_and_are_reported(race: Flow, own: Manifests) -> None:
    said = foreign_ground(race, own).says(race)
    assert said == {"grace": "45s", "prestop": "7s", "on_sigterm": "exit=2s"}
    assert settings.effective(race, None, {}, said) == DEFAULTS | said


def test_what_is_not_given_leaves_manifests_alone(race: Flow, own: Manifests) -> None:
    found = written(race, foreign_ground(race, own), {})
    assert held(found.objects, "statefulset/shop/db") == held(own.objects, "statefulset/shop/db")
    assert found.loads == (Load(Ref("Service", "shop", "db"), 20, 100),)


def test_what_is_given_is_written_to_what_takes_the_workloads_place(race: Flow, own: Manifests) -> None:
    found = written(race, foreign_ground(race, own), {"grace": "5s", "on_sigterm": "ignore", "prestop": "1s"})
    template = held(found.objects, "statefulset/shop/db").spec.template
    assert template.spec.terminationGracePeriodSeconds == 5
    assert template.metadata.annotations[f"{PREFIX}on-sigterm"] == "ignore"
    first, second = template.spec.containers
    assert first.lifecycle.preStop.exec == ExecAction(("sleep", "1"))
    # Of two containers only the one with the hook is spoken of.
    assert template.metadata.annotations[f"{PREFIX}postgres.pre-stop"] == "1s"
    assert second.lifecycle is None


def test_what_manifests_say_may_be_given_back_also_where_the_flow_would_not_allow_it(race: Flow) -> None:
    manifests = read_manifests(POD.replace("drain=3s", "exit=90s"))
    said = foreign_ground(race, manifests).says(race)
    assert said["on_sigterm"] == "exit=90s"
    closed = replace(race, settings=tuple(replace(row, open_choices=False) for row in race.settings))
    assert (
        settings.effective(closed, None, settings.effective(closed, None, {}, said), said)["on_sigterm"] == "exit=90s"
    )


POD = """
apiVersion: v1
kind: Pod
metadata: {name: lone, labels: {app: lone}, annotations: {sim.loopscope.dev/main.on-sigterm: drain=3s}}
spec:
  containers: [{name: main, image: registry.example/lone:1}]
"""


def test_a_pod_is_its_own_template_and_the_apis_default_is_what_holds(race: Flow) -> None:
    ground = foreign_ground(race, read_manifests(POD))
    assert ground.says(race) == {
        "grace": "30s",
        "prestop": "0s",
        "on_sigterm": "drain=3s",
        "rate": UNSET,
        "takes": UNSET,
    }
    found = written(race, ground, {"grace": "9s", "on_sigterm": "ignore"})
    pod = held(found.objects, "pod/lone")
    assert isinstance(pod, Pod)
    assert pod.spec.terminationGracePeriodSeconds == 9
    assert pod.metadata.annotations.items() == ((f"{PREFIX}on-sigterm", "ignore"),)
    assert found.loads == ()


def test_how_an_app_behaves_is_filled_in_where_manifests_are_silent(race: Flow) -> None:
    silent = read_manifests(POD.replace(", annotations: {sim.loopscope.dev/main.on-sigterm: drain=3s}", ""))
    ground = foreign_ground(race, silent)
    assert "on_sigterm" not in ground.says(race)
    pod = held(written(race, ground, {}).objects, "pod/lone")
    assert pod.metadata.annotations[f"{PREFIX}on-sigterm"] == "exit"


def test_a_setting_that_has_no_place_in_the_manifests_says_so(race: Flow) -> None:
    with pytest.raises(BadInput) as refused:
        written(race, foreign_ground(race, read_manifests(POD)), {"rate": "5"})
    assert refused.value.problems == [
        "setting rate: it is written to service/web, and there is no Service that selects its pods"
    ]


def test_the_flows_own_workload_is_found_behind_others(race: Flow, own: Manifests) -> None:
    web = next(obj for obj in race.cluster if isinstance(obj, Deployment))
    ground = foreign_ground(race, Manifests((*own.objects, web)))
    assert ground.workload == web
    assert isinstance(foreign_ground(race, own).workload, StatefulSet)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            "field deployment/web spec.containers[app].image",
            "spec.containers[postgres].image",
        ),
        (
            "field deployment/web spec.containers[exporter].image",
            "spec.containers[exporter].image",
        ),
        (
            "field deployment/web spec.initContainers[warm].image",
            "spec.initContainers[warm].image",
        ),
        ("field deployment/web spec.replicas", "spec.replicas"),
        ("annotation deployment/web on-sigterm", "on-sigterm"),
        ("annotation deployment/web app.on-sigterm", "postgres.on-sigterm"),
        ("annotation deployment/web exporter.on-sigterm", "exporter.on-sigterm"),
        ("prestop deployment/web app", "postgres"),
        ("prestop deployment/web exporter", "exporter"),
        ("load service/web rate", "rate"),
    ],
)
def test_the_first_container_stands_for_one_that_is_not_there(
    race: Flow, own: Manifests, text: str, place: str
) -> None:
    placed = foreign_ground(race, own).place(parse(text))
    assert placed is not None
    assert placed[1].name == place


PROBE = "spec.template.spec.containers[app].readinessProbe"
KEEP = Setting("probe", "Probe", "switch", "true", sets=(f"keep deployment/web {PROBE}",))
THERE = Setting("service", "Service", "switch", "true", sets=("exists service/web",))
READINESS = Setting(
    "readiness",
    "Readiness",
    "choice",
    "ok",
    choices=("ok", "fail", "fail=20s"),
    open_choices=True,
    sets=("health deployment/web readiness",),
)


def with_settings(flow: Flow, *more: Setting) -> Flow:
    return replace(flow, settings=(*flow.settings, *more))


def test_a_switch_takes_out_what_stands_at_a_path(race: Flow) -> None:
    flow = with_settings(race, KEEP)
    spec = held(written(flow, own_ground(flow), {}).objects, "deployment/web").spec.template.spec
    without = held(written(flow, own_ground(flow), {"probe": "false"}).objects, "deployment/web").spec.template.spec
    assert spec.containers[0].readinessProbe is not None
    assert without.containers[0].readinessProbe is None


def test_a_switch_takes_out_a_whole_object(race: Flow) -> None:
    flow = with_settings(race, THERE)
    refs = [str(obj.ref) for obj in written(flow, own_ground(flow), {"service": "false"}).objects]
    assert "deployment/web" in refs
    assert "service/web" not in refs


@pytest.mark.parametrize(
    ("value", "rule"),
    [("ok", None), ("fail", "readiness: fail"), ("fail=5s", "readiness: fail; after 5s: ok")],
)
def test_what_a_probe_meets_is_written_among_the_other_rules(race: Flow, value: str, rule: str | None) -> None:
    flow = with_settings(race, READINESS)
    web = held(written(flow, own_ground(flow), {"readiness": value}).objects, "deployment/web").spec.template
    assert web.metadata.annotations.get(f"{PREFIX}health") == rule


def test_what_a_probe_meets_is_read_off_the_readers_manifests(race: Flow) -> None:
    flow = with_settings(race, READINESS)
    text = """
{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {selector: {matchLabels: {a: b}}, template: {
  metadata: {labels: {a: b}, annotations: {sim.loopscope.dev/health: "/x: 200 | readiness: fail; after 9s: ok"}},
  spec: {containers: [{name: a, image: "a:1", readinessProbe: {httpGet: {path: /r, port: 80}}}]}}}}"""
    ground = foreign_ground(flow, read_manifests(text))
    assert ground.says(flow)["readiness"] == "fail=9s"
    found = written(flow, ground, {"readiness": "ok"})
    assert held(found.objects, "deployment/x").spec.template.metadata.annotations.get(f"{PREFIX}health") == "/x: 200"


def test_of_a_readers_cluster_an_object_of_the_flow_is_missing_until_it_is_asked_for(
    race: Flow, own: Manifests
) -> None:
    flow = with_settings(race, THERE)
    ground = foreign_ground(flow, own)
    assert ground.says(flow)["service"] == "false"
    refs = [str(obj.ref) for obj in written(flow, ground, {"service": "true"}).objects]
    assert "service/web" in refs


def test_what_is_not_there_need_not_be_taken_out(race: Flow, own: Manifests) -> None:
    probe = Setting(
        "probe", "P", "switch", "true", sets=("keep deployment/web spec.template.spec.containers[app].readinessProbe",)
    )
    flow = with_settings(race, probe)
    ground = foreign_ground(flow, own)
    assert ground.says(flow)["probe"] == UNSET
    assert written(flow, ground, {"probe": "false"}).objects == written(flow, ground, {}).objects
    with pytest.raises(BadInput, match="found nothing at"):
        written(flow, ground, {"probe": "true"})


def test_a_quantity_is_read_off_the_readers_manifests(race: Flow) -> None:
    cpu = Setting(
        "cpu",
        "C",
        "choice",
        "1",
        choices=("1", "2"),
        sets=("field deployment/web spec.template.spec.containers[app].resources.requests.cpu",),
    )
    flow = with_settings(race, cpu)
    text = """
{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {selector: {matchLabels: {a: b}}, template: {
  metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: "a:1", resources: {requests: {cpu: 300m}}}]}}}}"""
    assert foreign_ground(flow, read_manifests(text)).says(flow)["cpu"] == "300m"


NODES = Setting("nodes", "Nodes", "count", "2", sets=("cluster nodes",))
AGE = Setting("age", "Lease", "choice", "3s", choices=("3s", "spread"), sets=("annotation node/node-2 lease-age",))
WAIT = Setting(
    "wait",
    "Toleration",
    "duration",
    "5m",
    sets=("field deployment/web spec.template.spec.tolerations[example.com/a].tolerationSeconds",),
)
GRACE = Setting("silence", "Grace", "duration", "50s", sets=("flag node-monitor-grace-period",))


def nodes_of(found: settings.Applied) -> dict[str, str]:
    """The Lease's age by node."""
    nodes = [obj for obj in found.objects if obj.kind == "Node"]
    return {obj.metadata.name: obj.metadata.annotations.get(f"{PREFIX}lease-age") or "" for obj in nodes}


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        ("1", {"node-1": ""}),
        ("2", {"node-1": "", "node-2": "3s"}),
        ("4", {"node-1": "", "node-2": "3s", "node-3": "3s", "node-4": "3s"}),
    ],
)
def test_a_cluster_has_as_many_nodes_as_asked_for_and_those_beyond_are_like_the_last(
    race: Flow, count: str, expected: dict[str, str]
) -> None:
    """Whatever else is written to that one, the order of the settings notwithstanding."""
    flow = replace(race, settings=(NODES, AGE))
    assert nodes_of(written(flow, own_ground(flow), {"nodes": count})) == expected


def test_a_readers_own_machines_are_as_many_as_they_are(race: Flow) -> None:
    flow = replace(race, settings=(NODES,))
    web = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: a}]}}"
    node = "{apiVersion: v1, kind: Node, metadata: {name: mine}}"
    theirs = foreign_ground(flow, read_manifests(f"{node}\n---\n{web}"))
    assert theirs.says(flow) == {"nodes": UNSET}
    said = settings.effective(flow, None, {}, theirs.says(flow))
    assert set(nodes_of(settings.applied(flow, theirs, said, theirs.says(flow)))) == {"mine"}
    # On the flow's machines they are as many as the setting says.
    borrowed = foreign_ground(flow, read_manifests(web))
    assert set(nodes_of(written(flow, borrowed, {"nodes": "3"}))) == {"node-1", "node-2", "node-3"}


def test_a_toleration_is_found_by_its_key(race: Flow) -> None:
    row = Toleration("example.com/a", "Exists", effect="NoExecute", tolerationSeconds=300)
    deployment = next(obj for obj in race.cluster if isinstance(obj, Deployment))
    spec = replace(deployment.spec.template.spec, tolerations=(Toleration("b", "Exists"), row))
    template = replace(deployment.spec.template, spec=spec)
    changed = replace(deployment, spec=replace(deployment.spec, template=template))
    flow = replace(race, cluster=tuple(changed if obj is deployment else obj for obj in race.cluster), settings=(WAIT,))
    found = held(written(flow, own_ground(flow), {"wait": "30s"}).objects, "deployment/web")
    rows = found.spec.template.spec.tolerations
    assert [(row.key, row.tolerationSeconds) for row in rows] == [("b", None), ("example.com/a", 30)]


def test_a_flag_is_a_length_without_a_range(race: Flow) -> None:
    flow = replace(race, settings=(GRACE,))
    assert written(flow, own_ground(flow), {"silence": "20s"}).lags == {
        "node-monitor-grace-period": Lag(20_000, 20_000, 20_000)
    }


def test_clients_on_the_nodes_are_known_as_such(race: Flow) -> None:
    flow = replace(race, clients="on-nodes")
    assert [load.local for load in written(flow, own_ground(flow), {}).loads] == [True]


def test_settings_that_make_an_object_unsound_together_are_refused(race: Flow) -> None:
    sets = "field deployment/web spec.strategy.rollingUpdate."
    both = [
        Setting(name, name, "choice", "1", choices=("0", "1"), sets=(f"{sets}{name}",))
        for name in ("maxSurge", "maxUnavailable")
    ]
    flow = with_settings(race, *both)
    assert written(flow, own_ground(flow), {"maxSurge": "0"}).objects
    with pytest.raises(BadInput, match=r"settings: deployment/web: spec\.strategy.*maxUnavailable: found 0; allowed"):
        written(flow, own_ground(flow), {"maxSurge": "0", "maxUnavailable": "0"})


def test_of_machines_that_the_flow_has_lent_the_reader_has_said_nothing(race: Flow) -> None:
    labelled = tuple(
        replace(obj, metadata=replace(obj.metadata, labels=StringMap({"zone": "a"}))) if obj.kind == "Node" else obj
        for obj in race.cluster
    )
    keep = Setting("zones", "Zones", "switch", "false", sets=("keep node/node-1 metadata.labels",))
    flow = replace(race, cluster=labelled, settings=(keep,))
    web = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: a}]}}"
    borrowed = foreign_ground(flow, read_manifests(web))
    assert borrowed.says(flow) == {}
    found = held(written(flow, borrowed, {}).objects, "node/node-1")
    assert not found.metadata.labels
    # Their own machine is as they have written it.
    mine = "{apiVersion: v1, kind: Node, metadata: {name: node-1, labels: {zone: b}}}"
    theirs = foreign_ground(flow, read_manifests(f"{mine}\n---\n{web}"))
    assert theirs.says(flow) == {"zones": "true"}
