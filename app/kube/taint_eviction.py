"""When the taint eviction controller deletes a pod: pkg/controller/tainteviction, without the writes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from app.kube.meta import Condition
from app.kube.nodes import Taint
from app.kube.pods import Pod
from app.kube.taints import seconds_until_evicted, untolerated

TARGET = Condition(
    "DisruptionTarget", "True", "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"
)


class Timer(Struct, frozen=True):
    """A deletion that is scheduled, or done."""

    since: int
    """When the controller saw the taints; what the taints themselves say does not count."""
    due: int
    taints: tuple[tuple[str, str], ...]
    """Key and value of the NoExecute taints that it is for."""
    fired: bool = False


class Plan(Struct, frozen=True):
    """What is to be done about a pod."""

    cancel: bool = False
    """Whether a timer that runs is given up, with an event."""
    timer: Timer | None = None
    """The timer that runs from now on."""


def plan(pod: Pod, taints: Sequence[Taint], known: Timer | None, now: int) -> Plan:
    """ProcessPodOnNode. A timer that runs is not changed by another length, only by no toleration or one for ever."""
    executing = [row for row in taints if row.effect == "NoExecute"]
    runs = known is not None and not known.fired
    limit = seconds_until_evicted(executing, pod.spec.tolerations) if executing else None
    if limit is None:
        return Plan(cancel=runs)
    names = tuple((row.key, row.value) for row in executing)
    if known is not None and known.fired and known.taints == names:
        return Plan(timer=known)
    tolerated = untolerated(executing, pod.spec.tolerations) is None
    if known is not None and runs and (tolerated or known.due <= now):
        return Plan(timer=known)
    return Plan(cancel=runs, timer=Timer(now, now + limit * 1000, names))
