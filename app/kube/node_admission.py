"""What a kubelet checks once more of a pod that was bound to its node, and its words when it says no.

As pkg/kubelet/lifecycle/predicate.go. Not modelled: resources of plugins that the node does not tell of.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.kube.affinity import allows
from app.kube.nodes import Node
from app.kube.phase import static_pod
from app.kube.pods import Pod
from app.kube.resources import amounts, pod_requests
from app.kube.scheduling import KUBELET_MAX_PODS, PODS, host_ports, load, short_of
from app.kube.taints import untolerated


class Rejection(NamedTuple):
    """Its Event tells both; the pod's own message has a prefix."""

    reason: str
    message: str


def rejection(pod: Pod, node: Node, others: Iterable[Pod]) -> Rejection | None:
    """The first predicate that fails beside the `others`, which the kubelet has taken on before."""
    taken = load(others)
    room = {PODS: KUBELET_MAX_PODS, **amounts(node.status.allocatable)}
    wanted = pod_requests(pod.spec)
    for name in short_of(wanted, room, taken.requests, taken.pods):
        used = taken.pods if name == PODS else taken.requests.get(name, 0)
        return _short(name, 1 if name == PODS else wanted[name], used, room.get(name, 0))
    if not allows(pod.spec, node):
        return _failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
    if pod.spec.nodeName and pod.spec.nodeName != node.metadata.name:
        return _failed("NodeName", "node(s) didn't match the requested node name")
    if taken.host_ports.intersection(host_ports(pod.spec)):
        return _failed("NodePorts", "node(s) didn't have free ports for the requested pod ports")
    if not static_pod(pod) and untolerated(node.spec.taints, pod.spec.tolerations, effects=("NoExecute",)) is not None:
        return _failed("TaintToleration", "node(s) had taints that the pod didn't tolerate")
    return None


def _short(name: str, requested: int, used: int, capacity: int) -> Rejection:
    """CPU in thousandths, memory in bytes."""
    text = f"Node didn't have enough resource: {name}, requested: {requested}, used: {used}, capacity: {capacity}"
    return Rejection(f"OutOf{name}", text)


def _failed(predicate: str, why: str) -> Rejection:
    return Rejection(predicate, f"Predicate {predicate} failed: {why}")
