"""Small worlds and toy loops for the kernel's tests."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Container, Pod, PodSpec
from app.kube.workloads import Deployment, DeploymentSpec
from app.sim.acts import Request, Work
from app.sim.answers import Answer
from app.sim.draft import Draft
from app.sim.engine import Model
from app.sim.loop import Loop, Turn, own_key
from app.sim.start import empty
from app.sim.world import World

DEPLOYMENT = Ref("Deployment", "default", "web")
POD = Ref("Pod", "default", "web-1")


def node(name: str) -> Node:
    return Node(metadata=ObjectMeta(name=name))


def deployment(replicas: int = 1) -> Deployment:
    return Deployment(metadata=ObjectMeta(name="web", namespace="default"), spec=DeploymentSpec(replicas=replicas))


def pod(name: str = "web-1", node_name: str = "node-1", *, grace: int = 30, finalizers: tuple[str, ...] = ()) -> Pod:
    return Pod(
        metadata=ObjectMeta(name=name, namespace="default", finalizers=finalizers),
        spec=PodSpec(containers=(Container("app", "app:1"),), nodeName=node_name, terminationGracePeriodSeconds=grace),
    )


def rest(turn: Turn) -> None:
    """Decides nothing."""


def watcher(name: str = "watcher", process: str = "kube-controller-manager", kind: str = "Deployment") -> Loop:
    return Loop(name=name, lane=name, process=process, reconcile=rest, wakes={kind: own_key})


def world(nodes: int = 1, now: int = 0) -> World:
    return replace(empty([node(f"node-{n}") for n in range(1, nodes + 1)]), now=now)


def ask(model: Model, before: World, request: Request, process: str = "kubectl") -> tuple[World, Answer]:
    """One request of a process, alone."""
    draft = Draft(before)
    answer = model.api.handle(draft, process, request)
    return draft.freeze(), answer


def held(found: World, ref: Ref) -> Object:
    stored = found.etcd.get(ref)
    assert stored is not None
    return stored.object


def queued(found: World) -> list[Work]:
    return sorted(found.queued)
