"""How pods came up: budgets from first principles, and what is counted of a walk."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.catalog import starting
from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.sim.intervention import parse
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk
from app.story.fact import Fact, Subject
from app.story.facts import FACTS

TEXT = """
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {SAYS}
spec:
  containers:
    - {name: app, image: "web:1", MORE}
"""
HTTP = "httpGet: {port: 80}"


def walk(more: str = "ports: []", until: int = 60_000, **says: str) -> Walk:
    """A pod that is applied to one machine; `says` are its annotations."""
    words = {"startup": "2s", "image_pull": "1s"} | says
    annotations = ", ".join(f'sim.loopscope.dev/{name.replace("_", "-")}: "{text}"' for name, text in words.items())
    node, pod = read_manifests(TEXT.replace("MORE", more).replace("SAYS", annotations)).objects
    world = at_rest(starting.model(), [node])
    world = replace(world, manifests=world.manifests.set("x", (pod,)))
    return run(starting.model(), world, [parse("0s apply m:x")], until=until)


def fact(found: Walk, name: str) -> Fact:
    return FACTS[name](Subject(found, Ref("Pod", "default", "web")))


# Ticks come every period from the pod's first sync on, so the first that counts comes up to a period after the delay.
@pytest.mark.parametrize(
    ("probes", "least", "most"),
    [
        pytest.param(f"startupProbe: {{{HTTP}, periodSeconds: 10, failureThreshold: 30}}", 290, 300, id="seed 002"),
        pytest.param(
            f"startupProbe: {{{HTTP}, initialDelaySeconds: 3, periodSeconds: 5, failureThreshold: 3}}",
            13,
            18,
            id="'15 s' in a public issue",
        ),
        pytest.param(f"startupProbe: {{{HTTP}, periodSeconds: 1, failureThreshold: 1}}", 0, 1, id="one second"),
        pytest.param(f"livenessProbe: {{{HTTP}}}", 20, 30, id="liveness alone, with its defaults"),
        pytest.param(
            f"livenessProbe: {{{HTTP}}}, startupProbe: {{{HTTP}, failureThreshold: 6}}",
            50,
            60,
            id="startup goes before liveness",
        ),
    ],
)
def test_a_budget_is_a_range_one_period_wide(probes: str, least: float, most: float) -> None:
    found = fact(walk(probes, until=1_000), "startup-budget")
    assert (found.value, found.least, found.most) == (most, least, most)
    assert dict(found.more)["range"] == f"{least} to {most} s"


@pytest.mark.parametrize("pull", ["700ms", "2s", "4900ms"])
def test_a_kill_for_startup_falls_into_the_range(pull: str) -> None:
    found = walk(f"startupProbe: {{{HTTP}, periodSeconds: 5, failureThreshold: 3}}", image_pull=pull, startup="1h")
    budget = fact(found, "startup-budget")
    started, killed = (
        next(row.step.at for row in found.records if row.step.moment == moment) / 1000
        for moment in ("container-started", "startup-kill")
    )
    assert budget.least is not None
    assert budget.most is not None
    assert budget.least <= killed - started <= budget.most


def test_without_a_probe_nothing_ends_a_slow_start() -> None:
    assert fact(walk(until=1_000), "startup-budget").value is None


@pytest.mark.parametrize(
    ("resources", "wanted"),
    [
        ("ports: []", "BestEffort"),
        ("resources: {requests: {cpu: 100m}}", "Burstable"),
        ("resources: {limits: {cpu: 1, memory: 1Gi}}", "Guaranteed"),
    ],
)
def test_the_class_is_the_one_that_the_api_server_wrote(resources: str, wanted: str) -> None:
    assert fact(walk(resources, until=1_000), "qos").value == wanted


def test_pulls_that_fail_are_counted_and_quoted() -> None:
    found = fact(walk(image_pull="not-found"), "pull-failures")
    assert isinstance(found.value, float)
    assert found.value >= 2
    assert "not found" in dict(found.more)["message"]
    assert fact(walk(), "pull-failures").value == 0


def test_the_time_unready_ends_with_ready_and_goes_on_without() -> None:
    probe = f"readinessProbe: {{{HTTP}, periodSeconds: 1}}"
    soon = fact(walk(probe), "unready-seconds").value
    never = fact(walk(probe, health="readiness: fail"), "unready-seconds").value
    assert isinstance(soon, float)
    assert isinstance(never, float)
    assert 2 <= soon < 3.1
    assert 55 < never < 60


def test_restarts_are_counted_over_all_containers() -> None:
    assert fact(walk(), "restarts").value == 0
    found = fact(walk(exit="after 1s code 1", until=30_000), "restarts")
    assert isinstance(found.value, float)
    assert found.value >= 1
    assert found.step is not None
