"""Which rows of a coverage list count as taught."""

import json

import pytest

from app.catalog.coverage import Row, as_json, coverage, never_occurring, read_rows
from app.catalog.flow import Flow
from app.errors import BadInput

KINDS = {
    "race.s1": "step",
    "race.s2": "step",
    "race.s3": "fact",
    "race.y1": "symptom",
    "race.y2": "symptom",
    "q1": "question",
    "trap.1": "trap",
    "race.f1": "figure",
    "other.f1": "function",
}
ROWS = [Row(id, "race", kind) for id, kind in KINDS.items()]


def test_a_step_counts_only_where_its_moment_occurs_and_the_rest_by_name(race: Flow) -> None:
    found = coverage(ROWS, {"race": race}, {"race": ["sigterm-sent"]})
    # race.s3 is a fact that only a symptom covers, and nothing shows it.
    assert found["missing"] == ["race.s2", "race.s3", "other.f1"]
    assert found["covered"] == ["race.s1", "race.y1", "race.y2", "q1", "trap.1", "race.f1"]


def test_another_flows_walk_shows_nothing_of_this_one(race: Flow) -> None:
    assert "race.s1" in coverage(ROWS, {"race": race}, {"other": ["sigterm-sent"]})["missing"]


def test_moments_that_never_occur_are_told(race: Flow) -> None:
    assert [(row.path, row.text) for row in never_occurring(race, ["sigterm-sent", "killing"])] == [
        (
            ("moments", 1, "id"),
            '"never-seen" occurs neither in the default walk nor in a scene; what occurs: killing, sigterm-sent',
        )
    ]


def test_rows_are_read_and_further_keys_let_be() -> None:
    text = b'[{"id": "a", "flow": "f", "kind": "step", "seed": "s", "what": "w", "more": 1}]'
    assert read_rows(text, "list.json") == (Row("a", "f", "step", "s", "w"),)


@pytest.mark.parametrize("text", [b"", b"{}", b'[{"id": "a"}]', b'[{"id": 1, "flow": "f", "kind": "step"}]', b"\xff"])
def test_what_is_no_list_of_rows_is_refused(text: bytes) -> None:
    with pytest.raises(BadInput, match=r"list\.json: .*; allowed: a JSON list of rows with id, flow and kind"):
        read_rows(text, "list.json")


def test_the_printed_form_is_json() -> None:
    assert json.loads(as_json({"covered": ["a"], "missing": []})) == {"covered": ["a"], "missing": []}
