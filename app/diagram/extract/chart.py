"""A sweep as columns: what a verdict says at each value of a setting."""

from __future__ import annotations

from app.diagram.views import ChartView, Column
from app.diagram.words import say
from app.story.play import Answered
from app.story.sweeping import Point, Sweep, value_of

STATES = {True: "good", False: "bad", None: "plain"}


def chart_view(asked: Sweep, points: tuple[Point, ...], verdict: str) -> ChartView:
    """The points so far; `verdict` is its title."""
    unit = next((point.answer.unit for point in points if point.answer is not None and point.answer.unit), "")
    names = {"setting": asked.setting.title, "verdict": verdict, "unit": unit}
    return ChartView(
        title=say("chart", "title", **names),
        measure=say("chart", "measure" if unit else "measure-plain", **names),
        axis=say("chart", "axis", **names),
        columns=tuple(_column(point, asked.usual) for point in points),
    )


def _column(point: Point, usual: str) -> Column:
    name, common = point.value, point.value == usual
    if point.answer is None:
        text = say("chart", "no-walk")
        about = say("chart", "at", value=name, answer="; ".join(point.problems))
        return Column(name, None, text, "plain", about, usual=common)
    row = point.answer
    return Column(
        name,
        _height(row.value),
        _short(row),
        STATES[row.ok],
        say(
            "chart", "range" if _ranges(row) else "at", value=name, answer=value_of(row), least=row.least, most=row.most
        ),
        low=_height(row.least) if _ranges(row) else None,
        high=_height(row.most) if _ranges(row) else None,
        usual=common,
    )


def _ranges(row: Answered) -> bool:
    return row.least is not None and row.most is not None and row.least != row.most


def _height(value: float | bool | str | None) -> float | None:
    return None if value is None or isinstance(value, str) else float(value)


def _short(row: Answered) -> str:
    """Without its unit: that stands at the scale."""
    return f"{row.value:g}" if isinstance(row.value, float) else value_of(row)
