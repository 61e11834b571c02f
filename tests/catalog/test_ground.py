"""What takes the place of a flow's own objects in the reader's manifests."""

import pytest
from msgspec.structs import replace

from app.catalog import starting
from app.catalog.flow import Flow
from app.catalog.ground import foreign_ground, own_ground
from app.catalog.subjects import workload_of
from app.errors import BadInput
from app.kube.manifests import Manifests, read_manifests
from app.kube.networking import Service
from app.kube.nodes import Node
from app.sim.references import parse_ref

NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: big}\n---\n"


def kind_and_name(manifest: str) -> Manifests:
    kind, _, name = manifest.partition("/")
    api = "v1" if kind == "Pod" else "apps/v1"
    spec = "{containers: [{name: a, image: b}]}"
    if kind != "Pod":
        meta = "{labels: {app: a}}"
        service = "serviceName: a, " if kind == "StatefulSet" else ""
        spec = f"{{{service}selector: {{matchLabels: {{app: a}}}}, template: {{metadata: {meta}, spec: {spec}}}}}"
    return read_manifests(f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {spec}\n")


@pytest.mark.parametrize(
    ("manifest", "target"),
    [
        ("Deployment/api", "pod/api-1"),
        ("ReplicaSet/api", "pod/api-1"),
        ("StatefulSet/db", "pod/db-0"),
        ("Pod/lone", "pod/lone"),
    ],
)
def test_the_target_is_the_first_pod_of_the_first_workload(race: Flow, manifest: str, target: str) -> None:
    assert foreign_ground(race, kind_and_name(manifest)).target == target


def test_a_flow_about_a_workload_or_a_node_finds_its_like(race: Flow, own: Manifests) -> None:
    rollout = replace(race, target="deployment/web")
    with pytest.raises(BadInput, match="nothing can take the place of deployment/web; allowed: at least one of Depl"):
        foreign_ground(rollout, own)
    assert foreign_ground(replace(rollout, anything=True), own).target == "statefulset/shop/db"
    drain = replace(race, target="node/node-1")
    assert foreign_ground(drain, own).target == "node/node-1"
    assert foreign_ground(drain, Manifests((*read_manifests(NODE).objects, *own.objects))).target == "node/big"


def test_manifests_without_anything_like_the_target_are_refused(race: Flow) -> None:
    text = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80}]}\n"
    with pytest.raises(BadInput) as refused:
        foreign_ground(race, read_manifests(text))
    assert refused.value.problems == [
        (
            "manifest: nothing can take the place of pod/web-1; "
            "allowed: at least one of Deployment, StatefulSet, ReplicaSet, Pod"
        )
    ]


def test_manifests_without_nodes_run_on_the_flows_machines(race: Flow, own: Manifests) -> None:
    names = [obj.metadata.name for obj in foreign_ground(race, own).objects if isinstance(obj, Node)]
    assert names == ["node-1", "node-2"]
    bare = replace(race, cluster=(), target="")
    names = [obj.metadata.name for obj in foreign_ground(bare, own).objects if isinstance(obj, Node)]
    assert names == ["node-1", "node-2", "node-3"]
    with_node = Manifests((*read_manifests(NODE).objects, *own.objects))
    names = [obj.metadata.name for obj in foreign_ground(race, with_node).objects if isinstance(obj, Node)]
    assert names == ["big"]


def test_headless_services_and_those_of_other_pods_have_no_clients_here(race: Flow, own: Manifests) -> None:
    service = foreign_ground(race, own).service
    assert service is not None
    assert str(service.ref) == "service/shop/db"


@pytest.mark.parametrize(
    ("ref", "place"),
    [
        ("pod/web-1", "pod/shop/db-0"),
        ("pod/web-2", "pod/shop/db-1"),
        ("deployment/web", "statefulset/shop/db"),
        ("service/web", "service/shop/db"),
        ("pod/other-1", "pod/other-1"),
        ("node/node-1", "node/node-1"),
        ("statefulset/shop/db", "statefulset/shop/db"),
    ],
)
def test_names_of_the_flows_own_objects_lead_to_what_took_their_place(
    race: Flow, own: Manifests, ref: str, place: str
) -> None:
    assert str(foreign_ground(race, own).renamed(parse_ref(ref))) == place


def test_in_the_flows_own_cluster_names_stay(race: Flow) -> None:
    assert str(own_ground(race).renamed(parse_ref("pod/web-2"))) == "pod/web-2"


@pytest.mark.parametrize(
    ("target", "workload"),
    [
        ("pod/web-1", "deployment/web"),
        ("deployment/web", "deployment/web"),
        ("pod/wbe-1", None),
        ("pod/web", None),
        ("service/web", None),
        ("", None),
        ("nonsense", None),
    ],
)
def test_the_workload_of_a_target(race: Flow, target: str, workload: str | None) -> None:
    found = workload_of(replace(race, target=target))
    assert (str(found.ref) if found else None) == workload


def test_what_a_flow_brings_comes_along_with_a_readers_manifests(race: Flow) -> None:
    text = "{apiVersion: v1, kind: Pod, metadata: {name: mine}, spec: {containers: [{name: a, image: a}]}}"
    flow = replace(race, brings=("service/web",))
    found = foreign_ground(flow, read_manifests(text))
    assert [str(obj.ref) for obj in found.objects if obj.kind == "Service"] == ["service/web"]
    assert [str(ref) for ref in found.assumed] == ["service/web"]
    assert str(found.workload.ref if found.workload else "") == "pod/mine"
    own = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 9}]}}"
    theirs = foreign_ground(flow, read_manifests(f"{text}\n---\n{own}"))
    assert [obj.spec.ports[0].port for obj in theirs.objects if isinstance(obj, Service)] == [9]
    assert theirs.assumed == ()


def test_a_flow_for_anything_needs_nothing_like_its_target(race: Flow) -> None:
    """A DaemonSet alone, a ConfigMap alone: the walk is about nothing in particular."""
    own = read_manifests("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words}\n")
    with pytest.raises(BadInput):
        foreign_ground(race, own)
    assert foreign_ground(replace(race, anything=True), own).target == ""
    script = ("0s wait deployment/web", "1s cordon node/node-1")
    setup = starting.set_up(
        replace(race, anything=True, target="deployment/web", script=script), settings={}, manifests=own
    )
    assert [str(choice) for choice in setup.choices] == ["1s cordon node/node-1"]
