"""Cases of the flow `termination`."""

from __future__ import annotations

from typing import Any

from app.story.play import Play, play, request
from tests.real_cases.asking import PREFIX, Real, fact, moment_at


def annotated(manifest: str, annotations: dict[str, str]) -> str:
    """A pod's manifest with app behaviour added."""
    found = ", ".join(f"{PREFIX}{key}: {value}" for key, value in annotations.items())
    return manifest.replace("metadata: {name: worker}", f"metadata: {{name: worker, annotations: {{{found}}}}}")


def term_03(case: dict[str, Any]) -> Real:
    """`kubectl delete pod worker` with the case's hook and the given app."""

    def run(given: dict[str, Any]) -> Play:
        sigterm = given.get("app", case["settings"]["app"])["main"]["sigterm"]
        ends = "ignore" if sigterm == "ignored" else f"exit={round(sigterm['exit_after_s'] * 1000)}ms"
        hook = "never-returns" if given.get("preStop") == "never returns" else "5m"
        manifest = annotated(case["manifests"], {"on-sigterm": ends, "pre-stop": hook})
        grace = given.get("terminationGracePeriodSeconds")
        if grace is not None:
            manifest = manifest.replace("spec:\n", f"spec:\n  terminationGracePeriodSeconds: {grace}\n", 1)
        return play(request("termination", manifest=manifest))

    return Real(
        run,
        {
            "hook_completed": lambda walk: moment_at(walk, "prestop-done") is not None,
            "sigterm_at_s": lambda walk: moment_at(walk, "sigterm-sent"),
            "sigkill_at_s": lambda walk: moment_at(walk, "sigkill-sent"),
            "exit_code": fact("exit-code"),
            "sigkilled": fact("killed"),
            "container_dead_at_s": dead_at,
            "time_left_for_app_s": time_left,
        },
    )


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


def time_left(walk: Play) -> float:
    """From SIGTERM to SIGKILL."""
    term, kill = moment_at(walk, "sigterm-sent"), moment_at(walk, "sigkill-sent")
    assert term is not None
    assert kill is not None
    return kill - term
