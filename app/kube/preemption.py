"""Which pods of lower priority a pod that fits nowhere would push off a node, and off which node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import NamedTuple

from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.kube.scheduling import Refusal

NEVER = "not eligible due to preemptionPolicy=Never."

Refused = Callable[[Sequence[Pod]], Refusal | None]
"""Why the new pod does not fit a node that keeps these pods, or None."""


class Victims(NamedTuple):
    node: str
    pods: tuple[Pod, ...]
    """The most important first."""
    violations: int


def may_preempt(pod: Pod) -> bool:
    return pod.spec.preemptionPolicy != "Never"


def select_victims(
    pod: Pod, node: str, there: Sequence[Pod], refused: Refused, budgets: Sequence[PodDisruptionBudget] = ()
) -> Victims | tuple[str, ...]:
    """SelectVictimsOnNode: all lower ones away, then as many as possible back, the most important first.

    Without victims, the reasons that stay.
    """
    lower = [row for row in there if _priority(row) < _priority(pod)]
    if not lower:
        return ("No preemption victims found for incoming pod",)
    kept = [row for row in there if row not in lower]
    why = refused(kept)
    if why is not None:
        return why.reasons
    violating, others = _by_budget(sorted(lower, key=cmp_to_key(_more_important)), budgets)
    victims: list[Pod] = []
    violations = 0
    for row in (*violating, *others):
        if refused([*kept, row]) is None:
            kept.append(row)
        else:
            victims.append(row)
            violations += row in violating
    return Victims(node, tuple(sorted(victims, key=cmp_to_key(_more_important))), violations)


def chosen(candidates: Sequence[Victims]) -> Victims | None:
    """pickOneNodeForPreemption; of equal ones the first."""
    return min(candidates, key=_cost, default=None)


def _cost(row: Victims) -> tuple[int, int, int, int, int]:
    # Sums are taken from the least possible priority, so that many negative ones are not better than few.
    total = sum(_priority(pod) + 2**31 for pod in row.pods)
    top = max(map(_priority, row.pods))
    earliest = min(_started(pod) for pod in row.pods if _priority(pod) == top)
    return row.violations, top, total, len(row.pods), -earliest


def _by_budget(pods: Sequence[Pod], budgets: Sequence[PodDisruptionBudget]) -> tuple[list[Pod], list[Pod]]:
    """filterPodsWithPDBViolation: those whose end a budget does not allow, and the others."""
    left = [budget.status.disruptionsAllowed for budget in budgets]
    violating: list[Pod] = []
    others: list[Pod] = []
    for pod in pods:
        violates = False
        for number, budget in enumerate(budgets):
            if _counts(budget, pod):
                left[number] -= 1
                violates = violates or left[number] < 0
        (violating if violates else others).append(pod)
    return violating, others


def _counts(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """Whether a budget speaks of a pod that it does not count as gone; an empty selector speaks of none here."""
    selector = budget.spec.selector
    if selector is None or not (selector.matchLabels or selector.matchExpressions) or not pod.metadata.labels:
        return False
    here = budget.metadata.namespace == pod.metadata.namespace and selector.selects(pod.metadata.labels)
    return here and pod.metadata.name not in budget.status.disruptedPods


def _more_important(one: Pod, other: Pod) -> int:
    """MoreImportantPod: by priority, then by how long it has run, then by name."""
    if _priority(one) != _priority(other):
        return -1 if _priority(one) > _priority(other) else 1
    first, second = _order(one), _order(other)
    return (first > second) - (first < second)


def _order(pod: Pod) -> tuple[int, str, str]:
    return _started(pod), pod.metadata.namespace, pod.metadata.name


def _priority(pod: Pod) -> int:
    return pod.spec.priority or 0


def _started(pod: Pod) -> int:
    """A pod without a start counts as started just now (GetPodStartTime)."""
    return pod.status.startTime if pod.status.startTime is not None else 2**62
