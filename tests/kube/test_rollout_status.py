from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.meta import Condition, ObjectMeta, condition
from app.kube.rollout_status import (
    complete,
    counted,
    created,
    deadline,
    found,
    paused,
    progressing,
    resumed,
    rollout_status,
    set_condition,
)
from app.kube.workloads import (
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
)


def deployment(
    conditions: tuple[Condition, ...] = (), limit: int | None = 600, seen: int = 0, **status: Any
) -> Deployment:
    return Deployment(
        metadata=ObjectMeta(name="web", generation=2),
        spec=DeploymentSpec(replicas=3, progressDeadlineSeconds=limit),
        status=DeploymentStatus(conditions=conditions, replicas=seen, **status),
    )


def sized(name: str, wanted: int, **status: Any) -> ReplicaSet:
    return ReplicaSet(
        metadata=ObjectMeta(name=name),
        spec=ReplicaSetSpec(replicas=wanted),
        status=ReplicaSetStatus(**status),
    )


OLD = sized("old", 1, replicas=1, readyReplicas=1, availableReplicas=1, terminatingReplicas=2)
NEW = sized("new", 3, replicas=2, readyReplicas=1, availableReplicas=1, terminatingReplicas=0)


def test_the_counts() -> None:
    status = counted(deployment(), [OLD, NEW], NEW, 5_500)
    assert replace(status, conditions=()) == DeploymentStatus(
        observedGeneration=2,
        replicas=3,
        updatedReplicas=2,
        readyReplicas=2,
        availableReplicas=2,
        unavailableReplicas=2,
        terminatingReplicas=2,
    )


def test_terminating_replicas_are_unknown_while_one_set_has_not_reported() -> None:
    assert counted(deployment(), [OLD, sized("new", 0, observedGeneration=1)], None, 0).terminatingReplicas is None


def test_a_set_that_was_just_made_has_no_terminating_replicas() -> None:
    assert counted(deployment(), [OLD, sized("new", 0)], None, 0).terminatingReplicas == 2


@pytest.mark.parametrize(
    ("available", "expected"),
    [
        (2, Condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")),
        (
            1,
            Condition(
                "Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
            ),
        ),
    ],
)
def test_availability(available: int, expected: Condition) -> None:
    """Without a strategy one pod may be missing."""
    status = counted(deployment(), [sized("new", 3, availableReplicas=available)], None, 5_500)
    assert status.conditions == (replace(expected, lastTransitionTime=5_000, lastUpdateTime=5_000),)


def progress(
    given: Deployment, sets: list[ReplicaSet], now: int = 9_000, new: ReplicaSet | None = NEW
) -> Condition | None:
    return condition(rollout_status(given, sets, new, now).conditions, "Progressing")


CREATED = replace(created("new"), lastTransitionTime=1_000, lastUpdateTime=1_000)
UPDATED = Condition(
    "Progressing", "True", "ReplicaSetUpdated", 'ReplicaSet "new" is progressing.', lastTransitionTime=1_000
)

STUCK = deployment(conditions=(CREATED,), seen=3, updatedReplicas=2, readyReplicas=2, availableReplicas=2)


def test_progress_renews_the_time_even_with_the_same_reason() -> None:
    before = deployment(conditions=(replace(UPDATED, lastUpdateTime=2_000),))
    assert progress(before, [OLD, NEW]) == replace(UPDATED, lastUpdateTime=9_000)


def test_without_progress_nothing_changes() -> None:
    assert progress(STUCK, [OLD, NEW]) == CREATED


def test_completion_and_what_comes_after_it() -> None:
    done = sized("new", 3, replicas=3, readyReplicas=3, availableReplicas=3)
    row = progress(deployment(conditions=(CREATED,)), [done], new=done)
    assert row == Condition(
        "Progressing",
        "True",
        "NewReplicaSetAvailable",
        'ReplicaSet "new" has successfully progressed.',
        lastTransitionTime=1_000,
        lastUpdateTime=9_000,
    )
    # A pod that dies later is no progress and no failure of the rollout.
    broken = sized("new", 3, replicas=3, readyReplicas=2, availableReplicas=2)
    assert progress(deployment(conditions=(row,)), [broken], now=999_000_000, new=broken) == row


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        pytest.param(601_000, "NewReplicaSetCreated", id="exactly at the deadline"),
        pytest.param(601_001, "ProgressDeadlineExceeded", id="just after it"),
    ],
)
def test_the_deadline(now: int, reason: str) -> None:
    row = progress(STUCK, [OLD, NEW], now=now)
    assert row is not None
    assert row.reason == reason
    if reason == "ProgressDeadlineExceeded":
        assert (row.status, row.message) == ("False", 'ReplicaSet "new" has timed out progressing.')


def test_when_the_deadline_is() -> None:
    assert deadline(deployment(), (CREATED,)) == 601_000
    assert deadline(deployment(limit=2**31 - 1), (CREATED,)) is None
    assert deadline(deployment(), ()) is None
    assert deadline(deployment(), (replace(CREATED, reason="NewReplicaSetAvailable"),)) is None


def test_without_a_deadline_there_is_no_progressing_condition() -> None:
    assert progress(deployment(conditions=(CREATED,), limit=2**31 - 1), [OLD, NEW]) is None


def test_a_failure_of_the_new_replica_set_is_repeated() -> None:
    failed = Condition("ReplicaFailure", "True", "FailedCreate", "quota", lastTransitionTime=1_000)
    status = rollout_status(deployment(), [OLD, sized("new", 3, conditions=(failed,))], None, 9_000)
    assert condition(status.conditions, "ReplicaFailure") == replace(
        failed, lastTransitionTime=9_000, lastUpdateTime=9_000
    )
    again = rollout_status(deployment(conditions=status.conditions), [OLD, NEW], NEW, 9_500)
    assert condition(again.conditions, "ReplicaFailure") is None


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        pytest.param({"updatedReplicas": 3, "replicas": 3, "availableReplicas": 3}, True, id="complete"),
        pytest.param({"updatedReplicas": 3, "replicas": 4, "availableReplicas": 3}, False, id="old ones left"),
        pytest.param({"updatedReplicas": 3, "replicas": 3, "availableReplicas": 2}, False, id="one not available"),
        pytest.param({"updatedReplicas": 2, "replicas": 3, "availableReplicas": 3}, False, id="one not new"),
    ],
)
def test_complete(status: dict[str, Any], expected: bool) -> None:
    assert complete(deployment(), DeploymentStatus(observedGeneration=2, **status)) is expected
    assert not complete(deployment(), DeploymentStatus(observedGeneration=1, **status))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param((2, 0, 0, 0), (2, 0, 0, 0), False, id="nothing moved"),
        pytest.param((2, 0, 0, 0), (2, 1, 0, 0), True, id="one more new"),
        pytest.param((4, 2, 2, 2), (3, 2, 2, 2), True, id="one fewer old"),
        pytest.param((3, 2, 2, 2), (3, 1, 2, 2), False, id="one fewer new"),
        pytest.param((3, 2, 1, 1), (3, 2, 2, 1), True, id="one more ready"),
        pytest.param((3, 2, 2, 1), (3, 2, 2, 2), True, id="one more available"),
    ],
)
def test_progressing(before: tuple[int, ...], after: tuple[int, ...], expected: bool) -> None:
    def status(numbers: tuple[int, ...]) -> DeploymentStatus:
        replicas, updated, ready, available = numbers
        return DeploymentStatus(
            replicas=replicas, updatedReplicas=updated, readyReplicas=ready, availableReplicas=available
        )

    assert progressing(replace(deployment(), status=status(before)), status(after)) is expected


def test_set_condition() -> None:
    first = set_condition((CREATED, Condition("Available", "True")), found("new"), 9_500)
    assert first == (
        Condition("Available", "True"),
        replace(found("new"), lastTransitionTime=1_000, lastUpdateTime=9_000),
    )
    assert set_condition(first, found("other"), 12_000) == first
    held = set_condition(first, paused(), 12_000)
    assert held[-1] == replace(paused(), lastTransitionTime=12_000, lastUpdateTime=12_000)
    assert set_condition(held, resumed(), 13_000)[-1].lastTransitionTime == 12_000
