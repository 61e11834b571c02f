"""Victims of preemption, on nodes with room for so many pods."""

from collections.abc import Sequence

import pytest

from app.kube.meta import LabelSelector, ObjectMeta
from app.kube.pods import Pod, PodSpec, PodStatus
from app.kube.policy import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from app.kube.preemption import Refused, Victims, chosen, may_preempt, select_victims
from app.kube.scheduling import Refusal
from app.kube.stringmap import StringMap

FULL = Refusal(("Insufficient cpu",), unresolvable=False)
NONE = ("No preemption victims found for incoming pod",)


def pod(name: str, priority: int | None = 0, started: int | None = 0, **labels: str) -> Pod:
    meta = ObjectMeta(name=name, namespace="x", labels=StringMap(labels))
    return Pod(meta, PodSpec(priority=priority), PodStatus(startTime=started))


def room_for(count: int) -> Refused:
    """A node that takes so many pods besides the new one."""
    return lambda kept: FULL if len(kept) > count else None


NEW = pod("new", 10)


@pytest.mark.parametrize(
    ("there", "room", "victims"),
    [
        pytest.param([pod("a", 10), pod("b", 11)], 0, NONE, id="equal ones and better ones are no victims"),
        pytest.param([pod("a", 1), pod("b", 10)], 0, ("Insufficient cpu",), id="not enough without the better one"),
        pytest.param([pod("a", 1), pod("b", 2), pod("c", 3)], 2, "a", id="the least important goes"),
        pytest.param([pod("a", 1), pod("b", 2), pod("c", 3)], 1, "b a", id="as many as must"),
        pytest.param([pod("a", 1, 100), pod("b", 1, 200), pod("c", 1, 300)], 2, "c", id="of equals the youngest"),
        pytest.param([pod("a", 1, None), pod("b", 1, 200)], 1, "a", id="one that has not begun is the youngest"),
        pytest.param([pod("a", None), pod("b", 3)], 1, "a", id="no priority is zero"),
    ],
)
def test_victims_on_one_node(there: list[Pod], room: int, victims: str | tuple[str, ...]) -> None:
    found = select_victims(NEW, "n1", there, room_for(room))
    names = " ".join(row.metadata.name for row in found.pods) if isinstance(found, Victims) else found
    assert names == victims


def budget(allowed: int, *disrupted: str, app: str = "web", namespace: str = "x") -> PodDisruptionBudget:
    labels = StringMap({"app": app} if app else {})
    return PodDisruptionBudget(
        ObjectMeta(name="web", namespace=namespace),
        PodDisruptionBudgetSpec(selector=LabelSelector(labels)),
        PodDisruptionBudgetStatus(allowed, 1, 1, 1, disruptedPods=StringMap(dict.fromkeys(disrupted, "now"))),
    )


@pytest.mark.parametrize(
    ("budgets", "victims", "violations"),
    [
        pytest.param([], "young", 0, id="without a budget the youngest"),
        pytest.param([budget(0)], "old", 0, id="a budget that allows none is heeded: the unprotected one goes"),
        pytest.param([budget(1)], "young", 0, id="one that allows one is no reason"),
        pytest.param([budget(0, "young")], "young", 0, id="a pod that is counted already is free"),
        pytest.param([budget(0, app="other")], "young", 0, id="a budget of others"),
        pytest.param([budget(0, namespace="y")], "young", 0, id="one of another namespace"),
        pytest.param([budget(0, app="")], "young", 0, id="an empty selector selects nothing here"),
    ],
)
def test_budgets(budgets: list[PodDisruptionBudget], victims: str, violations: int) -> None:
    there = [pod("old", 1, 100), pod("young", 1, 200, app="web")]
    found = select_victims(NEW, "n1", there, room_for(1), budgets)
    assert isinstance(found, Victims)
    assert (" ".join(row.metadata.name for row in found.pods), found.violations) == (victims, violations)


def test_a_budget_does_not_stop_it() -> None:
    found = select_victims(NEW, "n1", [pod("only", 1, 0, app="web")], room_for(0), [budget(0)])
    assert found == Victims("n1", (pod("only", 1, 0, app="web"),), 1)


def row(node: str, *pods: Pod, violations: int = 0) -> Victims:
    return Victims(node, pods, violations)


@pytest.mark.parametrize(
    ("candidates", "node"),
    [
        pytest.param([row("a", pod("p", 1), violations=1), row("b", pod("p", 9))], "b", id="fewest budgets broken"),
        pytest.param([row("a", pod("p", 2)), row("b", pod("p", 1), pod("q", 1))], "b", id="lowest highest priority"),
        pytest.param([row("a", pod("p", 2), pod("q", 2)), row("b", pod("p", 2), pod("q", 1))], "b", id="lowest sum"),
        pytest.param([row("a", pod("p", -5), pod("q", -5)), row("b", pod("p", -5))], "b", id="fewest, also below zero"),
        pytest.param([row("a", pod("p", 1, 100)), row("b", pod("p", 1, 200))], "b", id="the latest start"),
        pytest.param([row("a", pod("p", 1)), row("b", pod("p", 1))], "a", id="the first"),
    ],
)
def test_choice(candidates: Sequence[Victims], node: str) -> None:
    found = chosen(candidates)
    assert found is not None
    assert found.node == node


def test_nobody_to_choose_from() -> None:
    assert chosen([]) is None


def test_a_policy_may_forbid_it() -> None:
    assert may_preempt(NEW)
    assert not may_preempt(Pod(ObjectMeta(name="polite"), PodSpec(preemptionPolicy="Never")))
