"""What is written of an eviction: the pod's message, which ends in a space, and the grace that it gets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.kube.quantity import canonical, in_bytes
from app.kube.releases import CURRENT, Release

REASON = "Evicted"
DISRUPTION_TARGET = "DisruptionTarget"
BY_KUBELET = "TerminationByKubelet"

# immediateEvictionGracePeriodSeconds.
AT_ONCE = 1


class Above(NamedTuple):
    """A container (or with pod-level resources the pod) above its request; the request as it is written."""

    name: str
    usage: int
    request: str = ""


def node_pressure(
    resource: str, threshold: str = "", available: str = "", containers: Iterable[Above] = (), pod: Above | None = None
) -> str:
    """What evictionMessage makes of it, in pkg/kubelet/eviction/helpers.go."""
    text = f"The node was low on resource: {resource}. "
    if threshold and available:
        text += f"Threshold quantity: {threshold}, available: {available}. "
    if pod is not None:
        text += _above("Pod", pod, resource)
    return text + "".join(_above("Container", row, resource) for row in containers)


def _above(kind: str, row: Above, resource: str) -> str:
    asked = canonical(row.request or "0")
    using = in_bytes(row.usage)
    return f"{kind} {row.name} was using {using}, request is {asked}, has larger consumption of {resource}. "


def empty_dir(volume: str, limit: str) -> str:
    return f'Usage of EmptyDir volume "{volume}" exceeds the limit "{canonical(limit)}". '


def pod_storage(limit: str) -> str:
    return f"Pod ephemeral local storage usage exceeds the total limit of containers {limit}. "


def container_storage(container: str, limit: str) -> str:
    return f'Container {container} exceeded its local ephemeral storage limit "{canonical(limit)}". '


def at_once(own: int | None, release: Release = CURRENT) -> int:
    """Seconds that an eviction gives which does not wait; before 1.31 a bug left the pod its own grace."""
    return AT_ONCE if release.ends_at_once or own is None else own


def grace_override(*, hard: bool, longest: int, own: int | None, release: Release = CURRENT) -> int:
    """Seconds. A hard threshold gives one; a soft one the pod's own grace, but no more than the kubelet's setting."""
    if hard:
        return at_once(own, release)
    return longest if own is None else min(longest, own)
