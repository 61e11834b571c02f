"""Walks in which the API server, a link or a process is away: who exits, what is missed, and that all is caught up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.catalog.scripts import unknown_process
from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.kube.nodes import Lease, Node
from app.kube.pods import Pod
from app.kube.workloads import Deployment
from app.loops.registry import LOOPS
from app.sim.elections import with_leaders
from app.sim.engine import Model
from app.sim.heartbeats import with_heartbeats
from app.sim.intervention import parse
from app.sim.processes import lease_of
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk

MODEL = Model(LOOPS)
CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: node-1}}
---
{apiVersion: v1, kind: Node, metadata: {name: node-2}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {sim.loopscope.dev/on-sigterm: drain=1s}
    spec:
      containers: [{name: app, image: "web:1", ports: [{containerPort: 8080}]}]
"""
PLAIN = at_rest(MODEL, read_manifests(CLUSTER, "cluster").objects)
ELECTED = with_leaders(with_heartbeats(PLAIN))
MANAGER, SCHEDULER, API = "kube-controller-manager", "kube-scheduler", "kube-apiserver"
FIXED = ("300s start kube-apiserver", "300s start kube-controller-manager", "300s start kube-scheduler")


def walked(*script: str, until: int = 600, elected: bool = True) -> Walk:
    found = run(MODEL, ELECTED if elected else PLAIN, [parse(line) for line in script], until=until * 1000)
    assert found.problems == ()
    return found


def when(walk: Walk, moment: str, lane: str = "") -> list[float]:
    """The seconds at which there was such a step (of a lane)."""
    return [row.step.at / 1000 for row in walk.records if row.step.moment == moment and lane in row.step.sender]


def ready(walk: Walk) -> int:
    return sum(isinstance(pod, Pod) and pod.ready for pod in walk.world.etcd.find("Pod"))


def transitions(walk: Walk, process: str) -> int:
    stored = walk.world.etcd.get(lease_of(process))
    assert stored is not None
    assert isinstance(stored.object, Lease)
    return stored.object.spec.leaseTransitions


# What has been recorded, in round numbers (tests/truth holds the whole traces).


def test_a_killed_api_server_costs_the_leaders_their_lease() -> None:
    walk = walked(f"0s stop {API}", f"60s start {API}", until=200)
    assert when(walk, "leader-lost") == [11.4, 11.4]
    assert when(walk, "api-server-back") == [62]
    assert when(walk, "leader-elected", "controller-manager") == [pytest.approx(79, abs=1)]
    assert when(walk, "leader-elected", "scheduler") == [pytest.approx(121, abs=10)]
    assert (transitions(walk, MANAGER), transitions(walk, SCHEDULER)) == (1, 1)
    assert when(walk, "node-unknown") == []


def test_without_election_the_controller_lives_and_writes_all_nodes_off() -> None:
    found = run(MODEL, with_heartbeats(PLAIN), [parse(f"0s stop {API}"), parse(f"60s start {API}")], until=200_000)
    assert when(found, "leader-lost") == []
    written = [row.step.at for row in found.records if row.step.moment == "node-unknown" and row.step.outcome == "ok"]
    assert [62_000 <= at <= 67_000 for at in written] == [True, True]
    assert when(found, "master-disruption-entered")
    assert ready(found) == 3


def test_eight_seconds_of_silence_cost_nothing() -> None:
    walk = walked(f"0s freeze {API}", f"8s thaw {API}", "20s scale deployment/web replicas=4", until=60)
    assert when(walk, "leader-lost") == []
    assert when(walk, "watch-back") == []
    assert ready(walk) == 4


def test_a_minute_of_silence_costs_the_leases_and_no_back_off() -> None:
    walk = walked(f"0s freeze {API}", f"60s thaw {API}", until=120)
    assert when(walk, "leader-lost", "controller-manager") == [11.4]
    assert when(walk, "leader-lost", "scheduler") == [16.4]
    both = when(walk, "leader-elected")
    assert both == [pytest.approx(77, abs=2), pytest.approx(77, abs=2)]
    assert max(when(walk, "watch-back") or [0]) <= 72


def test_what_hangs_is_done_when_the_server_goes_on() -> None:
    walk = walked(f"0s freeze {API}", "1s power-off node/node-2", f"8s thaw {API}", until=9)
    beats = [row.step for row in walk.records if row.step.verb == "renew" and row.step.at >= 8_000]
    assert {row.node for row in beats} <= {"node-1"}


def test_a_killed_controller_manager_leaves_its_lease_behind() -> None:
    walk = walked(f"0s stop {MANAGER}", "1s scale deployment/web replicas=5", f"40s start {MANAGER}", until=80)
    assert when(walk, "leader-elected") == [pytest.approx(56, abs=1)]
    created = [row.step.at / 1000 for row in walk.records if row.step.moment == "pod-created"]
    assert created
    assert min(created) >= when(walk, "leader-elected")[0]
    assert ready(walk) == 5
    assert when(walk, "node-unknown") == []


def test_without_a_lease_it_works_at_once() -> None:
    walk = walked(f"0s stop {MANAGER}", "1s scale deployment/web replicas=5", f"40s start {MANAGER}", elected=False)
    assert min(row.step.at for row in walk.records if row.step.moment == "pod-created") == 40_005


# Verbs.


@pytest.mark.parametrize(
    ("script", "outcomes"),
    [
        ((f"0s start {API}",), ["runs already"]),
        ((f"0s stop {API}", f"1s stop {API}"), ["stopped", "stopped"]),
        ((f"0s stop {API}", f"1s start {API}", f"2s start {API}"), ["stopped", "started, not serving yet"] * 2),
        ((f"0s thaw {API}",), ["not frozen"]),
        ((f"0s freeze {API}", f"1s freeze {API}"), ["frozen", "does not run"]),
        ((f"0s freeze {API}", f"1s start {API}", f"2s thaw {API}"), ["frozen", "runs already", "thawed"]),
        ((f"0s freeze {API}", f"1s stop {API}", f"2s thaw {API}"), ["frozen", "stopped", "not frozen"]),
        (("0s freeze kubelet/node-1", "1s stop kubelet/node-1"), ["frozen", "stopped"]),
        ((f"0s stop {MANAGER}", f"9s start {MANAGER}"), ["stopped", "started, not leading yet"]),
        (("0s stop kubelet/node-1", "9s start kubelet/node-1"), ["stopped", "started"]),
    ],
)
def test_what_is_said_to_each_verb(script: tuple[str, ...], outcomes: list[str]) -> None:
    walk = walked(*script, until=12)
    said = [row.step.outcome for row in walk.records if row.step.sender == "You"]
    if len(said) == 3 and said[-1] == "started, not serving yet":
        outcomes = [*outcomes[:2], outcomes[1]]
    assert said == outcomes


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("freeze kube-apiserver", ""),
        ("thaw kubelet/node-1", ""),
        ("cut api-server kubelet/node-1", ""),
        ("cut api-server node/node-1", ""),
        ("freeze kube-etcd", 'found "kube-etcd"'),
        ("freeze kubelet/node-9", "kubelet runs on each node"),
        ("cut api-server kube-apiserver", 'found "kube-apiserver"'),
        ("restore api-server kube-scheduler/node-1", "kube-scheduler runs once"),
    ],
)
def test_processes_that_do_not_run_here(line: str, fault: str) -> None:
    found = unknown_process(parse(line), ["node-1", "node-2"])
    assert (fault in found[0]) if fault else not found


def test_a_stopped_start_of_the_server_is_no_start() -> None:
    walk = walked(f"0s stop {API}", f"5s start {API}", f"6s stop {API}", until=30)
    assert when(walk, "api-server-back") == []


def test_a_cut_controller_manager_exits_and_the_others_do_not_notice() -> None:
    walk = walked(f"0s cut api-server {MANAGER}", f"30s restore api-server {MANAGER}", until=120)
    assert when(walk, "leader-lost") == [11.4]
    assert when(walk, "leader-elected") == [pytest.approx(47, abs=2)]
    assert ready(walk) == 3


# Kubelets and kube-proxies.


def test_containers_are_watched_over_while_the_api_server_is_away() -> None:
    """A container that ends is started again at once; what the kubelet has to say of it, it says at the return."""
    walk = walked(f"0s stop {API}", '5s set pod/web-1 exit="after 1s code 1"', f"30s start {API}", until=60)
    again = [
        row.step.at for row in walk.records if row.step.loop == "kubelet-pods" and row.step.verb == "start-container"
    ]
    assert again
    assert 5_000 <= again[0] <= 8_000
    told = [row.step.at for row in walk.records if row.step.loop == "kubelet-status" and row.step.commits]
    assert told[0] >= 32_000
    restarts = [
        pod.status.containerStatuses[0].restartCount for pod in walk.world.etcd.find("Pod") if isinstance(pod, Pod)
    ]
    assert max(restarts) >= 1


def test_a_kubelet_that_starts_without_the_api_server_touches_nothing() -> None:
    walk = walked(f"0s stop {API}", "5s stop kubelet/node-1", "10s start kubelet/node-1", f"60s start {API}", until=50)
    acts = {row.step.verb for row in walk.records if row.step.loop == "kubelet-pods" and row.step.at > 10_000}
    assert acts == set()
    running = [run.state for host in walk.world.hosts.values() for pod in host.pods.values() for run in pod.containers]
    assert running == ["running"] * 3


def test_it_takes_its_pods_up_again_when_its_lists_have_come() -> None:
    walk = walked(f"0s stop {API}", "5s stop kubelet/node-1", "10s start kubelet/node-1", f"60s start {API}", until=300)
    recovered = [row.step.at for row in walk.records if row.step.verb == "recover"]
    assert recovered
    assert min(recovered) > 62_000
    assert ready(walk) == 3


def test_its_own_writes_are_seen_only_with_its_watch() -> None:
    """The controller that marks a pod not ready does not take it out of the endpoints before its Pod watch is back."""
    found = run(MODEL, with_heartbeats(PLAIN), [parse(f"0s stop {API}"), parse(f"60s start {API}")], until=200_000)
    marked = [row.step.at for row in found.records if row.step.moment == "pod-marked-not-ready"]
    lists = [
        row.step.at for row in found.records if row.step.id.endswith("controller-manager-watches.relist:watch~Pod")
    ]
    changed = [row.step.at for row in found.records if row.step.moment.startswith("endpoint-")]
    assert min(marked) < lists[0] < min(changed)


def test_a_frozen_kubelet_goes_on_where_it_was() -> None:
    walk = walked("0s freeze kubelet/node-1", "5s scale deployment/web replicas=5", "20s thaw kubelet/node-1", until=60)
    assert when(walk, "node-unknown") == []
    late = [row.step for row in walk.records if row.step.node == "node-1" and 0 < row.step.at < 20_000]
    assert [row.verb for row in late if row.loop.startswith("kubelet")] == []
    assert ready(walk) == 5


# In the end all is as it should be.

FAULTS = (
    f"stop {API}",
    f"start {API}",
    f"freeze {API}",
    f"thaw {API}",
    f"stop {MANAGER}",
    f"start {MANAGER}",
    f"freeze {MANAGER}",
    f"thaw {MANAGER}",
    f"stop {SCHEDULER}",
    f"start {SCHEDULER}",
    f"cut api-server {SCHEDULER}",
    f"restore api-server {SCHEDULER}",
    "stop kubelet/node-1",
    "start kubelet/node-1",
    "freeze kubelet/node-2",
    "thaw kubelet/node-2",
    "cut api-server node/node-1",
    "restore api-server node/node-1",
    "freeze kube-proxy/node-1",
    "thaw kube-proxy/node-1",
    "scale deployment/web replicas=5",
    "scale deployment/web replicas=2",
)
REPAIRS = (
    f"200s thaw {API}",
    f"200s start {API}",
    f"201s thaw {MANAGER}",
    f"201s start {MANAGER}",
    f"201s start {SCHEDULER}",
    f"201s restore api-server {SCHEDULER}",
    "201s start kubelet/node-1",
    "201s thaw kubelet/node-2",
    "201s restore api-server node/node-1",
    "201s thaw kube-proxy/node-1",
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 190_000), st.sampled_from(FAULTS)), max_size=10), st.booleans())
def test_whatever_is_away_all_is_made_up_for(faults: list[tuple[int, str]], elected: bool) -> None:
    walk = walked(*(f"{at}ms {fault}" for at, fault in sorted(faults)), *REPAIRS, until=1_200, elected=elected)
    web = walk.world.etcd.get(Ref("Deployment", "default", "web"))
    assert web is not None
    assert isinstance(web.object, Deployment)
    assert ready(walk) == web.object.spec.replicas == web.object.status.readyReplicas
    for node in walk.world.etcd.find("Node"):
        assert isinstance(node, Node)
        assert node.spec.taints == ()
    for host in walk.world.hosts.values():
        (rules,) = host.proxy.rules.values()
        assert len(rules.backends) == web.object.spec.replicas
    for process, view in walk.world.views.items():
        stale = [ref for ref, stored in view.objects.items() if stored != walk.world.etcd.get(ref)]
        assert process == "kubectl" or not [ref for ref in stale if ref.kind != "Lease"]
    assert not walk.world.severed
    assert not walk.world.parked


STATIC = """
---
apiVersion: v1
kind: Pod
metadata:
  name: shipper
  annotations: {kubernetes.io/config.source: file}
spec:
  nodeName: node-1
  containers: [{name: shipper, image: "shipper:1"}]
"""


@pytest.mark.parametrize(
    "away",
    [
        ("10s stop kubelet/node-1", "12s start kubelet/node-1"),
        ("10s power-off node/node-1", "12s power-on node/node-1"),
    ],
    ids=["its kubelet is started again", "its machine boots"],
)
def test_without_an_api_server_a_kubelet_starts_static_pods_and_no_others(away: tuple[str, ...]) -> None:
    world = with_leaders(at_rest(MODEL, read_manifests(CLUSTER + STATIC, "cluster").objects))
    crash = "20s crash pod/shipper-node-1" if "stop" in away[0] else ""
    lines = ("5s stop kube-apiserver", *away, *([crash] if crash else []))
    walk = run(MODEL, world, [parse(line) for line in lines], until=60_000)
    started = {row.step.object.name for row in walk.records if row.step.moment == "container-started"}
    assert started == {"shipper-node-1"}


def test_kubectl_gives_up_on_a_server_that_hangs_after_ten_seconds() -> None:
    walk = walked("1s freeze kube-apiserver", "2s scale deployment/web replicas=5", until=30)
    printed = [(row.step.at, line.text) for row in walk.records for line in row.step.output]
    assert printed == [(12_000, "Unable to connect to the server: net/http: TLS handshake timeout")]


def test_kubectl_is_served_by_a_server_that_goes_on_in_time() -> None:
    walk = walked("1s freeze kube-apiserver", "2s scale deployment/web replicas=5", "6s thaw kube-apiserver", until=30)
    printed = [line.text for row in walk.records for line in row.step.output]
    assert printed == ["deployment.apps/web scaled"]


@pytest.mark.parametrize(
    ("gone", "back"),
    [("10s stop kube-apiserver", "40s start kube-apiserver"), ("10s freeze kube-apiserver", "40s thaw kube-apiserver")],
    ids=["killed", "frozen"],
)
def test_programs_find_no_api_server_while_it_is_away(gone: str, back: str) -> None:
    cluster = CLUSTER.replace("drain=1s}", "drain=1s, sim.loopscope.dev/depends-on: kube-apiserver}")
    walk = run(
        MODEL, at_rest(MODEL, read_manifests(cluster, "cluster").objects), [parse(gone), parse(back)], until=60_000
    )
    hosts = [row.step.world.hosts["node-1"] for row in walk.records]
    assert {host.alone for host in hosts} == {None, 10_000}
    assert {host.broken for host in hosts} == {(), ("kube-apiserver",)}
    assert (walk.world.hosts["node-1"].alone, walk.world.hosts["node-1"].broken) == (None, ())
