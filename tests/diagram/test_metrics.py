"""Widths of texts: the committed table is what the shipped fonts say, and texts are cut to fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagram import metrics
from app.paths import static_dir
from tools import measure_fonts

WEIGHTS = {"Inter": "Inter", "JetBrainsMono": "JetBrains Mono"}
NAMES = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=60)


def test_the_table_is_made_from_the_fonts_that_are_shipped() -> None:
    assert (Path(metrics.__file__).parent / "advances.json").read_text() == measure_fonts.table()


@pytest.mark.parametrize(("look", "face"), metrics.FACES.items())
def test_the_stylesheet_sets_texts_in_the_face_they_are_measured_in(look: str, face: metrics.Face) -> None:
    css = (static_dir() / "diagram.css").read_text()
    rule = re.search(rf"^\.picture \.{look} \{{([^}}]*)\}}", css, re.MULTILINE)
    assert rule is not None
    family, _, weight = face.font.partition("-")
    assert f"font-size: {face.size:g}px;" in rule[1]
    assert f"font-weight: {weight};" in rule[1]
    assert (f'"{WEIGHTS[family]}"' in rule[1]) is (family != "Inter")


def test_no_other_rule_changes_a_face() -> None:
    css = (static_dir() / "diagram.css").read_text()
    rules = [line for line in css.splitlines() if "font-size" in line or "font-weight" in line]
    assert len(rules) == len(metrics.FACES)


def test_a_width_is_the_sum_of_the_advances() -> None:
    # JetBrains Mono advances 600 thousandths of an em for every character.
    assert metrics.width("web-7pxpv", "t-mono") == pytest.approx(9 * 0.6 * 9.5)
    assert metrics.width("Wi", "t-note") == pytest.approx(metrics.width("W", "t-note") + metrics.width("i", "t-note"))


@given(NAMES, st.floats(0, 300), st.sampled_from(sorted(metrics.FACES)))
def test_a_fitted_text_fits(text: str, room: float, look: str) -> None:
    for cut in (metrics.fitted(text, look, room), metrics.tail_fitted(text, look, room)):
        assert metrics.width(cut, look) <= room or cut == ""
    if metrics.width(text, look) <= room:
        assert metrics.fitted(text, look, room) == metrics.tail_fitted(text, look, room) == text


@given(NAMES, st.floats(20, 300), st.integers(1, 3))
def test_wrapped_lines_fit(text: str, room: float, lines: int) -> None:
    found = metrics.wrapped(text, "t-note", room, lines)
    assert len(found) <= lines
    assert all(metrics.width(line, "t-note") <= room for line in found)


def test_of_a_generated_name_the_end_stays() -> None:
    cut = metrics.tail_fitted("web-6d5f8c9b7d-7pxpv", "t-mono", 60)
    assert cut.startswith("…")
    assert cut.endswith("-7pxpv")


def test_a_long_title_breaks_at_its_hyphen() -> None:
    assert metrics.wrapped("controller-manager", "t-chip", 70, 2) == ("controller-", "manager")
