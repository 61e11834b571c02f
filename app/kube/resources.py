"""What a pod asks of its node, in whole units: thousandths of a CPU, bytes, and pieces of anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from app.kube.pods import Container, PodSpec
from app.kube.quantity import milli_value, value
from app.kube.stringmap import StringMap

Amounts = dict[str, int]

# What the scheduler assumes, for its scores only, of a container that asks for nothing.
ASSUMED = {"cpu": 100, "memory": 200 * 1024 * 1024}


@lru_cache(maxsize=4096)
def amounts(quantities: StringMap) -> Mapping[str, int]:
    return MappingProxyType(
        {name: milli_value(text) if name == "cpu" else value(text) for name, text in quantities.items()}
    )


def pod_requests(spec: PodSpec, assumed: Mapping[str, int] | None = None) -> Amounts:
    """PodRequests; what the pod itself asks for wins over the sum of its containers, and its sandbox costs overhead."""
    total = _together(spec, lambda row: _asked(row, assumed))
    pod_level = amounts(spec.resources.requests)
    total.update((name, amount) for name, amount in pod_level.items() if name in ASSUMED or _huge_pages(name))
    return summed([total, amounts(spec.overhead)]) if spec.overhead else total


def pod_limits(spec: PodSpec) -> Amounts:
    """PodLimits of its containers, of which those without a limit count for nothing."""
    return _together(spec, lambda row: amounts(row.resources.limits))


def _together(spec: PodSpec, of: Callable[[Container], Mapping[str, int]]) -> Amounts:
    """Containers and sidecars side by side, or the largest init container with the sidecars before it."""
    sidecars = [row for row in spec.initContainers if row.sidecar]
    total = summed(of(row) for row in (*spec.containers, *sidecars))
    started: Amounts = {}
    for container in spec.initContainers:
        step = summed([started, of(container)])
        if container.sidecar:
            started = step
        for name, amount in step.items():
            total[name] = max(total.get(name, 0), amount)
    return total


def summed(parts: Iterable[Mapping[str, int]]) -> Amounts:
    total: Amounts = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total


def _asked(container: Container, assumed: Mapping[str, int] | None) -> Mapping[str, int]:
    asked = amounts(container.resources.requests)
    return {**assumed, **asked} if assumed else asked


def _huge_pages(name: str) -> bool:
    return name.startswith("hugepages-")
