"""What `kubectl rollout status` printed in the recordings of rollouts, and how and when it ended."""

from __future__ import annotations

from itertools import groupby

import pytest
from msgspec.structs import replace
from recordings import recording, walk
from workload_recordings import WORKLOADS

from app.sim.walk import Walk

# When the command began, after the image was changed.
BEGAN = {
    "rollout-1": "137ms rollout-status deployment/roll/one",
    "rollout-4": "200ms rollout-status deployment/roll/web",
    "rollout-bad-image": "180ms rollout-status deployment/roll/web",
    "rollout-min-ready": "140ms rollout-status deployment/mrs/web",
}


def modelled(name: str) -> Walk:
    scenario = WORKLOADS[name]
    found: Walk = walk(name, replace(scenario, script=(*scenario.script, BEGAN[name])))
    return found


def lines(texts: list[str]) -> list[str]:
    """Without repetitions in a row: how often a status changes meanwhile is a matter of milliseconds."""
    return [text for text, _ in groupby(texts)]


@pytest.mark.parametrize("name", BEGAN)
def test_it_prints_and_ends_as_recorded(name: str) -> None:
    row = next(row for row in recording(name)["kubectl"] if "rollout status" in row["cmd"])
    found = modelled(name)
    command = next(row for row in found.world.commands.values() if row.verb == "rollout-status")
    steps = [row.step for row in found.records if row.step.command == command.number]
    printed = [line.text for step in steps for line in step.output]
    recorded = [text for _, text in (*row["stdout"], *row["stderr"])]
    assert command.exit == row["exit"]
    assert steps[-1].at / 1000 == pytest.approx(row["end"], abs=0.6)
    assert lines(printed) == lines(recorded)
