from typing import Any

import pytest

from app.kube.grace import (
    LIVENESS,
    STARTUP,
    Deletion,
    api_delete_grace,
    container_grace,
    effective_grace,
    first_deadline,
    may_signal,
    prestop_limit,
    shortened_deadline,
    stop_timeout,
)
from app.kube.meta import ObjectMeta
from app.kube.pods import Container, Pod, PodSpec, PodStatus


def pod(node: str, phase: str, grace: int | None) -> Pod:
    spec = PodSpec(nodeName=node, terminationGracePeriodSeconds=grace)
    return Pod(metadata=ObjectMeta(name="web"), spec=spec, status=PodStatus(phase=phase))


@pytest.mark.parametrize(
    ("node", "phase", "spec", "requested", "grace"),
    [
        pytest.param("node-1", "Running", 45, None, 45, id="the pod's own"),
        pytest.param("node-1", "Running", None, None, 0, id="a pod without one goes at once"),
        pytest.param("node-1", "Running", 45, 5, 5, id="the request wins"),
        pytest.param("node-1", "Running", 45, 90, 90, id="also when it is longer"),
        pytest.param("node-1", "Running", 45, 0, 0, id="zero is immediate"),
        pytest.param("node-1", "Running", 45, -7, 1, id="negative means one second"),
        pytest.param("node-1", "Running", -1, None, 1, id="also in the pod"),
        pytest.param("", "Pending", 45, None, 0, id="unscheduled"),
        pytest.param("node-1", "Pending", 45, None, 45, id="scheduled and pending"),
        pytest.param("node-1", "Succeeded", 45, 30, 0, id="Succeeded"),
        pytest.param("node-1", "Failed", 45, -1, 0, id="Failed"),
    ],
)
def test_api_delete_grace(node: str, phase: str, spec: int | None, requested: int | None, grace: int) -> None:
    assert api_delete_grace(pod(node, phase, spec), requested) == grace


def test_the_first_deadline_keeps_whole_seconds() -> None:
    assert first_deadline(30, 1_999) == Deletion(31_000, 30)


@pytest.mark.parametrize(
    ("deletion", "requested", "now", "expected"),
    [
        pytest.param(Deletion(30_000, 30), 5, 4_065, Deletion(5_000, 5), id="counted from the first request"),
        pytest.param(Deletion(30_000, 30), None, 4_065, None, id="no grace given"),
        pytest.param(Deletion(30_000, 30), 30, 4_065, None, id="equal"),
        pytest.param(Deletion(30_000, 30), 60, 4_065, None, id="longer"),
        pytest.param(Deletion(30_000, 30), 3, 4_065, Deletion(4_000, 1), id="already over: now, and one second"),
        pytest.param(Deletion(30_000, 30), -1, 500, Deletion(1_000, 1), id="negative means one second"),
        pytest.param(Deletion(30_000, 30), 0, 8_721, Deletion(8_000, 0), id="the kubelet's final delete"),
        pytest.param(Deletion(5_000, 5), 0, 30_721, Deletion(30_000, 0), id="moves a past deadline forward to now"),
        pytest.param(Deletion(30_000, 30), 4, 4_000, Deletion(4_000, 4), id="exactly now is not before now"),
    ],
)
def test_shortened_deadline(deletion: Deletion, requested: int | None, now: int, expected: Deletion | None) -> None:
    assert shortened_deadline(deletion, requested, now) == expected


@pytest.mark.parametrize(
    ("spec", "deletion", "override", "earlier", "expected"),
    [
        pytest.param(30, None, None, 0, 30, id="spec"),
        pytest.param(30, 5, None, 0, 5, id="deletion"),
        pytest.param(30, 60, None, 0, 60, id="a longer deletion wins over the spec"),
        pytest.param(30, 5, 2, 0, 2, id="a shorter override"),
        pytest.param(30, 5, 9, 0, 5, id="a longer override is ignored"),
        pytest.param(30, 0, None, 0, 1, id="force delete: never below one"),
        pytest.param(30, 5, 0, 0, 1, id="override zero"),
        pytest.param(None, None, None, 0, 1, id="nothing known"),
        pytest.param(30, 10, None, 5, 5, id="never longer than before"),
        pytest.param(30, 2, None, 5, 2, id="but shorter"),
    ],
)
def test_effective_grace(
    spec: int | None, deletion: int | None, override: int | None, earlier: int, expected: int
) -> None:
    assert effective_grace(spec, deletion, override, earlier) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param((None, None, None, ""), 2, id="no grace anywhere"),
        pytest.param((None, 10, None, LIVENESS), 2, id="a probe's grace needs the pod's"),
        pytest.param((60, None, None, LIVENESS), 60, id="no probe grace"),
        pytest.param((60, 10, None, LIVENESS), 10, id="liveness, shorter"),
        pytest.param((10, 60, None, LIVENESS), 60, id="liveness, longer"),
        pytest.param((60, 10, 20, STARTUP), 20, id="startup"),
        pytest.param((60, 10, 20, ""), 60, id="another reason"),
        pytest.param((60, 10, 20, LIVENESS, 3), 3, id="a pod being deleted"),
        pytest.param((60, 0, None, LIVENESS), 0, id="zero is set"),
    ],
)
def test_container_grace(arguments: tuple[Any, ...], expected: int) -> None:
    assert container_grace(*arguments) == expected


@pytest.mark.parametrize(("grace", "limit"), [(30, 30_000), (1, 1_000), (0, 0), (-1, 0)])
def test_prestop_limit(grace: int, limit: int) -> None:
    assert prestop_limit(grace) == limit


@pytest.mark.parametrize(
    ("grace", "used", "seconds"),
    [
        pytest.param(30, (), 30, id="nothing used"),
        pytest.param(30, (25_000,), 5, id="preStop takes from the same budget"),
        pytest.param(30, (25_999,), 5, id="only whole seconds count"),
        pytest.param(30, (30_000,), 2, id="never below two"),
        pytest.param(1, (), 2, id="also for a short grace"),
        pytest.param(30, (1_900, 1_900), 28, id="each part is cut by itself"),
    ],
)
def test_stop_timeout(grace: int, used: tuple[int, ...], seconds: int) -> None:
    assert stop_timeout(grace, *used) == seconds


ORDERED = PodSpec(
    initContainers=(
        Container(name="s1", restartPolicy="Always"),
        Container(name="init"),
        Container(name="s2", restartPolicy="Always"),
        Container(name="s3", restartPolicy="Always"),
    ),
    containers=(Container(name="a"), Container(name="b")),
)


@pytest.mark.parametrize(
    ("name", "running", "gone_before", "expected"),
    [
        pytest.param("a", {"a", "b", "s1"}, set(), True, id="apps never wait"),
        pytest.param("init", {"a", "init"}, set(), True, id="nor do init containers"),
        pytest.param("s3", {"b", "s1", "s2", "s3"}, set(), False, id="a sidecar waits for every app"),
        pytest.param("s3", {"s1", "s2", "s3"}, set(), True, id="the last sidecar goes first"),
        pytest.param("s2", {"s1", "s2", "s3"}, set(), False, id="then the one before"),
        pytest.param("s1", {"s1", "s3"}, set(), False, id="a sidecar that died on its own changes nothing"),
        pytest.param("s1", {"s1", "s3"}, {"s2"}, True, id="one that never ran breaks the chain"),
        pytest.param("s1", {"s1"}, set(), True, id="the first sidecar goes last"),
    ],
)
def test_may_signal(name: str, running: set[str], gone_before: set[str], expected: bool) -> None:
    assert may_signal(name, ORDERED, running, gone_before) is expected
