"""What the API server answers to a request to evict a pod, as pkg/registry/core/pod/storage/eviction.go decides it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from app.kube.meta import Condition, condition
from app.kube.objects import timestamp
from app.kube.pdb import ALLOWED, SYNC_FAILED, with_condition
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget

ALWAYS_ALLOW = "AlwaysAllow"
TARGET = "DisruptionTarget"
EVICTING = Condition(TARGET, "True", "EvictionByEvictionAPI", "Eviction API: evicting")
MOST_DISRUPTED = 2000
RETRY_SOON = 10
"""Seconds to wait, where the budget's status is only behind."""

VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."
TWO_BUDGETS = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


class Answer(NamedTuple):
    """201 lets the pod go; `budget` is the one that pays for it, already lowered, if any does."""

    code: int
    message: str = ""
    cause: str = ""
    retry_after: int = 0
    budget: PodDisruptionBudget | None = None


def answer(pod: Pod, budgets: Sequence[PodDisruptionBudget], now: int, *, modified: bool = False) -> Answer:
    """`budgets` are those that cover the pod; `modified`: the pod changes between the look at it and its deletion."""
    if ignores_budgets(pod) or not budgets:
        return Answer(201)
    if len(budgets) > 1:
        return Answer(500, TWO_BUDGETS)
    budget = payer(pod, budgets)
    if budget is None:
        return _behind(budgets[0]) if modified else Answer(201)
    return _spent(budget, pod, now)


def payer(pod: Pod, budgets: Sequence[PodDisruptionBudget]) -> PodDisruptionBudget | None:
    """The budget that has to pay for the eviction; None where nothing is to pay, or nothing can be."""
    if ignores_budgets(pod) or len(budgets) != 1:
        return None
    return None if not pod.ready and _lets_unready_go(budgets[0]) else budgets[0]


def ignores_budgets(pod: Pod) -> bool:
    """Whether no budget is asked: the pod serves nobody yet, or no longer, or goes already."""
    return pod.terminating or pod.status.phase in ("Pending", "Succeeded", "Failed")


def _lets_unready_go(budget: PodDisruptionBudget) -> bool:
    """An unready pod costs nothing while the others are enough, or always if the budget says so."""
    status = budget.status
    enough = status.currentHealthy >= status.desiredHealthy and status.desiredHealthy > 0
    return budget.spec.unhealthyPodEvictionPolicy == ALWAYS_ALLOW or enough


def _spent(budget: PodDisruptionBudget, pod: Pod, now: int) -> Answer:
    """CheckAndDecrement."""
    status = budget.status
    if (status.observedGeneration or 0) < budget.metadata.generation:
        return _behind(budget)
    if status.disruptionsAllowed < 0:
        return Answer(403, "pdb disruptions allowed is negative")
    if len(status.disruptedPods) > MOST_DISRUPTED:
        return Answer(403, "DisruptedPods map too big - too many evictions not confirmed by PDB controller")
    if status.disruptionsAllowed == 0:
        return Answer(429, VIOLATES, _cause(budget))
    left = replace(
        status,
        disruptionsAllowed=status.disruptionsAllowed - 1,
        disruptedPods=status.disruptedPods.merged({pod.metadata.name: timestamp(now)}),
    )
    return Answer(201, budget=replace(budget, status=with_condition(left, now)))


def _behind(budget: PodDisruptionBudget) -> Answer:
    cause = f"The disruption budget {budget.metadata.name} is still being processed by the server."
    return Answer(429, VIOLATES, cause, RETRY_SOON)


def _cause(budget: PodDisruptionBudget) -> str:
    """Why nothing is allowed; the first reason that holds."""
    name, status = budget.metadata.name, budget.status
    refused = f"The disruption budget {name} does not allow evicting pods currently"
    row = condition(status.conditions, ALLOWED)
    if row is not None and row.reason == SYNC_FAILED:
        return f"{refused} because it failed sync: {row.message}"
    if status.currentHealthy <= status.desiredHealthy:
        return (
            f"The disruption budget {name} needs {status.desiredHealthy} healthy pods "
            f"and has {status.currentHealthy} currently"
        )
    if row is not None and row.status == "False" and row.message:
        return f"{refused} ({row.reason}): {row.message}"
    return refused
