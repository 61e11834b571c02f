"""The quality-of-service class of a pod, from its requests and limits of CPU and memory."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from app.kube.pods import PodSpec, ResourceRequirements
from app.kube.quantity import parse
from app.kube.stringmap import StringMap

COUNTED = ("cpu", "memory")


def qos_class(spec: PodSpec) -> str:
    """ComputePodQOS; resources of the pod itself, where set, count in place of those of its containers."""
    own = spec.resources
    if own.requests or own.limits:
        parts: tuple[ResourceRequirements, ...] = (own,)
    else:
        parts = tuple(row.resources for row in (*spec.containers, *spec.initContainers))

    requests = _sums(part.requests for part in parts)
    limits = _sums(part.limits for part in parts)
    if not requests and not limits:
        return "BestEffort"
    # Every part needs both limits: equal sums are not enough.
    limited = all(set(COUNTED) == set(_sums([part.limits])) for part in parts if part is not own or part.limits)
    return "Guaranteed" if limited and requests == limits else "Burstable"


def _sums(lists: Iterable[StringMap]) -> dict[str, Fraction]:
    """What is asked for in all; zero is as good as not set."""
    sums: dict[str, Fraction] = {}
    for amounts in lists:
        for name, text in amounts.items():
            if name in COUNTED and parse(text) > 0:
                sums[name] = sums.get(name, Fraction(0)) + parse(text)
    return sums
