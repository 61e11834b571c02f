"""Names of Services: the search list of a pod, and what CoreDNS answers."""

from __future__ import annotations

import pytest

from app.kube.dns import answer, candidates
from app.kube.meta import ObjectMeta
from app.kube.networking import Endpoint, EndpointConditions, EndpointSlice, Service, ServiceSpec
from app.kube.stringmap import StringMap

READY, LEAVING, UNREADY = (
    EndpointConditions(ready=True, serving=True, terminating=False),
    EndpointConditions(ready=False, serving=True, terminating=True),
    EndpointConditions(ready=False, serving=False, terminating=False),
)


@pytest.mark.parametrize(
    ("name", "tried"),
    [
        ("web", ["web.shop.svc.cluster.local", "web.svc.cluster.local", "web.cluster.local", "web"]),
        (
            "web.ops",
            ["web.ops.shop.svc.cluster.local", "web.ops.svc.cluster.local", "web.ops.cluster.local", "web.ops"],
        ),
        # Four dots are fewer than five: even a full name is completed first, unless a dot ends it.
        (
            "web.ops.svc.cluster.local",
            [
                "web.ops.svc.cluster.local.shop.svc.cluster.local",
                "web.ops.svc.cluster.local.svc.cluster.local",
                "web.ops.svc.cluster.local.cluster.local",
                "web.ops.svc.cluster.local",
            ],
        ),
        ("web.ops.svc.cluster.local.", ["web.ops.svc.cluster.local"]),
    ],
)
def test_a_short_name_is_completed(name: str, tried: list[str]) -> None:
    assert list(candidates(name, "shop")) == tried


def test_five_dots_are_tried_as_they_are_first() -> None:
    assert candidates("a.b.c.d.e.f", "shop")[0] == "a.b.c.d.e.f"


def service(**spec: str) -> Service:
    meta = ObjectMeta(name="web", namespace="shop")
    return Service(meta, ServiceSpec(type=spec.get("type", ""), clusterIP=spec.get("clusterIP", "")))


def listed(*rows: tuple[str, EndpointConditions], name: str = "web", namespace: str = "shop") -> EndpointSlice:
    meta = ObjectMeta(name="s", namespace=namespace, labels=StringMap({"kubernetes.io/service-name": name}))
    return EndpointSlice(meta, endpoints=tuple(Endpoint((address,), conditions) for address, conditions in rows))


def test_a_cluster_ip_is_answered_whoever_is_behind_it() -> None:
    assert answer(service(clusterIP="10.96.0.9"), []) == ("10.96.0.9",)
    assert answer(service(clusterIP="10.96.0.9"), [listed(("10.244.1.2", READY))]) == ("10.96.0.9",)


def test_a_headless_service_stands_for_its_ready_pods() -> None:
    slices = [
        listed(("10.244.1.3", READY), ("10.244.1.4", LEAVING), ("10.244.1.5", UNREADY)),
        listed(("10.244.1.2", READY)),
        listed(("10.244.1.9", READY), name="api"),
        listed(("10.244.1.8", READY), namespace="ops"),
    ]
    assert answer(service(clusterIP="None"), slices) == ("10.244.1.2", "10.244.1.3")
    assert answer(service(clusterIP="None"), []) == ()


@pytest.mark.parametrize("spec", [{}, {"type": "ExternalName", "clusterIP": "10.96.0.9"}])
def test_without_an_address_there_is_no_answer(spec: dict[str, str]) -> None:
    assert answer(service(**spec), []) == ()
