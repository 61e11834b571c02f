"""What kubectl wait asks for, by kind, and when it has come."""

from __future__ import annotations

import pytest

from app.kube.meta import Condition, ObjectMeta
from app.kube.objects import Object
from app.kube.pods import Pod, PodSpec, PodStatus
from app.kube.waiting import condition_for, met
from app.kube.workloads import (
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    StatefulSet,
    StatefulSetSpec,
    StatefulSetStatus,
)

META = ObjectMeta(name="web", namespace="default", generation=2)


def deployment(available: str, observed: int = 2) -> Deployment:
    conditions = (Condition("Available", available),) if available else ()
    return Deployment(META, DeploymentSpec(), DeploymentStatus(observedGeneration=observed, conditions=conditions))


def stateful_set(ready: int) -> StatefulSet:
    return StatefulSet(META, StatefulSetSpec(replicas=3), StatefulSetStatus(readyReplicas=ready))


def pod(ready: str) -> Pod:
    return Pod(META, PodSpec(), PodStatus(conditions=(Condition("Ready", ready),)))


@pytest.mark.parametrize(
    ("obj", "there"),
    [
        pytest.param(deployment("True"), True, id="an available Deployment"),
        pytest.param(deployment("False"), False, id="one that is not"),
        pytest.param(deployment(""), False, id="one of which nothing is said yet"),
        pytest.param(deployment("True", observed=1), False, id="one whose newest spec nobody has looked at"),
        pytest.param(pod("True"), True, id="a Ready pod"),
        pytest.param(pod("False"), False, id="an unready one"),
        pytest.param(stateful_set(3), True, id="a StatefulSet with all replicas ready"),
        pytest.param(stateful_set(2), False, id="one that lacks one"),
    ],
)
def test_a_condition_holds(obj: Object, *, there: bool) -> None:
    assert met(obj) is there


@pytest.mark.parametrize(
    ("kind", "held", "asked"),
    [
        ("Deployment", None, "condition=Available"),
        ("Pod", None, "condition=Ready"),
        ("StatefulSet", stateful_set(0), "jsonpath={.status.readyReplicas}=3"),
        ("StatefulSet", None, "jsonpath={.status.readyReplicas}=1"),
    ],
)
def test_each_kind_is_asked_for_what_it_has(kind: str, held: Object | None, asked: str) -> None:
    assert condition_for(kind, held) == asked
