"""Mermaid text, and each picture's twin in plain lines."""

from __future__ import annotations

import re

import pytest

from app import diagram
from app.catalog.flow import Flow
from app.diagram.extract import cluster_view, messages_view, timeline_view
from app.sim.walk import Walk
from tests.diagram import walks

LINE = re.compile(r"^    (\w+)(->>|-->>|--x)(\w+): \S.*$")


def test_mermaid_text_has_every_step_up_to_the_present_one() -> None:
    text = diagram.mermaid(walks.race(), 7, walks.FLOW)
    lines = text.splitlines()
    assert lines[0] == "sequenceDiagram"
    assert [line.split(": ", 1)[1] for line in lines if "->>" in line and "-->>" not in line] == [
        "1. DELETE pod/web-7pxpv",
        "2. deletionTimestamp, grace 30 s",
        "3. POST pod/web-99999",
        "4. PUT slice",
        "5. bind pod/web-99999",
        "6. StopContainer",
        "7. SIGTERM",
    ]


def test_mermaid_text_is_made_of_participants_and_arrows_only(walk: Walk, flow: Flow) -> None:
    lines = diagram.mermaid(walk, len(walk.steps), flow).splitlines()
    declared = [match[1] for line in lines if (match := re.match(r"^    participant (\w+) as \S.*$", line))]
    assert len(declared) == len(set(declared))
    depth = 0
    for line in lines[1 + len(declared) :]:
        arrow = LINE.match(line)
        if arrow:
            assert {arrow[1], arrow[3]} <= set(declared)
        else:
            depth += 1 if line.startswith("    rect ") else -1
            assert line.startswith("    rect ") or line == "    end"
            assert depth in (0, 1)
    assert depth == 0
    assert not any(";" in line.split(": ", 1)[-1].replace("#35;", "").replace("#59;", "") for line in lines)


def test_failed_requests_are_crosses_in_mermaid() -> None:
    assert "--x" in diagram.mermaid(walks.race(), 11, walks.FLOW)
    assert "--x" not in diagram.mermaid(walks.race(), 10, walks.FLOW)


@pytest.mark.parametrize("view", ["cluster", "messages", "timeline"])
def test_twins_are_lines_of_text_at_every_step(view: str, walk: Walk, flow: Flow) -> None:
    for n in range(len(walk.steps) + 1):
        lines = diagram.describe(view, walk, n, flow)
        assert lines
        assert all(line and line == line.strip() and "\n" not in line for line in lines)


def test_the_map_in_words_names_all_that_is_drawn() -> None:
    walk = walks.race()
    view = cluster_view(walk, 11, walks.FLOW)
    text = "\n".join(diagram.describe_cluster(walk, 11, walks.FLOW))
    for card in view.nodes:
        assert card.name in text
        assert all(pod.name in text and pod.status in text for pod in card.pods)
        assert all(row.name in text for table in card.rules for row in table.rows)
    assert "node-2: connection refused (web-7pxpv 1/3)" in text
    assert "EndpointSlice web: web-7pxpv serving, terminating, web-x2k9d ready, web-m4wqz ready" in text


def test_the_messages_in_words_mark_the_present_step() -> None:
    walk = walks.race()
    lines = diagram.describe_messages(walk, 11, walks.FLOW)
    assert len([line for line in lines if line.startswith("now: ")]) == 1
    assert "now: 11 · T+0.600 s · Clients → kube-proxy node-2: connection refused" in lines
    assert len(lines) == len(messages_view(walk, 11, walks.FLOW).shots)


def test_the_timeline_in_words_says_when() -> None:
    lines = diagram.describe_timeline(walks.race(), 11, walks.FLOW)
    assert lines[0] == "T+0.600 s"
    assert (
        "node-2 rules: → web-7pxpv until 0.25 s; → web-7pxpv, refused 0.25 s to 1.21 s; without web-7pxpv from 1.21 s"
    ) in lines
    assert lines[-1] == "requests fail: 0.25 s to 1.21 s"
    assert len(lines) == 2 + len(timeline_view(walks.race(), 11, walks.FLOW).tracks)
