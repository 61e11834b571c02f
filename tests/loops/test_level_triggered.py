"""Level-triggered: at rest, every loop of the control plane run on every key decides nothing.

A toy kubelet that makes every bound pod run, turn ready after 2 s and end within 5 s of its deletion stands in for
nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from app.kube.batch import Job, JobSpec
from app.kube.conditions import set_condition
from app.kube.meta import Condition, ObjectMeta, Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.releases import release
from app.kube.workloads import (
    DaemonSet,
    DaemonSetSpec,
    Deployment,
    DeploymentSpec,
    ReplicaSet,
    ReplicaSetSpec,
    StatefulSet,
    StatefulSetSpec,
)
from app.loops import (
    daemonset,
    deployment,
    endpointslice,
    garbage_collector,
    job,
    kube_proxy,
    kubectl,
    replicaset,
    scheduler,
    statefulset,
)
from app.loops.kube_proxy import RUNNER
from app.sim.acts import Act, Delete, PatchStatus, Wait, Work
from app.sim.addresses import pod_address
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key
from app.sim.proxy_rules import Rules
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.world import World
from tests.loops.beliefs import SELECTOR, TEMPLATE, service

CLUSTER: list[Object] = [
    *(Node(metadata=ObjectMeta(name=f"node-{number}")) for number in (1, 2, 3)),
    Deployment(ObjectMeta(name="web", namespace="default"), DeploymentSpec(SELECTOR, TEMPLATE, 4)),
    ReplicaSet(ObjectMeta(name="bare", namespace="default"), ReplicaSetSpec(SELECTOR, TEMPLATE, 2, minReadySeconds=3)),
    StatefulSet(ObjectMeta(name="db", namespace="default"), StatefulSetSpec(SELECTOR, TEMPLATE, 2, "web")),
    DaemonSet(ObjectMeta(name="agent", namespace="default"), DaemonSetSpec(SELECTOR, TEMPLATE)),
    Job(ObjectMeta(name="sum", namespace="default"), JobSpec(TEMPLATE, activeDeadlineSeconds=300)),
    service(),
    service("headless", clusterIP="None"),
]


def _node_agent(turn: Turn) -> Act | Wait | None:
    pod = turn.read(Pod, turn.key)
    if pod is None:
        return None
    if pod.finished:
        gone = Delete(pod.ref, 0, pod.metadata.uid)
        return Act("remove", pod.ref, request=gone) if pod.metadata.deletionGracePeriodSeconds else None
    if pod.metadata.deletionTimestamp is not None:
        return _later(turn, pod.metadata.deletionTimestamp - 25_000) or _patch(turn, pod, "False", phase="Succeeded")
    if pod.status.phase == "Pending":
        address = pod_address(turn.host.number, sum(pod.metadata.name.encode()) % 250)
        return _patch(turn, pod, "False", phase="Running", podIP=address)
    started = next(row.lastTransitionTime for row in pod.status.conditions if row.type == "Ready") or 0
    return None if pod.ready else _later(turn, started + 2_000) or _patch(turn, pod, "True")


def _later(turn: Turn, at: int) -> Wait | None:
    return Wait(Bounds.at(at)) if turn.now < at else None


def _patch(turn: Turn, pod: Pod, ready: str, **status: str) -> Act:
    rows = set_condition(pod.status.conditions, Condition("Ready", ready), turn.now)
    return Act(
        "report", pod.ref, request=PatchStatus(pod, replace(pod, status=replace(pod.status, conditions=rows, **status)))
    )


NODE_AGENT = Loop(
    name="node-agent",
    lane="kubelet",
    process="kubelet",
    per_node=True,
    reconcile=_node_agent,
    wakes={"Pod": own_key},
    watches_mine=frozenset({"Pod"}),
)
CONTROL_PLANE = (
    deployment.LOOP,
    replicaset.LOOP,
    statefulset.LOOP,
    daemonset.LOOP,
    job.LOOP,
    scheduler.LOOP,
    endpointslice.LOOP,
    garbage_collector.LOOP,
    kube_proxy.LOOP,
)
MODEL = Model((kubectl.LOOP, *CONTROL_PLANE, NODE_AGENT))


@pytest.fixture(scope="module", params=["1.29", "1.36"])
def start(request: pytest.FixtureRequest) -> World:
    return at_rest(MODEL, CLUSTER, release=release(request.param))


def keys(world: World, loop: Loop) -> Iterator[Work]:
    """Every key of a loop: each object of the kinds that wake it, and the one runner of each kube-proxy."""
    if loop.per_node:
        yield from (Work(loop.name, node, RUNNER) for node in world.nodes)
        return
    kind = {"scheduler": "Pod", "endpointslice": "Service", "garbage-collector": "Pod"}.get(
        loop.name, next(iter(loop.wakes))
    )
    yield from (Work(loop.name, "", obj.ref) for obj in world.etcd.find(kind))
    yield Work(loop.name, "", Ref(kind, "default", "never-was"))


def undecided(world: World) -> list[str]:
    """Every act that some loop would decide on although the world is at rest."""
    found = []
    for loop in CONTROL_PLANE:
        for work in keys(world, loop):
            decision = loop.reconcile(Turn(world, loop, work.node, work.key))
            first = decision if decision is None or isinstance(decision, Act | Wait) else next(decision, None)
            if first is not None:
                found.append(f"{loop.name} {work.key}: {first}")
    return found


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([], id="a cluster that came up"),
        pytest.param(["0s delete pod/web-1"], id="a deleted pod"),
        pytest.param(["0s delete pod/db-0"], id="a deleted member of a StatefulSet"),
        pytest.param(["0s set-image deployment/web app=app:v2"], id="a rollout"),
        pytest.param(
            ["0s set-image deployment/web app=app:v2", "1s set-image deployment/web app=app:v1"], id="and back"
        ),
        pytest.param(
            ["0s set-image deployment/web app=app:v2", "1s scale deployment/web replicas=9"], id="scaled within"
        ),
        pytest.param(["0s scale deployment/web replicas=0", "0s scale statefulset/db replicas=4"], id="scaled"),
        pytest.param(["0s set-image statefulset/db app=app:v2"], id="a StatefulSet's rollout"),
        pytest.param(["0s set-image daemonset/agent app=app:v2"], id="a DaemonSet's rollout"),
        pytest.param(["0s delete daemonset/agent"], id="a deleted DaemonSet"),
        pytest.param(["0s delete service/web"], id="a deleted Service"),
        pytest.param(["0s delete deployment/web"], id="a deleted Deployment"),
        pytest.param(
            ["0s stop kube-controller-manager", "1s delete statefulset/db", "9s start kube-controller-manager"],
            id="an owner that was deleted while nobody looked",
        ),
        pytest.param(["0s cordon node/node-1", "1s delete pod/web-1", "9s uncordon node/node-1"], id="a cordoned node"),
        pytest.param(
            ["0s stop kube-controller-manager", "1s delete pod/web-1", "20s start kube-controller-manager"],
            id="a controller-manager that was away",
        ),
        pytest.param(
            ["0s stop kube-proxy/node-1", "1s delete pod/web-1", "20s start kube-proxy/node-1"],
            id="a kube-proxy that was",
        ),
        pytest.param(
            ["0s stop kube-scheduler", "1s delete pod/web-1", "20s start kube-scheduler"], id="a scheduler that was"
        ),
    ],
)
def test_at_rest_no_loop_decides_anything(start: World, script: list[str]) -> None:
    walk = run(MODEL, start, [parse(line) for line in script], until=1_200_000)
    assert (walk.stopped, walk.problems) == ("quiet", ())
    assert undecided(walk.world) == []
    assert as_wanted(walk.world)


def as_wanted(world: World) -> bool:
    """Every owner has as many ready pods as it wants, and every node's rules lead to all of them."""
    pods = [pod for pod in world.etcd.find("Pod") if isinstance(pod, Pod)]
    owners = [obj for kind in ("ReplicaSet", "StatefulSet") for obj in world.etcd.find(kind)]
    counts = Counter(pod.metadata.controller.name for pod in pods if pod.metadata.controller)
    sizes = {obj.metadata.name: obj.spec.replicas for obj in owners if isinstance(obj, ReplicaSet | StatefulSet)}
    sizes |= {obj.metadata.name: len(world.nodes) for obj in world.etcd.find("DaemonSet")}
    backends = Rules(tuple(sorted({pod.status.podIP for pod in pods})))
    wanted = {obj.ref: backends for obj in world.etcd.find("Service") if obj.metadata.name == "web"}
    return (
        all(pod.ready and not pod.terminating for pod in pods)
        and counts == Counter(sizes)
        and all(dict(world.hosts[node].proxy.rules) == wanted for node in world.nodes)
    )
