"""Signs of life of the nodes of a starting world: Leases, the kubelets that renew them, and who has seen them."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, OwnerReference, Ref
from app.kube.node_health import ready_status
from app.kube.node_monitor import Beat, Health, Monitor
from app.kube.nodes import LEASES, Lease, LeaseSpec, Node
from app.kube.pod_gc import Clock
from app.sim.acts import Work
from app.sim.draft import Draft
from app.sim.host import Host
from app.sim.index import Stored
from app.sim.maps import Map
from app.sim.world import World

MONITOR = Ref("Monitor", "", "nodes")
COLLECTOR = Ref("Clock", "", "pod-gc")
SPREAD = 10_000
DRIFT = 3_700
"""Kubelets do not renew in step: a fixed spread stands for that."""


class Heartbeats(Struct, frozen=True):
    """Where in their periods the nodes and the controller are at t = 0, in milliseconds."""

    ages: Map[str, int] = Map()
    """How long ago each node renewed its Lease; of others their annotation says it, or a spread over ten seconds."""
    monitor: int = 1_000
    """When the controller's first pass over all nodes begins."""
    looks: int = 25
    """When within each 100 ms it looks at the queues of lost nodes."""

    collector: int = 7_000
    """When the collector of lost pods first looks; every 20 s from then on."""


def with_heartbeats(world: World, beats: Heartbeats | None = None) -> World:
    """The same world with a Lease for each node, renewed and watched over as if it had always been."""
    beats = beats or Heartbeats()
    draft = Draft(world)
    monitor = Monitor(beats.monitor, beats.looks)
    draft.memory = draft.memory.set(Work("node-lifecycle", "", MONITOR), monitor)
    draft.memory = draft.memory.set(Work("pod-gc", "", COLLECTOR), Clock(beats.collector))
    for node in draft.etcd.find(Node.kind):
        if isinstance(node, Node) and node.metadata.name in draft.hosts:
            age = beats.ages.get(node.metadata.name, _usual_age(draft.hosts[node.metadata.name]))
            _begin(draft, node, -age, monitor)
    return draft.freeze()


def _usual_age(host: Host) -> int:
    given = host.machine.lease_age
    return host.number * DRIFT % SPREAD if given is None else given


def _begin(draft: Draft, node: Node, renewed: int, monitor: Monitor) -> None:
    name = node.metadata.name
    owner = OwnerReference(Node.kind, name, node.metadata.uid, node.apiVersion)
    meta = ObjectMeta(name=name, namespace=LEASES, uid=f"lease-{name}", ownerReferences=(owner,))
    lease = Lease(meta, LeaseSpec(holderIdentity=name, renewTime=renewed))
    stored = Stored(1, lease)
    draft.etcd = draft.etcd.put(stored)
    process = "kube-controller-manager"
    if process in draft.views:
        draft.views = draft.views.set(process, draft.views[process].put(stored))
    draft.hosts = draft.hosts.set(name, replace(draft.hosts[name], leased=True))
    seen = Health(renewed, monitor.tick(renewed), ready_status(node))
    draft.memory = draft.memory.set(Work("node-lifecycle", "", node.ref), seen)
    beat = Work("kubelet-lease", name, lease.ref)
    draft.memory = draft.memory.set(beat, Beat(renewed))
    for work in (beat, Work("node-lifecycle", "", node.ref)):
        draft.queued = draft.queued.set(work, draft.now)
