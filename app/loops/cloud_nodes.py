"""Cloud node lifecycle controller: it asks about nodes that are not ready, and deletes those without a machine.

As controllers/nodelifecycle in k8s.io/cloud-provider. It looks every 5 s; looks that would find nothing are left out. A
Node without a providerID is no cloud's. Not modelled: a cloud that cannot be reached, or that lies.
"""

from __future__ import annotations

from app.kube.meta import Ref
from app.kube.node_health import ready_status
from app.kube.nodes import Node, Taint
from app.sim.acts import Act, Delete, Event, Patch, Wait, Work
from app.sim.host import Host
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key
from app.sim.world import World

PROCESS = "cloud-controller-manager"
SOURCE = "cloud-node-lifecycle-controller"
PERIOD, PHASE = 5_000, 2_300
"""--node-monitor-period, and where in it this instance looks."""
SHUTDOWN = "node.cloudprovider.kubernetes.io/shutdown"


def reconcile(turn: Turn) -> Act | Wait | None:
    """One node, at the next look."""
    node = turn.read(Node, turn.key)
    if node is None or not node.spec.providerID:
        return None
    stopped = any(row.key == SHUTDOWN for row in node.spec.taints)
    if ready_status(node) == "True" and not stopped:
        return None
    tick = turn.now + (PHASE - turn.now) % PERIOD
    if tick == turn.now:
        found = _found(node, turn.rented(node.metadata.name), stopped=stopped)
        if found is not None:
            return found
        tick += PERIOD
    return Wait(Bounds(tick, tick, tick, idle=True))


def _found(node: Node, machine: Host | None, *, stopped: bool) -> Act | None:
    """What the cloud's answer leads to."""
    if ready_status(node) == "True":
        return _taint(node, stops=False) if stopped else None
    if machine is None or machine.deleted:
        text = f"Deleting node {node.metadata.name} because it does not exist in the cloud provider"
        return Act(
            "delete-node",
            node.ref,
            reason="InstanceGone",
            moment="node-deleted-by-cloud",
            request=Delete(node.ref),
            events=(Event("Normal", "DeletingNode", text, SOURCE),),
        )
    return _taint(node, stops=True) if not machine.power and not stopped else None


def _taint(node: Node, *, stops: bool) -> Act:
    rest = tuple(row for row in node.spec.taints if row.key != SHUTDOWN)
    taints = (*rest, Taint(SHUTDOWN, "NoSchedule")) if stops else rest
    return Act(
        "taint-node" if stops else "untaint-node",
        node.ref,
        reason=SHUTDOWN,
        moment="shutdown-tainted" if stops else "shutdown-untainted",
        request=Patch(node.ref, (("spec.taints", taints),)),
    )


def _nothing_to_find(world: World, work: Work) -> bool:
    """Whether the looks at a node find nothing as long as its machine stays as it is."""
    held = world.etcd.get(work.key)
    node = held.object if held else None
    if not isinstance(node, Node):
        return True
    stopped = any(row.key == SHUTDOWN for row in node.spec.taints)
    return _found(node, world.hosts.get(node.metadata.name), stopped=stopped) is None


def _every(turn: Turn) -> list[Ref]:
    return [node.ref for node in turn.all(Node)]


LOOP = Loop(
    name="cloud-nodes",
    lane="cloud-controller",
    process=PROCESS,
    reconcile=reconcile,
    wakes={Node.kind: own_key},
    on_start=_every,
    idle=_nothing_to_find,
    retry=(PERIOD, PERIOD),
)
