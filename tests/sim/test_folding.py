"""Acts that a flow folds, and commands that go round in circles."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from app.kube.meta import Ref
from app.sim.engine import API
from app.sim.schedule import goes_round
from app.sim.step import Commit, Step
from app.sim.walk import Record
from app.sim.world import World
from app.story.play import Play, play, request

POD = Ref("Pod", "default", "web-1")


@dataclass
class Told:
    """One act of a made-up walk."""

    verb: str
    outcome: str = "ok"
    command: int = 0
    stored: bool = False
    background: bool = False


def record(told: Told) -> Record:
    commits = (Commit(POD, None, None, ""),) if told.stored else ()
    world = World()
    step = Step(
        at=0,
        loop="kubectl" if told.command else "replicaset",
        node="",
        sender="kubectl",
        to=API,
        verb=told.verb,
        object=POD,
        outcome=told.outcome,
        reason="",
        moment="",
        cause="",
        background=told.background,
        commits=commits,
        events=(),
        output=(),
        command=told.command,
        before=world,
        world=world,
    )
    return Record(0 if told.background else 1, step.id, step, "")


NO = Told("evict", "too-many-requests: no", command=1)


@pytest.mark.parametrize(
    ("acts", "round_"),
    [
        ((NO, NO), True),
        ((NO,), False),
        ((NO, Told("patch", stored=True), NO), False),
        ((Told("patch", stored=True), NO, NO), True),
        ((NO, Told("renew-lease", stored=True, background=True), NO), True),
        ((NO, Told("delete", "not-found", command=1)), False),
        ((Told("update", "conflict"), Told("update", "conflict")), False),
        ((), False),
    ],
    ids=[
        "the same request twice in vain",
        "once is not a circle",
        "something was stored in between",
        "what was stored before does not count",
        "bookkeeping does not count",
        "two different requests",
        "a loop that tries again is no command",
        "nothing happened",
    ],
)
def test_going_round(acts: tuple[Told, ...], round_: bool) -> None:
    assert goes_round([record(act) for act in acts]) is round_


@pytest.fixture(scope="module")
def drained() -> Play:
    return play(request("drain"))


def test_folded_acts_happen_and_have_no_number(drained: Play) -> None:
    folds = drained.flow.folds
    acts = {f"{row.step.loop}.{row.step.verb}" for row in drained.walk.records}
    assert "runtime.create-sandbox" in acts & set(folds)
    assert not [row for row in drained.steps if f"{row.step.loop}.{row.step.verb}" in folds]


def test_an_act_may_be_folded_for_one_reason_only(drained: Play) -> None:
    found = [row for row in drained.walk.records if row.step.verb == "patch-status"]
    told = {row.step.reason for row in found if row.n}
    assert {row.step.reason for row in found if not row.n} >= {"Pending", "Running"}
    assert told == {"Ready", "Succeeded"}


def test_numbers_have_no_gaps_and_folded_acts_are_counted(drained: Play) -> None:
    assert [row.n for row in drained.steps] == list(range(1, len(drained.steps) + 1))
    assert sum(row.folded for row in drained.steps) >= len(drained.walk.records) - len(drained.steps)
