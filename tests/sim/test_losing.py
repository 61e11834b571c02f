"""Machines that are cut off, lose their kubelet or are taken away, and what their clients meet."""

from __future__ import annotations

from fractions import Fraction

import pytest

from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.heartbeats import with_heartbeats
from app.sim.intervention import parse
from app.sim.ledger import Load, requests
from app.sim.schedule import run
from app.sim.start import at_rest, with_load
from app.sim.walk import Walk

MODEL = Model(LOOPS)
CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: node-1}}
---
{apiVersion: v1, kind: Node, metadata: {name: node-2}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: app, image: "web:1", ports: [{containerPort: 8080}]}]
"""
REST = at_rest(MODEL, read_manifests(CLUSTER, "cluster").objects)
WEB = Ref("Service", "default", "web")


def walked(*script: str, until: int = 10, local: bool = True, beats: bool = False) -> Walk:
    # A last line at the end, so that a walk in which nothing more happens lasts as long.
    script = (*script, f"{until}s bring-back node/node-1")
    world = with_load(with_heartbeats(REST) if beats else REST, (Load(WEB, 20, 0, local=local),))
    found = run(MODEL, world, [parse(line) for line in script], until=until * 1000)
    assert found.problems == ()
    return found


def failed(found: Walk) -> Fraction:
    return requests(found.world.ledger.exposure(found.world.now), found.world.load, 2)


def kinds(found: Walk) -> set[tuple[str, str]]:
    """Through which node which failure was met."""
    return {(tally.node, tally.kind) for tally in found.world.ledger.exposure(found.world.now)}


def outcomes(found: Walk) -> list[str]:
    return [row.step.outcome for row in found.records if row.step.loop == "you"][:-1]


def test_both_pods_are_on_nodes_of_their_own() -> None:
    assert sorted(pod.spec.nodeName for pod in REST.etcd.find("Pod")) == ["node-1", "node-2"]  # type: ignore[union-attr]


@pytest.mark.parametrize("verb", ["power-off", "partition"])
def test_clients_on_a_lost_machine_are_lost_with_it(verb: str) -> None:
    """The other node's 10 requests a second have one of two addresses that does not answer: 5 a second, for 10 s."""
    found = walked(f"0s {verb} node/node-2")
    assert failed(found) == 50
    assert kinds(found) == {("node-1", "unanswered")}


def test_clients_from_elsewhere_still_come_through_a_machine_that_is_cut_off_and_get_nowhere() -> None:
    found = walked("0s partition node/node-2", local=False)
    # Through node-1 half of them; through node-2 those that are sent on to node-1.
    assert kinds(found) == {("node-1", "unanswered"), ("node-2", "unanswered")}
    assert failed(found) == 100


def test_a_partition_that_heals_ends_the_failing() -> None:
    found = walked("0s partition node/node-2", "4s bring-back node/node-2")
    assert failed(found) == 20
    assert not found.world.ledger.failing
    assert outcomes(found) == ["cut off", "restored"]


def test_nobody_notices_that_only_the_kubelet_has_stopped() -> None:
    found = walked("0s stop-kubelet node/node-2", "2s bring-back node/node-2")
    assert failed(found) == 0
    assert outcomes(found) == ["stopped", "started"]


def test_what_is_lost_twice_comes_back_whole() -> None:
    found = walked("0s partition node/node-2", "1s power-off node/node-2", "5s bring-back node/node-2")
    assert outcomes(found) == ["cut off", "off", "on, restored"]
    host = found.world.hosts["node-2"]
    assert (host.power, host.isolated) == (True, False)
    assert not found.world.cut


def test_a_machine_that_was_taken_away_does_not_come_back() -> None:
    found = walked("0s terminate node/node-2", "5s bring-back node/node-2")
    assert outcomes(found) == ["deleted", "gone for good"]
    assert not found.world.hosts["node-2"].power


def test_what_is_not_lost_or_not_there_is_told() -> None:
    found = walked(
        "0s bring-back node/node-1",
        "0s partition node/node-9",
        "0s stop-kubelet node/node-9",
        "0s terminate node/node-9",
        "0s bring-back node/node-9",
        "0s partition node/node-1",
        "0s partition node/node-1",
    )
    assert outcomes(found) == ["not lost", *["not found"] * 4, "cut off", "cut off already"]


@pytest.mark.parametrize("verb", ["power-off", "partition", "stop-kubelet", "terminate"])
def test_the_api_tells_the_same_story_of_all_of_them(verb: str) -> None:
    found = walked(f"0s {verb} node/node-2", until=400, beats=True)
    moments = [row.step.moment for row in found.steps]
    for moment in ("node-unknown", "pod-marked-not-ready", "no-execute-added", "taint-eviction", "replacement-created"):
        assert moments.count(moment) == 1, moment
    times = {row.step.moment: row.step.at for row in found.steps}
    assert times["taint-eviction"] - times["eviction-timer-started"] == 300_000


def test_behind_a_partition_everything_runs_on() -> None:
    found = walked("0s partition node/node-2", until=400, beats=True)
    (held,) = found.world.hosts["node-2"].pods.values()
    assert held.serves
    stored = found.world.etcd.get(held.ref)
    assert stored is not None
    assert stored.object.metadata.deletionTimestamp is not None
