"""What `kubectl rollout status` prints, by the numbers in a workload's status."""

from __future__ import annotations

from typing import Any

import pytest

from app.kube.meta import Condition, ObjectMeta
from app.kube.rollout_report import Report, report
from app.kube.workloads import (
    DaemonSet,
    DaemonSetSpec,
    DaemonSetStatus,
    DaemonSetUpdateStrategy,
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    RollingUpdateStatefulSet,
    StatefulSet,
    StatefulSetSpec,
    StatefulSetStatus,
    StatefulSetUpdateStrategy,
)

FAILED = Condition("Progressing", "False", "ProgressDeadlineExceeded", "has timed out")


def deployment(wanted: int | None = 4, *, generation: int = 2, **status: int) -> Deployment:
    numbers: dict[str, Any] = {"observedGeneration": 2, **status}
    meta = ObjectMeta(name="web", namespace="default", generation=generation)
    return Deployment(meta, DeploymentSpec(replicas=wanted), DeploymentStatus(**numbers))


@pytest.mark.parametrize(
    ("held", "text"),
    [
        (deployment(generation=3), "Waiting for deployment spec update to be observed..."),
        (
            deployment(updatedReplicas=2, replicas=5, availableReplicas=3),
            'Waiting for deployment "web" rollout to finish: 2 out of 4 new replicas have been updated...',
        ),
        (
            deployment(updatedReplicas=4, replicas=5, availableReplicas=4),
            'Waiting for deployment "web" rollout to finish: 1 old replicas are pending termination...',
        ),
        (
            deployment(updatedReplicas=4, replicas=4, availableReplicas=3),
            'Waiting for deployment "web" rollout to finish: 3 of 4 updated replicas are available...',
        ),
    ],
)
def test_it_waits_for_the_first_of_these(held: Deployment, text: str) -> None:
    assert report(held) == Report(text)


def test_it_ends_when_all_are_new_and_available() -> None:
    held = deployment(updatedReplicas=4, replicas=4, availableReplicas=4)
    assert report(held) == Report('deployment "web" successfully rolled out', over=True)
    assert report(deployment(0)).over


def test_a_deadline_that_was_exceeded_ends_it_as_failed() -> None:
    meta = ObjectMeta(name="web", namespace="default", generation=2)
    status = DeploymentStatus(observedGeneration=2, replicas=4, updatedReplicas=4, conditions=(FAILED,))
    text = 'error: deployment "web" exceeded its progress deadline'
    assert report(Deployment(meta, DeploymentSpec(replicas=4), status)) == Report(text, over=True, failed=True)


def test_the_condition_of_an_earlier_spec_does_not_count() -> None:
    meta = ObjectMeta(name="web", namespace="default", generation=3)
    status = DeploymentStatus(observedGeneration=2, conditions=(FAILED,))
    assert not report(Deployment(meta, DeploymentSpec(replicas=4), status)).over


def daemons(strategy: str = "RollingUpdate", generation: int = 2, **status: int) -> DaemonSet:
    counts = {"currentNumberScheduled": 3, "numberMisscheduled": 0, "desiredNumberScheduled": 3, "numberReady": 3}
    meta = ObjectMeta(name="agent", namespace="default", generation=generation)
    spec = DaemonSetSpec(updateStrategy=DaemonSetUpdateStrategy(strategy))
    return DaemonSet(meta, spec, DaemonSetStatus(**counts, observedGeneration=2, **status))


def stateful(strategy: StatefulSetUpdateStrategy, generation: int = 2, **status: Any) -> StatefulSet:
    meta = ObjectMeta(name="db", namespace="default", generation=generation)
    given = {"observedGeneration": 2, "replicas": 3, "readyReplicas": 3, "currentReplicas": 3} | status
    return StatefulSet(meta, StatefulSetSpec(replicas=3, updateStrategy=strategy), StatefulSetStatus(**given))


ALONE = StatefulSetUpdateStrategy("RollingUpdate")
WHOLE = StatefulSetUpdateStrategy("RollingUpdate", RollingUpdateStatefulSet(0))
PARTED = StatefulSetUpdateStrategy("RollingUpdate", RollingUpdateStatefulSet(1))
ONLY_ROLLING = "error: rollout status is only available for RollingUpdate strategy type"


@pytest.mark.parametrize(
    ("held", "text", "over"),
    [
        (daemons(generation=3), "Waiting for daemon set spec update to be observed...", False),
        (
            daemons(updatedNumberScheduled=1, numberAvailable=3),
            'Waiting for daemon set "agent" rollout to finish: 1 out of 3 new pods have been updated...',
            False,
        ),
        (
            daemons(updatedNumberScheduled=3, numberAvailable=2),
            'Waiting for daemon set "agent" rollout to finish: 2 of 3 updated pods are available...',
            False,
        ),
        (daemons(updatedNumberScheduled=3, numberAvailable=3), 'daemon set "agent" successfully rolled out', True),
        (daemons("OnDelete"), ONLY_ROLLING, True),
        (stateful(WHOLE, generation=3), "Waiting for statefulset spec update to be observed...", False),
        (stateful(WHOLE, observedGeneration=0), "Waiting for statefulset spec update to be observed...", False),
        (stateful(WHOLE, readyReplicas=1), "Waiting for 2 pods to be ready...", False),
        (
            stateful(PARTED, updatedReplicas=1),
            "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...",
            False,
        ),
        (
            stateful(PARTED, updatedReplicas=2),
            "partitioned roll out complete: 2 new pods have been updated...",
            True,
        ),
        (stateful(WHOLE, updatedReplicas=3), "partitioned roll out complete: 3 new pods have been updated...", True),
        (
            stateful(ALONE, updatedReplicas=1, currentRevision="db-1", updateRevision="db-2"),
            "waiting for statefulset rolling update to complete 1 pods at revision db-2...",
            False,
        ),
        (
            stateful(ALONE, updatedReplicas=3, currentRevision="db-2", updateRevision="db-2"),
            "statefulset rolling update complete 3 pods at revision db-2...",
            True,
        ),
        (stateful(StatefulSetUpdateStrategy("OnDelete")), ONLY_ROLLING, True),
    ],
)
def test_of_other_workloads(held: DaemonSet | StatefulSet, text: str, over: bool) -> None:
    assert report(held) == Report(text, over, failed=text == ONLY_ROLLING)
