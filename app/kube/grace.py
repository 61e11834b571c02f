"""How long a pod and its containers may take to stop: the API server's deadline and the kubelet's budget."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from app.kube.meta import whole_second
from app.kube.pods import Pod, PodSpec

# The kubelet's minimumGracePeriodInSeconds: every container gets this long between SIGTERM and SIGKILL.
LEAST_STOP_SECONDS = 2
LEAST_POD_SECONDS = 1

LIVENESS, STARTUP = "livenessProbe", "startupProbe"


class Deletion(NamedTuple):
    """What a DELETE writes: `deletionTimestamp`, which is the deadline, and `deletionGracePeriodSeconds`."""

    timestamp: int
    grace: int


def api_delete_grace(pod: Pod, requested: int | None) -> int:
    """The grace of a first DELETE (CheckGracefulDelete in pkg/registry/core/pod/strategy.go)."""
    if not pod.spec.nodeName or pod.finished:
        return 0
    grace = (pod.spec.terminationGracePeriodSeconds or 0) if requested is None else requested
    return grace if grace >= 0 else LEAST_POD_SECONDS


def first_deadline(grace: int, now: int) -> Deletion:
    """What a first DELETE with that grace writes."""
    return Deletion(whole_second(now) + grace * 1000, grace)


def shortened_deadline(deletion: Deletion, requested: int | None, now: int) -> Deletion | None:
    """What another DELETE writes, or None where it changes nothing: a grace can only shrink.

    The new deadline counts from the first request (BeforeDelete in apiserver pkg/registry/rest/delete.go).
    """
    if requested is None:
        return None
    grace = requested if requested >= 0 else LEAST_POD_SECONDS
    if grace >= deletion.grace:
        return None
    timestamp = deletion.timestamp + (grace - deletion.grace) * 1000
    if timestamp >= now:
        return Deletion(timestamp, grace)
    # The whole grace has passed already: still a graceful delete, unless none was asked for.
    return Deletion(whole_second(now), min(grace, 1))


def effective_grace(
    spec: int | None, deletion: int | None, override: int | None, earlier: int = 0, *, zero_counts: bool = True
) -> int:
    """The pod's grace as its worker sees it (calculateEffectiveGracePeriod); `earlier` is its last answer.

    Where a zero does not count, it is taken for nothing said, and the pod has its own grace.
    """
    grace, given = earlier, False
    for shorter in (deletion, override):
        if shorter is not None and (grace == 0 or shorter < grace):
            grace, given = shorter, zero_counts
    if not given and grace == 0 and spec is not None:
        grace = spec
    return max(grace, LEAST_POD_SECONDS)


def container_grace(
    pod_grace: int | None, liveness: int | None, startup: int | None, reason: str, deletion: int | None = None
) -> int:
    """The grace of one container that is killed for `reason` (setTerminationGracePeriod)."""
    if deletion is not None:
        return deletion
    if pod_grace is None:
        return LEAST_STOP_SECONDS
    own = {LIVENESS: liveness, STARTUP: startup}.get(reason)
    return pod_grace if own is None else own


def prestop_limit(grace: int) -> int:
    """After how many milliseconds a preStop hook is cut off; it is not run at all at zero."""
    return max(grace, 0) * 1000


def stop_timeout(grace: int, *used_ms: int) -> int:
    """Seconds between SIGTERM and SIGKILL; of the preStop hook and of the wait for a turn, whole seconds count."""
    left = grace - sum(used // 1000 for used in used_ms)
    return max(left, LEAST_STOP_SECONDS)


def may_signal(
    container_name: str,
    spec: PodSpec,
    still_running: AbstractSet[str],
    gone_before: AbstractSet[str] = frozenset(),
) -> bool:
    """Whether the order of termination lets a container be signalled (kuberuntime_termination_order.go).

    A sidecar waits for all apps and for the sidecars after it. One that did not run when the kill began
    (`gone_before`) breaks that chain, so those after it are not waited for.
    """
    names = [row.name for row in spec.initContainers if row.sidecar]
    if container_name not in names:
        return True
    if any(row.name in still_running for row in spec.containers):
        return False
    for later in names[names.index(container_name) + 1 :]:
        if later in gone_before:
            return True
        if later in still_running:
            return False
    return True
