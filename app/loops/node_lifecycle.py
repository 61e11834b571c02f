"""Node lifecycle controller, second part: silent nodes are written off, and their pods with them.

Its clock is its own: what counts is when it saw a Lease change, not what the Lease says. A key is a node, a zone (its
queue of nodes to taint) or the pass over all nodes, at whose end zones change their state. Passes and looks at queues
that would find nothing are left out. Nodes without a Lease are not watched over. Not modelled: pods that are bound to a
node after it was written off; and in releases whose NoExecute taint comes a pass late, that an exchange of one for the
other came late, too.
"""

from __future__ import annotations

from collections.abc import Generator

from msgspec.structs import replace

from app.kube import node_health as health
from app.kube.meta import Ref
from app.kube.node_monitor import Health, Monitor
from app.kube.nodes import LEASES, Lease, Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.zones import zone_of
from app.loops import zone_queues
from app.loops.zone_passes import MONITOR, monitored, passes
from app.sim.acts import Act, Event, Get, Outcome, Patch, PatchStatus, Wait, Work
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.world import World

NAME = "node-lifecycle"
SOURCE = "node-controller"
HEARTBEAT = "kubelet-lease"
"""The loop whose renewals put off what is waited for here."""

Turns = Generator[Act | Wait, Outcome, None]


def reconcile(turn: Turn) -> Turns | Act | Wait | None:
    """One node, one zone's queue, or the end of a pass."""
    if turn.key.kind == zone_queues.ZONE:
        return zone_queues.look(turn)
    return passes(turn) if turn.key == MONITOR else _node(turn)


def _node(turn: Turn) -> Turns | Wait | None:
    name = turn.key.name
    node, lease = turn.read(Node, turn.key), turn.read(Lease, lease_ref(name))
    known, monitor = turn.memory, monitored(turn)
    tick = monitor.tick(turn.now)
    if not isinstance(known, Health):
        if node is None or lease is None:
            return None
        return _first_seen(turn, node, lease) if tick == turn.now else Wait(Bounds.at(tick))
    if node is None:
        return _gone(name) if tick == turn.now else Wait(Bounds.at(tick))
    if lease is not None and _newer(lease, known):
        known = replace(known, renewed=lease.spec.renewTime, observed=tick)
    silent = known.silent_from(monitor, health.grace(node, turn.lag(health.GRACE_FLAG).usual))
    lost = silent <= turn.now and known.ready != "Unknown"
    if lost or _has_work(node, known):
        passed = _passed(turn, node, known, silent=lost)
        return passed if tick == turn.now else Wait(Bounds.at(tick), memory=known)
    if known.ready == "Unknown":
        return Wait(None, memory=known)
    # As long as the Lease is renewed this alarm is put off again and again.
    return Wait(Bounds(silent, silent, silent, idle=True), memory=known)


def _newer(lease: Lease, known: Health) -> bool:
    """Whether the kubelet has renewed it since: the live one may have been seen before the cache has it."""
    at = lease.spec.renewTime
    return at is not None and (known.renewed is None or at > known.renewed)


def _has_work(node: Node, known: Health) -> bool:
    """Whether the next pass would do something about a node that is not silent."""
    status, executing = health.ready_status(node), health.executing(node)
    wanted = health.EXECUTE.get(status, "")
    if status != known.ready or (executing and executing != wanted):
        return True
    return bool(wanted) and not executing and known.queued is None


def _passed(turn: Turn, node: Node, known: Health, *, silent: bool) -> Turns:
    """What a pass does about one node: write it off, see to its taint, and let the pass's end see to the zones."""
    status = before = health.ready_status(node)
    if silent and before != "Unknown" and _can_ask(turn) and not (yield from _confirmed(turn, known)):
        return
    if silent and before != "Unknown":
        answer = yield _written_off(node, turn.now, was_ready=before == "True")
        if not answer.ok:
            return
        status = "Unknown"
    key, executing = health.EXECUTE.get(status, ""), health.executing(node)
    if executing and executing != key:
        yield _taint(node, key, turn.now)
    if silent and before == "True":
        yield from _marked(turn)
    # The pass that wrote it off looked at what was there before; older releases left the rest to the next one.
    at = monitored(turn).after(turn.now) if silent and not turn.release.executes_at_once else turn.now
    queued = None if not key else known.queued if executing or known.queued is not None else at
    zones = (zone_queues.ref_of(zone_of(node)),) if queued is not None and queued != known.queued else ()
    yield Wait(
        None,
        memory=replace(known, ready=status, queued=queued),
        also=(MONITOR, *zones) if status != known.ready else zones,
    )


def _confirmed(turn: Turn, known: Health) -> Generator[Act | Wait, Outcome, bool]:
    """Whether the Lease is as old as it is believed to be: the API server is asked before anybody is written off."""
    ref = lease_ref(turn.key.name)
    answer = yield Act("ask-lease", ref, reason="LeaseLooksExpired", moment="lease-asked", request=Get(ref))
    if not isinstance(answer.object, Lease) or not _newer(answer.object, known):
        return True
    yield Wait(None, memory=replace(known, renewed=answer.object.spec.renewTime, observed=turn.now))
    return False


def _can_ask(turn: Turn) -> bool:
    """A question that nobody answers is left out: what is written then does not get through either."""
    return turn.release.lease_asked and turn.reaches(turn.process) and not turn.server_hangs


def _written_off(node: Node, now: int, *, was_ready: bool) -> Act:
    name = node.metadata.name
    event = Event("Normal", "NodeNotReady", f"Node {name} status is now: NodeNotReady", SOURCE)
    return Act(
        "mark-unknown",
        node.ref,
        reason=health.STOPPED[0],
        moment="node-unknown",
        request=PatchStatus(node, health.unknown(node, now)),
        events=(event,) if was_ready else (),
    )


def _marked(turn: Turn) -> Turns:
    """Every pod of the node is taken for not ready; whether its containers run nobody asks."""
    for pod in turn.pods_on(turn.key.name):
        marked = health.not_ready(pod, turn.now) if isinstance(pod, Pod) else None
        if marked is not None and isinstance(pod, Pod):
            yield Act(
                "mark-not-ready",
                pod.ref,
                reason="NodeNotReady",
                moment="pod-marked-not-ready",
                request=PatchStatus(pod, marked),
                events=(Event("Warning", "NodeNotReady", "Node is not ready", SOURCE),),
            )


def _taint(node: Node, key: str, now: int) -> Act:
    """The NoExecute taint of a node that is ready again goes, that of one that fails in another way is exchanged."""
    return Act(
        "change-taint" if key else "untaint-node",
        node.ref,
        reason=key or health.executing(node),
        moment="no-execute-exchanged" if key else "no-execute-removed",
        request=Patch(node.ref, (("spec.taints", health.executed_taints(node, key, now)),)),
    )


def _first_seen(turn: Turn, node: Node, lease: Lease) -> Turns:
    """A node that is new to the controller: it has a whole grace period, and no NoExecute taint to begin with."""
    name = node.metadata.name
    if health.executing(node):
        yield _taint(node, "", turn.now)
    text = f"Node {name} event: Registered Node {name} in Controller"
    yield Act(
        "register-node",
        node.ref,
        events=(Event("Normal", "RegisteredNode", text, SOURCE),),
        memory=Health(lease.spec.renewTime, turn.now, "" if health.ready_status(node) != "True" else "True"),
        background=True,
    )


def _gone(name: str) -> Turns:
    text = f"Node {name} event: Removing Node {name} from Controller"
    yield Act(
        "forget-node", Ref("Node", "", name), events=(Event("Normal", "RemovingNode", text, SOURCE),), background=True
    )
    yield Wait(None, forget=True, also=(MONITOR,))


# Who wakes it.


def lease_ref(node: str) -> Ref:
    return Ref("Lease", LEASES, node)


def _of_lease(_: Index, obj: Object) -> list[Ref]:
    return [Ref("Node", "", obj.metadata.name)] if obj.metadata.namespace == LEASES else []


def _of_node(_: Index, obj: Object) -> list[Ref]:
    return [obj.ref, zone_queues.ref_of(zone_of(obj))] if isinstance(obj, Node) else []


def _all(turn: Turn) -> list[Ref]:
    return [MONITOR, *(node.ref for node in turn.all(Node))]


def _put_off(world: World, work: Work) -> bool:
    """Whether the kubelet's next renewal will come, and reach this controller."""
    node = work.key.name
    beat = Work(HEARTBEAT, node, lease_ref(node))
    cut = f"kubelet/{node}" in world.cut or LOOP.process in world.cut or "kube-apiserver" in world.down
    return beat in world.timers and beat not in world.retries and not cut


LOOP = Loop(
    name=NAME,
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={Node.kind: _of_node, Lease.kind: _of_lease},
    reads=(Pod.kind,),
    heartbeats=frozenset({Lease.kind}),
    idle=_put_off,
    on_start=_all,
    # What fails is tried again in the next pass.
    retry=(5_000, 5_000),
)


__all__ = ["HEARTBEAT", "LOOP", "Monitor", "lease_ref"]
