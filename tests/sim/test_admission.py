"""A pod's priority comes from its class when it is created."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta
from app.kube.pods import Container, Pod, PodSpec
from app.kube.priority import PriorityClass
from app.sim.admission import admitted
from app.sim.draft import Draft
from app.sim.index import Index, Stored
from app.sim.world import World


def named(name: str, value: int, policy: str = "", *, default: bool = False) -> PriorityClass:
    return PriorityClass(ObjectMeta(name=name), value, default, policy)


@pytest.mark.parametrize(
    ("classes", "spec", "priority", "policy"),
    [
        pytest.param([], {}, 0, "PreemptLowerPriority", id="none"),
        pytest.param(
            [named("high", 1000)], {"priorityClassName": "high"}, 1000, "PreemptLowerPriority", id="by its class"
        ),
        pytest.param([named("calm", 5, "Never")], {"priorityClassName": "calm"}, 5, "Never", id="with its policy"),
        pytest.param([named("high", 1000)], {}, 0, "PreemptLowerPriority", id="a class that nobody names"),
        pytest.param([named("usual", 7, default=True)], {}, 7, "PreemptLowerPriority", id="the default class"),
        pytest.param(
            [named("a", 7, default=True), named("b", 3, default=True)], {}, 3, "PreemptLowerPriority", id="the lowest"
        ),
        pytest.param(
            [], {"priorityClassName": "system-node-critical"}, 2_000_001_000, "PreemptLowerPriority", id="of the system"
        ),
        pytest.param([], {"priorityClassName": "unknown"}, 0, "PreemptLowerPriority", id="one that is not there"),
    ],
)
def test_priority(classes: list[PriorityClass], spec: dict[str, str], priority: int, policy: str) -> None:
    etcd = Index()
    for row in classes:
        etcd = etcd.put(Stored(1, row))
    pod = Pod(ObjectMeta(name="web", namespace="default"), PodSpec((Container("app", "a:1"),), **spec))  # type: ignore[arg-type]
    made = admitted(Draft(World(etcd=etcd)), pod)
    assert isinstance(made, Pod)
    assert (made.spec.priority, made.spec.preemptionPolicy) == (priority, policy)
    assert admitted(Draft(World(etcd=etcd)), made) == made
    assert admitted(Draft(World()), replace(pod, spec=replace(pod.spec, priority=9))).spec.priority == 9  # type: ignore[union-attr]
