"""kube-scheduler: binds one pod a turn to the node that suits it best, or says why no node does.

A pod without a node is tried again as soon as a Node changes or a bound pod ends: an idle scheduler takes pods out of
their back-off at once; older ones left them there to its end. Not modelled: the retry after five minutes, and the event
of a retry that changes nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from app.kube import storage
from app.kube.conditions import SCHEDULED, set_condition
from app.kube.meta import Condition, Ref, condition
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.preemption import Victims
from app.kube.scheduling import NO_NODES, Refusal, cut, failed_scheduling, fit_error, place, pre_filter_failed
from app.kube.storage import PersistentVolumeClaim
from app.loops.preempting import preempted, searched, waits_for_victims
from app.loops.surroundings import Surroundings, surroundings
from app.sim.acts import Act, Bind, Event, Outcome, PatchStatus, Wait
from app.sim.index import Index, on_node
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

SOURCE = "default-scheduler"

# numFeasibleNodesToFind in pkg/scheduler/schedule_one.go: big clusters are searched only in part.
FEW_NODES = 100
LEAST_PERCENT = 5
# podInitialBackoffSeconds and podMaxBackoffSeconds.
FIRST_BACK_OFF, LONGEST_BACK_OFF = 1_000, 10_000


class Tries(Struct, frozen=True):
    """How often a pod has been tried, and when last."""

    count: int
    last: int

    @property
    def until(self) -> int:
        """The end of its back-off."""
        return self.last + min(FIRST_BACK_OFF << min(self.count - 1, 10), LONGEST_BACK_OFF)


def reconcile(turn: Turn) -> Generator[Act | Wait, Outcome, None]:
    """Filter, score and bind; own bindings count at once."""
    pod = turn.read(Pod, turn.key)
    if pod is None or not _waits(pod):
        if turn.memory is not None:
            yield Wait(None, forget=True)
        return
    if turn.release.back_off_cut:
        yield from _tried_now(turn, pod)
        return
    known = turn.memory if isinstance(turn.memory, Tries) else Tries(0, turn.now)
    if known.count and turn.now < known.until:
        # Its own report wakes it, too, and nothing comes of that.
        if next(_tried_now(turn, pod), None) is not None:
            yield Wait(Bounds.at(known.until))
        return
    yield from _tried_now(turn, pod)
    yield Wait(None, memory=Tries(known.count + 1, turn.now))


def _tried_now(turn: Turn, pod: Pod) -> Generator[Act, Outcome, None]:
    ground = surroundings(turn, pod)
    lacking = _lacking(turn, pod)
    found = () if lacking else _placed(turn, pod, ground)
    if isinstance(found, str):
        yield _binding(pod, found)
    elif not ground.nodes:
        yield from _unschedulable(turn, pod, NO_NODES)
    elif lacking:
        yield from _unschedulable(turn, pod, cut(pre_filter_failed(lacking, len(ground.nodes), turn.release)))
    elif not waits_for_victims(turn, pod):
        victims = searched(turn, pod, ground, found)
        if isinstance(victims, str):
            yield from _unschedulable(turn, pod, cut(failed_scheduling(found, victims, turn.release)))
        else:
            yield from _nominated(turn, pod, victims, cut(fit_error([row.reasons for row in found])))


def _lacking(turn: Turn, pod: Pod) -> str:
    """What is wrong with its claims: then no node is even looked at (VolumeBinding.PreFilter)."""
    for ref in storage.claims(pod):
        claim = turn.read(PersistentVolumeClaim, ref)
        if claim is None:
            return f'persistentvolumeclaim "{ref.name}" not found'
        if not claim.spec.volumeName:
            return "pod has unbound immediate PersistentVolumeClaims"
    return ""


def _placed(turn: Turn, pod: Pod, ground: Surroundings) -> str | tuple[Refusal, ...]:
    """The node where others made room, or the best one; else what stands against each."""
    nominated = [node for node in ground.nodes if node.metadata.name == pod.status.nominatedNodeName]
    tried = _tried(ground.nodes, pod)
    found: str | tuple[Refusal, ...] = ()
    for part in (nominated, tried, ground.nodes):
        if part is ground.nodes and len(tried) == len(part):
            break
        found = place(pod, part, ground.loads, ground.others, turn.release)
        if isinstance(found, str):
            break
    return found


def _binding(pod: Pod, node: str) -> Act:
    message = f"Successfully assigned {pod.metadata.namespace}/{pod.metadata.name} to {node}"
    return Act(
        "bind",
        pod.ref,
        reason="NodeFits",
        moment="pod-bound",
        request=Bind(pod.ref, node),
        events=(Event("Normal", "Scheduled", message, SOURCE),),
    )


def _waits(pod: Pod) -> bool:
    ours = pod.spec.schedulerName in ("", SOURCE)
    return ours and not (pod.spec.nodeName or pod.terminating or pod.finished or pod.spec.schedulingGates)


def _unschedulable(turn: Turn, pod: Pod, message: str) -> Generator[Act, Outcome, None]:
    if pod.status.nominatedNodeName or not _told(pod, message):
        yield _report(turn, pod, message, "")


def _told(pod: Pod, message: str) -> bool:
    known = condition(pod.status.conditions, SCHEDULED)
    return known is not None and (known.status, known.message) == ("False", message)


def _nominated(turn: Turn, pod: Pod, victims: Victims, message: str) -> Generator[Act, Outcome, None]:
    """The node is noted first, then its pods are asked to go."""
    noted = pod.status.nominatedNodeName == victims.node and _told(pod, message)
    if noted or (yield _report(turn, pod, message, victims.node)).ok:
        yield from preempted(turn, pod, victims)


def _report(turn: Turn, pod: Pod, message: str, node: str) -> Act:
    row = Condition(SCHEDULED, "False", "Unschedulable", message)
    conditions = set_condition(pod.status.conditions, row, turn.now)
    wanted = replace(pod, status=replace(pod.status, conditions=conditions, nominatedNodeName=node))
    return Act(
        "nominate-node" if node else "report-unschedulable",
        pod.ref,
        reason=node or "Unschedulable",
        moment="node-nominated" if node else "scheduling-failed",
        request=PatchStatus(pod, wanted),
        events=(Event("Warning", "FailedScheduling", message, SOURCE),),
    )


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


def _claim(view: Index, obj: Object) -> list[Ref]:
    """The pods that wait for a claim."""
    pods = [pod for pod in view.find(on_node("")) if isinstance(pod, Pod) and _waits(pod)]
    return [pod.ref for pod in pods if obj.ref in storage.claims(pod)]


def _alike(before: Object, after: Object) -> bool:
    """nodeSchedulingPropertiesChange: conditions and heartbeats make no room."""
    if not isinstance(before, Node) or not isinstance(after, Node):
        return False
    same_room = before.spec == after.spec and before.status.allocatable == after.status.allocatable
    return same_room and before.metadata.labels == after.metadata.labels


def _waiting(view: Index) -> list[Ref]:
    """By priority, as they stand in the active queue; pods of one priority go by name."""
    pods = [pod for pod in view.find(on_node("")) if isinstance(pod, Pod) and _waits(pod)]
    return [pod.ref for pod in sorted(pods, key=_rank)]


def _rank(pod: Pod) -> int:
    return -(pod.spec.priority or 0)


def _all(turn: Turn) -> list[Ref]:
    pods = [pod for pod in turn.pods_on("") if isinstance(pod, Pod) and _waits(pod)]
    return [pod.ref for pod in sorted(pods, key=_rank)]


LOOP = Loop(
    name="scheduler",
    lane="scheduler",
    process="kube-scheduler",
    reconcile=reconcile,
    wakes={"Pod": _pod, "Node": _node, "PersistentVolumeClaim": _claim},
    ignores={"Node": _alike},
    reads=("PodDisruptionBudget",),
    on_start=_all,
)
