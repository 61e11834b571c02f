"""How the API server reaches the kubelet of a pod's node: for the log of a container, or a command run in it."""

from __future__ import annotations

from app.kube.logs import NO_ROUTE, REFUSED
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.sim.acts import Outcome
from app.sim.answers import Answer, Stage, not_found
from app.sim.draft import Draft
from app.sim.world import World

PORT = "10250"


def unreachable(world: World | Draft, node: str) -> str:
    """Why the kubelet of a node cannot be reached; empty when it can."""
    host = world.hosts.get(node)
    if host is not None and (not host.power or host.isolated):
        return NO_ROUTE
    return REFUSED if f"kubelet/{node}" in world.down else ""


def dialled(draft: Draft, ref: Ref) -> Answer:
    """The pod, and as the message why its kubelet does not answer. A pod without a node has nobody to ask."""
    held = draft.etcd.get(ref)
    if held is None or not isinstance(held.object, Pod):
        return not_found(ref)
    node = held.object.spec.nodeName
    if not node:
        return Answer(Outcome("ok", held.object))
    fault = unreachable(draft, node)
    asked = Stage(
        verb="dial",
        moment="kubelet-unreachable" if fault else "kubelet-dialled",
        object=ref,
        outcome=fault or f"kubelet on {node}, port {PORT}",
    )
    return Answer(Outcome("ok", held.object, fault), (Stage(world=draft.freeze()), asked))
