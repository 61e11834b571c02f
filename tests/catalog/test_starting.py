"""Starting worlds and the choices of a walk."""

from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from app.catalog import starting
from app.catalog.flow import Flow, Setup
from app.errors import BadInput, NotFound
from app.kube.manifests import Manifests, read_manifests
from app.kube.meta import Ref
from app.sim.ledger import Load
from app.sim.schedule import run
from app.sim.walk import Pick

WEB = Ref("Service", "default", "web")


def set_up(
    flow: Flow,
    settings: Mapping[str, str] | None = None,
    *,
    manifests: Manifests | None = None,
    scene: str = "",
    choices: Sequence[tuple[str, str]] = (),
    until: str = "",
) -> Setup:
    return starting.set_up(
        flow, settings=settings or {}, manifests=manifests, scene=scene, choices=choices, until=until
    )


def said(setup: Setup) -> list[str]:
    return [str(choice) for choice in setup.choices]


def test_the_script_names_the_target_and_settings(race: Flow) -> None:
    assert said(set_up(race)) == ["0s delete pod/web-1 force=false"]
    assert said(set_up(race, {"force": "true"})) == ["0s delete pod/web-1 force=true"]


def test_the_scenes_lines_set_the_stage_for_the_flows_and_the_readers_choices_follow(race: Flow) -> None:
    choices = (
        ("do", "2s delete {target}"),
        ("pick", "kubectl.delete:pod~web-1!advance:1.000"),
        ("do", "scale deployment/web replicas=3"),
    )
    setup = set_up(race, scene="dead", choices=choices)
    assert said(setup)[:2] == ["0s power-off 'node/{node}'", "1s stop kube-proxy/node-2"]
    assert said(setup)[2].startswith("0s delete pod/web-1")
    assert isinstance(setup.choices[4], Pick)
    assert said(setup)[3:] == ["2s delete pod/web-1", choices[1][1], choices[2][1]]


def test_a_scene_may_stand_in_the_place_of_the_flows_script(race: Flow) -> None:
    scenes = tuple(replace(row, instead=True) if row.id == "dead" else row for row in race.scenes)
    setup = set_up(replace(race, scenes=scenes), scene="dead")
    assert said(setup) == ["0s power-off 'node/{node}'", "1s stop kube-proxy/node-2"]


def test_the_targets_machine_is_filled_in_at_the_start(race: Flow) -> None:
    setup = set_up(race, scene="dead")
    world = starting.start(setup)
    held = world.etcd.get(starting.target(setup, world))
    assert held is not None
    node = held.object.spec.nodeName  # type: ignore[union-attr]
    assert node in ("node-1", "node-2")
    assert str(starting.choices(setup, world)[0]) == f"0s power-off node/{node}"


@pytest.mark.parametrize(("until", "scene", "end"), [("", "", 300_000), ("", "dead", 30_000), ("7s", "dead", 7_000)])
def test_the_readers_end_wins_over_the_scenes_and_that_over_the_flows(
    race: Flow, until: str, scene: str, end: int
) -> None:
    assert set_up(race, until=until, scene=scene).until == end


def test_all_problems_of_choices_are_told_at_once(race: Flow) -> None:
    choices = (
        ("do", "delete {targte}"),
        ("do", "1x delete pod/a"),
        ("do", "expel pod/a"),
        ("pick", "nothing"),
        ("do", "apply m:0123"),
    )
    with pytest.raises(BadInput) as refused:
        set_up(race, choices=choices, until="soon")
    starts = [
        (
            "intervention 'delete {targte}': nothing fills {targte}; allowed: {target}, {force}, {node}; "
            'did you mean "target"?'
        ),
        "intervention '1x delete pod/a': ",
        "intervention 'expel pod/a': unknown verb 'expel'",
        "pick 'nothing': ",
        "intervention 'apply m:0123': no manifest m:0123 was given; there is none",
        'until: found "soon"',
    ]
    problems = refused.value.problems
    assert [problem[: len(start)] for problem, start in zip(problems, starts, strict=True)] == starts


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("stop kublet/node-1", 'found "kublet"; allowed: '),
        ("stop kubelet", "kubelet runs on each node; allowed: kubelet/node-1, kubelet/node-2"),
        ("start kubelet/node-7", "kubelet runs on each node; allowed: kubelet/node-1, kubelet/node-2"),
        ("stop kube-scheduler/node-1", "kube-scheduler runs once for the whole cluster; write kube-scheduler"),
    ],
)
def test_only_what_runs_can_be_stopped(race: Flow, text: str, fault: str) -> None:
    with pytest.raises(BadInput) as refused:
        set_up(race, choices=(("do", text),))
    assert refused.value.problems[0].startswith(f"intervention {text!r}: {fault}")


def test_an_image_for_a_container_that_is_not_there_is_refused_by_the_api(race: Flow) -> None:
    walk = starting.walk(set_up(race, choices=(("do", "1s set-image deployment/web nope=b:2"),)))
    refused = [record.step.outcome for record in walk.steps if record.step.outcome.startswith("invalid")]
    assert refused == ["invalid: deployment/web has no [nope], along spec.template.spec.containers[nope].image"]


def test_faults_of_settings_and_choices_are_told_together(race: Flow) -> None:
    with pytest.raises(BadInput) as refused:
        set_up(race, {"rate": "lots", "grace": "5"}, choices=(("do", "delete {targte}"), ("do", "delete {force}")))
    assert [problem.split(":")[0] for problem in refused.value.problems] == [
        "setting grace",
        "setting rate",
        "intervention 'delete {targte}'",
        "reference 'false'",
    ]


def test_what_apply_names_can_be_applied(race: Flow, own: Manifests) -> None:
    setup = starting.set_up(race, settings={}, choices=(("do", "1s apply m:abc"),), applies={"abc": own.objects})
    world = starting.start(setup)
    assert world.manifests["abc"] == own.objects
    walk = starting.walk(setup)
    assert any(str(record.step.object) == "statefulset/shop/db" for record in walk.steps)


def test_an_unknown_flow_is_not_found() -> None:
    with pytest.raises(NotFound):
        starting.setup("terminatoin", settings={})
    with pytest.raises(NotFound):
        starting.digest("terminatoin")


# Worlds.


def test_a_world_is_at_rest_with_clients_and_each_proxys_last_sync(race: Flow) -> None:
    setup = set_up(race)
    world = starting.start(setup)
    assert world.now == 0
    assert world.nodes == ("node-1", "node-2")
    assert not world.queued
    assert world.load == (Load(WEB, 20, 100),)
    assert world.hosts["node-2"].proxy.last_sync_end == -5
    assert (world.hosts["node-1"].proxy.last_sync_end or 0) < -1000
    assert len(world.hosts["node-1"].proxy.rules[WEB].backends) == 2
    assert world.lags["kube-proxy/node-2"].usual == 1


def test_equal_setups_share_their_world_and_others_do_not(race: Flow) -> None:
    world = starting.start(set_up(race))
    assert starting.start(set_up(race, {"grace": "30s", "force": "true"})) is world
    assert starting.start(set_up(race, {"grace": "31s"})) is not world
    assert starting.start(replace(set_up(race), flow=replace(race, last_sync={}))) is not world


def test_images_of_the_readers_lie_on_every_node_unless_they_speak_of_pulling(race: Flow, own: Manifests) -> None:
    images = ("registry.example/web:1", "registry.example/db:1", "registry.example/exporter:1")
    assert set_up(race, manifests=own).images == images
    assert set_up(race).images == images[:1]
    [pulling] = read_manifests(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {sim.loopscope.dev/image-pull: 3s}}\n"
        "spec: {containers: [{name: a, image: b}]}\n"
    ).objects
    assert set_up(race, manifests=Manifests((pulling,))).images == images[:1]


def test_the_readers_manifests_are_walked_in_the_flows_way(race: Flow, own: Manifests) -> None:
    setup = set_up(race, manifests=own)
    assert setup.target == "pod/shop/db-0"
    assert said(setup) == ["0s delete pod/shop/db-0 force=false"]
    world = starting.start(setup)
    assert starting.target(setup, world) == Ref("Pod", "shop", "db-0")
    walk = starting.walk(setup)
    assert walk.stopped == "goal"
    assert any(record.step.moment == "sigterm-sent" for record in walk.steps)
    # The StatefulSet makes a pod of the same name again: the walk does not end before it is ready.
    held = walk.world.etcd.get(Ref("Pod", "shop", "db-0"))
    assert held is not None
    assert held.object.ready  # type: ignore[union-attr]


def test_scenes_find_the_readers_pods_and_machines(race: Flow, own: Manifests) -> None:
    nodes = read_manifests("".join(f"apiVersion: v1\nkind: Node\nmetadata: {{name: n{i}}}\n---\n" for i in (1, 2)))
    flow = replace(race, scenes=(replace(race.scenes[1], script=("1s delete pod/web-2", "2s stop kubelet/node-2")),))
    setup = set_up(flow, manifests=Manifests((*nodes.objects, *own.objects)), scene="dead")
    assert said(setup)[:2] == ["1s delete pod/shop/db-1", "2s stop kubelet/n2"]


def test_scenes_find_the_readers_containers(race: Flow, own: Manifests) -> None:
    script = ("0s set pod/web-1 pre-stop=fails app.pre-stop=fails exporter.startup=1s",)
    setup = set_up(replace(race, scenes=(replace(race.scenes[0], script=script),)), manifests=own, scene="hook")
    assert said(setup)[0] == "0s set pod/shop/db-0 pre-stop=fails postgres.pre-stop=fails exporter.startup=1s"


def test_a_cluster_that_finds_no_rest_is_bad_input(race: Flow) -> None:
    crashing = read_manifests(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {sim.loopscope.dev/exit: after 1s code 1}}\n"
        "spec: {containers: [{name: a, image: b}]}\n"
    )
    with pytest.raises(
        BadInput, match="manifest: the starting cluster does not come to rest within ten minutes; pod/a is"
    ):
        starting.start(set_up(race, manifests=crashing))


def test_a_walk_of_the_same_setup_is_the_same(race: Flow) -> None:
    setup = set_up(race)
    world = starting.start(setup)
    goal = starting.goal(setup, starting.target(setup, world))
    first = starting.walk(setup)
    again = run(starting.model(), world, starting.choices(setup, world), until=setup.until, goal=goal)
    assert first.stopped == again.stopped == "goal"
    assert [record.id for record in first.records] == [record.id for record in again.records]
    assert first.world == again.world


def test_the_api_server_can_be_stopped_like_any_process_that_runs_once(race: Flow) -> None:
    assert said(set_up(race, choices=[("do", "3s stop kube-apiserver")]))[-1] == "3s stop kube-apiserver"
    with pytest.raises(BadInput, match="runs once for the whole cluster; write kube-apiserver"):
        set_up(race, choices=[("do", "3s stop kube-apiserver/node-1")])
