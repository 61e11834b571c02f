"""The cluster IP of a Service that asks for none in particular."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from app.kube.cluster_ips import cluster_ip, wants_one
from app.kube.meta import ObjectMeta
from app.kube.networking import Service, ServiceSpec

META = ObjectMeta(name="web", namespace="shop")


def test_it_is_in_the_usual_range_and_follows_from_the_name() -> None:
    found = {cluster_ip("shop", f"web-{number}", ()) for number in range(50)}
    assert len(found) == 50
    assert all(IPv4Address(address) in IPv4Network("10.96.0.0/12") for address in found)
    assert cluster_ip("shop", "web", ()) == cluster_ip("shop", "web", ()) != cluster_ip("ops", "web", ())


def test_one_that_is_taken_is_passed_over() -> None:
    first = cluster_ip("shop", "web", ())
    second = cluster_ip("shop", "web", {first})
    assert second not in ("", first)
    assert cluster_ip("shop", "web", {first, second}) not in ("", first, second)


def test_who_asks_for_one_or_for_none_gets_what_it_asks_for() -> None:
    assert wants_one(Service(META))
    assert not wants_one(Service(META, ServiceSpec(clusterIP="None")))
    assert not wants_one(Service(META, ServiceSpec(clusterIP="10.96.0.9")))
    assert not wants_one(Service(META, ServiceSpec(type="ExternalName")))
