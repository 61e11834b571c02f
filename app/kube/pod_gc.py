"""Which pods the pod garbage collector deletes, as pkg/controller/podgc/gc_controller.go."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from app.kube.pods import Pod

DEFAULT_THRESHOLD = 12_500
PERIOD, QUARANTINE = 20_000, 40_000
BY_POD_GC = "DeletionByPodGC"


class Clock(Struct, frozen=True):
    """The collector looks at this instant, and every 20 s from it on."""

    base: int = 0

    def tick(self, at: int) -> int:
        """The first look that is not before an instant."""
        return at + (self.base - at) % PERIOD


def beyond_threshold(pods: Sequence[Pod], threshold: int = DEFAULT_THRESHOLD) -> list[Pod]:
    """Of finished pods those that are too many: evicted ones first, then the oldest; 0 switches it off."""
    finished = [pod for pod in pods if pod.finished]
    excess = len(finished) - threshold
    if threshold <= 0 or excess <= 0:
        return []
    return sorted(finished, key=_age)[:excess]


def orphaned(pods: Sequence[Pod], nodes: Collection[str]) -> list[Pod]:
    """Pods that are bound to none of these nodes; a node counts as gone only after its quarantine."""
    return [pod for pod in pods if pod.spec.nodeName and pod.spec.nodeName not in nodes]


def evicted(pod: Pod) -> bool:
    """PodIsEvicted: one that ended well after its eviction is none."""
    return pod.status.phase == "Failed" and pod.status.reason == "Evicted"


def _age(pod: Pod) -> tuple[bool, int, str]:
    return not evicted(pod), pod.metadata.creationTimestamp or 0, pod.metadata.name
