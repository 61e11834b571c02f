"""The arithmetic of disruption budgets: what a PodDisruptionBudget's status says, after pkg/controller/disruption."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from app.kube.conditions import set_condition
from app.kube.meta import Condition, OwnerReference, Ref
from app.kube.objects import instant
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget, PodDisruptionBudgetStatus
from app.kube.rollout import resolved
from app.kube.stringmap import StringMap

ALLOWED = "DisruptionAllowed"
SUFFICIENT, INSUFFICIENT, SYNC_FAILED = "SufficientPods", "InsufficientPods", "SyncFailed"

TIMEOUT = 120_000
"""DeletionTimeout: how long an eviction that the API server has granted counts before the pod is seen going."""

# The scale of a pod's controller under the uid that counts it once; None where there is no such controller.
Scale = tuple[str, int]
FindScale = Callable[[OwnerReference, str], Scale | None]


class NoScale(Exception):
    """What keeps the controller from counting; the text goes into the budget's condition."""


class Expected(NamedTuple):
    """How many pods there should be, how many must stay healthy, and those that nobody manages."""

    pods: int
    healthy: int
    unmanaged: tuple[str, ...] = ()


def covers(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """Whether a budget speaks of a pod: policy/v1 takes an empty selector for all pods, and none for no pod."""
    selector = budget.spec.selector
    same = budget.metadata.namespace == pod.metadata.namespace
    return same and selector is not None and selector.selects(pod.metadata.labels)


def expected(budget: PodDisruptionBudget, pods: Sequence[Pod], scale: FindScale) -> Expected:
    """getExpectedPodCount; percentages round up on both sides. Raises NoScale."""
    spec = budget.spec
    if spec.maxUnavailable is not None:
        count, unmanaged = _scales(pods, scale)
        most = resolved(spec.maxUnavailable, count, round_up=True)
        return Expected(count, max(0, count - most), unmanaged)
    if isinstance(spec.minAvailable, int):
        return Expected(len(pods), spec.minAvailable)
    if spec.minAvailable is not None:
        count, unmanaged = _scales(pods, scale)
        return Expected(count, resolved(spec.minAvailable, count, round_up=True), unmanaged)
    return Expected(0, 0)


def _scales(pods: Iterable[Pod], scale: FindScale) -> tuple[int, tuple[str, ...]]:
    """The replicas of the distinct controllers of the pods, summed; pods without one count for nothing."""
    known: dict[str, int] = {}
    unmanaged: list[str] = []
    for pod in pods:
        owner = pod.metadata.controller
        if owner is None:
            unmanaged.append(pod.metadata.name)
            continue
        found = scale(owner, pod.metadata.namespace)
        if found is None:
            raise NoScale(f'found no controllers for pod "{pod.metadata.name}"')
        known[found[0]] = found[1]
    return sum(known.values()), tuple(unmanaged)


def still_disrupted(budget: PodDisruptionBudget, pods: Iterable[Pod], now: int) -> StringMap:
    """Granted evictions whose pods are neither seen going nor overdue (buildDisruptedPodMap)."""
    known = budget.status.disruptedPods
    waiting = {pod.metadata.name for pod in pods if not pod.terminating}
    return StringMap({name: at for name, at in known.items() if name in waiting and not _overdue(at, now)})


def overdue(budget: PodDisruptionBudget, pods: Iterable[Pod], now: int) -> list[Ref]:
    """Pods that should have gone by now."""
    known = budget.status.disruptedPods
    rows = [pod for pod in pods if not pod.terminating and pod.metadata.name in known]
    return [pod.ref for pod in rows if _overdue(known[pod.metadata.name], now)]


def _overdue(at: str, now: int) -> bool:
    return instant(at) + TIMEOUT < now


def healthy(pods: Iterable[Pod], disrupted: Mapping[str, str] | StringMap, now: int) -> int:
    """Pods that are Ready and that nobody sends away; their phase does not matter (countHealthyPods)."""
    leaving = {name for name, at in disrupted.items() if instant(at) + TIMEOUT > now}
    return sum(pod.ready and not pod.terminating and pod.metadata.name not in leaving for pod in pods)


def counted(
    budget: PodDisruptionBudget, wanted: Expected, current: int, disrupted: StringMap, now: int
) -> PodDisruptionBudgetStatus:
    """The next status (updatePdbStatus)."""
    allowed = max(0, current - wanted.healthy) if wanted.pods > 0 else 0
    status = PodDisruptionBudgetStatus(
        disruptionsAllowed=allowed,
        currentHealthy=current,
        desiredHealthy=wanted.healthy,
        expectedPods=wanted.pods,
        observedGeneration=budget.metadata.generation,
        disruptedPods=disrupted,
        conditions=budget.status.conditions,
    )
    return with_condition(status, now)


def with_condition(status: PodDisruptionBudgetStatus, now: int) -> PodDisruptionBudgetStatus:
    """With the condition that follows from what is allowed."""
    sufficient = status.disruptionsAllowed > 0
    row = Condition(ALLOWED, "True" if sufficient else "False", SUFFICIENT if sufficient else INSUFFICIENT)
    return replace(status, conditions=set_condition(status.conditions, row, now))


def failed(budget: PodDisruptionBudget, error: str, now: int) -> PodDisruptionBudgetStatus:
    """The status of a budget that cannot be counted: nothing may be evicted (failSafe)."""
    row = Condition(ALLOWED, "False", SYNC_FAILED, error)
    return replace(
        budget.status,
        disruptionsAllowed=0,
        observedGeneration=budget.metadata.generation,
        conditions=set_condition(budget.status.conditions, row, now),
    )
