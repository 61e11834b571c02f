"""A ReplicaSet's pods: which count, how many are missing, which go first, and what it reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cmp_to_key
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from app.kube.meta import Condition, condition, whole_second
from app.kube.pods import ContainerStatus, Pod
from app.kube.rollout import size
from app.kube.workloads import ReplicaSet, ReplicaSetStatus

BURST = 500
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
FAILURE = "ReplicaFailure"

# Earlier than any instant of a walk; clusters come up before t = 0.
ALWAYS = -(2**62)

_Ordered = TypeVar("_Ordered", int, tuple[int, int], tuple[str, str])

_PHASE_ORDER = {"Pending": 0, "Unknown": 1, "Running": 2}

# Which pods count.


def is_active(pod: Pod) -> bool:
    """IsPodActive: neither finished nor being deleted, whatever its processes still do."""
    return not pod.finished and not pod.terminating


def is_terminating(pod: Pod) -> bool:
    return pod.terminating and not pod.finished


def available_at(pod: Pod, min_ready_seconds: int) -> int | None:
    """From when on a ready pod counts as available; None if it is not ready."""
    row = condition(pod.status.conditions, "Ready")
    if row is None or row.status != "True":
        return None
    if min_ready_seconds == 0:
        return ALWAYS
    return None if row.lastTransitionTime is None else row.lastTransitionTime + min_ready_seconds * 1000


def is_available(pod: Pod, min_ready_seconds: int, now: int) -> bool:
    """IsPodAvailable."""
    since = available_at(pod, min_ready_seconds)
    return since is not None and since <= now


# How many to create or delete.


def missing(wanted: ReplicaSet, active: int) -> int:
    """Pods to create in one sync, or, if negative, to delete."""
    return max(-BURST, min(BURST, size(wanted.spec.replicas) - active))


def batches(count: int, initial: int = 1) -> Iterator[int]:
    """Slow start: 1, 2, 4, 8... pods are created side by side, so that a quota refuses few of them."""
    batch = min(count, initial)
    while batch > 0:
        yield batch
        count -= batch
        batch = min(2 * batch, count)


class SlowStart(NamedTuple):
    created: int
    calls: int
    failed: bool


def slow_start(count: int, create: Callable[[], bool], initial: int = 1) -> SlowStart:
    """Create pods batch by batch; a batch in which one fails is the last (slowStartBatch)."""
    created = calls = 0
    for batch in batches(count, initial):
        succeeded = sum(create() for _ in range(batch))
        calls += batch
        created += succeeded
        if succeeded < batch:
            return SlowStart(created, calls, failed=True)
    return SlowStart(created, calls, failed=False)


# Which go first (ActivePodsWithRanks).


def victims(pods: Sequence[Pod], related: Sequence[Pod], count: int, now: int) -> tuple[Pod, ...]:
    """The pods to delete; `related` are those of all ReplicaSets with the same owner."""
    if count >= len(pods):
        return tuple(pods)
    on_node = Counter(pod.spec.nodeName for pod in related if is_active(pod))

    def compared(one: Pod, other: Pod) -> int:
        first = _before_times(one, on_node[one.spec.nodeName])
        second = _before_times(other, on_node[other.spec.nodeName])
        if first != second:
            return -1 if first < second else 1
        return _by_times(one, other, now) or _sign(_identity(one), _identity(other))

    return tuple(sorted(pods, key=cmp_to_key(compared))[:count])


def _before_times(pod: Pod, neighbours: int) -> tuple[int, ...]:
    return (
        int(bool(pod.spec.nodeName)),
        _PHASE_ORDER.get(pod.status.phase, 0),
        int(pod.ready),
        deletion_cost(pod),
        -neighbours,
    )


def deletion_cost(pod: Pod) -> int:
    """The annotation's number; what the API server would refuse counts as zero."""
    text = pod.metadata.annotations.get(DELETION_COST) or ""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or (digits[0] == "0" and text != "0"):
        return 0
    number = int(text)
    return number if -(2**31) <= number < 2**31 else 0


def _by_times(one: Pod, other: Pod, now: int) -> int:
    if one.ready and other.ready:
        order = _younger_first(_ready_since(one), _ready_since(other), one, other, now)
        if order:
            return order
    restarts = _sign(_restarts(other), _restarts(one))
    if restarts:
        return restarts
    return _younger_first(one.metadata.creationTimestamp, other.metadata.creationTimestamp, one, other, now)


def _younger_first(first: int | None, second: int | None, one: Pod, other: Pod, now: int) -> int:
    """By the logarithm of the age, so that pods of about one age go in an order of chance: that of their uids."""
    if first == second:
        return 0
    if first is None or second is None:
        return -1 if first is None else 1
    return _sign(_magnitude(now - first), _magnitude(now - second)) or _sign(_identity(one), _identity(other))


def _magnitude(age: int) -> int:
    # Kubernetes takes the logarithm of nanoseconds.
    return (age * 1_000_000).bit_length() - 1 if age > 0 else -1


def _ready_since(pod: Pod) -> int | None:
    row = condition(pod.status.conditions, "Ready")
    return row.lastTransitionTime if row else None


def _restarts(pod: Pod) -> tuple[int, int]:
    """The most restarts among app containers, then among sidecars."""
    sidecars = {row.name for row in pod.spec.initContainers if row.sidecar}
    beside = [row for row in pod.status.initContainerStatuses if row.name in sidecars]
    return _most_restarts(pod.status.containerStatuses), _most_restarts(beside)


def _most_restarts(statuses: Sequence[ContainerStatus]) -> int:
    return max((row.restartCount for row in statuses), default=0)


def _identity(pod: Pod) -> tuple[str, str]:
    return pod.metadata.uid, pod.metadata.name


def _sign(first: _Ordered, second: _Ordered) -> int:
    return 0 if first == second else -1 if first < second else 1


# What it reports.


def counted(
    owner: ReplicaSet, active: Sequence[Pod], terminating: int | None, now: int, failure: str | None = None
) -> ReplicaSetStatus:
    """The next status (calculateStatus); `failure` is the error of this sync's creations or deletions.

    `terminating` is None in releases that do not count them.
    """
    labels = owner.spec.template.metadata.labels
    ready = [pod for pod in active if pod.ready]
    return ReplicaSetStatus(
        replicas=len(active),
        fullyLabeledReplicas=sum(labels.selects(pod.metadata.labels) for pod in active),
        readyReplicas=len(ready),
        availableReplicas=sum(is_available(pod, owner.spec.minReadySeconds, now) for pod in ready),
        terminatingReplicas=terminating,
        observedGeneration=owner.metadata.generation,
        conditions=_conditions(owner, len(active), failure, now),
    )


def _conditions(owner: ReplicaSet, active: int, failure: str | None, now: int) -> tuple[Condition, ...]:
    known = owner.status.conditions
    if failure is None:
        return tuple(row for row in known if row.type != FAILURE)
    if condition(known, FAILURE) is not None:
        return known
    missing_now = size(owner.spec.replicas) - active
    reason = "FailedCreate" if missing_now > 0 else "FailedDelete" if missing_now < 0 else ""
    row = Condition(FAILURE, "True", reason, failure)
    return (*known, replace(row, lastTransitionTime=whole_second(now)))
