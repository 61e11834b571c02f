"""The message picture: lanes, arrows, the window around the present step, and what is folded away."""

from __future__ import annotations

import pytest

from app import diagram
from app.catalog.flow import Flow
from app.diagram.extract import messages_view
from app.diagram.extract.messages import window
from app.diagram.shapes import Group, Picture
from app.sim.walk import Walk
from tests.diagram import geometry, walks

SIDES = pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])


def faults(picture: Picture) -> list[object]:
    return [
        *geometry.outside(picture),
        *geometry.crossing(picture, "lane"),
        *geometry.squeezed(picture, "lane"),
        *geometry.collisions(picture),
        *geometry.overlaid(picture),
        *loose_arrows(picture),
    ]


def shots(picture: Picture) -> list[Group]:
    return [row for row in picture.groups if "shot" in row.look.split()]


def loose_arrows(picture: Picture) -> list[str]:
    """Arrows that do not end on a lifeline."""
    lives = [row.x + row.lines[0].start[0] for row in picture.groups if "lane" in row.look.split()]
    found = []
    for row in shots(picture):
        for start, end in geometry.ends(row):
            found += [f"{row.id}: {x}" for x, _ in (start, end) if min(abs(x - life) for life in lives) > 0.2]
    return found


@SIDES
def test_every_step_of_the_default_walk_is_drawn_properly(walk: Walk, flow: Flow, narrow: bool) -> None:
    wrong = {
        n: bad for n in range(len(walk.steps) + 1) if (bad := faults(diagram.messages(walk, n, flow, narrow=narrow)))
    }
    assert wrong == {}


@SIDES
def test_the_present_step_is_always_in_view_and_marked(walk: Walk, flow: Flow, narrow: bool) -> None:
    for n in range(1, len(walk.steps) + 1):
        picture = diagram.messages(walk, n, flow, narrow=narrow)
        (now,) = [row for row in shots(picture) if "now" in row.look.split() and "watch" not in row.look.split()]
        assert now.id.endswith(f"-step-{n}")
        (band,) = [row for row in picture.groups if row.id.endswith("-now")]
        assert geometry.boxes_of(band)[0].top <= now.y < geometry.boxes_of(band)[0].bottom


@pytest.mark.parametrize(
    ("n", "count", "drawn"),
    [
        (0, 3, (0, 3)),
        (0, 40, (0, 15)),
        (9, 40, (0, 15)),
        (10, 40, (1, 16)),
        (20, 40, (11, 26)),
        (34, 40, (25, 40)),
        (40, 40, (25, 40)),
        (0, 0, (0, 0)),
    ],
)
def test_the_window_is_full_and_holds_the_present_step(n: int, count: int, drawn: tuple[int, int]) -> None:
    assert window(n, count) == drawn


def test_steps_that_are_not_drawn_are_counted(walk: Walk, flow: Flow) -> None:
    picture = diagram.messages(walk, 20, flow)
    words = {row.id: row.labels[0].text for row in picture.groups if row.look == "folded"}
    assert words["messages-before"] == "11 earlier steps"
    assert words["messages-after"] == f"{len(walk.steps) - 26} more steps"


def test_the_past_the_present_and_what_is_ahead_look_different() -> None:
    looks = {row.id: row.look.split() for row in shots(diagram.messages(walks.race(), 6, walks.FLOW))}
    assert "past" in looks["messages-step-5"]
    assert "now" in looks["messages-step-6"]
    assert "now" in looks["messages-watch-6"]
    assert "ahead" in looks["messages-step-7"]


def test_a_watch_event_comes_before_the_act_it_caused() -> None:
    view = messages_view(walks.race(), 6, walks.FLOW)
    names = [shot.id for shot in view.shots]
    assert names.index("watch-6") + 1 == names.index("step-6")
    watch = next(shot for shot in view.shots if shot.id == "watch-6")
    assert (view.lanes[watch.sender].title, view.lanes[watch.receiver].title) == ("API server", "kubelet")
    assert watch.text == "watch: pod/web-7pxpv"


def test_own_acts_are_loops() -> None:
    picture = diagram.messages(walks.race(), 8, walks.FLOW)
    (loop,) = [row for row in shots(picture) if row.id == "messages-step-8"]
    ((start, end),) = geometry.ends(loop)
    assert "self" in loop.look.split()
    assert start[0] == end[0]
    assert start[1] < end[1]


def test_the_rows_in_which_requests_fail_are_shaded() -> None:
    picture = diagram.messages(walks.race(), 11, walks.FLOW)
    (race,) = [row for row in picture.groups if row.look == "racing"]
    (shade,) = geometry.boxes_of(race)
    inside = [row.id for row in shots(picture) if shade.top <= row.y < shade.bottom]
    # From the exit of the process, step 8, to the change of the last rules, step 12.
    assert inside[0] == "messages-step-8"
    assert inside[-1] == "messages-step-12"
    # It fails from 0.250 s to 1.210 s.
    assert [label.text for label in race.labels] == ["requests fail · 0.960 s"]


def test_an_arrow_of_failing_requests_is_harm() -> None:
    (row,) = [row for row in shots(diagram.messages(walks.race(), 1, walks.FLOW)) if row.id == "messages-step-11"]
    assert "harm" in row.look.split()


@SIDES
def test_many_lanes_still_fit(narrow: bool) -> None:
    walk = walks.race(12, 1)
    for n in range(len(walk.steps) + 1):
        assert faults(diagram.messages(walk, n, walks.FLOW, narrow=narrow)) == []


def test_a_walk_without_steps_is_an_empty_picture() -> None:
    picture = diagram.messages(walks.standstill(1), 0, walks.FLOW)
    assert shots(picture) == []
    assert faults(picture) == []
