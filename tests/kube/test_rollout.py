from typing import Any

import pytest

from app.kube.meta import ObjectMeta
from app.kube.rollout import (
    Scaling,
    cleanup_unhealthy,
    fenceposts,
    max_surge,
    max_unavailable,
    new_replicas,
    replica_annotations,
    resolved,
    scale_down_available,
    scale_new,
    scale_old,
    scale_old_to_zero,
)
from app.kube.workloads import (
    Deployment,
    DeploymentSpec,
    DeploymentStrategy,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
    RollingUpdateDeployment,
)


def deployment(
    replicas: int, surge: int | str | None = 0, unavailable: int | str | None = 0, type_: str = "RollingUpdate"
) -> Deployment:
    strategy = DeploymentStrategy(type=type_, rollingUpdate=RollingUpdateDeployment(surge, unavailable))
    return Deployment(metadata=ObjectMeta(name="web"), spec=DeploymentSpec(replicas=replicas, strategy=strategy))


def sized(name: str, replicas: int, available: int = 0, made: int = 0) -> ReplicaSet:
    return ReplicaSet(
        metadata=ObjectMeta(name=name, creationTimestamp=made),
        spec=ReplicaSetSpec(replicas=replicas),
        status=ReplicaSetStatus(availableReplicas=available),
    )


@pytest.mark.parametrize(
    ("value", "total", "round_up", "expected"),
    [
        (3, 100, True, 3),
        ("0%", 10, True, 0),
        ("90%", 95, True, 86),
        ("90%", 95, False, 85),
        ("25%", 4, True, 1),
        ("25%", 4, False, 1),
        ("100%", 7, False, 7),
        ("150%", 3, False, 4),
    ],
)
def test_resolved(value: int | str, total: int, round_up: bool, expected: int) -> None:
    assert resolved(value, total, round_up=round_up) == expected


@pytest.mark.parametrize("value", ["", "25", "25 %", "x%", "2.5%"])
def test_other_texts_are_no_percentages(value: str) -> None:
    with pytest.raises(ValueError, match="a percentage such as 25%"):
        resolved(value, 4, round_up=True)


@pytest.mark.parametrize(
    ("surge", "unavailable", "replicas", "expected"),
    [
        ("0%", "0%", 0, (0, 1)),
        ("39%", "39%", 10, (4, 3)),
        ("1%", "1%", 10, (1, 0)),
        (2, 1, 10, (2, 1)),
        (0, "5%", 10, (0, 1)),
        (None, None, 10, (0, 1)),
        (1, 0, 10, (1, 0)),
    ],
)
def test_fenceposts(surge: Any, unavailable: Any, replicas: int, expected: tuple[int, int]) -> None:
    assert fenceposts(surge, unavailable, replicas) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(deployment(10, 0, 5), 5, id="less than replicas"),
        pytest.param(deployment(10, 0, 10), 10, id="equal"),
        pytest.param(deployment(5, 0, 10), 5, id="more is capped"),
        pytest.param(deployment(0, 0, 10), 0, id="no replicas"),
        pytest.param(deployment(10, 0, "50%"), 5, id="percentage"),
        pytest.param(deployment(3, "25%", "25%"), 0, id="rounds down"),
        pytest.param(deployment(10, type_="Recreate"), 0, id="Recreate"),
    ],
)
def test_max_unavailable(given: Deployment, expected: int) -> None:
    assert max_unavailable(given) == expected


def test_max_surge_and_what_is_noted_of_it() -> None:
    assert max_surge(deployment(3, "25%", "25%")) == 1
    assert max_surge(deployment(3, type_="Recreate")) == 0
    assert replica_annotations(deployment(3, "25%", "25%")) == {
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
    }


@pytest.mark.parametrize(
    ("replicas", "surge", "old", "new", "expected"),
    [
        pytest.param(10, 0, 10, 0, None, id="no room"),
        pytest.param(10, 2, 10, 0, 2, id="the surge"),
        pytest.param(10, 2, 5, 0, 7, id="surge and what is missing"),
        pytest.param(10, 2, 10, 2, None, id="surge used up"),
        pytest.param(10, 2, 2, 11, 10, id="too many"),
        pytest.param(10, 20, 5, 3, 10, id="never more than wanted"),
        pytest.param(4, "25%", 4, 0, 1, id="percentages round up"),
    ],
)
def test_the_new_replica_set(replicas: int, surge: int | str, old: int, new: int, expected: int | None) -> None:
    step = scale_new(deployment(replicas, surge), sized("new", new), [sized("old", old)])
    assert (step and step.after) == expected
    if expected is not None:
        assert step == Scaling("new", new, expected)


def test_recreate_makes_all_at_once() -> None:
    assert new_replicas(deployment(5, type_="Recreate"), [], 0) == 5
    assert scale_old_to_zero([sized("a", 2), sized("b", 0)]) == (Scaling("a", 2, 0),)


@pytest.mark.parametrize(
    ("unavailable", "old", "new", "steps"),
    [
        pytest.param(0, (10, 10), (0, 0), [(10, 9)], id="at least one may always go"),
        pytest.param(2, (10, 10), (0, 0), [(10, 8)], id="down to the least available"),
        pytest.param(2, (10, 8), (0, 0), [(10, 8)], id="unhealthy ones go"),
        pytest.param(2, (10, 9), (0, 0), [(10, 9), (9, 8)], id="unhealthy ones first, each kind its own write"),
        pytest.param(2, (8, 8), (2, 0), [], id="new ones that are not available count against it"),
        pytest.param(2, (10, 1), (0, 0), [(10, 8)], id="never more than the new ones need"),
        pytest.param(2, (0, 0), (10, 10), [], id="nothing left"),
        pytest.param(2, (8, 9), (2, 2), [], id="a status from before the last scaling"),
    ],
)
def test_old_replica_sets(
    unavailable: int, old: tuple[int, int], new: tuple[int, int], steps: list[tuple[int, int]]
) -> None:
    found = scale_old(deployment(10, 0, unavailable), sized("new", *new), [sized("old", *old)])
    assert found == tuple(Scaling("old", *step) for step in steps)


def test_the_oldest_goes_first() -> None:
    sets = [sized("b", 2, 2, made=2_000), sized("a", 3, 3, made=2_000), sized("c", 2, 2, made=1_000)]
    found = scale_old(deployment(7, 0, 4), sized("new", 0), sets)
    assert found == (Scaling("c", 2, 0), Scaling("a", 3, 1))


@pytest.mark.parametrize(("available", "most", "expected"), [(8, 1, 1), (8, 3, 2), (8, 0, 0), (10, 3, 0)])
def test_cleanup_unhealthy(available: int, most: int, expected: int) -> None:
    steps = cleanup_unhealthy([sized("old", 10, available)], most)
    assert sum(step.before - step.after for step in steps) == expected


@pytest.mark.parametrize(
    ("unavailable", "available", "replicas", "expected"),
    [(0, 10, 10, 9), (2, 10, 10, 8), (2, 8, 10, None), (2, 10, 0, None), (2, 1, 10, None)],
)
def test_scale_down_available(unavailable: int, available: int, replicas: int, expected: int | None) -> None:
    old = [sized("old", replicas, available)]
    steps = scale_down_available(deployment(10, 0, unavailable), old, old)
    assert [step.after for step in steps] == ([] if expected is None else [expected])


def test_the_event_of_a_scaling() -> None:
    assert Scaling("web-1", 0, 3).message == "Scaled up replica set web-1 from 0 to 3"
    assert Scaling("web-1", 3, 2).message == "Scaled down replica set web-1 from 3 to 2"
