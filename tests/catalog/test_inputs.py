"""What can be said to the model: every name that the code reads has its words, and no other has."""

from __future__ import annotations

import pytest

from app.catalog.inputs import inputs, meanings
from app.kube import disks, load_balancer, machine_grammar, patching
from app.kube.annotations import READERS, VOLUME
from app.sim.interventions import VERBS


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("pods", set(READERS)),
        ("volumes", {VOLUME}),
        ("nodes", set(machine_grammar.READERS)),
        ("disks", set(disks.NEVER)),
        ("services", set(load_balancer.READERS)),
        ("patches", set(patching.WORDS)),
        ("verbs", set(VERBS)),
    ],
)
def test_words_and_code_have_the_same_names(part: str, names: set[str]) -> None:
    assert set(getattr(meanings(), part)) == names


def test_what_is_allowed_is_said_by_whoever_reads_it() -> None:
    found = {row.name: row.allowed for row in inputs().pods}
    assert found["sim.loopscope.dev/on-sigterm"] == "exit, exit=2s, drain=10s, ignore"
    assert found["sim.loopscope.dev/startup"] == "a duration such as 300ms, 5s, 2m or 1h30m"
    assert found["sim.loopscope.dev/log"] == "any text"
    assert {row.name: row.allowed for row in inputs().nodes}["sim.loopscope.dev/lease-age"].endswith("or spread")


def test_everything_has_a_meaning() -> None:
    rows = inputs()
    assert all(
        row.meaning
        for part in (rows.pods, rows.nodes, rows.disks, rows.services, rows.patches, rows.verbs)
        for row in part
    )
