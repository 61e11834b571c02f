"""What the eviction subresource answers: the order of its questions, and the words of its refusals."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.eviction_api import TWO_BUDGETS, VIOLATES, answer
from app.kube.meta import Condition, LabelSelector, ObjectMeta
from app.kube.objects import timestamp
from app.kube.pods import Pod, PodStatus
from app.kube.policy import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from app.kube.stringmap import StringMap

NOW = 5_000


def pod(phase: str = "Running", *, ready: bool = True, deleted: bool = False) -> Pod:
    meta = ObjectMeta(name="web-1", namespace="default", deletionTimestamp=NOW if deleted else None)
    return Pod(meta, status=PodStatus(phase, conditions=(Condition("Ready", "True" if ready else "False"),)))


def budget(
    allowed: int = 0, current: int = 0, desired: int = 0, policy: str = "", **status: Any
) -> PodDisruptionBudget:
    spec = PodDisruptionBudgetSpec(selector=LabelSelector(), unhealthyPodEvictionPolicy=policy)
    counts = PodDisruptionBudgetStatus(allowed, current, desired, 3, **{"observedGeneration": 1, **status})
    return PodDisruptionBudget(ObjectMeta(name="web", namespace="default", generation=1), spec, counts)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(pod("Pending"), id="a pending pod serves nobody yet"),
        pytest.param(pod("Succeeded"), id="a finished one no longer"),
        pytest.param(pod("Failed"), id="nor a failed one"),
        pytest.param(pod(deleted=True), id="one that goes already is let go again"),
    ],
)
def test_no_budget_is_asked_about(found: Pod) -> None:
    assert answer(found, [budget(), budget()], NOW) == (201, "", "", 0, None)


def test_a_pod_without_a_budget_goes() -> None:
    assert answer(pod(), [], NOW).code == 201


def test_two_budgets_are_an_error_even_if_both_would_allow() -> None:
    assert answer(pod(), [budget(1), budget(1)], NOW)[:2] == (500, TWO_BUDGETS)


def test_a_granted_eviction_lowers_the_budget_and_names_the_pod() -> None:
    found = answer(pod(), [budget(1, 3, 2)], NOW)
    assert found.budget is not None
    status = found.budget.status
    assert (found.code, status.disruptionsAllowed) == (201, 0)
    assert status.disruptedPods == StringMap({"web-1": timestamp(NOW)})
    # The real server writes the condition in the same request (truth/drain-pdb-allows-one).
    assert [(row.status, row.reason) for row in status.conditions] == [("False", "InsufficientPods")]


@pytest.mark.parametrize(
    ("found", "code"),
    [
        pytest.param(budget(0, 2, 2), 201, id="an unready pod costs nothing while the others are enough"),
        pytest.param(budget(0, 1, 2), 429, id="but is held while they are not"),
        pytest.param(budget(0, 1, 2, "IfHealthyBudget"), 429, id="which the default policy says in words"),
        pytest.param(budget(0, 1, 2, "AlwaysAllow"), 201, id="AlwaysAllow lets it go"),
        pytest.param(budget(0, 0, 0), 429, id="nothing wanted is not enough"),
        pytest.param(budget(1, 1, 0), 201, id="but may be allowed"),
    ],
)
def test_an_unready_pod(found: PodDisruptionBudget, code: int) -> None:
    assert answer(pod(ready=False), [found], NOW).code == code


def test_an_unready_pod_that_changes_meanwhile_is_tried_again_soon() -> None:
    found = answer(pod(ready=False), [budget(0, 2, 2)], NOW, modified=True)
    assert (found.code, found.retry_after) == (429, 10)


SYNC_FAILED = Condition("DisruptionAllowed", "False", "SyncFailed", "no controllers")
TOLD = Condition("DisruptionAllowed", "False", "Other", "for a reason")


@pytest.mark.parametrize(
    ("found", "cause"),
    [
        pytest.param(
            budget(0, 2, 2),
            "The disruption budget web needs 2 healthy pods and has 2 currently",
            id="too few are healthy",
        ),
        pytest.param(
            budget(0, 2, 2, conditions=(SYNC_FAILED,)),
            "The disruption budget web does not allow evicting pods currently because it failed sync: no controllers",
            id="nobody could count",
        ),
        pytest.param(
            budget(0, 1, 0, conditions=(TOLD,)),
            "The disruption budget web does not allow evicting pods currently (Other): for a reason",
            id="the condition has words",
        ),
        pytest.param(
            budget(0, 1, 0), "The disruption budget web does not allow evicting pods currently", id="nothing is known"
        ),
    ],
)
def test_why_a_budget_refuses(found: PodDisruptionBudget, cause: str) -> None:
    assert answer(pod(), [found], NOW) == (429, VIOLATES, cause, 0, None)


def test_a_budget_that_changed_is_looked_at_first() -> None:
    behind = replace(budget(1), metadata=replace(budget().metadata, generation=2))
    found = answer(pod(), [behind], NOW)
    assert (found.code, found.retry_after) == (429, 10)
    assert found.cause == "The disruption budget web is still being processed by the server."


def test_broken_statuses_are_forbidden() -> None:
    assert answer(pod(), [budget(-1)], NOW).message == "pdb disruptions allowed is negative"
    many = StringMap({f"p{n}": timestamp(0) for n in range(2001)})
    assert answer(pod(), [budget(1, disruptedPods=many)], NOW).code == 403
