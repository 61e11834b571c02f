"""Whether a connection to a pod is served, and how it fails if not."""

from __future__ import annotations

from app.kube.annotations import behaviour
from app.kube.meta import Ref
from app.kube.networking import Service
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


def own_address(host: Host) -> str:
    """The machine's own, which its pods on the host network have, too."""
    addresses = host.registers.status.addresses if host.registers is not None else ()
    return next((row.address for row in addresses if row.type == "InternalIP"), "")


def machine_of(world: World | Draft, address: str) -> str:
    """The node whose pods have such addresses, or whose own it is; empty for any other address."""
    if not address:
        return ""
    number = host_number(address)
    if 0 < number <= len(world.nodes):
        return world.nodes[number - 1]
    return next((name for name in world.nodes if own_address(world.hosts[name]) == address), "")


def pod_at(world: World | Draft, host: Host, address: str, service: Ref | None = None) -> HostPod | None:
    """The pod of a machine that has an address; of two that had it one after the other the later one.

    Pods on the host network share one: there it is the one that the Service selects.
    """
    pods = [pod for _, pod in reversed(ordered(host.pods))]
    found = next((pod for pod in pods if pod.ip == address), None)
    if found is not None or own_address(host) != address:
        return found
    sharing = (pod for pod in pods if pod.pod.spec.hostNetwork and pod.sandbox == "ready")
    return next((pod for pod in sharing if service is None or _selects(world, service, pod)), None)


def _selects(world: World | Draft, service: Ref, pod: HostPod) -> bool:
    stored = world.etcd.get(service)
    known = stored.object if stored is not None else None
    meta = pod.pod.metadata
    return isinstance(known, Service) and (
        meta.namespace == service.namespace and known.spec.selector.selects(meta.labels)
    )


def failure_at(world: World | Draft, address: str, node: str = "", service: Ref | None = None) -> str:
    """The same of whatever has an address, for a client of a Service, on a node or outside.

    Not modelled: what is outside the cluster; for as long as rules lead there it counts as serving.
    """
    host, here = world.hosts.get(machine_of(world, address)), world.hosts.get(node)
    if host is None:
        return ""
    if host.node != node and (host.isolated or (here is not None and here.isolated)):
        return "unanswered"
    found = pod_at(world, host, address, service)
    return failure(host, found) if found is not None else "unanswered"


def _lacks(host: Host, pod: HostPod) -> bool:
    """Whether a program of the pod that serves does not find what it depends on."""
    meta = pod.pod.metadata
    serving = (behaviour(meta.annotations, run.name) for run in pod.containers if run.serving)
    return any(name in host.broken for app in serving for name in app.depends_on)
