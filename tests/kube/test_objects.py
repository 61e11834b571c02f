"""Kinds, and the names that errors give them."""

from __future__ import annotations

import pytest

from app.kube.objects import resource_of


@pytest.mark.parametrize(
    ("kind", "resource"),
    [
        ("Pod", "pods"),
        ("Deployment", "deployments.apps"),
        ("CronJob", "cronjobs.batch"),
        ("PodDisruptionBudget", "poddisruptionbudgets.policy"),
        ("PriorityClass", "priorityclasses.scheduling.k8s.io"),
        ("Process", "processes"),
    ],
)
def test_errors_name_the_resource_with_its_group(kind: str, resource: str) -> None:
    assert resource_of(kind) == resource
