"""What of a reader's manifests a walk is about: the guess, what else could be meant, and what is taken for granted."""

from __future__ import annotations

import pytest

from app.catalog import reading, starting, subjects
from app.catalog.flow import Setup
from app.errors import BadInput
from app.kube.manifests import read_manifests
from app.story.play import play, request

TEMPLATE = "template: {metadata: {labels: {app: NAME}}, spec: {containers: [{name: c, image: NAME}]}}"
SELECTS = "selector: {matchLabels: {app: NAME}}"


def workload(name: str, kind: str = "Deployment", replicas: int = 1) -> str:
    spec = f"{{replicas: {replicas}, serviceName: x, {SELECTS}, {TEMPLATE}}}".replace("NAME", name)
    if kind == "Deployment":
        spec = spec.replace("serviceName: x, ", "")
    return f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {spec}\n"


def service(name: str) -> str:
    spec = f"{{selector: {{app: {name}}}, ports: [{{port: 80}}]}}"
    return f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {spec}\n"


def node(name: str) -> str:
    return f"apiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\n"


def asked(flow: str, *texts: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """By question the guess and all choices."""
    found = subjects.asking(reading.flow(flow), read_manifests("---\n".join(texts)).objects)
    return {row.name: (row.default, row.choices) for row in found.settings if row.name in ("about", "node")}


def setup(flow: str, *texts: str, **settings: str) -> Setup:
    return starting.setup(flow, settings=settings, manifests=read_manifests("---\n".join(texts)))


DB, API = workload("db", "StatefulSet", 3), workload("api")


@pytest.mark.parametrize(
    ("flow", "texts", "guess"),
    [
        ("termination", (DB, API), "pod/db-0"),
        ("termination", (DB, API, service("api")), "pod/api-1"),
        ("termination", (DB, API, service("api"), workload("web")), "pod/web-1"),
        ("rollout", (workload("one"), workload("two"), service("two")), "deployment/two"),
        ("sandbox", (DB, API), "deployment/api"),
    ],
    ids=["the first", "behind a Service", "called as in the flow", "of the flow's kind", "of its kind rather"],
)
def test_the_guess(flow: str, texts: tuple[str, ...], guess: str) -> None:
    assert asked(flow, *texts)["about"][0] == guess


def test_pods_of_a_statefulset_have_names_of_their_own_and_those_of_a_deployment_are_alike() -> None:
    assert asked("termination", DB, workload("api", replicas=5))["about"][1] == (
        "pod/db-0",
        "pod/db-1",
        "pod/db-2",
        "pod/api-1",
    )


@pytest.mark.parametrize("flow", ["termination", "rollout", "cordon", "drain"])
def test_what_is_plain_is_not_asked(flow: str) -> None:
    found = asked(flow, API, node("n1"))
    assert not [choices for _, choices in found.values() if len(choices) > 1]


def test_of_several_nodes_one_is_chosen_also_where_the_flow_asks_itself() -> None:
    nodes = (node("a"), node("b"))
    assert asked("cordon", API, *nodes) == {"node": ("a", ("a", "b"))}
    assert asked("drain", API, *nodes) == {"node": ("a", ("a", "b"))}
    assert setup("cordon", API, *nodes, node="b").target == "node/b"
    lines = [str(row) for row in setup("drain", API, *nodes, node="b").choices]
    assert lines[0].startswith("0s drain node/b ")


def test_a_scene_that_names_a_machine_means_the_one_in_its_place() -> None:
    walk = play(request("drain", scene="refuses", manifest="---\n".join((API, node("a"), node("b"), node("c")))))
    assert walk.setup.settings["node"] == "b"


def test_the_choice_is_what_the_walk_is_about() -> None:
    assert setup("termination", DB, API, about="pod/db-2").target == "pod/db-2"
    assert setup("termination", DB, API, about="pod/api-1").target == "pod/api-1"
    with pytest.raises(BadInput) as refused:
        setup("termination", DB, API, about="pod/db-7")
    assert refused.value.problems == [
        'setting about: found "pod/db-7"; allowed: pod/db-0, pod/db-1, pod/db-2, pod/api-1; did you mean "pod/db-0"?'
    ]


def test_what_is_assumed_is_told_until_it_is_said() -> None:
    found = dict(setup("sandbox", DB, API).assumed)
    assert found == {
        "nodes": ("node-1", "node-2", "node-3"),
        "about": ("deployment/api",),
        "service": ("service/api",),
        "images": ("db", "api"),
        "settings": ("rate=10", "request_duration=50ms"),
    }
    told = dict(setup("sandbox", DB, API, service("api"), node("a"), about="deployment/api", rate="5").assumed)
    assert told == {"images": ("db", "api"), "settings": ("request_duration=50ms",)}


def test_a_flows_own_cluster_assumes_nothing_of_anybody() -> None:
    assert play(request("termination")).setup.assumed == ()
