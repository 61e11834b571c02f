"""Whole nodes that run short: kubelet, kernel, controllers and scheduler together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.kube.behaviour import Point
from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.loops import kernel, node_lifecycle
from app.loops.kubelet import eviction, node_status, oom_watcher
from app.loops.registry import LOOPS
from app.sim.acts import Wait
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.loop import Turn
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.step import Step
from app.sim.walk import Walk
from app.sim.world import World

MODEL = Model(LOOPS)
PREFIX = "sim.loopscope.dev/"
MINUTE = 60_000


def node(name: str = "n1", **words: str) -> str:
    told = ", ".join(f'{PREFIX}{key.replace("_", "-")}: "{text}"' for key, text in words.items())
    return f"{{apiVersion: v1, kind: Node, metadata: {{name: {name}, annotations: {{{told}}}}}}}"


def pod(name: str, memory: str, *, resources: str = "", spec: str = "", **words: str) -> str:
    told = {"memory": memory} | {key.replace("_", "-"): text for key, text in words.items()}
    notes = ", ".join(f'{PREFIX}{key}: "{text}"' for key, text in told.items() if text)
    container = f"{{name: app, image: app:v1, resources: {{{resources}}}}}"
    return (
        f"{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, annotations: {{{notes}}}}}, "
        f"spec: {{containers: [{container}]{spec and f', {spec}'}}}}}"
    )


def deployment(name: str, memory: str, request: str, replicas: int = 1) -> str:
    return f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata:
      labels: {{app: {name}}}
      annotations: {{{PREFIX}memory: "{memory}", {PREFIX}exit-code-on-sigterm: "143"}}
    spec: {{containers: [{{name: app, image: app:v1, resources: {{requests: {{memory: {request}}}}}}}]}}
"""


def walked(*texts: str, script: tuple[str, ...] = (), until: int = 20 * MINUTE) -> Walk:
    world = at_rest(MODEL, read_manifests("\n---\n".join(texts)).objects, images=("app:v1",))
    walk = run(MODEL, world, [parse(line) for line in script], until=until)
    assert walk.problems == ()
    return walk


def told(walk: Walk, *moments: str) -> list[str]:
    """`MOMENT OBJECT SECONDS` of every step with one of these moments."""
    found = [row.step for row in walk.records if row.step.moment in moments]
    return [f"{step.moment} {step.object.name} {step.at / 1000:.1f}" for step in found]


def steps(walk: Walk, moment: str) -> list[Step]:
    return [row.step for row in walk.records if row.step.moment == moment]


def held(world: World, name: str) -> Pod:
    stored = world.etcd.get(Ref("Pod", "default", name))
    assert stored is not None
    assert isinstance(stored.object, Pod)
    return stored.object


def reasons(walk: Walk, object_: str) -> list[str]:
    events = [(event, row.step) for row in walk.records for event in row.step.events]
    return [event.reason for event, step in events if (event.object or step.object).name == object_]


MEMORY_LEAK = "0s=100Mi,60s=700Mi"
ONE_GI = {"eviction_hard": "memory.available<1Gi", "eviction_tick": "0s", "node_status_tick": "1s"}


def test_a_container_beyond_its_limit_restarts_in_place_and_backs_off() -> None:
    limited = pod("web", MEMORY_LEAK, resources="limits: {memory: 300Mi}")
    walk = walked(node(), node("n2"), limited, until=4 * MINUTE)
    found = held(walk.world, "web")
    [status] = found.status.containerStatuses
    assert (found.spec.nodeName, found.status.phase, status.restartCount) == ("n1", "Running", 4)
    # 200 MiB above its start at 10 MiB a second: twenty seconds, and the first page beyond.
    assert told(walk, "oom-killed")[:2] == ["oom-killed web 20.0", "oom-killed web 40.4"]
    assert [step.outcome for step in steps(walk, "crash-back-off")] == ["10 s", "20 s", "40 s", "80 s"]
    assert told(walk, "pod-evicted", "node-oom", "pod-bound") == []
    assert "SystemOOM" not in reasons(walk, "n1")


def test_an_evicted_pod_is_replaced_elsewhere_and_its_tombstone_stays() -> None:
    # The other node is full to the scheduler; only the taint keeps the replacement from coming back.
    walk = walked(
        node(**ONE_GI),
        pod("hog", "0s=6Gi,60s=6700Mi", resources="requests: {memory: 6800Mi}", spec="nodeName: n1"),
        deployment("web", "500Mi", "10Mi"),
        "{apiVersion: v1, kind: Node, metadata: {name: n2}, spec: {unschedulable: true}}",
        script=("5s uncordon node/n2",),
        until=10 * MINUTE,
    )
    [act] = steps(walk, "pod-evicted")
    assert act.object.name.startswith("web-")
    pods = [pod for pod in walk.world.etcd.find("Pod") if isinstance(pod, Pod) and pod.metadata.name.startswith("web-")]
    assert {(pod.status.phase, pod.status.reason) for pod in pods} == {("Failed", "Evicted"), ("Running", "")}


def test_one_pod_a_look_and_the_next_as_soon_as_the_first_is_cleaned_up() -> None:
    pods = [pod(f"p{number}", "0s=1500Mi,60s=1900Mi") for number in range(1, 5)]
    walk = walked(node(eviction_minimum_reclaim="memory.available=3Gi", **ONE_GI), *pods)
    first, second, *more = [step.at for step in steps(walk, "pod-evicted")]
    assert first % 10_000 == 0
    assert 1_000 < second - first < 1_100
    assert more == []


def test_pressure_keeps_new_pods_without_requests_away() -> None:
    pods = [pod("big", "0s=6Gi,20s=7500Mi", resources="requests: {memory: 1Gi}")]
    late = pod("late", "1Mi", spec="nodeName: n1")
    objects = read_manifests("\n---\n".join([node(**ONE_GI), *pods])).objects
    world = at_rest(MODEL, objects, images=("app:v1",))
    world = replace(world, manifests=world.manifests.set("late", read_manifests(late).objects))
    walk = run(MODEL, world, [parse("25s apply m:late")], until=MINUTE)
    found = held(walk.world, "late")
    message = "Pod was rejected: The node had condition: [MemoryPressure]. "
    assert (found.status.phase, found.status.reason, found.status.message) == ("Failed", "Evicted", message)
    assert reasons(walk, "late") == ["Evicted"]


def test_a_soft_threshold_spares_what_recovers_in_time() -> None:
    soft = {
        "eviction_hard": "none",
        "eviction_soft": "memory.available<2Gi",
        "eviction_soft_grace_period": "memory.available=30s",
        "eviction_max_pod_grace_period": "20s",
        "eviction_tick": "0s",
    }
    brief, lasting = "0s=5Gi,10s=7Gi,30s=7Gi,31s=5Gi", "0s=5Gi,10s=7Gi"
    assert told(walked(node(**soft), pod("web", brief)), "soft-threshold-met", "pod-evicted", "pressure-over") == [
        "soft-threshold-met n1 10.0",
        "pressure-over n1 330.0",
    ]
    walk = walked(node(**soft), pod("web", lasting, on_sigterm="drain=12s"))
    assert told(walk, "soft-threshold-met", "pod-evicted") == ["soft-threshold-met n1 10.0", "pod-evicted web 40.0"]
    assert [step.outcome for step in steps(walk, "pod-evicted")] == ["grace 20 s"]
    assert told(walk, "process-exited") == ["process-exited web 52.0"]


def test_a_node_flaps_when_what_it_gets_back_uses_more_than_it_asks_for() -> None:
    walk = walked(
        node(eviction_pressure_transition_period="1m", **ONE_GI),
        deployment("web", "0s=100Mi,60s=7500Mi", "10Mi"),
        until=15 * MINUTE,
    )
    turns = [step.moment for step in (row.step for row in walk.records) if step.moment.startswith("node-")]
    assert turns[:4] == ["node-tainted", "node-untainted", "node-tainted", "node-untainted"]
    assert len(steps(walk, "pod-evicted")) >= 4


def test_what_uses_the_machine_beside_pods_can_grow_by_hand() -> None:
    walk = walked(node(**ONE_GI), pod("web", "500Mi"), script=("35s set node/n1 memory=7Gi",))
    assert told(walk, "hard-threshold-met", "pod-evicted")[:2] == ["hard-threshold-met n1 40.0", "pod-evicted web 40.0"]
    assert walk.world.hosts["n1"].machine.system_memory == (Point(0, 7 * 2**30),)


def test_a_kubelet_that_is_stopped_evicts_nobody_and_the_kernel_still_kills() -> None:
    grows = pod("web", "0s=1Gi,60s=9Gi")
    walk = walked(node(**ONE_GI), grows, script=("5s stop kubelet/n1",), until=3 * MINUTE)
    assert told(walk, "pod-evicted", "node-oom", "system-oom-reported") == ["node-oom web 52.5"]
    walk = walked(node(**ONE_GI), grows, script=("5s stop kubelet/n1", "70s start kubelet/n1"), until=3 * MINUTE)
    assert told(walk, "system-oom-reported")[0].startswith("system-oom-reported n1 7")


@st.composite
def mixes(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """Pods that together leave too little, each with its memory, its request (in MiB) and its priority."""
    pods = [(draw(st.integers(1, 40)), draw(st.integers(0, 40)), draw(st.sampled_from((-5, 0, 9)))) for _ in range(5)]
    unit = 6000 // sum(memory for memory, _, _ in pods)
    return [(memory * unit, min(request * unit // 2, 1400), priority) for memory, request, priority in pods]


@settings(max_examples=40)
@given(mixes())
def test_the_evicted_pod_is_the_one_that_upstreams_ranking_names(pods: list[tuple[int, int, int]]) -> None:
    classes = [
        f"{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: c{at}}}, value: {priority}}}"
        for at, (_, _, priority) in enumerate(pods)
    ]
    texts = [
        pod(f"p{at}", f"{memory}Mi", resources=f"requests: {{memory: {request}Mi}}", spec=f"priorityClassName: c{at}")
        for at, (memory, request, _) in enumerate(pods)
    ]
    walk = walked(node(**(ONE_GI | {"memory": "0s=0,5s=1536Mi"})), *classes, *texts, until=11_000)
    # Over its request first, then the lower priority, then the larger excess, then the name.
    keys = [
        (memory <= request, priority, request - memory, f"p{at}") for at, (memory, request, priority) in enumerate(pods)
    ]
    assert [step.object.name for step in steps(walk, "pod-evicted")][:1] == [min(keys)[3]]


# At rest.

MINE = (kernel.LOOP, node_lifecycle.LOOP, eviction.LOOP, node_status.LOOP, oom_watcher.LOOP)


def undecided(world: World) -> list[str]:
    """Every act that one of the loops would decide on although the world is at rest."""
    found = []
    for loop in MINE:
        for name in [obj.metadata.name for obj in world.etcd.find("Node") if isinstance(obj, Node)]:
            where = name if loop.per_node else ""
            decision = loop.reconcile(Turn(world, loop, where, Ref("Node", "", name)))
            if decision is not None:
                found.append(f"{loop.name} {name}: {'wait' if isinstance(decision, Wait) else decision}")
    return found


@pytest.mark.parametrize(
    ("texts", "script"),
    [
        pytest.param([node(**ONE_GI), pod("web", "500Mi")], (), id="a machine at ease"),
        pytest.param([node(**ONE_GI), pod("web", "0s=1Gi,60s=7500Mi")], (), id="an eviction"),
        pytest.param(
            [node(**ONE_GI), pod("web", "0s=1Gi,5s=9Gi", on_sigterm="ignore")],
            ("30s delete pod/web",),
            id="an OOM",
        ),
        pytest.param(
            [node(disk="0s=70Gi,30s=78Gi", images="old:v1=10Gi"), pod("web", "1Mi", disk="1Gi")],
            (),
            id="a disk that was freed",
        ),
        pytest.param(
            [node(**ONE_GI), pod("web", "500Mi")],
            ("5s set node/n1 memory=7Gi", "30s set node/n1 memory=1Gi"),
            id="pressure that went away",
        ),
        pytest.param(
            [node(**ONE_GI), pod("web", "0s=1Gi,60s=7500Mi")],
            ("55s stop kubelet/n1", "3m start kubelet/n1"),
            id="a kubelet that was away",
        ),
        pytest.param(
            [node(**ONE_GI), pod("web", "0s=1Gi,60s=7500Mi")],
            ("20s stop kube-controller-manager", "3m start kube-controller-manager"),
            id="a controller-manager that was away",
        ),
    ],
)
def test_at_rest_none_of_them_decides_anything(texts: list[str], script: tuple[str, ...]) -> None:
    walk = walked(*texts, script=script, until=60 * MINUTE)
    assert walk.stopped == "quiet", told(walk, "eviction-threshold-met")[-3:]
    assert undecided(walk.world) == []


def test_every_wait_is_for_something_that_then_happens() -> None:
    """No loop wakes in vain: each of its turns at a timer leads to an act or to a change that others made."""
    walk = walked(node(**ONE_GI), pod("web", "0s=1Gi,60s=7500Mi"), pod("small", "10Mi"))
    names = {loop.name for loop in MINE}
    woken = [row.step.moment for row in walk.records if row.cause == "timer" and row.step.loop in names]
    assert woken == [
        *("hard-threshold-met", "eviction-threshold-met", "pod-evicted", "pressure-reported"),
        *("signal-recovered", "pressure-over", "pressure-cleared"),
    ]
