"""What the flows teach of the coverage list: everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import starting
from app.catalog.coverage import coverage, never_occurring, occurring, read_rows
from app.catalog.reading import flow, flows

FILE = Path(__file__).parent / "data/coverage.json"
ROWS = read_rows(FILE.read_bytes(), FILE.name)


def moments(name: str) -> set[str]:
    """What a reader meets in the default walk and in the scenes."""
    scenes = ("", *(scene.id for scene in flow(name).scenes))
    return occurring(starting.walk(starting.setup(name, settings={}, scene=scene)) for scene in scenes)


def test_every_flow_of_the_list_is_built() -> None:
    assert {row.flow for row in ROWS} <= set(flows())


def test_everything_that_is_to_be_taught_is_covered() -> None:
    happening = {name: moments(name) for name in flows()}
    missing = set(coverage(ROWS, flows(), happening)["missing"])
    assert [row.id for row in ROWS if row.id in missing] == []


def test_flows_cover_only_what_is_on_the_list() -> None:
    known = {row.id for row in ROWS}
    parts = ("moments", "symptoms", "questions", "traps", "figures")
    named = [
        (name, id)
        for name, row in flows().items()
        for part in parts
        for item in getattr(row, part)
        for id in item.covers
    ]
    assert [(name, id) for name, id in named if id not in known] == []


@pytest.mark.parametrize("name", sorted(flows()))
def test_no_moment_waits_in_vain(name: str) -> None:
    assert never_occurring(flow(name), moments(name)) == []
