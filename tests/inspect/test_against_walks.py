"""What an inspection computes is what a walk over the same manifests comes to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.inspect.inspecting import Inspection, inspect
from app.kube.objects import wire
from app.story.play import play, request
from app.story.report import report
from tests.inspect.sets import Manifest, budget, container, service, template, workload

GATEWAY = (Path(__file__).parents[1] / "data" / "manifests" / "api-gateway.yaml").read_text()


def walked(flow: str, text: str, **settings: str) -> dict[str, Any]:
    return report(play(request(flow, manifest=text, settings=tuple(settings.items()))))


def text_of(*objects: Manifest) -> str:
    return "\n---\n".join(json.dumps(row) for row in objects)


def stops(found: Inspection) -> dict[str, Any]:
    return {row.part.row.name: row.stop.stop for row in found.pods[0].containers if row.stop is not None}


def moments(walk: dict[str, Any], moment: str) -> list[float]:
    return [row["at"] for row in walk["steps"] if row["moment"] == moment]


def test_containers_are_signalled_when_it_says() -> None:
    """A hook of 15 s and a drain of 10 s; the sidecar's turn comes when the container that it serves has ended."""
    computed = stops(inspect({"a": GATEWAY}))
    walk = walked("termination", GATEWAY)
    assert [computed[name].signalled for name in ("gateway", "proxy")] == [15_000, 25_000]
    assert moments(walk, "sigterm-sent") == pytest.approx([15, 25], abs=0.1)
    assert moments(walk, "sigkill-sent") == []


@pytest.mark.parametrize(("grace", "hook", "killed_at"), [(10, 4, 10), (10, 10, 12), (3, 2, 4)])
def test_a_program_that_goes_on_is_killed_when_it_says(grace: int, hook: int, killed_at: int) -> None:
    """The grace runs during the hook, and SIGTERM gets 2 s in any case."""
    handler = {"preStop": {"exec": {"command": ["sleep", str(hook)]}}}
    pods = template(container(lifecycle=handler), says={"on-sigterm": "ignore"}, terminationGracePeriodSeconds=grace)
    text = text_of(workload(pods=pods), service())
    found = inspect({"a": text})
    assert stops(found)["web"].ended == killed_at * 1000
    assert moments(walked("termination", text), "sigkill-sent") == pytest.approx([killed_at], abs=0.1)


@pytest.mark.parametrize(("hook", "fails"), [(1, True), (2, False)])
def test_a_hook_that_is_too_short_fails_requests(hook: int, fails: bool) -> None:
    text = text_of(workload(pods=template(container(lifecycle={"preStop": {"sleep": {"seconds": hook}}}))), service())
    rules = [row.rule for row in inspect({"a": text}).findings]
    assert ("prestop-under-propagation" in rules) == fails
    failed = next(row for row in walked("termination", text)["verdicts"] if row["id"] == "requests-failed")
    assert (failed["value"] > 0) == fails


def test_pods_are_of_the_class_and_have_the_tolerations_that_it_says() -> None:
    found = inspect({"a": GATEWAY}).pods[0]
    pods = [row for row in walked("termination", GATEWAY)["objects"] if row["kind"] == "Pod"]
    assert pods
    for pod in pods:
        assert pod["status"]["qosClass"] == found.qos
        written = pod["spec"]["tolerations"]
        assert [row for row in written if row in [wire(one) for one in found.injected]] == written[
            -len(found.injected) :
        ]


@pytest.mark.parametrize("spec", [{"minAvailable": 2}, {"minAvailable": "50%"}, {"maxUnavailable": "34%"}])
def test_a_budget_allows_what_it_says(spec: Manifest) -> None:
    text = text_of(workload(), budget(**spec))
    row = inspect({"a": text}).budgets[0]
    walk = walked("drain", text)
    status = next(obj["status"] for obj in walk["objects"] if obj["kind"] == "PodDisruptionBudget")
    assert (status["desiredHealthy"], status["expectedPods"]) == (row.healthy, row.expected)
    assert status["disruptionsAllowed"] == row.allowed
