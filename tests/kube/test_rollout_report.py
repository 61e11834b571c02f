"""What `kubectl rollout status` prints, by the numbers in a Deployment's status."""

from __future__ import annotations

from typing import Any

import pytest

from app.kube.meta import Condition, ObjectMeta
from app.kube.rollout_report import Report, report
from app.kube.workloads import Deployment, DeploymentSpec, DeploymentStatus

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
