"""The checks on pictures find what they are for."""

from __future__ import annotations

import pytest

from app.diagram.shapes import Box, Group, Label, Picture, arrow, box, label
from tests.diagram import geometry


def picture(*groups: Group) -> Picture:
    return Picture(id="p", look="picture", width=100, height=100, title="", desc="", groups=groups)


def chip(name: str, x: float, y: float, *labels: Label) -> Group:
    return Group(id=name, look="chip", x=x, y=y, boxes=(Box(0, 0, 40, 20, "body"),), labels=labels)


def test_a_box_outside_the_canvas() -> None:
    assert geometry.outside(picture(chip("one", 70, 10))) != []
    assert geometry.outside(picture(chip("one", 50, 10))) == []


def test_two_boxes_that_overlap() -> None:
    assert geometry.crossing(picture(chip("one", 10, 10), chip("two", 40, 20)), "chip") == [("one", "two")]
    assert geometry.crossing(picture(chip("one", 10, 10), chip("two", 51, 10)), "chip") == []


def test_a_box_inside_another_is_no_overlap() -> None:
    frame = Group(id="frame", look="place", boxes=(box(5, 5, 80, 80, "frame"),))
    assert geometry.crossing(picture(frame, chip("one", 10, 10)), "chip", "place") == []


def test_a_label_that_is_too_long() -> None:
    assert geometry.squeezed(picture(chip("one", 10, 10, label(5, 14, "short", "t-note"))), "chip") == []
    assert geometry.squeezed(picture(chip("one", 10, 10, label(5, 14, "much too long", "t-note"))), "chip") != []


def test_labels_over_each_other() -> None:
    both = (label(2, 14, "here", "t-note"), label(8, 14, "and", "t-note"))
    assert geometry.collisions(picture(chip("one", 10, 10, *both))) != []


def test_a_label_that_a_box_cuts_through() -> None:
    words = Group(id="words", look="caption", labels=(label(5, 18, "over the box", "t-note"),))
    assert geometry.covered(picture(words, chip("one", 10, 10)), "chip") != []


@pytest.mark.parametrize(("goal", "lands"), [((50, 20), True), ((49, 20), True), ((40, 20), False), ((57, 20), False)])
def test_where_an_arrow_ends(goal: tuple[float, float], lands: bool) -> None:
    flow = Group(id="flow", look="arrow", lines=arrow([(90, 20), goal], "flow"))
    ((_, end),) = geometry.ends(flow)
    assert geometry.Rect(10, 10, 50, 30).on_border(*end) is lands
