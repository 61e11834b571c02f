"""Whether a connection to a pod is served, and how it fails if not."""

from __future__ import annotations

from app.kube.annotations import behaviour
from app.sim.addresses import host_number
from app.sim.draft import Draft
from app.sim.host import Host, HostPod
from app.sim.maps import ordered
from app.sim.world import World

ERROR = "error"


def failure(host: Host, pod: HostPod) -> str:
    """How a connection to a pod of that machine fails; empty when it is served."""
    if not host.power or pod.sandbox != "ready":
        return "unanswered"
    if not pod.serves:
        return "refused"
    fails = next((run.fails for run in pod.containers if run.serving and run.fails), "")
    return fails or (ERROR if host.broken and _lacks(host, pod) else "")


def machine_of(world: World | Draft, address: str) -> str:
    """The node whose pods have such addresses; empty for one that no pod has of its own, as on the host network."""
    number = host_number(address)
    return world.nodes[number - 1] if 0 < number <= len(world.nodes) else ""


def failure_at(world: World | Draft, address: str, node: str = "") -> str:
    """The same of whatever has an address, for a client on a node or outside.

    Of two pods that had it one after the other the later one counts. Not modelled: what listens on a machine's own
    address; for as long as rules lead there it counts as serving.
    """
    machine = machine_of(world, address)
    if not machine:
        return ""
    host, here = world.hosts[machine], world.hosts.get(node)
    if host.node != node and (host.isolated or (here is not None and here.isolated)):
        return "unanswered"
    return next((failure(host, pod) for _, pod in reversed(ordered(host.pods)) if pod.ip == address), "unanswered")


def _lacks(host: Host, pod: HostPod) -> bool:
    """Whether a program of the pod that serves does not find what it depends on."""
    meta = pod.pod.metadata
    serving = (behaviour(meta.annotations, run.name) for run in pod.containers if run.serving)
    return any(name in host.broken for app in serving for name in app.depends_on)
