"""Belief beside truth: what processes have not seen, what rules lead to, and what clients meet."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.diagram.extract import cluster_view, lists, traffic
from app.diagram.views import ClusterView, NodeCard
from app.kube.networking import EndpointSlice
from app.sim.ledger import Failing, Ledger, Load, Route
from app.sim.maps import Map
from app.sim.walk import Walk
from app.sim.world import World
from tests.diagram import walks

ADDRESS = "10.244.1.2"


def view(world: World) -> ClusterView:
    return cluster_view(Walk(world, world, (), "quiet"), 0, walks.FLOW)


def node(world: World, number: int = 1) -> NodeCard:
    return view(world).nodes[number - 1]


def told(world: World) -> World:
    """The slice says that the first pod is terminating; kube-proxy on node-1 has not heard of it yet."""
    (table,) = world.etcd.find("EndpointSlice")
    assert isinstance(table, EndpointSlice)
    first, *rest = table.endpoints
    gone = replace(first, conditions=replace(first.conditions, ready=False, terminating=True))
    new = replace(table, endpoints=(gone, *rest))
    return walks.on_its_way(walks.with_object(world, new), "kube-proxy/node-1", new)


def test_processes_that_have_seen_everything_are_in_step() -> None:
    card = node(walks.start())
    assert (card.kubelet.note, card.kubelet.state) == ("in step", "calm")
    assert (card.proxy.note, card.proxy.state) == ("in step", "calm")
    assert view(walks.start()).api.note == "nothing on its way"


def test_what_a_kube_proxy_still_believes_of_an_endpoint_is_named() -> None:
    card = node(told(walks.start()))
    assert (card.proxy.note, card.proxy.state) == ("believes web-7pxpv ready", "behind")
    assert view(told(walks.start())).api.note == "1 watch event on its way"


def test_a_kubelet_that_is_behind_says_by_how_much() -> None:
    world = walks.start()
    pod = world.etcd.find("Pod")[0]
    card = node(walks.on_its_way(world, "kubelet/node-1", pod))
    assert (card.kubelet.note, card.kubelet.state) == ("1 unseen", "behind")
    assert card.kubelet.title == f"kubelet/node-1: 1 unseen (pod/{'-'.join(pod.metadata.name.split('-')[::2])})"


def test_heartbeats_are_not_counted() -> None:
    world = walks.start()
    beat = replace(world, heads=Map({("kube-controller-manager", "Lease"): (0, 5)}))
    assert view(beat).controllers.note == "in step"


def test_rules_that_follow_only_at_the_next_sync() -> None:
    card = cluster_view(walks.race(), 11, walks.FLOW).nodes[1]
    assert (card.proxy.note, card.proxy.state) == ("next sync at 1.190 s", "waits")


def test_a_process_that_does_not_run() -> None:
    world = replace(walks.start(), down=Map({"kube-scheduler": 0, "kubelet/node-2": 0}))
    assert view(world).scheduler.state == "down"
    assert node(world, 2).kubelet.note == "not running"
    assert node(world, 1).kubelet.note == "in step"


def test_a_machine_that_is_off_beside_what_its_node_object_says() -> None:
    card = node(walks.with_host(walks.start(), "node-1", power=False))
    assert (card.note, card.state) == ("Ready · power off", "off")
    assert card.kubelet.note == "node is off"


def test_rules_beside_what_is_at_their_addresses() -> None:
    before, after = walks.race(), 8
    (table,) = cluster_view(before, after, walks.FLOW).nodes[1].rules
    assert [(row.name, row.state, row.note) for row in table.rows] == [
        ("web-7pxpv", "refused", "refused"),
        ("web-x2k9d", "serving", ""),
        ("web-m4wqz", "serving", ""),
    ]
    assert table.state == "stale"


def test_an_address_that_nobody_has_any_more_keeps_its_name() -> None:
    world = walks.start()
    swept = walks.with_host(world, "node-1", pods=Map())
    backends = lists.Backends(swept, {ADDRESS: walks.pod_name(0)})
    state, name = backends.state(ADDRESS, walks.SERVICE), backends.name(ADDRESS, walks.SERVICE)
    assert (state, name) == ("unanswered", "web-7pxpv")


def test_a_service_without_endpoints_rejects() -> None:
    world = walks.start(1, 0)
    (table,) = node(world).rules
    assert (table.state, table.rows[0].name) == ("empty", "no backend, rejects")


@pytest.mark.parametrize(
    ("failing", "words"),
    [
        # 30 requests a second over 3 nodes are 10 on each; one of two backends takes 5 of them.
        ({"node-2": 2}, "30 req/s to web · 5 req/s now refused through node-2"),
        (
            {"node-1": 3, "node-2": 3, "node-3": 3},
            "30 req/s to web · 10 req/s now refused through node-1, node-2, node-3",
        ),
        ({}, "30 req/s to web"),
    ],
)
def test_how_many_requests_fail_now(failing: dict[str, int], words: str) -> None:
    routes = {Route(name, walks.SERVICE, ADDRESS): Failing("refused", of, 0) for name, of in failing.items()}
    world = replace(walks.start(), ledger=Ledger(failing=Map(routes)))
    assert traffic.clients(world)[0] == words


def test_how_many_requests_have_failed_so_far() -> None:
    # 3 nodes, 30 a second, 1 of 3 backends on one node: 10/3 a second; for 0.6 s that makes 2.
    routes = {Route("node-2", walks.SERVICE, ADDRESS): Failing("refused", 3, 0)}
    world = replace(walks.start(), now=600, ledger=Ledger(failing=Map(routes)))
    assert traffic.clients(world)[0].endswith("3.3 req/s now refused through node-2 · 2 failed so far")


def test_several_services_are_asked_each_at_its_rate() -> None:
    other = replace(walks.start(), load=(Load(walks.SERVICE, 30, 0), Load(walks.SERVICE._replace(name="api"), 5, 0)))
    assert traffic.clients(other)[0] == "30 req/s to web, 5 req/s to api"
