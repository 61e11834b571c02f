"""Pictures for a frame of 700 by 394: they fit beside its controls, set no smaller than on a page."""

import pytest

from app import diagram
from app.catalog import reading
from app.diagram.extract.messages import fitting, messages_view
from app.diagram.shapes import Picture
from app.story.play import Play, play, request
from tests.diagram import geometry

ROOM = 684
"""What 700 leave within the frame's edges, in pixels: a picture of that width is drawn as it is."""
HEIGHT = 328
"""What 394 leave below the controls and the caption."""

FLOWS = pytest.mark.parametrize("flow", sorted(reading.flows()))


def some(played: Play) -> list[int]:
    last = len(played.steps)
    return sorted({0, 1, last // 3, last // 2, last})


def faults(picture: Picture) -> list[object]:
    return [
        *geometry.outside(picture),
        *geometry.crossing(picture, "lane"),
        *geometry.squeezed(picture, "lane"),
        *geometry.collisions(picture),
    ]


@FLOWS
def test_messages_fit_into_a_frame(flow: str) -> None:
    played = play(request(flow))
    for n in some(played):
        picture = diagram.framed("messages", played.walk, n, played.flow)
        assert picture.width == ROOM
        assert picture.height <= HEIGHT
        assert faults(picture) == []
        now = [group for group in picture.groups if "now" in group.look.split() and "shot" in group.look.split()]
        assert bool(now) == (n > 0)


@FLOWS
def test_a_timeline_is_as_wide_as_a_frame(flow: str) -> None:
    played = play(request(flow))
    picture = diagram.framed("timeline", played.walk, len(played.steps), played.flow)
    assert picture.width == ROOM
    assert [*geometry.outside(picture), *geometry.collisions(picture)] == []


def test_a_narrow_frame_shows_the_present_step_without_scrolling() -> None:
    played = play(request("termination"))
    for n in range(1, len(played.steps) + 1):
        picture = diagram.framed("messages", played.walk, n, played.flow, narrow=True)
        band = next(group for group in picture.groups if group.look == "now")
        assert band.y + band.boxes[0].height <= 320


@pytest.mark.parametrize("most", [1, 2, 5, 9, 200])
def test_the_window_holds_the_present_step_and_no_more_than_there_is_room_for(most: int) -> None:
    played = play(request("termination"))
    last = len(played.steps)
    for n in range(last + 1):
        first, end = fitting(played.steps, n, most)
        assert 0 <= first <= end <= last
        assert n == 0 or first < n <= end
        drawn = len(messages_view(played.walk, n, played.flow, most=most).shots)
        # The present step is shown even where the event that woke its loop leaves no room for both.
        assert drawn <= max(most, 2)
    assert fitting(played.steps, 5, 200) == (0, last)
