"""CronJob schedules: what the text means, and the instants that it names, in UTC.

As ParseStandard of robfig/cron, which Kubernetes uses: five fields, names of months and days, @hourly and the like,
and @every. A day counts if its day of the month or its day of the week matches, unless one of them is a star.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from app.kube.near_names import did_you_mean
from app.kube.objects import ZERO
from app.kube.quoting import shown

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY = re.compile(r"@every ((?:[0-9]+(?:\.[0-9]+)?(?:h|m|s|ms))+)", re.ASCII)
_PART = re.compile(r"([0-9.]+)(ms|h|m|s)", re.ASCII)
_UNITS = {"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
_ALLOWED = '"MINUTE HOUR DAY MONTH WEEKDAY" such as "*/5 * * * *", @hourly, @daily, or "@every 90s"'
# cron gives up on times that lie further ahead, such as the 30th of February.
_YEARS = 5


class _Bounds(NamedTuple):
    word: str
    least: int
    most: int
    names: tuple[str, ...] = ()
    first: int = 0
    """The number of the first name."""


_FIELDS = (
    _Bounds("minute", 0, 59),
    _Bounds("hour", 0, 23),
    _Bounds("day of the month", 1, 31),
    _Bounds("month", 1, 12, _MONTHS, 1),
    _Bounds("day of the week", 0, 6, _DAYS),
)


class Schedule(NamedTuple):
    """The values that each field allows; `every` is a fixed distance instead."""

    minutes: frozenset[int] = frozenset()
    hours: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] = frozenset()
    either: bool = False
    """Whether a day of the month and a day of the week are both asked for: then one is enough."""
    every: int = 0
    """Milliseconds."""

    def after(self, instant: int) -> int | None:
        """The first instant of the schedule later than `instant`, in milliseconds after t = 0; None if none comes."""
        if self.every:
            return (instant + self.every) // 1000 * 1000
        time = ZERO + timedelta(seconds=instant // 1000 + 1)
        time = (time + timedelta(seconds=59)).replace(second=0)
        last = time.year + _YEARS
        while time.year <= last:
            if time.month not in self.months:
                time = _next_month(time)
            elif not self._has_day(time):
                time = time.replace(hour=0, minute=0) + timedelta(days=1)
            elif time.hour not in self.hours:
                time = time.replace(minute=0) + timedelta(hours=1)
            elif time.minute not in self.minutes:
                time += timedelta(minutes=1)
            else:
                return (time - ZERO) // timedelta(milliseconds=1)
        return None

    def _has_day(self, time: datetime) -> bool:
        month, week = time.day in self.days, time.isoweekday() % 7 in self.weekdays
        return (month or week) if self.either else (month and week)


def _next_month(time: datetime) -> datetime:
    year, month = divmod(time.year * 12 + time.month, 12)
    return time.replace(year=year, month=month + 1, day=1, hour=0, minute=0)


def parse(text: str) -> Schedule:
    """The schedule; ValueError says what was found and what is allowed."""
    words = text.strip()
    if words.startswith(("TZ=", "CRON_TZ=")):
        raise ValueError(f"found {shown(text)}; allowed: a schedule without TZ, which spec.timeZone would give")
    if words.startswith("@"):
        return _described(words)
    fields = words.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"found {len(fields)} fields in {shown(text)}; allowed: {_ALLOWED}")
    minutes, hours, days, months, weekdays = (
        _field(field, bounds) for field, bounds in zip(fields, _FIELDS, strict=True)
    )
    either = not (_starred(fields[2]) or _starred(fields[4]))
    return Schedule(minutes, hours, days, months, weekdays, either)


def _starred(field: str) -> bool:
    """A part that is a star makes the whole field one; a star with a step asks for something."""
    return any(part in ("*", "?", "*/1", "?/1") for part in field.split(","))


def _described(words: str) -> Schedule:
    if words in _DESCRIPTORS:
        return parse(_DESCRIPTORS[words])
    match = _EVERY.fullmatch(words)
    if match is None:
        raise ValueError(f"found {shown(words)}; allowed: {_ALLOWED}{did_you_mean(words, tuple(_DESCRIPTORS))}")
    length = sum(round(float(size) * _UNITS[unit]) for size, unit in _PART.findall(match[1]))
    # Less than a second is a second, and parts of one are dropped.
    return Schedule(every=max(1000, length // 1000 * 1000))


def _field(text: str, bounds: _Bounds) -> frozenset[int]:
    return frozenset(value for part in text.split(",") for value in _range(part, bounds))


def _range(text: str, bounds: _Bounds) -> range:
    body, slash, step = text.partition("/")
    low, dash, high = body.partition("-")
    if body in ("*", "?"):
        least, most = bounds.least, bounds.most
    else:
        least = _value(low, text, bounds)
        # `5/10` means from 5 on.
        most = _value(high, text, bounds) if dash else bounds.most if slash else least
    size = _number(step, text, bounds) if slash else 1
    if not bounds.least <= least <= most <= bounds.most or size == 0:
        raise _refusal(text, bounds)
    return range(least, most + 1, size)


def _value(word: str, text: str, bounds: _Bounds) -> int:
    if word.lower() in bounds.names:
        return bounds.names.index(word.lower()) + bounds.first
    return _number(word, text, bounds)


def _number(word: str, text: str, bounds: _Bounds) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise _refusal(text, bounds)
    return int(word)


def _refusal(text: str, bounds: _Bounds) -> ValueError:
    names = f", {bounds.names[0]} to {bounds.names[-1]}" if bounds.names else ""
    return ValueError(
        f"found {shown(text)} as {bounds.word}; allowed: {bounds.least} to {bounds.most}{names}, *, ranges and steps"
    )


# What a CronJob owes.


class Missed(NamedTuple):
    """What mostRecentScheduleTime finds (pkg/controller/cronjob/utils.go)."""

    earliest: int
    recent: int | None
    """The latest time that has come and was not started; earlier ones never are."""
    starts: str = "none"
    """none, few or many (over 100), as estimated from the distance of the first two."""


def missed(schedule: Schedule, created: int, last: int | None, deadline: int | None, now: int) -> Missed | None:
    """`last` is the last schedule time, `deadline` the startingDeadlineSeconds; None for a schedule without times."""
    earliest = created if last is None else last
    if deadline is not None:
        earliest = max(earliest, now - deadline * 1000)
    first = schedule.after(earliest)
    second = schedule.after(first) if first is not None else None
    if first is None or second is None:
        return None
    if now < second:
        return Missed(earliest, first if now >= first else None)
    between = round((second - first) / 1000)
    count = (now - first) // 1000 // between + 1
    recent: int | None = None
    time = schedule.after(first + (count - 2) * between * 1000)
    while time is not None and time <= now:
        recent, time = time, schedule.after(time)
    return Missed(earliest, recent, "many" if count > 100 else "few")


DELTA = 100
"""nextScheduleDelta: the controller looks a little after the full minute."""


def next_look(schedule: Schedule, created: int, last: int | None, now: int) -> int | None:
    """When the controller looks again (nextScheduleTimeDuration)."""
    found = missed(schedule, created, last, None, now)
    since = now
    if found is not None and found.recent is not None:
        since = found.recent
    elif found is not None and found.starts == "none":
        since = found.earliest
    time = schedule.after(since)
    return None if time is None else time + DELTA
