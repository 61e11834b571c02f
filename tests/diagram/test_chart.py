"""A verdict over a setting, as columns."""

from __future__ import annotations

from itertools import pairwise

import pytest

from app.diagram.layout.chart import FOOT, PLOT, TOP, place_chart
from app.diagram.metrics import width
from app.diagram.shapes import Picture
from app.diagram.views import ChartView, Column


def column(name: str, height: float | None, **more: float | bool | str) -> Column:
    text = "never" if height is None else f"{height:g}"
    return Column(name, height, text, "plain", f"{name}: {text}", **more)  # type: ignore[arg-type]


def placed(*columns: Column, narrow: bool = False) -> Picture:
    return place_chart(
        ChartView("Failed over preStop", "Failed (requests)", "preStop", columns), narrow=narrow, desc=""
    )


def bars(picture: Picture) -> list[tuple[float, float]]:
    """(top, bottom) of every column that has one."""
    return [(box.y, box.bottom) for group in picture.groups for box in group.boxes]


def test_heights_are_true_to_scale() -> None:
    (full, _), (half, low), _ = bars(placed(column("0s", 4.0), column("1s", 2.0), column("2s", 0.0)))
    assert low == TOP + PLOT
    assert (low - half) * 2 == pytest.approx(low - full, abs=0.2)


def test_a_zero_is_seen() -> None:
    assert all(bottom > top for top, bottom in bars(placed(column("0s", 3.0), column("2s", 0.0))))


def test_what_never_came_about_has_no_column_but_its_word() -> None:
    picture = placed(column("3", 8.5), column("4", None))
    assert len(bars(picture)) == 1
    assert "never" in [label.text for group in picture.groups for label in group.labels]


def test_a_range_is_a_line_from_least_to_most() -> None:
    picture = placed(column("1", 20.0, low=15.0, high=20.0), column("2", 40.0))
    (spans,) = [group.lines for group in picture.groups if group.look.startswith("bar") and group.lines]
    assert spans[0].start[1] > spans[0].end[1]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("many", [1, 3, 21, 61])
def test_nothing_lies_outside_or_upon_another_name(many: int, *, narrow: bool) -> None:
    picture = placed(*(column(f"{n * 100}ms", n * 1.5, usual=n == 1) for n in range(many)), narrow=narrow)
    assert picture.height == TOP + PLOT + FOOT
    for group in picture.groups:
        for shape in group.boxes:
            assert 0 <= shape.x <= shape.right <= picture.width
    (names,) = [group for group in picture.groups if group.look == "names"]
    row = sorted((label for label in names.labels if label.y == names.labels[0].y), key=lambda label: label.x)
    ends = [(label.x - width(label.text, "t-note") / 2, label.x + width(label.text, "t-note") / 2) for label in row]
    assert all(right < left for (_, right), (left, _) in pairwise(ends))
    assert ends[0][0] >= 0
    assert ends[-1][1] <= picture.width


def test_nothing_but_zeros_has_a_scale() -> None:
    picture = placed(column("0s", 0.0))
    assert [label.text for label in picture.groups[0].labels][:2] == ["0", "0.2"]
