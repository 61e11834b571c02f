"""What a cordon did and did not do: pods that stayed, pods that came all the same, pods that found no room."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.kube.load_balancer import backends
from app.kube.meta import Ref, condition
from app.kube.networking import EndpointSlice, Service
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.sim.index import on_node
from app.sim.step import Step
from app.sim.walk import Record, Walk
from app.sim.world import World
from app.story.fact import Fact, Subject

CORDONED = "were unschedulable"
"""What FailedScheduling says of a node whose spec.unschedulable is set."""


def cordoned(world: World, node: str) -> bool:
    """Whether new pods are to be kept from a node."""
    held = world.etcd.get(Ref("Node", "", node))
    return held is not None and isinstance(held.object, Node) and held.object.spec.unschedulable


def pods_on(world: World, node: str) -> list[Pod]:
    return [pod for pod in world.etcd.find(on_node(node)) if isinstance(pod, Pod)]


def bindings(walk: Walk) -> Iterator[tuple[Record, Pod]]:
    """Every pod that got a node in the walk, with the record that gave it."""
    for row in walk.records:
        for commit in row.step.commits:
            before, after = commit.before, commit.after
            if isinstance(before, Pod) and isinstance(after, Pod) and after.spec.nodeName and not before.spec.nodeName:
                yield row, after


def cordonings(walk: Walk) -> Iterator[tuple[Record, str]]:
    """Every record that closed a node, with the node's name."""
    for row in walk.records:
        for name in _closed(row.step):
            yield row, name


def _closed(step: Step) -> list[str]:
    return [
        after.metadata.name
        for before, after in ((row.before, row.after) for row in step.commits)
        if isinstance(before, Node) and isinstance(after, Node) and after.spec.unschedulable > before.spec.unschedulable
    ]


def pods_stayed(subject: Subject) -> Fact:
    """How many pods of the node that was cordoned first, or of the target, are still there at the end."""
    found = next(((row, name) for row, name in cordonings(subject.walk) if _meant(subject, name)), None)
    if found is None:
        return Fact(None, "pods")
    row, node = found
    was = {pod.metadata.uid for pod in pods_on(row.step.before, node) if not pod.terminating}
    left = [pod for pod in pods_on(subject.walk.world, node) if pod.metadata.uid in was and not pod.terminating]
    return Fact(float(len(left)), "pods", row.n or None, (("of", str(len(was))), ("pods", _names(left)), ("on", node)))


def _meant(subject: Subject, node: str) -> bool:
    return subject.target.kind != "Node" or subject.target.name == node


def placed_there(subject: Subject) -> Fact:
    """Pods that were bound to a node after it had been cordoned; those of DaemonSets are told apart."""
    return _placed(subject, daemons=False)


def daemons_placed(subject: Subject) -> Fact:
    """Pods of DaemonSets that were bound to a node after it had been cordoned."""
    return _placed(subject, daemons=True)


def _placed(subject: Subject, *, daemons: bool) -> Fact:
    found = [
        (row, pod)
        for row, pod in bindings(subject.walk)
        if cordoned(row.step.before, pod.spec.nodeName) and _of_daemon_set(pod) is daemons
    ]
    where = ", ".join(dict.fromkeys(pod.spec.nodeName for _, pod in found)) or "none"
    pods = [pod for _, pod in found]
    step = found[0][0].n or None if found else None
    return Fact(float(len(found)), "pods", step, (("pods", _names(pods)), ("on", where)))


def waiting_for_room(subject: Subject) -> Fact:
    """Pods that end the walk without a node, with a cordon among the reasons."""
    waiting = [(pod, why) for pod in pods_on(subject.walk.world, "") if CORDONED in (why := _refusal(pod))]
    pods = [pod for pod, _ in waiting]
    refs = {pod.ref for pod in pods}
    told = [row.n for row in subject.walk.records if row.n and row.step.object in refs and _reports(row.step)]
    more = (("pods", _names(pods)), ("message", waiting[0][1] if waiting else "none"))
    return Fact(float(len(pods)), "pods", told[0] if told else None, more)


def _of_daemon_set(pod: Pod) -> bool:
    owner = pod.metadata.controller
    return owner is not None and owner.kind == "DaemonSet"


def _refusal(pod: Pod) -> str:
    row = condition(pod.status.conditions, "PodScheduled")
    return row.message if row is not None and row.status == "False" else ""


def _reports(step: Step) -> bool:
    return step.verb == "report-unschedulable"


def left_cordoned(subject: Subject) -> Fact:
    """Nodes that are cordoned at the end."""
    world = subject.walk.world
    names = [name for name in world.nodes if cordoned(world, name)]
    last = {name: row.n for row, name in cordonings(subject.walk) if row.n}
    steps = [last[name] for name in names if name in last]
    return Fact(float(len(names)), "nodes", steps[0] if steps else None, (("nodes", ", ".join(names) or "none"),))


def lb_backends(subject: Subject) -> Fact:
    """The fewest healthy nodes that a load balancer of the cloud had for a Service; none without such a Service."""
    fewest: tuple[int, Record | None, str] | None = None
    for row, world in _changes(subject.walk):
        for name, found in _behind(world):
            if fewest is None or len(found) < fewest[0]:
                fewest = len(found), row, name
    if fewest is None:
        return Fact(None, "nodes", more=(("service", "none"),))
    return Fact(float(fewest[0]), "nodes", fewest[1].n or None if fewest[1] else None, (("service", fewest[2]),))


def _changes(walk: Walk) -> Iterator[tuple[Record | None, World]]:
    """The start, and every world in which a Node or an EndpointSlice has just been written."""
    yield None, walk.start
    for row in walk.records:
        if any(commit.ref.kind in ("Node", "EndpointSlice", "Service") for commit in row.step.commits):
            yield row, row.step.world


def _behind(world: World) -> Iterator[tuple[str, list[str]]]:
    services = [row for row in world.etcd.find("Service") if isinstance(row, Service)]
    for service in services:
        if service.spec.type == "LoadBalancer":
            nodes = [row for row in world.etcd.find("Node") if isinstance(row, Node)]
            slices = [row for row in world.etcd.find("EndpointSlice") if isinstance(row, EndpointSlice)]
            yield service.metadata.name, backends(service, nodes, slices)


def _names(pods: list[Pod]) -> str:
    return ", ".join(pod.metadata.name for pod in pods) or "none"


CORDON_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "pods-stayed": pods_stayed,
    "placed-there": placed_there,
    "daemons-placed": daemons_placed,
    "waiting-for-room": waiting_for_room,
    "left-cordoned": left_cordoned,
    "lb-backends": lb_backends,
}
