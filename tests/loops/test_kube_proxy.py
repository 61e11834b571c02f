"""kube-proxy's table: what the sync runner does next, and which rules follow from what is believed."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.manifests import read_manifests
from app.kube.meta import ObjectMeta, Ref
from app.kube.networking import Endpoint, EndpointConditions, EndpointSlice
from app.kube.objects import Object
from app.kube.stringmap import StringMap
from app.loops.kube_proxy import LOOP, RUNNER
from app.loops.registry import LOOPS
from app.sim.acts import Act, Wait
from app.sim.engine import Model
from app.sim.host import Host
from app.sim.lags import Bounds
from app.sim.loop import Turn
from app.sim.maps import Map
from app.sim.proxy_rules import Proxy, Rules
from app.sim.start import at_rest
from tests.loops.beliefs import decided, only, service, told, turn

WEB = service()
KEY = WEB.ref
READY, TERMINATING, FAILING, UNREADY = (
    EndpointConditions(ready=True, serving=True, terminating=False),
    EndpointConditions(ready=False, serving=True, terminating=True),
    EndpointConditions(ready=False, serving=False, terminating=True),
    EndpointConditions(ready=False, serving=False, terminating=False),
)


def listed(*endpoints: Endpoint, name: str = "web", headless: bool = False) -> EndpointSlice:
    labels = {"kubernetes.io/service-name": name, **({"service.kubernetes.io/headless": ""} if headless else {})}
    return EndpointSlice(
        ObjectMeta(name=f"{name}-abcde", namespace="default", labels=StringMap(labels)), endpoints=endpoints
    )


def endpoint(number: int, conditions: EndpointConditions = READY, node: str = "n1") -> Endpoint:
    return Endpoint((f"10.244.1.{number}",), conditions, nodeName=node)


ONE = listed(endpoint(1))
BELIEVED: list[Object] = [WEB, ONE]
SEEN = ((KEY, 1), (ONE.ref, 1))
RULES = Map({KEY: Rules(("10.244.1.1",))})
IDLE = Proxy(RULES, since=0, seen=SEEN, last_sync_end=5_000)
RUNNING = replace(IDLE, sync_started=6_000, committed=False, taken=RULES)


def looks(proxy: Proxy, *believes: Object, now: int, versions: int = 1, fired: bool = False) -> Turn:
    """A turn of the runner on n1; `versions` is that of every object believed."""
    host = Host("n1", proxy=proxy)
    return turn(LOOP, RUNNER, *believes, now=now, node="n1", host=host, versions=versions, fired=fired)


def after(act: Act | Wait) -> Proxy:
    assert isinstance(act, Act)
    assert act.host is not None
    return act.host.proxy


@pytest.mark.parametrize(
    ("proxy", "believes", "versions", "now", "decides"),
    [
        pytest.param(Proxy(), [], 1, 0, [], id="nothing to watch for"),
        pytest.param(
            Proxy(RULES), BELIEVED, 1, 9_000, ["watch node/n1 ProcessStarted"], id="a process that has started"
        ),
        pytest.param(
            Proxy(RULES, since=9_000), BELIEVED, 1, 9_000, ["wait 9520"], id="its first sync comes after its start"
        ),
        pytest.param(
            Proxy(RULES, since=9_000),
            BELIEVED,
            1,
            9_700,
            ["start-sync node/n1 FirstSync"],
            id="also if nothing changed",
        ),
        pytest.param(IDLE, BELIEVED, 1, 9_000, [], id="all versions were taken"),
        pytest.param(
            IDLE, BELIEVED, 2, 6_000, ["start-sync node/n1 ChangeSeen"], id="a change after quiet is taken at once"
        ),
        pytest.param(IDLE, BELIEVED, 2, 5_400, ["wait 6000"], id="but never within 1 s of the end of the last sync"),
        pytest.param(IDLE, [WEB], 1, 6_500, ["start-sync node/n1 ChangeSeen"], id="a slice that went is a change"),
        pytest.param(
            IDLE,
            [*BELIEVED, service("db", clusterIP="None"), listed(name="db", headless=True)],
            1,
            9_000,
            [],
            id="headless Services and their slices do not count",
        ),
        pytest.param(RUNNING, BELIEVED, 1, 6_000, ["wait 6022"], id="the rules change a little after the start"),
        pytest.param(
            replace(RUNNING, taken=Map({KEY: Rules()})),
            BELIEVED,
            1,
            6_040,
            ["change-rules service/web NoEndpoints"],
            id="they change",
        ),
        pytest.param(RUNNING, BELIEVED, 1, 6_040, ["keep-rules node/n1 SameBackends"], id="or stay as they are"),
        pytest.param(replace(RUNNING, committed=True), BELIEVED, 1, 6_022, ["wait 6035"], id="the sync goes on"),
        pytest.param(
            replace(RUNNING, committed=True), BELIEVED, 2, 6_060, ["end-sync node/n1 RulesWritten"], id="and ends"
        ),
        pytest.param(RUNNING, BELIEVED, 2, 6_010, ["wait 6022"], id="a change within a sync waits for its end"),
    ],
)
def test_turn(proxy: Proxy, believes: list[Object], versions: int, now: int, decides: list[str]) -> None:
    assert told(decided(LOOP, looks(proxy, *believes, now=now, versions=versions))) == decides


def test_a_sync_takes_what_is_known_at_its_start() -> None:
    two = listed(endpoint(1), endpoint(2))
    (act,) = decided(LOOP, looks(IDLE, WEB, two, now=7_000, versions=2))
    proxy = after(act)
    assert proxy.taken == Map({KEY: Rules(("10.244.1.1", "10.244.1.2"))})
    assert (proxy.rules, proxy.sync_started, proxy.committed) == (RULES, 7_000, False)
    assert proxy.seen == ((KEY, 2), (two.ref, 2))


def test_a_change_of_rules_is_a_step_and_all_the_rest_is_background() -> None:
    changed = only(decided(LOOP, looks(replace(RUNNING, taken=Map({KEY: Rules()})), *BELIEVED, now=6_022, fired=True)))
    assert (changed.moment, changed.background, changed.object) == ("rules-changed", False, KEY)
    assert after(changed).rules == Map({KEY: Rules()})
    kept = only(decided(LOOP, looks(RUNNING, *BELIEVED, now=6_022, fired=True)))
    assert kept.background
    assert after(kept).rules is RULES


def test_the_second_counts_from_the_end_of_the_sync() -> None:
    (act,) = decided(LOOP, looks(replace(RUNNING, committed=True), *BELIEVED, now=6_035, fired=True))
    idle = after(act)
    assert (idle.last_sync_end, idle.sync_started) == (6_035, None)
    (wait,) = decided(LOOP, looks(idle, *BELIEVED, now=6_036, versions=2))
    assert wait == Wait(Bounds.at(7_035))


@pytest.mark.parametrize(
    ("before", "now", "reason"),
    [
        pytest.param(None, Rules(), "ServiceAdded", id="a new Service"),
        pytest.param(Rules(), None, "ServiceRemoved", id="one that went"),
        pytest.param(Rules(("a",)), Rules(), "NoEndpoints", id="nothing is left"),
        pytest.param(Rules(("a", "b")), Rules(("b",)), "BackendRemoved", id="one less"),
        pytest.param(Rules(("b",)), Rules(("a", "b")), "BackendAdded", id="one more"),
        pytest.param(Rules(("a",)), Rules(("b",)), "BackendsChanged", id="another"),
    ],
)
def test_reasons(before: Rules | None, now: Rules | None, reason: str) -> None:
    def rules(row: Rules | None) -> Map[Ref, Rules]:
        return Map({KEY: row}) if row is not None else Map()

    running = replace(RUNNING, rules=rules(before), taken=rules(now))
    assert only(decided(LOOP, looks(running, now=6_040))).reason == reason


@pytest.mark.parametrize(
    ("endpoints", "backends"),
    [
        pytest.param([endpoint(2), endpoint(1)], ["1", "2"], id="ready ones, in order"),
        pytest.param([endpoint(1), endpoint(2, TERMINATING)], ["1"], id="not those that terminate"),
        pytest.param([endpoint(1, UNREADY), endpoint(2, TERMINATING)], ["2"], id="unless no other is left"),
        pytest.param([endpoint(1, FAILING), endpoint(2, UNREADY)], [], id="and they still serve"),
        pytest.param([], [], id="REJECT without any"),
    ],
)
def test_rules(endpoints: list[Endpoint], backends: list[str]) -> None:
    (act,) = decided(LOOP, looks(IDLE, WEB, listed(*endpoints), now=7_000, versions=2))
    assert after(act).taken == Map({KEY: Rules(tuple(f"10.244.1.{number}" for number in backends))})


def test_internal_traffic_policy_local_stays_on_the_node() -> None:
    local = service(internalTrafficPolicy="Local")
    (act,) = decided(LOOP, looks(IDLE, local, listed(endpoint(1), endpoint(2, node="n2")), now=7_000, versions=2))
    assert after(act).taken == Map({KEY: Rules(("10.244.1.1",))})


def test_all_slices_of_a_service_count_and_a_service_without_any_rejects() -> None:
    more = replace(listed(endpoint(2)), metadata=replace(ONE.metadata, name="web-fghij"))
    other: Any = service("other")
    (act,) = decided(LOOP, looks(IDLE, WEB, ONE, more, other, now=7_000, versions=2))
    assert after(act).taken == Map({KEY: Rules(("10.244.1.1", "10.244.1.2")), other.ref: Rules()})


def test_proxies_that_have_seen_the_same_share_what_follows() -> None:
    """One belief, one set of rules: nodes without a difference cost no more than one."""
    text = """
    {apiVersion: v1, kind: Node, metadata: {name: n1}}
    ---
    {apiVersion: v1, kind: Node, metadata: {name: n2}}
    ---
    apiVersion: v1
    kind: Service
    metadata: {name: web}
    spec: {selector: {app: web}, ports: [{port: 80}]}
    ---
    apiVersion: v1
    kind: Service
    metadata: {name: near}
    spec: {selector: {app: web}, internalTrafficPolicy: Local, ports: [{port: 80}]}
    ---
    apiVersion: v1
    kind: Pod
    metadata: {name: web, labels: {app: web}}
    spec: {nodeName: n1, containers: [{name: app, image: "app:v1"}]}
    """
    world = at_rest(Model(LOOPS), read_manifests(dedent(text)).objects, images=("app:v1",))
    one, two = (world.views[f"kube-proxy/{node}"] for node in world.nodes)
    assert one is two
    near, web = Ref("Service", "default", "near"), Ref("Service", "default", "web")
    here, there = (world.hosts[node].proxy.rules for node in world.nodes)
    assert here[web] is there[web]
    assert (here[near], there[near]) == (Rules(("10.244.1.2",)), Rules())
