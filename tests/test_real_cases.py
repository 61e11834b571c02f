"""Public cases with their right values, each run from its own manifests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.story.facts import FACTS, Subject
from app.story.play import Play, play, request

CASES: dict[str, dict[str, Any]] = {
    row["id"]: row for row in json.loads((Path(__file__).parent / "data" / "real-cases.json").read_text())
}
PREFIX = "sim.loopscope.dev/"

# Checks that name another Kubernetes version wait for the version setting.
WAITING = {("term-03", "old-double-grace")}
# An advice in words: nothing to compute.
WORDS = {("term-03", "rule")}


def annotated(manifest: str, annotations: dict[str, str]) -> str:
    """A pod's manifest with app behaviour added."""
    found = ", ".join(f"{PREFIX}{key}: {value}" for key, value in annotations.items())
    return manifest.replace("metadata: {name: worker}", f"metadata: {{name: worker, annotations: {{{found}}}}}")


def term_03(given: dict[str, Any]) -> Play:
    """`kubectl delete pod worker` with the case's hook and the given app."""
    case = CASES["term-03"]
    sigterm = given.get("app", case["settings"]["app"])["main"]["sigterm"]
    behaviour = {"on-sigterm": "ignore" if sigterm == "ignored" else f"exit={round(sigterm['exit_after_s'] * 1000)}ms"}
    behaviour["pre-stop"] = "never-returns" if given.get("preStop") == "never returns" else "5m"
    manifest = annotated(case["manifests"], behaviour)
    grace = given.get("terminationGracePeriodSeconds")
    if grace is not None:
        manifest = manifest.replace("spec:\n", f"spec:\n  terminationGracePeriodSeconds: {grace}\n", 1)
    return play(request("termination", manifest=manifest))


def moment_at(walk: Play, moment: str) -> float | None:
    return next((row.step.at / 1000 for row in walk.steps if row.step.moment == moment), None)


def dead_at(walk: Play) -> float:
    """When the container is dead."""
    return next(
        row.step.at / 1000
        for row in walk.walk.records
        if any(
            run.state == "exited"
            for host in row.step.world.hosts.values()
            for pod in host.pods.values()
            for run in pod.containers
        )
    )


def fact(name: str) -> Callable[[Play], Any]:
    return lambda walk: FACTS[name](Subject(walk.walk, walk.target)).value


def time_left(walk: Play) -> float:
    """From SIGTERM to SIGKILL."""
    term, kill = moment_at(walk, "sigterm-sent"), moment_at(walk, "sigkill-sent")
    assert term is not None
    assert kill is not None
    return kill - term


ANSWERS: dict[str, Callable[[Play], Any]] = {
    "hook_completed": lambda walk: moment_at(walk, "prestop-done") is not None,
    "sigterm_at_s": lambda walk: moment_at(walk, "sigterm-sent"),
    "sigkill_at_s": lambda walk: moment_at(walk, "sigkill-sent"),
    "exit_code": fact("exit-code"),
    "sigkilled": fact("killed"),
    "container_dead_at_s": dead_at,
    "time_left_for_app_s": time_left,
}


def agrees(found: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return found is not None and expected["min"] <= found <= expected["max"]
    return bool(found == expected)


@pytest.mark.parametrize(
    "check",
    [row["id"] for row in CASES["term-03"]["expect"]["checks"] if ("term-03", row["id"]) not in WAITING | WORDS],
)
def test_a_pre_stop_hook_longer_than_the_grace(check: str) -> None:
    """kubernetes/kubernetes#65496: the hook is cut off at the grace; two seconds are left for the container."""
    row = next(found for found in CASES["term-03"]["expect"]["checks"] if found["id"] == check)
    walk = term_03(row.get("given", {}))
    wrong = {
        name: (ANSWERS[name](walk), expected)
        for name, expected in row["assert"].items()
        if not agrees(ANSWERS[name](walk), expected)
    }
    assert not wrong
