"""One setting over a range: which values, and what a verdict says at each."""

from __future__ import annotations

import pytest

from app.errors import BadInput
from app.story.play import request
from app.story.sweeping import MOST_POINTS, Sweep, line, point, report, sweep

TERMINATION = request("termination")


def values(flow: str, setting: str, verdict: str, **bounds: str) -> tuple[str, ...]:
    return sweep(request(flow), setting, verdict, **bounds).values  # type: ignore[arg-type]


def numbers(asked: Sweep) -> list[float | bool | str | None]:
    return [row.answer.value if row.answer else None for row in (point(asked, value) for value in asked.values)]


def test_failed_requests_over_prestop() -> None:
    """Without a preStop requests fail for as long as rules lag behind; 2 s are enough on the usual way."""
    assert numbers(sweep(TERMINATION, "prestop", "requests-failed", last="3s")) == [3.467, 0.02, 0, 0]


def test_search_gives_the_range_at_each_value() -> None:
    asked = sweep(TERMINATION, "prestop", "requests-failed", first="1s", last="2s", search=True)
    one, two = (point(asked, value).answer for value in asked.values)
    assert one is not None
    assert two is not None
    assert (one.least, one.most) == (0, 1.54)
    assert (two.least, two.most) == (0, 0)


def test_without_a_range_it_is_some_twenty_values_and_the_usual_one() -> None:
    found = values("termination", "grace", "killed")
    assert (found[0], found[-1], len(found)) == ("0s", "1m", 31)
    assert "30s" in found


def test_the_usual_value_is_there_though_it_is_not_round() -> None:
    assert values("termination", "rate", "requests-failed", first="7", last="600")[:2] == ("7", "20")
    assert values("termination", "grace", "killed", first="1s", last="5m")[:5] == ("1s", "10s", "20s", "30s", "40s")


def test_few_choices_are_all_taken() -> None:
    assert values("termination", "on_sigterm", "killed") == ("exit", "drain=10s", "ignore")
    assert values("termination", "force", "killed") == ("true", "false")


def test_a_given_step_counts_from_the_start() -> None:
    assert values("termination", "grace", "killed", first="5s", last="26s", step="10s") == ("5s", "15s", "25s")


def test_the_setting_of_the_walk_itself_does_not_hold_it_fast() -> None:
    fixed = request("termination", settings=[("prestop", "15s"), ("grace", "40s")])
    asked = sweep(fixed, "prestop", "requests-failed", last="0s")
    assert numbers(asked) == [3.467]
    assert asked.asked.settings == (("grace", "40s"),)


def test_a_value_without_a_walk_says_why() -> None:
    told = line(point(sweep(TERMINATION, "grace", "killed", last="0s"), "nonsense"))
    assert "setting grace: found" in told


@pytest.mark.parametrize(
    ("setting", "verdict", "bounds", "said"),
    [
        ("prestopp", "killed", {}, 'did you mean "prestop"?'),
        ("prestop", "kiled", {}, 'did you mean "killed"?'),
        ("prestop", "killed", {"first": "soon"}, "from: found"),
        ("prestop", "killed", {"first": "5s", "last": "2s"}, "to: found 2s, which is before from, 5s"),
        ("prestop", "killed", {"step": "0s"}, "step: found 0s; allowed: more than 0"),
        ("prestop", "killed", {"last": "10m", "step": "1s"}, f"allowed: {MOST_POINTS} at most"),
    ],
)
def test_what_cannot_be_is_refused(setting: str, verdict: str, bounds: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        values("termination", setting, verdict, **bounds)
    assert said in str(caught.value)


def test_only_what_is_searched_can_be() -> None:
    with pytest.raises(BadInput, match="is not searched over orders; allowed: requests-failed"):
        sweep(TERMINATION, "prestop", "killed", search=True)


def test_the_report_is_for_programs() -> None:
    asked = sweep(TERMINATION, "prestop", "requests-failed", last="1s")
    found = report(asked, tuple(point(asked, value) for value in asked.values))
    assert (found["flow"], found["setting"], found["verdict"]) == ("termination", "prestop", "requests-failed")
    assert [(row["value"], row["verdict"]["value"]) for row in found["points"]] == [("0s", 3.467), ("1s", 0.02)]
