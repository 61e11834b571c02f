"""The disruption controller's table."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.meta import Condition, LabelSelector, ObjectMeta, OwnerReference, Ref
from app.kube.objects import Object, timestamp
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from app.kube.stringmap import StringMap
from app.kube.workloads import Deployment, DeploymentSpec, ReplicaSet, ReplicaSetSpec
from app.loops.disruption import LOOP, _pod
from app.sim.acts import Act, Wait
from app.sim.lags import Bounds
from tests.loops.beliefs import APP, SELECTOR, TEMPLATE, decided, only, owner_of, pod, requested, seen, told, turn

DEPLOYMENT = Deployment(ObjectMeta(name="web", namespace="default", uid="uid-d"), DeploymentSpec(SELECTOR, TEMPLATE, 3))
SET = ReplicaSet(
    ObjectMeta(name="web-1", namespace="default", uid="uid-rs", ownerReferences=owner_of(DEPLOYMENT)),
    ReplicaSetSpec(SELECTOR, TEMPLATE, 2),
)


def budget(name: str = "web", status: PodDisruptionBudgetStatus | None = None, **spec: Any) -> PodDisruptionBudget:
    spec = {"maxUnavailable": 1, "selector": LabelSelector(APP), **spec}
    return PodDisruptionBudget(
        ObjectMeta(name=name, namespace="default", uid=f"uid-{name}", generation=1),
        PodDisruptionBudgetSpec(**spec),
        status or PodDisruptionBudgetStatus(0, 0, 0, 0),
    )


def pods(ready: int, unready: int = 0) -> list[Pod]:
    rows = [pod(f"web-{n}", SET, ready=0) for n in range(ready)]
    return rows + [pod(f"sick-{n}", SET) for n in range(unready)]


def made(found: PodDisruptionBudget, *objects: Object, now: int = 0) -> list[Act | Wait]:
    return decided(LOOP, turn(LOOP, found.ref, found, *objects, now=now))


def counts(act: Act | Wait) -> tuple[int, int, int, int]:
    status = requested(act).status
    return status.disruptionsAllowed, status.currentHealthy, status.desiredHealthy, status.expectedPods


def test_pods_are_counted_against_the_deployment_above_their_replica_set() -> None:
    """A rollout's two ReplicaSets are one workload: three are wanted, whatever each set holds."""
    act = only(made(budget(), *pods(3), SET, DEPLOYMENT))
    assert counts(act) == (1, 3, 2, 3)
    assert (act.reason, act.moment, act.outcome) == ("SufficientPods", "budget-restored", "1 allowed")


def test_a_status_that_is_right_is_not_written_again() -> None:
    written = requested(only(made(budget(), *pods(3), SET, DEPLOYMENT)))
    assert made(written, *pods(3), SET, DEPLOYMENT) == []


def test_a_budget_that_turns_to_nothing_is_a_moment() -> None:
    written = requested(only(made(budget(), *pods(3), SET, DEPLOYMENT)))
    act = only(made(written, *pods(2, unready=1), SET, DEPLOYMENT))
    assert (counts(act), act.moment, act.reason) == ((0, 2, 2, 3), "budget-exhausted", "InsufficientPods")


def events(found: PodDisruptionBudget, *objects: Object) -> list[tuple[str, str]]:
    return [(row.reason, row.message) for act in made(found, *objects) if isinstance(act, Act) for row in act.events]


def test_no_pods_is_an_event() -> None:
    assert events(budget()) == [("NoPods", "No matching pods found")]


def test_pods_of_a_kind_without_a_scale_cannot_be_counted() -> None:
    """As every DaemonSet under a budget with maxUnavailable shows."""
    owner = OwnerReference("DaemonSet", "agent", "uid-ds", "apps/v1")
    found = pod("agent-1", ready=0)
    found = replace(found, metadata=replace(found.metadata, ownerReferences=(owner,)))
    act = only(made(budget(), found))
    [row] = requested(act).status.conditions
    assert (row.reason, row.message) == ("SyncFailed", "daemonsets.apps does not implement the scale subresource")
    assert [event.reason for event in act.events] == ["CalculateExpectedPodCountFailed"]


def test_a_deployment_that_is_gone_cannot_be_counted() -> None:
    act = only(made(budget(), *pods(1), SET))
    assert requested(act).status.conditions[0].message == 'found no controllers for pod "web-0"'


def test_bare_pods_are_told_of_and_count_for_nothing() -> None:
    [(reason, message)] = events(budget(maxUnavailable="50%"), pod("bare", ready=0))
    assert reason == "UnmanagedPods"
    assert message.startswith(
        "Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]"
    )


def test_a_pod_under_two_budgets_is_told_of() -> None:
    """Of the two only one is counted anew when the pod changes (truth/drain-two-pdbs)."""
    found = pod("web-1", SET, ready=0)
    [(reason, message)] = events(budget("one"), budget("two"), found, SET, DEPLOYMENT)
    assert reason == "MultiplePodDisruptionBudgets"
    assert message == 'Pod "default"/"web-1" matches multiple PodDisruptionBudgets.  Chose "one" arbitrarily.'
    assert _pod(seen(budget("one"), budget("two"), found), found) == [budget("one").ref]


def test_a_granted_eviction_is_looked_at_again_when_it_is_overdue() -> None:
    status = PodDisruptionBudgetStatus(0, 3, 2, 3, disruptedPods=StringMap({"web-0": timestamp(5_000)}))
    written, wait = made(budget(status=status), *pods(3), SET, DEPLOYMENT, now=6_000)
    assert counts(written) == (0, 2, 2, 3)
    assert wait == Wait(Bounds.at(125_001))
    late = only(made(requested(written), *pods(3), SET, DEPLOYMENT, now=125_001))
    assert counts(late) == (1, 3, 2, 3)
    assert [event.reason for event in late.events] == ["NotDeleted"]
    assert late.events[0].object == Ref("Pod", "default", "web-0")


TARGET = Condition("DisruptionTarget", "True", "EvictionByEvictionAPI", lastTransitionTime=5_000)


@pytest.mark.parametrize(
    ("deleted", "now", "acts"),
    [
        pytest.param(False, 6_000, ["wait 125000"], id="two minutes are waited for"),
        pytest.param(False, 125_000, ["clear-target pod/web-1 StaleDisruption"], id="then the mark is taken back"),
        pytest.param(True, 125_000, [], id="a pod that goes keeps it"),
    ],
)
def test_a_mark_that_nothing_followed(deleted: bool, now: int, acts: list[str]) -> None:
    found = pod("web-1", SET, ready=0, deleted=deleted)
    found = replace(found, status=replace(found.status, conditions=(*found.status.conditions, TARGET)))
    assert told(decided(LOOP, turn(LOOP, found.ref, found, now=now))) == acts
    assert (found.ref in _pod(seen(found), found)) is not deleted
