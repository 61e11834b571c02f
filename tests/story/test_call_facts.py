"""What came of programs' calls, as the flow about Services shows."""

from __future__ import annotations

import pytest

from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.play import play, request


def fact(name: str, scene: str = "", **settings: str) -> Fact:
    played = play(request("service-routing", scene=scene, settings=tuple(settings.items())))
    return FACTS[name](Subject(played.walk, played.target))


@pytest.mark.parametrize(
    ("scene", "failed"),
    [("", 0), ("headless-kept", 1), ("new-service", 2), ("api-down", 2), ("dns-down", 1), ("node-lost", 2)],
)
def test_calls_without_an_answer_are_counted(scene: str, failed: int) -> None:
    assert fact("calls-failed", scene).value == failed


def test_a_name_is_unknown_as_often_as_it_is_said_to_be_also_by_a_cache() -> None:
    assert fact("names-unknown", "nxdomain-kept").value == 2
    assert dict(fact("names-unknown", "nxdomain-kept").more) == {"what": "new"}
    assert fact("names-unknown", "nxdomain-kept", cache="false").value == 1


def test_a_name_of_another_namespace_is_told_from_one_that_is_not_there() -> None:
    assert fact("names-elsewhere", "other-namespace").value == 1
    assert fact("names-elsewhere", "api-down").value == 0
    assert fact("names-elsewhere", "nxdomain-kept").value == 0


def test_old_rules_and_old_answers_are_told_apart() -> None:
    assert [fact(name, "kube-proxy-down").value for name in ("stale-rules", "stale-names")] == [1, 0]
    assert [fact(name, "headless-kept").value for name in ("stale-rules", "stale-names")] == [0, 1]


def test_dns_is_behind_by_its_lag_or_for_as_long_as_its_watch_is_broken() -> None:
    """5 ms of lag; in the outage from the creation at 40.000 s to the return of its watch at 82.208 s."""
    assert fact("dns-behind").value == pytest.approx(0.005)
    assert fact("dns-behind", lag_coredns="200ms..200ms..200ms").value == pytest.approx(0.2)
    assert fact("dns-behind", "api-down").value == pytest.approx(42.208, abs=0.01)
    assert dict(fact("dns-behind", "api-down").more) == {"what": "new.default.svc.cluster.local"}


def test_connections_that_stay_are_cut_or_hang() -> None:
    assert [fact(name).value for name in ("connection-stayed", "connections-cut", "connections-hung")] == [True, 1, 0]
    assert [fact(name, "node-lost").value for name in ("connections-cut", "connections-hung")] == [0, 1]
    assert fact("connections-cut", keep="3s").value == 0


OWN = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: api, image: "api:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: api, namespace: shop}
spec: {selector: {app: api}, ports: [{port: 80}]}
"""


def test_a_readers_own_service_is_called_by_the_name_that_it_has_from_there() -> None:
    played = play(request("service-routing", manifest=OWN))
    asked = {row.step.object.name for row in played.steps if row.step.verb == "look-up"}
    assert asked == {"api.shop"}
    assert FACTS["calls-failed"](Subject(played.walk, played.target)).value == 0
