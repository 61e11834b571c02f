"""Pods on the host network have their machine's address, and share it with the others there."""

from __future__ import annotations

import pytest

from app.kube.manifests import read_manifests
from app.kube.meta import ObjectMeta, Ref
from app.kube.nodes import Node
from app.loops.registry import LOOPS
from app.sim.addresses import host_number, pod_address
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.ledger import Load
from app.sim.maps import ordered
from app.sim.schedule import run
from app.sim.served import machine_of, own_address, pod_at
from app.sim.start import at_rest, with_load
from app.sim.walk import Walk

MODEL = Model(LOOPS)
AGENT = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: {name}}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      hostNetwork: true
      terminationGracePeriodSeconds: 5
      containers: [{{name: {name}, image: "{name}:1", readinessProbe: {{tcpSocket: {{port: 80, host: 127.0.0.1}}}}}}]
---
apiVersion: v1
kind: Service
metadata: {{name: {name}}}
spec: {{selector: {{app: {name}}}, ports: [{{port: 80}}]}}
"""
CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: node-1}
status: {addresses: [{type: Hostname, address: node-1}, {type: InternalIP, address: "fd00::1"}]}
---
{apiVersion: v1, kind: Node, metadata: {name: node-2}}
"""
REST = at_rest(MODEL, read_manifests("---\n".join([CLUSTER, *(AGENT.format(name=row) for row in "ab")])).objects)


def walked(*script: str) -> Walk:
    world = with_load(REST, (Load(Ref("Service", "default", "a"), 20, 0),))
    # A last line at the end, so that a walk in which nothing more happens lasts as long.
    return run(MODEL, world, [parse(line) for line in (*script, "20s bring-back node/node-1")], until=20_000)


def kinds(found: Walk) -> set[str]:
    return {tally.kind for tally in found.world.ledger.exposure(found.world.now)}


def daemon(app: str) -> str:
    """The name of the pod on the first node."""
    pods = [row.pod.metadata for _, row in ordered(REST.hosts["node-1"].pods)]
    (name,) = [meta.name for meta in pods if meta.labels.get("app") == app]
    return name


def test_rules_lead_to_the_machines() -> None:
    rules = REST.hosts["node-1"].proxy.rules[Ref("Service", "default", "a")]
    assert sorted(rules.backends) == sorted(own_address(REST.hosts[name]) for name in REST.nodes)
    assert "fd00::1" in rules.backends
    assert [machine_of(REST, address) for address in sorted(rules.backends, reverse=True)] == ["node-1", "node-2"]


def test_at_a_shared_address_a_service_reaches_its_own_pod() -> None:
    host = REST.hosts["node-1"]
    for name in "ab":
        found = pod_at(REST, host, own_address(host), Ref("Service", "default", name))
        assert found is not None
        assert found.pod.metadata.labels.get("app") == name
    assert pod_at(REST, host, "10.244.1.9") is None


def test_clients_are_served_until_that_pod_ends() -> None:
    assert kinds(walked()) == set()
    assert kinds(walked(f"0s crash pod/{daemon('b')}")) == set()
    assert kinds(walked(f"0s crash pod/{daemon('a')}")) == {"refused"}


@pytest.mark.parametrize("address", ["", "fd00::2", "10.96.0.1", "10.1.2", "10.a.b.c", "192.168.0.77", "::"])
def test_an_address_that_is_nobodys(address: str) -> None:
    assert machine_of(REST, address) == ""
    assert not 0 < host_number(address) <= len(REST.nodes)


def test_a_pod_address_tells_its_machine() -> None:
    assert [host_number(pod_address(number, 7)) for number in (1, 255, 256, 5_000)] == [1, 255, 256, 5_000]


def test_no_two_nodes_have_one_address() -> None:
    """Names of the same letters would."""
    names = ["node-12", "node-21", "node-03", "node-30"]
    rest = at_rest(MODEL, [Node(metadata=ObjectMeta(name=name)) for name in names])
    assert len({own_address(host) for _, host in ordered(rest.hosts)}) == len(names)
