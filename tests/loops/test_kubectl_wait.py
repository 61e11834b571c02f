"""kubectl wait: what it asks, what wakes it, how it ends, and who may have waited for that."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.catalog import starting
from app.catalog.beginnings import CLUSTER, with_proxies
from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.sim.intervention import parse
from app.sim.interventions import check
from app.sim.ledger import Load
from app.sim.schedule import run
from app.sim.start import at_rest, with_load
from app.sim.walk import Record, Walk

SERVICE = Ref("Service", "default", "web")
CLUSTER_YAML = """
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {sim.loopscope.dev/image-pull: %s, sim.loopscope.dev/startup: %s}
    spec:
      containers:
        - {name: web, image: "web:1", readinessProbe: {httpGet: {port: 80}, periodSeconds: 1}}
"""


def walk(*script: str, image_pull: str = "10ms", startup: str = "2s") -> Walk:
    """A minute of a cluster that runs nothing, with clients that wait."""
    node, *rest = read_manifests(CLUSTER_YAML % (image_pull, startup)).objects
    world = with_load(with_proxies(at_rest(starting.model(), [node])), (Load(SERVICE, 30, 0, waits=True),))
    world = replace(world, manifests=world.manifests.set(CLUSTER, tuple(rest)))
    return run(starting.model(), world, [parse(line) for line in script], until=60_000)


def said(found: Walk) -> list[str]:
    return [line.text for row in found.records for line in row.step.output]


def of(found: Walk, moment: str) -> list[Record]:
    return [row for row in found.records if row.step.moment == moment]


APPLY = f"0s apply m:{CLUSTER}"


def test_it_returns_when_its_watch_tells_of_the_condition() -> None:
    found = walk(APPLY, "100ms wait deployment/web")
    (returned,) = of(found, "wait-returned")
    assert said(found)[-1] == "deployment.apps/web condition met"
    assert returned.cause == "watch deployment/web"
    ready = max(row.step.at for row in of(found, "pod-ready"))
    assert ready < returned.step.at < ready + 100


def test_what_holds_already_is_found_by_the_first_request() -> None:
    found = walk(APPLY, "30s wait deployment/web")
    (asked,), (returned,) = of(found, "wait-begins"), of(found, "wait-returned")
    assert (asked.step.at, returned.step.at) == (30_000, 30_000)


def test_it_gives_up_after_its_time() -> None:
    found = walk(APPLY, "1s wait deployment/web timeout=20s", image_pull="not-found")
    (gave_up,) = of(found, "wait-timed-out")
    assert gave_up.step.at == 21_000
    assert said(found)[-1] == "error: timed out waiting for the condition on deployments/web"
    assert not of(found, "clients-come")


def test_what_does_not_exist_is_not_waited_for() -> None:
    found = walk("0s wait deployment/nobody")
    assert said(found)[0].startswith("Error from server (NotFound): deployments")


def test_clients_that_waited_come_after_it_and_are_counted_from_then_on() -> None:
    found = walk(APPLY, "100ms wait deployment/web")
    (returned,), (came,), (served,) = of(found, "wait-returned"), of(found, "clients-come"), of(found, "first-request")
    assert came.step.at == returned.step.at + 50
    assert served.step.at == came.step.at
    assert served.step.object.kind == "Pod"
    assert not of(found, "request-rejected")
    assert found.world.ledger.first is None


def test_clients_that_come_before_the_rules_are_turned_away_and_served_later() -> None:
    """A pod that is Ready within a second of its Service: kube-proxy has just synced for that, and has to wait."""
    found = walk(APPLY, "100ms wait deployment/web", startup="0s")
    (came,), (turned_away,), (served,) = (
        of(found, "clients-come"),
        of(found, "request-rejected"),
        of(found, "first-request"),
    )
    assert turned_away.step.at == came.step.at
    changed = [row.step.at for row in found.records if row.step.moment == "rules-changed"][-1]
    assert served.step.at == changed > came.step.at
    assert (found.world.ledger.first, found.world.ledger.last) == (came.step.at, changed)


@pytest.mark.parametrize("text", ["wait node/n1", "wait deployment/web timeout=soon", "wait deployment/web for=x"])
def test_what_cannot_be_waited_for_is_refused(text: str) -> None:
    assert check(parse(text))
