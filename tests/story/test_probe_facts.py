"""A liveness probe that asks the database, an app that is slow to start: what is computed of their walks."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.loops.registry import LOOPS
from app.sim.draft import Draft
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.references import resolve
from app.sim.schedule import run
from app.sim.start import at_rest
from app.story.fact import Fact, Subject
from app.story.facts import FACTS

MODEL = Model(LOOPS)
CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: node-1}
---
apiVersion: v1
kind: Service
metadata: {name: sync}
spec: {selector: {app: sync}, ports: [{port: 80, targetPort: 3000}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: sync}
spec:
  replicas: 3
  selector: {matchLabels: {app: sync}}
  template:
    metadata:
      labels: {app: sync}
      annotations:
        sim.loopscope.dev/startup: 5s
        sim.loopscope.dev/on-sigterm: exit=2s
        sim.loopscope.dev/health: "/health: 200; while database down: 503"
    spec:
      containers:
      - name: server
        image: registry.example/sync:1
        ports: [{containerPort: 3000}]
        livenessProbe: {httpGet: {path: LIVE, port: 3000}, periodSeconds: 30, failureThreshold: 3}
        readinessProbe: {httpGet: {path: /health, port: 3000}, periodSeconds: 10, failureThreshold: 3}
"""
SLOW = """
apiVersion: v1
kind: Node
metadata: {name: node-1}
---
apiVersion: v1
kind: Pod
metadata:
  name: mailer
  annotations: {sim.loopscope.dev/startup: STARTUP}
spec:
  containers:
  - name: mailer
    image: registry.example/mailer:1
    ports: [{containerPort: 8080}]
    startupProbe: {httpGet: {path: /healthz, port: 8080}, initialDelaySeconds: 3, periodSeconds: 5, failureThreshold: 3}
    livenessProbe: {httpGet: {path: /healthz, port: 8080}, initialDelaySeconds: 60, periodSeconds: 10}
"""


def outage(seconds: int, live: str = "/health", health: str = "") -> Subject:
    """The database goes down at 0 for so long; the walk goes on until all is well again."""
    text = CLUSTER.replace("LIVE", live)
    if health:
        text = text.replace("/health: 200; while database down: 503", health)
    world = at_rest(MODEL, read_manifests(text, "cluster").objects)
    script = ["0s set dependency/database down", f"{seconds}s set dependency/database up"]
    walk = run(MODEL, world, [parse(line) for line in script], until=400_000)
    return Subject(walk, resolve(Draft(world), "pod/sync-1"))


def slow(startup: str) -> Subject:
    objects = read_manifests(SLOW.replace("STARTUP", startup), "pod").objects
    world = at_rest(MODEL, [obj for obj in objects if obj.kind == "Node"])
    pod = tuple(obj for obj in objects if obj.kind == "Pod")
    world = replace(world, manifests=world.manifests.set("pod", pod))
    return Subject(run(MODEL, world, [parse("0s apply m:pod")], until=120_000), Ref("Pod", "default", "mailer"))


def fact(subject: Subject, name: str) -> Fact:
    return FACTS[name](subject)


def more(subject: Subject, name: str) -> dict[str, str]:
    return dict(fact(subject, name).more)


@pytest.fixture(scope="module")
def long() -> Subject:
    return outage(145)


def test_every_replica_is_restarted_within_one_window(long: Subject) -> None:
    """kubernetes: three failures 30 s apart, after up to 30 s for the first tick."""
    assert fact(long, "restarts").value == 3
    assert fact(long, "pods-restarted").value == 3
    assert fact(long, "liveness-kills").value == 3
    window = fact(long, "restart-window").value
    assert isinstance(window, float)
    assert 0 <= window <= 30
    detected = fact(long, "time-to-detect")
    assert isinstance(detected.value, float)
    assert 60 <= detected.value <= 90
    assert (detected.least, detected.most, dict(detected.more)["fault"]) == (60, 90, "0 s")


def test_all_are_out_of_rotation_until_the_database_is_back_and_so_is_the_service(long: Subject) -> None:
    """Unready after 20 to 30 s, ready again within a period of the return."""
    out = more(long, "out-of-rotation")
    assert (out["out"], out["back"]) == ("20 to 30 s", "0 to 10 s")
    assert out["pods"] == "3"
    assert 20 <= float(out["after"].removesuffix(" s")) <= 30
    longest, empty = fact(long, "out-of-rotation").value, fact(long, "service-empty").value
    assert isinstance(longest, float)
    assert isinstance(empty, float)
    assert 115 <= longest <= 135
    assert 0 < empty <= longest


@pytest.mark.parametrize(
    ("subject", "restarts"),
    [
        pytest.param(outage(55), 0, id="an outage shorter than two periods kills nobody"),
        pytest.param(outage(145, live="/live"), 0, id="nor a long one that liveness does not ask about"),
    ],
)
def test_nobody_is_restarted(subject: Subject, restarts: int) -> None:
    assert fact(subject, "restarts").value == restarts
    assert fact(subject, "pods-restarted").value == 0
    assert fact(subject, "restart-window").value is None
    assert fact(subject, "time-to-detect").value is None
    assert more(subject, "out-of-rotation")["pods"] == "3"


def test_an_answer_that_hangs_is_found_a_timeout_later() -> None:
    subject = outage(145, health="/health: 200; while database down: hangs")
    detected = fact(subject, "time-to-detect").value
    assert isinstance(detected, float)
    assert 61 <= detected <= 91
    assert fact(subject, "restarts").value == 3


@pytest.mark.parametrize(
    ("startup", "safe", "risk", "kills"),
    [
        pytest.param("10s", True, "safe", False, id="safe"),
        pytest.param("15s", False, "at risk", None, id="at risk: the phase of the clock decides"),
        pytest.param("20s", False, "killed", True, id="killed again and again"),
    ],
)
def test_a_slow_start(startup: str, safe: bool, risk: str, kills: bool | None) -> None:
    subject = slow(startup)
    sure = fact(subject, "startup-safe")
    assert (sure.value, dict(sure.more)["outcome"], dict(sure.more)["needs"]) == (safe, risk, f"{startup[:-1]} s")
    killed, restarted = fact(subject, "startup-kills").value, fact(subject, "restarts").value
    if kills is not None:
        assert bool(killed) is kills
    if kills:
        assert (killed, restarted) == (6, 5), "cycles of 15 s: from the fourth kill on the restart waits"
        assert fact(subject, "crash-back-offs").value
        assert fact(subject, "liveness-kills").value == 0
        assert fact(subject, "time-to-detect").value is None, "liveness is not asked before the start is over"


def test_of_a_walk_without_probes_there_is_nothing_to_say() -> None:
    world = at_rest(MODEL, read_manifests(CLUSTER.split("---", maxsplit=1)[0], "node").objects)
    subject = Subject(run(MODEL, world), Ref("", "", ""))
    assert [fact(subject, name).value for name in ("startup-budget", "startup-safe", "time-to-detect")] == [None] * 3
    assert [fact(subject, name).value for name in ("restarts", "out-of-rotation", "service-empty")] == [0] * 3
