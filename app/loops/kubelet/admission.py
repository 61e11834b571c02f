"""Whether a kubelet takes on a pod that was bound to its machine.

As the admit handlers of HandlePodAdditions in pkg/kubelet/kubelet.go. Not modelled: whether there is room, ports,
affinity, and what the topology manager thinks.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from app.kube.pods import Pod
from app.kube.pressure_admission import REASON, admits, rejection
from app.loops.kubelet.case import WARNING, event
from app.sim.acts import Act, PatchStatus
from app.sim.host import Host


class Refusal(NamedTuple):
    """Why not, as its Event tells it."""

    reason: str
    message: str


def refusal(host: Host, pod: Pod) -> Refusal | None:
    """The first handler that says no."""
    pressures = [name for name, _ in host.evictor.memory.observed]
    return None if admits(pod, pressures) else Refusal(REASON, rejection(pressures))


def reject(pod: Pod, found: Refusal) -> Act:
    """The pod ends as Failed; nothing of it was ever started here."""
    message = f"Pod was rejected: {found.message}"
    status = replace(pod.status, phase="Failed", reason=found.reason, message=message)
    return Act(
        "reject",
        pod.ref,
        reason=found.reason,
        moment="pod-rejected",
        request=PatchStatus(pod, replace(pod, status=status)),
        events=(event(WARNING, found.reason, found.message),),
    )
