"""Whole machines whose kubelet, runtime and database come and go: in the end all is as it should be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.kube.manifests import read_manifests
from app.kube.pods import Pod
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk

MODEL = Model(LOOPS)
CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: node-1}}
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
    metadata:
      labels: {app: web}
      annotations:
        sim.loopscope.dev/startup: 3s
        sim.loopscope.dev/on-sigterm: drain=2s
        sim.loopscope.dev/health: "/live: 200; while database down: hangs | /ready: 200; while database down: 503"
    spec:
      containers:
      - name: app
        image: web:1
        ports: [{containerPort: 8080}]
        startupProbe: {exec: {command: [check]}, periodSeconds: 2, failureThreshold: 10}
        livenessProbe: {httpGet: {path: /live, port: 8080}, periodSeconds: 7, timeoutSeconds: 2, failureThreshold: 2}
        readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 5, failureThreshold: 2}
"""
START = at_rest(MODEL, read_manifests(CLUSTER, "cluster").objects)
FAULTS = (
    "stop kubelet/node-1",
    "start kubelet/node-1",
    "stop containerd/node-1",
    "start containerd/node-1",
    "set dependency/database down",
    "set dependency/database up",
    "delete pod/web-1 wait=false",
    "delete pod/web-2 wait=false grace=1",
)
REPAIRS = ("150s start kubelet/node-1", "150s start containerd/node-1", "150s set dependency/database up")


def walked(*script: str, until: int = 1_800_000) -> Walk:
    walk = run(MODEL, START, [parse(line) for line in script], until=until)
    assert walk.problems == ()
    return walk


def pods(walk: Walk) -> list[Pod]:
    return [obj for obj in walk.world.etcd.find("Pod") if isinstance(obj, Pod)]


def when(walk: Walk, moment: str) -> list[float]:
    return [row.step.at / 1000 for row in walk.records if row.step.moment == moment]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 140_000), st.sampled_from(FAULTS)), max_size=8))
def test_whatever_comes_and_goes_both_replicas_are_ready_in_the_end(faults: list[tuple[int, str]]) -> None:
    walk = walked(*(f"{at}ms {fault}" for at, fault in sorted(faults)), *REPAIRS)
    found = pods(walk)
    assert [(pod.ready, pod.terminating) for pod in found] == [(True, False)] * 2
    assert {uid for host in walk.world.hosts.values() for uid in host.pods} == {pod.metadata.uid for pod in found}


def test_nothing_is_killed_or_started_while_the_runtime_is_away() -> None:
    walk = walked(
        "0s stop containerd/node-1",
        "5s set dependency/database down",
        "10s delete pod/web-1",
        "60s start containerd/node-1",
        until=61_000,
    )
    assert when(walk, "liveness-failed")
    for moment in ("sigterm-sent", "container-started", "killing", "liveness-kill"):
        assert not when(walk, moment), moment
    later = walked("0s stop containerd/node-1", "10s delete pod/web-1", "60s start containerd/node-1")
    assert when(later, "killing") == [61.39], "the first relist that succeeds"


def test_without_a_kubelet_containers_run_on_unprobed() -> None:
    walk = walked("0s stop kubelet/node-1", "5s set dependency/database down", until=120_000)
    assert not when(walk, "liveness-failed")
    assert not when(walk, "container-started")
    assert [
        run.state for host in walk.world.hosts.values() for pod in host.pods.values() for run in pod.containers
    ] == ["running"] * 2


@pytest.mark.parametrize(("down", "restarts"), [("30s", 2), ("4s", 0)])
def test_a_database_that_is_down_restarts_everybody_or_nobody(down: str, restarts: int) -> None:
    """Liveness fails for good within 9 to 16 s, counted to the end of the attempt that hangs."""
    walk = walked("0s set dependency/database down", f"{down} set dependency/database up", until=120_000)
    assert sum(row.restartCount for pod in pods(walk) for row in pod.status.containerStatuses) == restarts
