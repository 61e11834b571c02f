"""The EndpointSlice controller's table."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.networking import (
    Endpoint,
    EndpointConditions,
    EndpointPort,
    EndpointSlice,
    ObjectReference,
    Service,
    ServicePort,
)
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.stringmap import StringMap
from app.loops.endpointslice import LOOP, _its_service, _selecting
from app.sim.acts import Create
from tests.loops.beliefs import decided, only, owner_of, pod, requested, seen, service, told, turn

KEY = Ref("Service", "default", "web")
WEB = service()
LABELS = StringMap(
    {
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }
)
PORTS = (EndpointPort(8080, "", "TCP"),)

FRESH, READY, UNREADY, GOING, FAILING = (
    (False, False, False),
    (True, True, False),
    (False, False, False),
    (False, True, True),
    (False, False, True),
)


def endpoint(number: int, conditions: tuple[bool, bool, bool]) -> Endpoint:
    name = f"web-{number}"
    target = ObjectReference("Pod", "default", name, f"uid-{name}")
    return Endpoint((f"10.244.1.{number}",), EndpointConditions(*conditions), target, "n1")


def listed(*endpoints: Endpoint, owner: Service = WEB) -> EndpointSlice:
    meta = ObjectMeta(name="web-abcde", namespace="default", labels=LABELS)
    return EndpointSlice(
        metadata=replace(meta, ownerReferences=(replace(owner_of(owner)[0], apiVersion="v1"),)),
        endpoints=endpoints,
        ports=PORTS if endpoints else (),
    )


def member(number: int, *, ready: int | None = 0, **more: Any) -> Pod:
    return pod(f"web-{number}", ready=ready, ip=f"10.244.1.{number}", **more)


def update(reason: str) -> str:
    return f"update-endpoints endpointslice/web-abcde {reason}"


TWO = [endpoint(1, READY), endpoint(2, READY)]


@pytest.mark.parametrize(
    ("believes", "acts", "moment"),
    [
        pytest.param([], [], "", id="nothing to do without a Service"),
        pytest.param([WEB, listed()], [], "", id="no pods, an empty slice"),
        pytest.param(
            [WEB], ["create-endpointslice endpointslice/ NewService"], "endpointslice-created", id="a new Service"
        ),
        pytest.param([WEB, listed(*TWO), member(1), member(2)], [], "", id="both listed as they are"),
        pytest.param([WEB, listed(), pod("web-1", phase="Pending", node="")], [], "", id="a pod without an address"),
        pytest.param(
            [WEB, listed(), member(1, ready=None)], [update("PodHasAddress")], "endpoint-added", id="a pod with one"
        ),
        pytest.param(
            [WEB, listed(endpoint(1, UNREADY)), member(1)],
            [update("PodReady")],
            "endpoint-ready",
            id="a pod turns ready",
        ),
        pytest.param(
            [WEB, listed(endpoint(1, READY)), member(1, ready=None)],
            [update("PodNotReady")],
            "endpoint-unready",
            id="a pod turns unready",
        ),
        pytest.param(
            [WEB, listed(*TWO), member(1, deleted=True), member(2)],
            [update("PodTerminating")],
            "endpoint-terminating",
            id="a pod that terminates stays, serving",
        ),
        pytest.param(
            [WEB, listed(endpoint(1, GOING), TWO[1]), member(1, deleted=True, phase="Succeeded"), member(2)],
            [update("PodEnded")],
            "endpoint-removed",
            id="it leaves when its phase is terminal",
        ),
        pytest.param(
            [WEB, listed(endpoint(1, GOING), TWO[1]), member(2)],
            [update("PodEnded")],
            "endpoint-removed",
            id="or when it is gone",
        ),
        pytest.param(
            [WEB, listed(*TWO), member(1, deleted=True), member(2), member(3, ready=None)],
            [update("PodTerminating")],
            "endpoint-terminating",
            id="of several changes the weightiest names the write",
        ),
        pytest.param([listed(*TWO)], [], "", id="the slice of a Service that is gone is not its business"),
        pytest.param(
            [service(selector=StringMap()), member(1)], [], "", id="a Service without a selector is people's own"
        ),
        pytest.param(
            [
                replace(
                    listed(),
                    metadata=ObjectMeta(
                        name="mine", namespace="default", labels=StringMap({"kubernetes.io/service-name": "web"})
                    ),
                )
            ],
            [],
            "",
            id="so is a slice that it does not manage",
        ),
        pytest.param(
            [WEB, listed(), pod("stranger", ip="10.244.1.9", labels={"app": "db"}, ready=0)],
            [],
            "",
            id="a pod with other labels",
        ),
    ],
)
def test_turn(believes: list[Object], acts: list[str], moment: str) -> None:
    made = decided(LOOP, turn(LOOP, KEY, *believes))
    assert told(made) == acts
    assert [getattr(act, "moment", "") for act in made] == ([moment] if acts else [])


@pytest.mark.parametrize(
    ("given", "conditions"),
    [
        pytest.param(member(1), READY, id="ready"),
        pytest.param(member(1, ready=None), FRESH, id="not ready"),
        pytest.param(member(1, deleted=True), GOING, id="terminating and serving"),
        pytest.param(member(1, ready=None, deleted=True), FAILING, id="terminating, probe fails"),
    ],
)
def test_conditions(given: Pod, conditions: tuple[bool, bool, bool]) -> None:
    wanted = requested(only(decided(LOOP, turn(LOOP, KEY, WEB, given))))
    assert wanted.endpoints == (endpoint(1, conditions),)
    assert wanted.ports == PORTS


def test_a_new_slice_is_empty_and_belongs_to_its_service() -> None:
    act = only(decided(LOOP, turn(LOOP, KEY, WEB)))
    assert isinstance(act.request, Create)
    made = requested(act)
    assert (made.metadata.generateName, made.metadata.labels) == ("web-", LABELS)
    assert (made.endpoints, made.ports) == ((), ())
    assert made.metadata.controller.uid == "uid-web"


def test_headless_slices_say_so() -> None:
    made = requested(only(decided(LOOP, turn(LOOP, KEY, service(clusterIP="None")))))
    assert "service.kubernetes.io/headless" in made.metadata.labels


def test_unready_pods_are_published_on_request() -> None:
    made = requested(
        only(decided(LOOP, turn(LOOP, KEY, service(publishNotReadyAddresses=True), member(1, ready=None))))
    )
    assert made.endpoints[0].conditions == EndpointConditions(ready=True, serving=False, terminating=False)


def test_a_changed_port_changes_the_slice() -> None:
    act = only(
        decided(LOOP, turn(LOOP, KEY, service(ports=(ServicePort(80, targetPort=9090),)), listed(TWO[0]), member(1)))
    )
    assert act.reason == "ServiceChanged"
    assert requested(act).ports == (EndpointPort(9090, "", "TCP"),)


def test_whom_a_pod_wakes() -> None:
    everything = service("all", selector=StringMap())
    assert [
        ref.name
        for ref in _selecting(seen(WEB, everything, service("db", selector=StringMap({"app": "db"}))), member(1))
    ] == ["web"]


def test_a_slice_wakes_its_service() -> None:
    assert _its_service(seen(), listed()) == [KEY]
