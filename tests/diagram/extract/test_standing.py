"""Rows about nodes and budgets."""

from __future__ import annotations

from app.diagram.extract import standing
from app.diagram.extract.tracks import Tracks
from app.story.play import play, request


def told(scene: str) -> tuple[dict[str, list[str]], dict[str, list[tuple[int, str]]]]:
    tracks = Tracks(play(request("drain", scene=scene)).walk)
    nodes = {row.name: [part.state for part in row.segments] for row in standing.nodes(tracks)}
    budgets = {row.name: [(part.start, part.text) for part in row.segments] for row in standing.budgets(tracks)}
    return nodes, budgets


def test_only_a_node_whose_openness_changes_has_a_row() -> None:
    assert told("")[0] == {"node-1 for new pods": ["open", "cordoned"]}
    assert told("uncordoned-midway")[0] == {"node-1 for new pods": ["open", "cordoned", "open"]}


def test_a_budget_that_pays_shows_what_it_allows() -> None:
    budgets = told("")[1]
    assert [text for _, text in budgets["budget web"]] == ["1 may go", "0 may go"] * 2 + ["1 may go"]


def test_a_budget_that_only_refuses_has_a_row_too() -> None:
    assert told("one-replica")[1] == {"budget web": [(-1, "0 may go")]}


def test_a_budget_that_nobody_asks_has_none() -> None:
    assert told("disable-eviction")[1] == {}
