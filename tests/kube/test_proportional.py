import pytest

from app.kube.meta import ObjectMeta
from app.kube.proportional import is_scaling_event, scale
from app.kube.rollout import DESIRED_REPLICAS, MAX_REPLICAS
from app.kube.stringmap import StringMap
from app.kube.workloads import (
    Deployment,
    DeploymentSpec,
    DeploymentStrategy,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
    RollingUpdateDeployment,
)


def deployment(replicas: int, surge: int | str = 0) -> Deployment:
    strategy = DeploymentStrategy(rollingUpdate=RollingUpdateDeployment(surge, 0))
    return Deployment(metadata=ObjectMeta(name="web"), spec=DeploymentSpec(replicas=replicas, strategy=strategy))


def sized(name: str, replicas: int, made: int, noted: int = 10, *, surge: int = 0, available: int = 0) -> ReplicaSet:
    notes = StringMap({DESIRED_REPLICAS: str(noted), MAX_REPLICAS: str(noted + surge)})
    return ReplicaSet(
        metadata=ObjectMeta(name=name, annotations=notes, creationTimestamp=made),
        spec=ReplicaSetSpec(replicas=replicas),
        status=ReplicaSetStatus(availableReplicas=available),
    )


def sizes(given: Deployment, new: ReplicaSet | None, *old: ReplicaSet) -> dict[str, int]:
    return {step.name: step.after for step in scale(given, new, old)}


@pytest.mark.parametrize(
    ("given", "new", "old", "expected"),
    [
        pytest.param(deployment(12), sized("v1", 10, 1), (), {"v1": 12}, id="one active set takes all"),
        pytest.param(deployment(10), sized("v1", 10, 1), (), {}, id="nothing to do"),
        pytest.param(deployment(5), sized("v2", 0, 2), (sized("v1", 10, 1),), {"v1": 5}, id="the old one, if active"),
        pytest.param(deployment(5), sized("v2", 0, 2), (sized("v1", 0, 1),), {"v2": 5}, id="none active: the new one"),
        pytest.param(deployment(5), None, (sized("v1", 0, 1), sized("v2", 0, 2)), {"v2": 5}, id="or the newest"),
        pytest.param(
            deployment(12), sized("v2", 5, 2), (sized("v1", 5, 1),), {"v2": 6, "v1": 6}, id="shares of equal sets"
        ),
        pytest.param(
            deployment(11), sized("v2", 5, 2), (sized("v1", 5, 1),), {"v2": 6, "v1": 5}, id="growing: the newer first"
        ),
        pytest.param(
            deployment(9), sized("v2", 5, 2), (sized("v1", 5, 1),), {"v2": 5, "v1": 4}, id="shrinking: the older first"
        ),
        pytest.param(
            deployment(5),
            sized("v3", 2, 3),
            (sized("v2", 3, 2), sized("v1", 5, 1)),
            {"v3": 1, "v2": 2, "v1": 2},
            id="the rest goes to the largest",
        ),
        pytest.param(
            deployment(0), sized("v2", 5, 2), (sized("v1", 5, 1),), {"v2": 0, "v1": 0}, id="to zero without surge"
        ),
        pytest.param(
            deployment(10),
            sized("v2", 10, 2, available=10),
            (sized("v1", 3, 1),),
            {"v1": 0},
            id="a saturated new set: old ones go",
        ),
    ],
)
def test_scale(
    given: Deployment, new: ReplicaSet | None, old: tuple[ReplicaSet, ...], expected: dict[str, int]
) -> None:
    assert sizes(given, new, *old) == expected


def test_the_surge_is_shared_too() -> None:
    """Upstream's example: 10 to 20 with a surge of 2 in the middle of a rollout."""
    new, old = sized("v2", 6, 2, surge=2), sized("v1", 6, 1, surge=2)
    assert sizes(deployment(20, 2), new, old) == {"v2": 11, "v1": 11}


def test_is_scaling_event() -> None:
    assert is_scaling_event(deployment(5), [sized("v1", 10, 1)])
    assert not is_scaling_event(deployment(10), [sized("v1", 10, 1)])
    assert not is_scaling_event(deployment(5), [sized("v1", 0, 1)])
    assert not is_scaling_event(deployment(5), [ReplicaSet(ObjectMeta(name="v1"), ReplicaSetSpec(replicas=1))])
