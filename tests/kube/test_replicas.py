from collections.abc import Iterator
from typing import Any

import pytest

from app.kube.meta import Condition, ObjectMeta
from app.kube.pods import Container, ContainerStatus, Pod, PodSpec, PodStatus, PodTemplateSpec
from app.kube.replicas import (
    SlowStart,
    available_at,
    batches,
    counted,
    deletion_cost,
    is_active,
    is_available,
    is_terminating,
    missing,
    slow_start,
    victims,
)
from app.kube.stringmap import EMPTY, StringMap
from app.kube.workloads import ReplicaSet, ReplicaSetSpec, ReplicaSetStatus


def pod(name: str = "a", phase: str = "Running", node: str = "node-1", **fields: Any) -> Pod:
    ready = fields.pop("ready", None)
    conditions = () if ready is None else (Condition("Ready", "True", lastTransitionTime=ready),)
    meta = ObjectMeta(
        name=name,
        uid=fields.pop("uid", name),
        creationTimestamp=fields.pop("made", 0),
        deletionTimestamp=fields.pop("deleted", None),
        annotations=StringMap({"controller.kubernetes.io/pod-deletion-cost": fields.pop("cost", "")}),
        labels=fields.pop("labels", EMPTY),
    )
    restarts = ContainerStatus(name="app", restartCount=fields.pop("restarts", 0))
    side = ContainerStatus(name="side", restartCount=fields.pop("side_restarts", 0))
    spec = PodSpec(nodeName=node, initContainers=(Container(name="side", restartPolicy="Always"),))
    status = PodStatus(phase=phase, conditions=conditions, containerStatuses=(restarts,), initContainerStatuses=(side,))
    assert not fields
    return Pod(metadata=meta, spec=spec, status=status)


@pytest.mark.parametrize(
    ("given", "active", "terminating"),
    [
        (pod(), True, False),
        (pod(phase="Pending"), True, False),
        (pod(deleted=30_000), False, True),
        (pod(phase="Failed"), False, False),
        (pod(phase="Succeeded", deleted=30_000), False, False),
    ],
)
def test_which_pods_count(given: Pod, active: bool, terminating: bool) -> None:
    assert (is_active(given), is_terminating(given)) == (active, terminating)


@pytest.mark.parametrize(
    ("given", "seconds", "now", "expected"),
    [
        pytest.param(pod(), 0, 10_000, False, id="not ready"),
        pytest.param(pod(ready=1_000), 0, 1_000, True, id="ready, no wait"),
        pytest.param(pod(ready=-5_000), 0, -4_000, True, id="before t = 0"),
        pytest.param(pod(ready=1_000), 5, 5_999, False, id="too soon"),
        pytest.param(pod(ready=1_000), 5, 6_000, True, id="in time"),
    ],
)
def test_availability(given: Pod, seconds: int, now: int, expected: bool) -> None:
    assert is_available(given, seconds, now) is expected


def test_when_a_pod_becomes_available() -> None:
    assert available_at(pod(ready=1_000), 5) == 6_000
    assert available_at(pod(), 5) is None


@pytest.mark.parametrize(("wanted", "active", "expected"), [(3, 1, 2), (3, 3, 0), (3, 5, -2), (900, 0, 500)])
def test_missing(wanted: int, active: int, expected: int) -> None:
    owner = ReplicaSet(metadata=ObjectMeta(name="web"), spec=ReplicaSetSpec(replicas=wanted))
    assert missing(owner, active) == expected


@pytest.mark.parametrize(
    ("count", "expected"), [(0, []), (1, [1]), (3, [1, 2]), (10, [1, 2, 4, 3]), (20, [1, 2, 4, 8, 5])]
)
def test_batches(count: int, expected: list[int]) -> None:
    assert list(batches(count)) == expected


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        pytest.param(0, SlowStart(0, 1, failed=True), id="the first fails"),
        pytest.param(5, SlowStart(5, 7, failed=True), id="some of the third batch fail"),
        pytest.param(7, SlowStart(7, 10, failed=True), id="the fourth batch fails"),
        pytest.param(10, SlowStart(10, 10, failed=False), id="all succeed"),
    ],
)
def test_slow_start(first: int, expected: SlowStart) -> None:
    answers: Iterator[bool] = iter([True] * first + [False] * 10)
    assert slow_start(10, lambda: next(answers)) == expected


NOW = 10_000_000


@pytest.mark.parametrize(
    ("goes", "stays"),
    [
        pytest.param(pod("a", node=""), pod("b", phase="Pending"), id="unassigned"),
        pytest.param(pod("a", "Pending"), pod("b"), id="pending before running"),
        pytest.param(pod("a", "Unknown"), pod("b"), id="unknown before running"),
        pytest.param(pod("a"), pod("b", ready=0), id="not ready"),
        pytest.param(pod("a", ready=0, cost="-5"), pod("b", ready=9_000_000), id="lower deletion cost"),
        pytest.param(pod("a", ready=9_990_000), pod("b", ready=0), id="ready for less time"),
        pytest.param(pod("a", ready=0, restarts=2), pod("b", ready=0, restarts=1), id="more restarts"),
        pytest.param(pod("a", ready=0, side_restarts=2), pod("b", ready=0), id="more restarts of sidecars"),
        pytest.param(pod("a", ready=0, made=9_990_000), pod("b", ready=0, made=0), id="younger"),
        pytest.param(
            pod("a", ready=0, made=1_000, uid="1"), pod("b", ready=0, made=2_000, uid="2"), id="about one age: by uid"
        ),
    ],
)
def test_victims(goes: Pod, stays: Pod) -> None:
    assert victims([stays, goes], [stays, goes], 1, NOW) == (goes,)
    assert victims([goes, stays], [goes, stays], 1, NOW) == (goes,)


def test_a_pod_with_more_related_neighbours_goes_first() -> None:
    crowded, alone = pod("a", ready=0), pod("b", node="node-2", ready=9_990_000)
    related = [crowded, alone, pod("c", ready=0)]
    assert victims([alone, crowded], related, 1, NOW) == (crowded,)


def test_all_go_if_all_must() -> None:
    pods = [pod("a"), pod("b")]
    assert victims(pods, pods, 2, NOW) == tuple(pods)


@pytest.mark.parametrize(("text", "expected"), [("", 0), ("7", 7), ("-7", -7), ("+7", 0), ("007", 0), ("x", 0)])
def test_deletion_cost(text: str, expected: int) -> None:
    assert deletion_cost(pod(cost=text)) == expected


def test_the_status() -> None:
    labels = StringMap({"app": "web"})
    template = PodTemplateSpec(metadata=ObjectMeta(labels=labels))
    owner = ReplicaSet(
        metadata=ObjectMeta(name="web", generation=3),
        spec=ReplicaSetSpec(replicas=4, template=template, minReadySeconds=5),
    )
    active = [pod("a", ready=0, labels=labels), pod("b", ready=8_000), pod("c")]
    assert counted(owner, active, 1, 10_500) == ReplicaSetStatus(
        replicas=3,
        fullyLabeledReplicas=1,
        readyReplicas=2,
        availableReplicas=1,
        terminatingReplicas=1,
        observedGeneration=3,
    )


@pytest.mark.parametrize(("wanted", "reason"), [(2, "FailedCreate"), (0, "FailedDelete")])
def test_a_failure_is_reported_once_and_taken_back(wanted: int, reason: str) -> None:
    owner = ReplicaSet(metadata=ObjectMeta(name="web"), spec=ReplicaSetSpec(replicas=wanted))
    failed = counted(owner, [pod()], 0, 10_500, failure="quota")
    expected = Condition("ReplicaFailure", "True", reason, "quota", lastTransitionTime=10_000)
    assert failed.conditions == (expected,)
    owner = ReplicaSet(metadata=owner.metadata, spec=owner.spec, status=failed)
    assert counted(owner, [pod()], 0, 12_000, failure="another").conditions == (expected,)
    assert counted(owner, [pod()], 0, 12_000).conditions == ()
