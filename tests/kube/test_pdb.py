"""The arithmetic of disruption budgets, against what the real controller recorded and against its source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from app.kube import pdb
from app.kube.meta import Condition, LabelSelector, LabelSelectorRequirement, ObjectMeta, OwnerReference
from app.kube.objects import timestamp
from app.kube.pods import Pod, PodStatus
from app.kube.policy import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from app.kube.stringmap import EMPTY, StringMap

TABLE = json.loads((Path(__file__).parents[1] / "data" / "truth" / "pdb-percentages.json").read_text())["table"]
APP = StringMap({"app": "web"})
OWNER = OwnerReference("ReplicaSet", "web", "uid-rs")
NOW = 500_000


def budget(**spec: Any) -> PodDisruptionBudget:
    spec.setdefault("selector", LabelSelector(APP))
    return PodDisruptionBudget(ObjectMeta(name="web", namespace="default"), PodDisruptionBudgetSpec(**spec))


def pod(name: str, *, ready: bool = True, deleted: bool = False, owner: OwnerReference | None = OWNER) -> Pod:
    meta = ObjectMeta(
        name=name,
        namespace="default",
        labels=APP,
        deletionTimestamp=NOW if deleted else None,
        ownerReferences=(owner,) if owner else (),
    )
    return Pod(meta, status=PodStatus("Running", conditions=(Condition("Ready", "True" if ready else "False"),)))


def scale(replicas: int) -> pdb.FindScale:
    return lambda owner, _: (owner.uid, replicas)


@pytest.mark.parametrize(
    "row", TABLE, ids=lambda row: f"{row['minAvailable']} {row['maxUnavailable']} of {row['replicas']}"
)
def test_percentages_as_recorded(row: dict[str, Any]) -> None:
    found = budget(minAvailable=row["minAvailable"], maxUnavailable=row["maxUnavailable"])
    pods = [pod(f"web-{n}") for n in range(row["replicas"])]
    wanted = pdb.expected(found, pods, scale(row["replicas"]))
    status = pdb.counted(found, wanted, pdb.healthy(pods, EMPTY, NOW), EMPTY, NOW)
    [condition] = status.conditions
    assert (
        status.expectedPods,
        status.desiredHealthy,
        status.currentHealthy,
        status.disruptionsAllowed,
        f"{condition.status} {condition.reason}",
    ) == tuple(
        row[key] for key in ("expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed", "condition")
    )


@pytest.mark.parametrize(
    ("selector", "covered"),
    [
        pytest.param(LabelSelector(APP), True, id="its labels"),
        pytest.param(LabelSelector(), True, id="an empty selector covers every pod of the namespace"),
        pytest.param(None, False, id="no selector covers none"),
        pytest.param(LabelSelector(StringMap({"app": "db"})), False, id="other labels"),
        pytest.param(
            LabelSelector(matchExpressions=(LabelSelectorRequirement("app", "Exists"),)), True, id="an expression"
        ),
    ],
)
def test_which_pods_a_budget_covers(selector: LabelSelector | None, covered: bool) -> None:
    assert pdb.covers(budget(selector=selector), pod("web-1")) is covered


def test_a_budget_covers_pods_of_its_own_namespace_only() -> None:
    other = pod("web-1")
    assert not pdb.covers(budget(), replace(other, metadata=replace(other.metadata, namespace="shop")))


def test_a_number_as_min_available_counts_the_pods_that_are_there() -> None:
    """Terminating ones, too: truth/drain-pdb-blocked goes from 3 to 4 while an old pod goes."""
    assert pdb.expected(budget(minAvailable=2), [pod("a"), pod("b", deleted=True)], scale(9)) == pdb.Expected(2, 2)


def test_the_replicas_of_distinct_controllers_are_summed() -> None:
    other = OwnerReference("StatefulSet", "db", "uid-db")
    pods = [pod("a"), pod("b"), pod("c", owner=other)]
    assert pdb.expected(budget(maxUnavailable=1), pods, scale(3)) == pdb.Expected(6, 5)


def test_pods_without_a_controller_count_for_nothing() -> None:
    assert pdb.expected(budget(maxUnavailable="50%"), [pod("a", owner=None)], scale(3)) == pdb.Expected(0, 0, ("a",))


def test_a_controller_that_is_gone_cannot_be_counted() -> None:
    with pytest.raises(pdb.NoScale, match='found no controllers for pod "a"'):
        pdb.expected(budget(maxUnavailable=1), [pod("a")], lambda *_: None)


def test_neither_bound_allows_nothing() -> None:
    status = pdb.counted(budget(), pdb.expected(budget(), [pod("a")], scale(1)), 1, EMPTY, NOW)
    assert status.disruptionsAllowed == 0


def granted(**ages: int) -> PodDisruptionBudget:
    """A budget with evictions granted so many milliseconds ago."""
    names = StringMap({name: timestamp(NOW - age) for name, age in ages.items()})
    return replace(budget(), status=PodDisruptionBudgetStatus(0, 0, 0, 0, disruptedPods=names))


@pytest.mark.parametrize(
    ("age", "deleted", "kept"),
    [
        pytest.param(0, False, True, id="just granted"),
        pytest.param(120_000, False, True, id="two minutes old, to the millisecond"),
        pytest.param(121_000, False, False, id="older"),
        pytest.param(0, True, False, id="seen going"),
    ],
)
def test_a_granted_eviction_counts_until_the_pod_is_seen_going_or_for_two_minutes(
    age: int, deleted: bool, kept: bool
) -> None:
    pods = [pod("a", deleted=deleted)]
    assert ("a" in pdb.still_disrupted(granted(a=age), pods, NOW)) is kept
    assert bool(pdb.overdue(granted(a=age), pods, NOW)) is (age > 120_000)


def test_a_pod_that_has_vanished_is_struck_off() -> None:
    assert not pdb.still_disrupted(granted(a=0), [], NOW)


def test_healthy_are_ready_pods_that_nobody_sends_away() -> None:
    pods = [pod("a"), pod("b", ready=False), pod("c", deleted=True), pod("d")]
    assert pdb.healthy(pods, StringMap({"d": timestamp(NOW)}), NOW) == 1


def test_a_failed_count_allows_nothing_and_says_why() -> None:
    status = pdb.failed(budget(), "jobs.batch does not implement the scale subresource", NOW)
    [row] = status.conditions
    assert (status.disruptionsAllowed, row.status, row.reason) == (0, "False", "SyncFailed")
    assert row.message == "jobs.batch does not implement the scale subresource"
