"""Whom the kernel kills when memory runs out: the score that the kubelet gives a container, and the kernel's own sum.

As pkg/kubelet/qos/policy.go and oom_badness in mm/oom_kill.c.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from app.kube.critical_pods import node_critical
from app.kube.pods import Container, Pod, PodSpec
from app.kube.qos import qos_class
from app.kube.quantity import value

GUARANTEED, BEST_EFFORT = -997, 1000
NEVER = -1000
PAGE = 4096


def oom_score_adj(pod: Pod, container: Container, capacity: int) -> int:
    """GetContainerOOMScoreAdjust; `capacity` is the memory of the machine, not what is allocatable of it."""
    if node_critical(pod):
        return GUARANTEED
    match pod.status.qosClass or qos_class(pod.spec):
        case "Guaranteed":
            return GUARANTEED
        case "BestEffort":
            return BEST_EFFORT
    share = _share(pod.spec)
    score = _linear(_request(container) + share, capacity)
    if container in pod.spec.initContainers and container.sidecar:
        # A sidecar is to outlive the containers that it serves, or at least not to go before them.
        smallest = min((_request(row) for row in pod.spec.containers), default=0)
        score = min(score, _linear(smallest + share, capacity))
    return min(max(score, 1000 + GUARANTEED), BEST_EFFORT - 1)


def _linear(request: int, capacity: int) -> int:
    """Go divides towards zero; requests above the capacity end at the lower bound in any case."""
    return 1000 - 1000 * request // capacity


def _request(container: Container) -> int:
    return value(container.resources.requests.get("memory", "0") or "0")


def _share(spec: PodSpec) -> int:
    """What the pod asks for beyond its containers, divided among them."""
    whole = spec.resources.requests.get("memory")
    if whole is None:
        return 0
    rows = [*spec.containers, *(row for row in spec.initContainers if row.sidecar)]
    return (value(whole) - sum(_request(row) for row in rows)) // len(rows)


class Process(Struct, frozen=True):
    """One candidate, in pages."""

    name: str
    rss: int = 0
    swap: int = 0
    page_tables: int = 0
    score_adj: int = 0


def badness(process: Process, total: int) -> int | None:
    """None for what is never chosen. `total` pages: of RAM and swap, or of the cgroup whose limit was met."""
    if process.score_adj == NEVER:
        return None
    return process.rss + process.swap + process.page_tables + process.score_adj * (total // 1000)


def victim(processes: Iterable[Process], total: int) -> Process | None:
    """The highest badness; of equals, the first."""
    rated = [(points, row) for row in processes if (points := badness(row, total)) is not None]
    return max(rated, key=lambda pair: pair[0])[1] if rated else None


def pages(amount: int) -> int:
    """Whole pages that hold so many bytes."""
    return -(-amount // PAGE)
