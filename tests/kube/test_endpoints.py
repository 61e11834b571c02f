from collections.abc import Mapping
from typing import Any

import pytest

from app.kube.endpoints import (
    Policies,
    backends,
    endpoint_conditions,
    endpoint_ports,
    pod_endpoint,
    should_be_in_slice,
    usable,
)
from app.kube.meta import Condition, ObjectMeta
from app.kube.networking import (
    Endpoint,
    EndpointConditions,
    EndpointHints,
    EndpointPort,
    HintedPlace,
    ObjectReference,
    ServicePort,
    ServiceSpec,
)
from app.kube.pods import Container, ContainerPort, Pod, PodSpec, PodStatus


def pod(phase: str = "Running", ip: str = "10.0.0.1", *, ready: bool = True, deleted: int | None = None) -> Pod:
    return Pod(
        metadata=ObjectMeta(name="web-1", namespace="default", uid="u-1", deletionTimestamp=deleted),
        spec=PodSpec(nodeName="node-1"),
        status=PodStatus(
            phase=phase, podIP=ip, conditions=(Condition(type="Ready", status="True" if ready else "False"),)
        ),
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(pod(), True, id="running"),
        pytest.param(pod("Pending"), True, id="pending with an address"),
        pytest.param(pod(ip=""), False, id="no address"),
        pytest.param(pod(deleted=30_000), True, id="terminating"),
        pytest.param(pod("Succeeded"), False, id="succeeded"),
        pytest.param(pod("Failed"), False, id="failed"),
    ],
)
def test_should_be_in_slice(given: Pod, expected: bool) -> None:
    assert should_be_in_slice(given) is expected


@pytest.mark.parametrize(
    ("ready", "terminating", "publish", "expected"),
    [
        pytest.param(True, False, False, EndpointConditions(True, True, False), id="ready"),
        pytest.param(False, False, False, EndpointConditions(False, False, False), id="not ready"),
        pytest.param(True, True, False, EndpointConditions(False, True, True), id="terminating, still serving"),
        pytest.param(False, True, False, EndpointConditions(False, False, True), id="terminating, not serving"),
        pytest.param(False, False, True, EndpointConditions(True, False, False), id="published anyway"),
        pytest.param(False, True, True, EndpointConditions(True, False, True), id="published while terminating"),
    ],
)
def test_endpoint_conditions(ready: bool, terminating: bool, publish: bool, expected: EndpointConditions) -> None:
    assert endpoint_conditions(ready=ready, terminating=terminating, publish_not_ready=publish) == expected


def test_the_entry_of_a_pod() -> None:
    assert pod_endpoint(pod(deleted=30_000), ServiceSpec()) == Endpoint(
        addresses=("10.0.0.1",),
        conditions=EndpointConditions(False, True, True),
        targetRef=ObjectReference("Pod", "default", "web-1", "u-1"),
        nodeName="node-1",
    )


def test_named_ports_are_looked_up_in_the_pod() -> None:
    opened = PodSpec(
        initContainers=(
            Container(name="side", restartPolicy="Always", ports=(ContainerPort(9090, name="metrics"),)),
            Container(name="init", ports=(ContainerPort(7070, name="lost"),)),
        ),
        containers=(Container(name="web", ports=(ContainerPort(8080, name="http"),)),),
    )
    service = ServiceSpec(
        ports=(
            ServicePort(port=80, name="a", targetPort="http"),
            ServicePort(port=81, name="b", targetPort="metrics"),
            ServicePort(port=82, name="c", targetPort="lost"),
            ServicePort(port=83, name="d", targetPort="http", protocol="UDP"),
            ServicePort(port=84, name="e", targetPort=8084),
            ServicePort(port=85, name="f"),
        )
    )
    assert endpoint_ports(service, opened) == (
        EndpointPort(port=8080, name="a"),
        EndpointPort(port=9090, name="b"),
        EndpointPort(port=8084, name="e"),
        EndpointPort(port=85, name="f"),
    )


HERE = "node-1"
READY = {"ready": True, "serving": True, "terminating": False}
LEAVING = {"ready": False, "serving": True, "terminating": True}
BROKEN = {"ready": False, "serving": False, "terminating": True}
UNREADY = {"ready": False, "serving": False, "terminating": False}


def endpoint(name: str, conditions: Mapping[str, bool], node: str = "node-2", **hints: Any) -> Endpoint:
    places = EndpointHints(**{key: tuple(map(HintedPlace, value)) for key, value in hints.items()}) if hints else None
    return Endpoint(addresses=(name,), conditions=EndpointConditions(**conditions), nodeName=node, hints=places)


def names(rows: tuple[Endpoint, ...] | None) -> str | None:
    return None if rows is None else " ".join(row.addresses[0] for row in rows)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param([endpoint("a", READY), endpoint("b", LEAVING)], "a", id="ready ones only"),
        pytest.param([endpoint("a", UNREADY), endpoint("b", LEAVING)], "b", id="else those that leave and serve"),
        pytest.param([endpoint("a", BROKEN), endpoint("b", UNREADY)], "", id="else none"),
        pytest.param([endpoint("a", {})], "a", id="unset means ready"),
        pytest.param([endpoint("a", {"ready": False, "terminating": True})], "a", id="unset means serving"),
        pytest.param([endpoint("a", {"ready": False})], "", id="unset means not terminating"),
    ],
)
def test_usable(given: list[Endpoint], expected: str) -> None:
    assert names(usable(given)) == expected


MIXED = [
    endpoint("a", READY),
    endpoint("b", BROKEN, HERE),
    endpoint("c", LEAVING, HERE),
    endpoint("d", LEAVING),
]
REMOTE = [endpoint("a", READY), endpoint("b", READY)]
SPREAD = [endpoint("a", READY, HERE), endpoint("b", READY)]


@pytest.mark.parametrize(
    ("given", "policies", "cluster", "local", "reachable", "anywhere"),
    [
        pytest.param(SPREAD, Policies(), "a b", None, "a b", True, id="Cluster"),
        pytest.param(SPREAD, Policies(internal_local=True), None, "a", "a", True, id="internal Local"),
        pytest.param(REMOTE, Policies(internal_local=True), None, "", "", True, id="internal Local, all remote"),
        pytest.param([], Policies(internal_local=True), None, "", "", False, id="none at all"),
        pytest.param(
            SPREAD, Policies(internal_local=True, external=True), "a b", "a", "a b", True, id="Local in, Cluster out"
        ),
        pytest.param(
            SPREAD, Policies(external_local=True), "a b", None, "a b", True, id="no way in from outside: no Local"
        ),
        pytest.param(
            MIXED,
            Policies(external_local=True, external=True),
            "a",
            "c",
            "a c",
            True,
            id="each policy falls back by itself",
        ),
        pytest.param([endpoint("a", BROKEN)], Policies(), "", None, "", False, id="terminating and not serving"),
    ],
)
def test_backends(  # noqa: PLR0917 - a row of the table
    given: list[Endpoint],
    policies: Policies,
    cluster: str | None,
    local: str | None,
    reachable: str,
    anywhere: bool,
) -> None:
    found = backends(given, HERE, policies)
    assert (names(found.cluster), names(found.local), names(found.reachable), found.anywhere) == (
        cluster,
        local,
        reachable,
        anywhere,
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            [endpoint("a", READY, forZones=["z1"]), endpoint("b", READY, forZones=["z2"])], "a", id="own zone"
        ),
        pytest.param([endpoint("a", READY, forZones=["z1"]), endpoint("b", READY)], "a b", id="one lacks a hint"),
        pytest.param(
            [endpoint("a", READY, forZones=["z2"]), endpoint("b", READY, forZones=["z3"])], "a b", id="none for here"
        ),
        pytest.param(
            [endpoint("a", READY, forZones=["z1"]), endpoint("b", LEAVING)], "a", id="only ready ones need hints"
        ),
        pytest.param(
            [
                endpoint("a", READY, forZones=["z1"], forNodes=["node-2"]),
                endpoint("b", READY, forZones=["z1"], forNodes=[HERE]),
            ],
            "b",
            id="own node first",
        ),
        pytest.param([endpoint("a", UNREADY, forZones=["z1"]), endpoint("b", LEAVING)], "b", id="no ready one"),
    ],
)
def test_hints(given: list[Endpoint], expected: str) -> None:
    assert names(backends(given, HERE, Policies(), zone="z1").cluster) == expected
