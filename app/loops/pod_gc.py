"""Pod garbage collector: every 20 s it deletes by force the pods that no kubelet will ever finish.

These are pods of nodes that are gone (40 s after it has missed the node, in case it comes back), pods that terminate
on a node that is not ready and marked out of service, and pods that terminate without a node. Looks that would find
nothing are left out. Not modelled: finished pods beyond 12,500, of which the oldest are deleted.
"""

from __future__ import annotations

from collections.abc import Generator

from msgspec import Struct
from msgspec.structs import replace

from app.kube.conditions import set_condition
from app.kube.meta import Condition, Ref
from app.kube.node_health import ready_status
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pod_gc import BY_POD_GC, PERIOD, QUARANTINE, Clock
from app.kube.pods import Pod
from app.kube.taints import OUT_OF_SERVICE
from app.sim.acts import Act, Delete, Get, Outcome, PatchStatus, Wait
from app.sim.index import Index, on_node
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

CLOCK = Ref("Clock", "", "pod-gc")
NODE_GONE = Condition("DisruptionTarget", "True", BY_POD_GC, "PodGC: node no longer exists")

Turns = Generator[Act | Wait, Outcome, None]


class Missed(Struct, frozen=True):
    """When it first saw that a pod's node is gone."""

    at: int


def reconcile(turn: Turn) -> Turns | Act | Wait | None:
    """One pod, at the next look at which something can be done about it."""
    if turn.key == CLOCK:
        return Wait(None, memory=Clock(turn.now % PERIOD))
    pod = turn.read(Pod, turn.key)
    reason = _reason(turn, pod) if pod is not None else ""
    if pod is None or not reason:
        return Wait(None, forget=True) if turn.memory is not None else None
    known = turn.recall(CLOCK)
    tick = (known if isinstance(known, Clock) else Clock()).tick(turn.now)
    if reason == "NodeGone":
        missed = turn.memory
        if not isinstance(missed, Missed):
            return Wait(Bounds.at(tick + QUARANTINE), memory=Missed(tick))
        tick = max(tick, missed.at + QUARANTINE)
    return _collected(turn, pod, reason) if tick == turn.now else Wait(Bounds.at(tick))


def _reason(turn: Turn, pod: Pod) -> str:
    """Why nobody else will remove it; empty if somebody may."""
    name = pod.spec.nodeName
    if not name:
        return "Unscheduled" if pod.terminating else ""
    node = turn.read(Node, Ref(Node.kind, "", name))
    if node is None:
        return "NodeGone"
    marked = any(row.key == OUT_OF_SERVICE for row in node.spec.taints)
    return "OutOfService" if pod.terminating and marked and ready_status(node) != "True" else ""


def _collected(turn: Turn, pod: Pod, reason: str) -> Turns:
    if reason == "NodeGone":
        # A live look, past the cache, before anything is done.
        node = Ref(Node.kind, "", pod.spec.nodeName)
        answer = yield Act("get", node, request=Get(node), background=True)
        if answer.status != "not-found":
            return
    if not pod.finished:
        answer = yield _failed(turn, pod, reason)
        if not answer.ok:
            return
    yield Act(
        "delete-pod",
        pod.ref,
        reason=reason,
        moment="pod-collected",
        request=Delete(pod.ref, 0, pod.metadata.uid),
    )


def _failed(turn: Turn, pod: Pod, reason: str) -> Act:
    rows = pod.status.conditions
    if reason == "NodeGone":
        rows = set_condition(rows, NODE_GONE, turn.now)
    wanted = replace(pod, status=replace(pod.status, phase="Failed", conditions=rows))
    return Act(
        "fail-pod",
        pod.ref,
        reason=reason,
        moment="pod-failed-by-gc",
        request=PatchStatus(pod, wanted),
        outcome="Failed",
    )


def _of_pod(view: Index, obj: Object) -> list[Ref]:
    """A pod that terminates, or whose node is not there."""
    if not isinstance(obj, Pod):
        return []
    gone = bool(obj.spec.nodeName) and view.get(Ref(Node.kind, "", obj.spec.nodeName)) is None
    return [obj.ref] if obj.terminating or gone else []


def _of_node(view: Index, obj: Object) -> list[Ref]:
    """The pods of a node that has gone or is marked out of service."""
    if not isinstance(obj, Node):
        return []
    marked = any(row.key == OUT_OF_SERVICE for row in obj.spec.taints)
    return [pod.ref for pod in view.find(on_node(obj.metadata.name))] if marked or view.get(obj.ref) is None else []


def _all(turn: Turn) -> list[Ref]:
    return [CLOCK, *(pod.ref for pod in turn.all(Pod) if _reason(turn, pod))]


LOOP = Loop(
    name="pod-gc",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={Pod.kind: _of_pod, Node.kind: _of_node},
    on_start=_all,
    retry=(PERIOD, PERIOD),
)
