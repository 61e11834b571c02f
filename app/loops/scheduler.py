"""kube-scheduler: binds one pod a turn to the node that suits it best, or says why no node does.

A pod without a node is tried again as soon as a Node changes or a bound pod ends: an idle scheduler takes pods out of
their back-off at once (SchedulerPopFromBackoffQ, on since 1.33). Not modelled: preemption, the order of the queue (pods
that wait at one instant go by name), the retry after five minutes, and the event of a retry that changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from zlib import crc32

from msgspec.structs import replace

from app.kube.conditions import SCHEDULED, set_condition
from app.kube.meta import Condition, Ref, condition
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.scheduling import NO_NODES, Load, cut, failed_scheduling, load, place
from app.sim.acts import Act, Bind, Event, PatchStatus
from app.sim.index import Index, on_node
from app.sim.loop import Loop, Turn

SOURCE = "default-scheduler"

# numFeasibleNodesToFind in pkg/scheduler/schedule_one.go: big clusters are searched only in part.
FEW_NODES = 100
LEAST_PERCENT = 5


def reconcile(turn: Turn) -> Act | None:
    """Filter, score and bind; own bindings count at once."""
    pod = turn.read(Pod, turn.key)
    if pod is None or not _waits(pod):
        return None
    nodes = turn.all(Node)
    loads = Loads(turn)
    found = place(pod, _tried(nodes, pod), loads)
    if not isinstance(found, str) and len(nodes) >= FEW_NODES:
        found = place(pod, nodes, loads)
    if not isinstance(found, str):
        return _unschedulable(turn, pod, cut(failed_scheduling(found)) if nodes else NO_NODES)
    message = f"Successfully assigned {pod.metadata.namespace}/{pod.metadata.name} to {found}"
    return Act(
        "bind",
        pod.ref,
        reason="NodeFits",
        moment="pod-bound",
        request=Bind(pod.ref, found),
        events=(Event("Normal", "Scheduled", message, SOURCE),),
    )


def _waits(pod: Pod) -> bool:
    ours = pod.spec.schedulerName in ("", SOURCE)
    return ours and not (pod.spec.nodeName or pod.terminating or pod.finished or pod.spec.schedulingGates)


def _unschedulable(turn: Turn, pod: Pod, message: str) -> Act | None:
    known = condition(pod.status.conditions, SCHEDULED)
    if known is not None and (known.status, known.message) == ("False", message):
        return None
    row = Condition(SCHEDULED, "False", "Unschedulable", message)
    wanted = replace(pod, status=replace(pod.status, conditions=set_condition(pod.status.conditions, row, turn.now)))
    return Act(
        "report-unschedulable",
        pod.ref,
        reason="Unschedulable",
        moment="scheduling-failed",
        request=PatchStatus(pod, wanted),
        events=(Event("Warning", "FailedScheduling", message, SOURCE),),
    )


class Loads(Mapping[str, Load]):
    """What each node's pods take up, summed when it is asked for."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._known: dict[str, Load] = {}

    def __getitem__(self, node: str) -> Load:
        if node not in self._known:
            self._known[node] = load(pod for pod in self._turn.pods_on(node) if isinstance(pod, Pod))
        return self._known[node]

    def __iter__(self) -> Iterator[str]:
        return iter(node.metadata.name for node in self._turn.all(Node))

    def __len__(self) -> int:
        return len(self._turn.all(Node))


def _tried(nodes: Sequence[Node], pod: Pod) -> list[Node]:
    """All of few nodes; of many a part, which begins elsewhere for every pod."""
    count = len(nodes)
    if count < FEW_NODES:
        return list(nodes)
    tried = max(FEW_NODES, count * max(LEAST_PERCENT, 50 - count // 125) // 100)
    first = crc32(pod.metadata.name.encode()) % count
    return [*nodes[first:], *nodes[:first]][:tried]


def _pod(view: Index, obj: Object) -> list[Ref]:
    """A waiting pod itself; or, when a bound pod has ended or gone, all that wait for room."""
    if not isinstance(obj, Pod):
        return []
    if not obj.spec.nodeName:
        return [obj.ref] if _waits(obj) else []
    return _waiting(view) if obj.finished or view.get(obj.ref) is None else []


def _node(view: Index, _: Object) -> list[Ref]:
    return _waiting(view)


def _waiting(view: Index) -> list[Ref]:
    return [pod.ref for pod in view.find(on_node("")) if isinstance(pod, Pod) and _waits(pod)]


def _all(turn: Turn) -> list[Ref]:
    return [pod.ref for pod in turn.pods_on("") if isinstance(pod, Pod) and _waits(pod)]


LOOP = Loop(
    name="scheduler",
    lane="scheduler",
    process="kube-scheduler",
    reconcile=reconcile,
    wakes={"Pod": _pod, "Node": _node},
    on_start=_all,
)
