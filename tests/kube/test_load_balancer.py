"""Which nodes are behind a cloud's load balancer."""

from __future__ import annotations

import pytest

from app.kube.load_balancer import EXCLUDED, TO_BE_DELETED, backends, faults, in_pool
from app.kube.meta import ObjectMeta
from app.kube.networking import Endpoint, EndpointConditions, EndpointSlice, Service, ServiceSpec
from app.kube.nodes import Node, NodeSpec, Taint
from app.kube.stringmap import StringMap


def node(
    name: str = "n1", *, labels: dict[str, str] | None = None, spec: NodeSpec | None = None, gone: int = 0
) -> Node:
    meta = ObjectMeta(name=name, labels=StringMap(labels or {}), deletionTimestamp=gone or None)
    return Node(meta, spec or NodeSpec())


@pytest.mark.parametrize(
    ("found", "included"),
    [
        (node(), True),
        (node(spec=NodeSpec(unschedulable=True)), True),
        (node(spec=NodeSpec(taints=(Taint("node.kubernetes.io/unschedulable", "NoSchedule"),))), True),
        (node(labels={EXCLUDED: ""}), False),
        (node(spec=NodeSpec(taints=(Taint(TO_BE_DELETED, "NoSchedule"),))), False),
        (node(gone=1), False),
    ],
    ids=["any", "cordoned", "cordoned and tainted", "labelled to be left out", "autoscaler takes it down", "deleted"],
)
def test_a_node_is_in_the_pool(found: Node, included: bool) -> None:
    assert in_pool(Service(ObjectMeta(name="web")), found) is included


@pytest.mark.parametrize(("word", "included"), [("usual", True), ("without-cordoned", False)])
def test_controllers_of_some_clouds_leave_out_cordoned_nodes(word: str, included: bool) -> None:
    service = Service(ObjectMeta(name="web", annotations=StringMap({"sim.loopscope.dev/load-balancer": word})))
    assert in_pool(service, node(spec=NodeSpec(unschedulable=True))) is included


def test_other_words_are_refused() -> None:
    ((key, told),) = faults(StringMap({"sim.loopscope.dev/load-balancer": "without-cordon"}))
    assert key == "sim.loopscope.dev/load-balancer"
    assert 'allowed: usual, without-cordoned; did you mean "without-cordoned"?' in told


@pytest.mark.parametrize(("policy", "names"), [("Local", ["n1"]), ("Cluster", ["n1", "n2"])])
def test_the_policy_decides_who_answers_as_healthy(policy: str, names: list[str]) -> None:
    service = Service(ObjectMeta(name="web"), ServiceSpec(type="LoadBalancer", externalTrafficPolicy=policy))
    ready = Endpoint(("10.0.0.1",), EndpointConditions(ready=True), nodeName="n1")
    going = Endpoint(("10.0.0.2",), EndpointConditions(ready=False, serving=True, terminating=True), nodeName="n2")
    labels = StringMap({"kubernetes.io/service-name": "web"})
    found = EndpointSlice(ObjectMeta(name="web-1", labels=labels), endpoints=(ready, going))
    assert backends(service, [node("n1"), node("n2")], [found]) == names
