"""Whether a kubelet takes on a pod that was bound to its machine.

As the admit handlers of HandlePodAdditions in pkg/kubelet/kubelet.go. Not modelled: what the topology manager thinks,
and that a critical pod for which there is no room ends others (Preempting); static pods are always let in.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.conditions import BY_KUBELET
from app.kube.meta import Ref, whole_second
from app.kube.node_admission import Rejection, rejection
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.pressure_admission import REASON, admits
from app.kube.pressure_admission import rejection as pressed
from app.loops.kubelet.case import WARNING, event
from app.sim.acts import Act, PatchStatus
from app.sim.host import Host
from app.sim.loop import Turn
from app.sim.maps import ordered


def refusal(turn: Turn, pod: Pod) -> Rejection | None:
    """The first handler that says no."""
    pressures = [name for name, _ in turn.host.evictor.memory.observed]
    if not admits(pod, pressures):
        return Rejection(REASON, pressed(pressures))
    node = turn.read(Node, Ref("Node", "", turn.node))
    return None if node is None else rejection(pod, node, _admitted(turn.host))


def _admitted(host: Host) -> list[Pod]:
    """The pods that it has taken on and that are not over."""
    return [host.pods[uid].pod for uid, worker in ordered(host.workers) if worker.stage in ("sync", "terminating")]


def reject(turn: Turn, pod: Pod, found: Rejection) -> Act:
    """The pod ends as Failed; nothing of it was ever started here, and its status is the kubelet's alone."""
    status = replace(
        pod.status,
        phase="Failed",
        reason=found.reason,
        message=f"Pod was rejected: {found.message}",
        startTime=whole_second(turn.now),
        conditions=tuple(row for row in pod.status.conditions if row.type not in BY_KUBELET),
    )
    return Act(
        "reject",
        pod.ref,
        reason=found.reason,
        moment="pod-rejected",
        request=PatchStatus(pod, replace(pod, status=status)),
        events=(event(WARNING, found.reason, found.message),),
    )
