"""Lanes, names and words of arrows."""

from __future__ import annotations

import pytest

from app.catalog.flow import Flow
from app.diagram import words
from app.diagram.extract import deeds
from app.diagram.extract.kept import once_per_walk, world_at
from app.diagram.extract.lanes import participant
from app.diagram.extract.names import few, short
from app.diagram.extract.subjects import cast
from app.sim.walk import Walk
from app.story.play import Play
from tests.diagram import walks


@pytest.mark.parametrize(
    ("lane", "kind", "name"),
    [
        ("API server", "api", "API server"),
        ("kube-controller-manager", "controller", "Controllers"),
        ("controller-manager", "controller", "Controllers"),
        ("kubelet node-1", "kubelet", "kubelet node-1"),
        ("kube-proxy node-12", "kube-proxy", "kube-proxy node-12"),
        ("web-6d5f8c9b7d-7pxpv process", "app", "web-7pxpv process"),
        ("Clients", "clients", "Clients"),
    ],
)
def test_a_lane_has_the_colour_and_the_title_that_the_flow_gives_it(lane: str, kind: str, name: str) -> None:
    who = participant(walks.FLOW, lane)
    assert (who.kind, who.name) == (kind, name)


@pytest.mark.parametrize(("lane", "kind"), [("runtime node-2", "runtime"), ("You", "user"), ("scheduler", "scheduler")])
def test_a_lane_that_the_flow_does_not_name_is_known_all_the_same(lane: str, kind: str) -> None:
    empty = Flow(id="empty", title="", summary="", chapter="", lanes=())
    assert participant(empty, lane).kind == kind


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("web-6d5f8c9b7d-7pxpv", "web-7pxpv"),
        ("my-long-app-6d5f8c9b7d-7pxpv", "my-long-app-7pxpv"),
        ("web-0", "web-0"),
        ("web-7pxpv", "web-7pxpv"),
        ("node-local-dns", "node-local-dns"),
    ],
)
def test_generated_names_lose_their_middle(name: str, shown: str) -> None:
    assert short(name) == shown


@pytest.mark.parametrize(
    ("number", "shown"), [(0.0, "0"), (0.0076, "0.0076"), (0.5, "0.5"), (3.333, "3.3"), (10.0, "10")]
)
def test_counts_say_something_however_small(number: float, shown: str) -> None:
    assert few(number) == shown


def test_every_act_of_the_default_walk_has_words_of_its_own(default: Play) -> None:
    for record in default.walk.steps:
        assert deeds.text_of(record)
        assert words.has_act(record.step.loop, record.step.verb), record.id


def test_a_refused_request_says_so() -> None:
    script = walks.Script(walks.start())
    script.step(
        0, "controller-manager", "API server", "update-endpoints", walks.SLICE, outcome="conflict: it has moved on"
    )
    assert deeds.text_of(script.records[0]).endswith(" · conflict")


def test_a_timeline_is_about_the_target_of_the_flow(default: Play) -> None:
    found = cast(default.walk, default.flow.target, None)
    assert [row.ref for row in found.targets] == [default.target]
    assert len(found.replacements) == 1


def test_without_a_target_it_is_about_the_pods_that_end() -> None:
    found = cast(walks.race(), "", None)
    assert [row.uid for row in found.targets] == ["uid-0"]
    assert [row.uid for row in found.replacements] == ["uid-99999"]


def test_what_is_computed_for_a_walk_is_computed_once() -> None:
    calls = []

    @once_per_walk
    def count(walk: Walk) -> int:
        calls.append(walk)
        return len(walk.records)

    walk, twin = walks.race(), walks.race()
    assert count(walk) == count(walk) == count(twin) == len(walk.records)
    # The twin is equal, and yet another walk: comparing would cost more than it saves.
    assert len(calls) == 2


def test_position_0_is_the_start_and_n_the_world_after_step_n() -> None:
    walk = walks.race()
    assert world_at(walk, 0) is walk.start
    assert world_at(walk, 3) is walk.steps[2].step.world
