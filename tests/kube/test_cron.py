"""Schedules: t = 0 is Thursday, 1 January 2026, 12:00 UTC."""

from datetime import datetime, timedelta

import pytest

from app.kube.cron import Missed, missed, next_look, parse
from app.kube.objects import ZERO

MINUTE, HOUR = 60_000, 3_600_000
DAY = 24 * HOUR


def times(schedule: str, count: int = 1, since: int = 0) -> list[str]:
    found = []
    instant: int | None = since
    for _ in range(count):
        assert instant is not None
        instant = parse(schedule).after(instant)
        found.append("never" if instant is None else f"{ZERO + timedelta(milliseconds=instant):%a %Y-%m-%d %H:%M:%S}")
    return found


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        pytest.param("* * * * *", ["Thu 2026-01-01 12:01:00", "Thu 2026-01-01 12:02:00"], id="every minute"),
        pytest.param("*/20 * * * *", ["Thu 2026-01-01 12:20:00", "Thu 2026-01-01 12:40:00"], id="a step"),
        pytest.param("5/25 * * * *", ["Thu 2026-01-01 12:05:00", "Thu 2026-01-01 12:30:00"], id="a step from 5 on"),
        pytest.param("10-12/2 * * * *", ["Thu 2026-01-01 12:10:00", "Thu 2026-01-01 12:12:00"], id="within a range"),
        pytest.param("0 9,17 * * *", ["Thu 2026-01-01 17:00:00", "Fri 2026-01-02 09:00:00"], id="a list"),
        pytest.param("30 6 * * MON-WED", ["Mon 2026-01-05 06:30:00", "Tue 2026-01-06 06:30:00"], id="days by name"),
        pytest.param("0 0 1 feb,Mar ?", ["Sun 2026-02-01 00:00:00", "Sun 2026-03-01 00:00:00"], id="months by name"),
        pytest.param(
            "0 0 13 * 5", ["Fri 2026-01-02 00:00:00", "Fri 2026-01-09 00:00:00"], id="the 13th or a Friday: either"
        ),
        pytest.param("0 0 29 2 *", ["Tue 2028-02-29 00:00:00"], id="a leap day"),
        pytest.param("0 0 31 2 *", ["never"], id="a day that never comes"),
        pytest.param("@hourly", ["Thu 2026-01-01 13:00:00"], id="hourly"),
        pytest.param("@weekly", ["Sun 2026-01-04 00:00:00"], id="weekly"),
        pytest.param("@yearly", ["Fri 2027-01-01 00:00:00"], id="yearly"),
        pytest.param("@every 90s", ["Thu 2026-01-01 12:01:30", "Thu 2026-01-01 12:03:00"], id="a fixed distance"),
        pytest.param("@every 1h30m", ["Thu 2026-01-01 13:30:00"], id="of hours and minutes"),
        pytest.param("@every 10ms", ["Thu 2026-01-01 12:00:01"], id="at least a second"),
    ],
)
def test_when(schedule: str, expected: list[str]) -> None:
    assert times(schedule, len(expected)) == expected


def test_a_star_with_a_step_asks_for_something() -> None:
    """Odd days of the month, or Thursdays; a step of one is only a star."""
    assert times("0 0 */2 * 4", 3) == ["Sat 2026-01-03 00:00:00", "Mon 2026-01-05 00:00:00", "Wed 2026-01-07 00:00:00"]
    assert times("0 0 */2 * 4", 1, 6 * DAY)[0] == "Thu 2026-01-08 00:00:00"
    assert times("0 0 */1 * 4", 1) == ["Thu 2026-01-08 00:00:00"]


def test_the_instant_itself_is_not_after_it() -> None:
    assert times("* * * * *", since=59_999) == ["Thu 2026-01-01 12:01:00"]
    assert times("* * * * *", since=60_000) == ["Thu 2026-01-01 12:02:00"]


@pytest.mark.parametrize(
    ("schedule", "fault"),
    [
        ("* * * *", 'found 4 fields in "* * * *"'),
        ("60 * * * *", 'found "60" as minute; allowed: 0 to 59'),
        ("* * 0 * *", 'found "0" as day of the month; allowed: 1 to 31'),
        ("* * * * 7", 'found "7" as day of the week; allowed: 0 to 6, sun to sat'),
        ("* * * foo *", 'found "foo" as month; allowed: 1 to 12, jan to dec'),
        ("5-1 * * * *", 'found "5-1" as minute'),
        ("*/0 * * * *", 'found "*/0" as minute'),
        ("@dayly", 'did you mean "@daily"?'),
        ("@every", 'found "@every"'),
        ("TZ=UTC * * * * *", "without TZ"),
    ],
)
def test_what_is_refused(schedule: str, fault: str) -> None:
    with pytest.raises(ValueError, match="allowed") as caught:
        parse(schedule)
    assert fault in str(caught.value)


HOURLY = parse("0 * * * *")


def at(text: str) -> int:
    return round((datetime.fromisoformat(text) - ZERO).total_seconds() * 1000)


@pytest.mark.parametrize(
    ("last", "deadline", "now", "found"),
    [
        pytest.param(None, None, 30 * MINUTE, Missed(MINUTE, None), id="nothing due yet"),
        pytest.param(None, None, 61 * MINUTE, Missed(MINUTE, HOUR), id="one is due"),
        pytest.param(HOUR, None, 61 * MINUTE, Missed(HOUR, None), id="and was started"),
        pytest.param(HOUR, None, 5 * HOUR + 1, Missed(HOUR, 5 * HOUR, "few"), id="of four the latest"),
        pytest.param(HOUR, None, 102 * HOUR, Missed(HOUR, 102 * HOUR, "many"), id="over a hundred"),
        pytest.param(HOUR, None, 101 * HOUR, Missed(HOUR, 101 * HOUR, "few"), id="exactly a hundred"),
        pytest.param(
            HOUR, 30, 5 * HOUR + 29_000, Missed(5 * HOUR - 1000, 5 * HOUR), id="a deadline hides the older ones"
        ),
        pytest.param(HOUR, 30, 5 * HOUR + 30_000, Missed(5 * HOUR, None), id="and the due one when it is over"),
    ],
)
def test_missed(last: int | None, deadline: int | None, now: int, found: Missed) -> None:
    assert missed(HOURLY, MINUTE, last, deadline, now) == found


def test_a_schedule_without_times_owes_nothing() -> None:
    never = parse("0 0 31 2 *")
    assert missed(never, 0, None, None, DAY) is None
    assert next_look(never, 0, None, DAY) is None


@pytest.mark.parametrize(
    ("last", "now", "look"),
    [
        pytest.param(None, 30 * MINUTE, HOUR + 100, id="the first one, a little after the hour"),
        pytest.param(HOUR, HOUR + 100, 2 * HOUR + 100, id="the one after the started one"),
        pytest.param(None, HOUR + 100, 2 * HOUR + 100, id="the next one, if this one is due"),
        pytest.param(HOUR, 5 * HOUR + 1, 6 * HOUR + 100, id="after an outage the next one from now"),
    ],
)
def test_next_look(last: int | None, now: int, look: int) -> None:
    assert next_look(HOURLY, MINUTE, last, now) == look


def test_uneven_schedules_are_estimated_from_their_first_two() -> None:
    """Weekdays at noon, missed from Monday to the Monday after: the estimate counts seven, the latest is right."""
    schedule = parse("0 12 * * 1-5")
    monday = at("2026-01-05T12:00:00Z")
    found = missed(schedule, monday - DAY, None, None, monday + 7 * DAY + 5)
    assert found is not None
    assert (found.recent, found.starts) == (monday + 7 * DAY, "few")
