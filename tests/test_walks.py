"""What must hold of every walk, whatever a reader picks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.catalog import starting
from app.sim.actions import Advance, Reconcile, parse
from app.sim.acts import Act, Wait
from app.sim.engine import Model
from app.sim.loop import Turn
from app.sim.schedule import run
from app.sim.world import World
from app.story.play import Play, play, request
from app.story.report import as_json, report

MODEL: Model = starting.model()
ROOT = Path(__file__).parents[1]


def default() -> Play:
    return play(request("termination"))


def random_walk(choices: list[int]) -> list[World]:
    """Worlds along a walk that takes the action that each number points at."""
    world = default().walk.start
    worlds = [world]
    for choice in choices:
        actions = MODEL.enabled(world)
        if not actions:
            break
        world = MODEL.step(world, actions[choice % len(actions)]).world
        worlds.append(world)
    return worlds


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(min_value=0, max_value=9), min_size=40, max_size=120))
def test_no_possible_action_raises_and_time_and_versions_never_go_back(choices: list[int]) -> None:
    worlds = random_walk(choices)
    for before, after in pairwise(worlds):
        assert after.now >= before.now
        for ref, stored in before.etcd.objects.items():
            later = after.etcd.get(ref)
            assert later is None or later.version >= stored.version


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(min_value=0, max_value=9), min_size=40, max_size=120))
def test_a_belief_is_always_some_past_version_and_never_goes_back(choices: list[int]) -> None:
    worlds = random_walk(choices)
    history = {(ref, stored.version): stored for world in worlds for ref, stored in world.etcd.objects.items()}
    for before, after in pairwise(worlds):
        for process, view in after.views.items():
            earlier = before.views.get(process)
            for ref, stored in view.objects.items():
                assert history[(ref, stored.version)] == stored
                known = earlier.get(ref) if earlier else None
                assert known is None or known.version <= stored.version


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(min_value=0, max_value=9), min_size=20, max_size=80))
def test_the_same_choices_lead_to_an_equal_world(choices: list[int]) -> None:
    assert random_walk(choices)[-1] == random_walk(choices)[-1]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(min_value=0, max_value=9), min_size=20, max_size=80))
def test_every_action_id_parses_back(choices: list[int]) -> None:
    for world in random_walk(choices):
        for action in MODEL.enabled(world):
            assert parse(str(action)) == action


def test_time_moves_only_when_nothing_is_queued() -> None:
    for row in default().walk.records:
        world = row.step.world
        if world.queued:
            assert not any(isinstance(action, Advance) for action in MODEL.enabled(world))


@pytest.mark.parametrize("at", ["start", "end"])
def test_at_rest_every_loop_on_every_key_decides_nothing(at: str) -> None:
    """Level-triggered: a turn that is run once more finds nothing to do."""
    walk = default().walk
    world = walk.start if at == "start" else run(MODEL, walk.start, until=600_000).world
    keys = [*world.etcd.objects]
    for loop in MODEL.loops.values():
        for node in world.nodes if loop.per_node else ("",):
            for key in keys:
                if loop.commands or loop.traffic:
                    continue
                decision = loop.reconcile(Turn(world, loop, node, key))
                acts = [decision] if isinstance(decision, Act) else [] if decision is None else decision
                found = [] if isinstance(acts, Wait) else [act for act in acts if isinstance(act, Act)]
                assert not found, (loop.name, node, key)


def test_every_pick_of_another_loop_gives_a_walk() -> None:
    """Who goes first: each alternative right after a step is taken, and the walk goes on to its end."""
    played = default()
    tried = 0
    for row in played.steps[:12]:
        for action in MODEL.enabled(row.step.world):
            if not isinstance(action, Reconcile):
                continue
            other = play(request("termination", choices=[("pick", f"{row.id}!{action}")]))
            assert other.walk.stopped == "goal"
            assert other.steps[row.n - 1].id == row.id
            tried += 1
    assert tried >= 5


PROGRAM = """
import hashlib, sys
from app.story.play import play, request
from app.story.report import as_json, report
from app.story.watch import trace
for scene in ("", "ignores-sigterm", "force"):
    found = play(request("termination", scene=scene))
    print(hashlib.sha256((as_json(report(found)) + as_json(trace(found.walk))).encode()).hexdigest())
"""


def test_the_same_walk_gives_the_same_bytes_in_other_processes_with_other_hash_seeds() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1


def test_the_report_has_the_promised_keys() -> None:
    found = json.loads(as_json(report(default())))
    assert set(found) >= {
        "flow", "kubernetes", "settings", "clock", "stopped", "steps", "events", "verdicts", "symptoms", "kubectl",
        "output", "objects", "not_modelled",
    }  # fmt: skip
    assert set(found["steps"][0]) == {
        "n", "id", "at", "loop", "node", "from", "to", "verb", "object", "outcome", "reason", "cause", "moment",
        "title", "folded", "changes",
    }  # fmt: skip
    assert set(found["events"][0]) == {"at", "type", "reason", "object", "from", "count", "message"}
    assert {"id", "value", "unit", "ok", "step", "text"} == set(found["verdicts"][0])
    assert {"get pods -o wide", "get nodes", "get events"} <= set(found["kubectl"])
    assert [row["n"] for row in found["steps"]] == list(range(1, len(found["steps"]) + 1))
    assert len({row["id"] for row in found["steps"]}) == len(found["steps"])
