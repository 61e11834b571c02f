"""Taint eviction controller: pods that do not tolerate a NoExecute taint of their node are deleted, at once or in time.

A timer lives in the controller's memory only and counts from when it saw the taint. Budgets are not asked, and nothing
limits the pods. Not modelled: its five tries within 50 ms, and the limits of its client.
"""

from __future__ import annotations

from collections.abc import Generator

from msgspec.structs import replace

from app.kube.conditions import set_condition
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.taint_eviction import TARGET, Timer, plan
from app.sim.acts import Act, Delete, Event, Outcome, PatchStatus, Wait
from app.sim.index import Index, on_node
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

SOURCE = "taint-eviction-controller"

Turns = Generator[Act | Wait, Outcome, None]


def reconcile(turn: Turn) -> Turns | Act | Wait | None:
    """One pod: begin to count, stop counting, or delete it."""
    known = turn.memory if isinstance(turn.memory, Timer) else None
    pod = turn.read(Pod, turn.key)
    node = turn.read(Node, Ref(Node.kind, "", pod.spec.nodeName)) if pod is not None else None
    if pod is None or not pod.spec.nodeName:
        # One without a node is a namesake: the pod that the timer was for is gone.
        return _forgotten(turn.key, known) if known is not None else None
    if node is None:
        # A node that goes takes its taints along, and stops no timer (handleNodeUpdate).
        return _due(turn, pod, known) if known is not None else None
    found = plan(pod, node.spec.taints, known, turn.now)
    if found.cancel:
        return _cancelled(turn.key)
    if found.timer is None:
        return Wait(None, forget=True) if known is not None else None
    return _due(turn, pod, found.timer)


def _due(turn: Turn, pod: Pod, timer: Timer) -> Turns | Act | Wait | None:
    if timer.fired:
        return None
    if turn.now >= timer.due:
        return _deleted(turn, pod, timer)
    if timer != turn.memory:
        return _started(pod.ref, timer)
    return Wait(Bounds.at(timer.due))


def _started(ref: Ref, timer: Timer) -> Act:
    return Act(
        "start-timer",
        ref,
        reason=", ".join(key for key, _ in timer.taints),
        moment="eviction-timer-started",
        outcome=f"{(timer.due - timer.since) / 1000:g} s",
        memory=timer,
    )


def _cancelled(ref: Ref) -> Turns:
    """The next turn sees to what other taints ask for."""
    yield _cancel(ref)
    yield Wait(None, forget=True)


def _cancel(ref: Ref) -> Act:
    text = f"Cancelling deletion of Pod {ref.path}"
    return Act(
        "cancel-deletion",
        ref,
        reason="TaintManagerEviction",
        moment="taint-eviction-cancelled",
        events=(Event("Normal", "TaintManagerEviction", text, SOURCE),),
    )


def _forgotten(ref: Ref, timer: Timer) -> Turns:
    """The pod is gone before its time."""
    if not timer.fired:
        yield _cancel(ref)
    yield Wait(None, forget=True)


def _deleted(turn: Turn, pod: Pod, timer: Timer) -> Turns:
    text = f"Marking for deletion Pod {pod.ref.path}"
    rows = set_condition(pod.status.conditions, TARGET, turn.now)
    taints = ", ".join(key for key, _ in timer.taints)
    answer = yield Act(
        "mark-disrupted",
        pod.ref,
        reason=taints,
        moment="disruption-target-set",
        request=PatchStatus(pod, replace(pod, status=replace(pod.status, conditions=rows))),
        events=(Event("Normal", "TaintManagerEviction", text, SOURCE),),
    )
    if answer.ok:
        answer = yield Act(
            "delete-pod", pod.ref, reason=taints, moment="taint-eviction", request=Delete(pod.ref, uid=pod.metadata.uid)
        )
    if answer.status in ("ok", "not-found"):
        yield Wait(None, memory=replace(timer, fired=True))


def _of_pod(view: Index, obj: Object) -> list[Ref]:
    """A pod on a tainted node, or one that has gone."""
    if not isinstance(obj, Pod) or not obj.spec.nodeName:
        return []
    held = view.get(Ref(Node.kind, "", obj.spec.nodeName))
    tainted = held is not None and isinstance(held.object, Node) and _executes(held.object)
    return [obj.ref] if tainted or view.get(obj.ref) is None else []


def _of_node(view: Index, obj: Object) -> list[Ref]:
    """All pods of a node that has, or had, such a taint."""
    if not isinstance(obj, Node) or not _executes(obj):
        return []
    return [pod.ref for pod in view.find(on_node(obj.metadata.name))]


def _executes(node: Node) -> bool:
    return any(row.effect == "NoExecute" for row in node.spec.taints)


def _all(turn: Turn) -> list[Ref]:
    nodes = [node for node in turn.all(Node) if _executes(node)]
    return [pod.ref for node in nodes for pod in turn.pods_on(node.metadata.name)]


LOOP = Loop(
    name="taint-eviction",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={Pod.kind: _of_pod, Node.kind: _of_node},
    on_start=_all,
)
