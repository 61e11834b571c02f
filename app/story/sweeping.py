"""One setting over a range, and what a verdict says at each of its values."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.catalog import reading, starting, values
from app.catalog.flow import Flow, Setting
from app.errors import BadInput
from app.kube import durations
from app.kube.near_names import did_you_mean
from app.story.facts import FACTS
from app.story.play import Answered, Play, PlayRequest, play
from app.story.report import verdict_row
from app.story.searching import SEARCHED, searched

MOST_POINTS = 61
USUAL_POINTS = 20
KEPT = 2_000
"""Points kept in memory; a point is a pure function of its request."""
RANGED = ("duration", "count")
LISTED = ("choice", "switch")
NICE = (1, 2, 5)


class Sweep(Struct, frozen=True):
    """What is asked: at which values of one setting, and what of each walk."""

    asked: PlayRequest
    setting: Setting
    values: tuple[str, ...]
    verdict: str
    search: bool = False
    """Whether every order and lag is searched at each value; see `story.searching`."""

    @property
    def usual(self) -> str:
        """The value that the flow usually has."""
        return values.canonical(self.setting, self.setting.default)


class Point(Struct, frozen=True):
    """A walk of the sweep."""

    value: str
    answer: Answered | None
    problems: tuple[str, ...] = ()
    """Why there is no walk with that value."""


def sweepable(flow: Flow) -> tuple[Setting, ...]:
    """The settings that have an order of values, or few of them."""
    return tuple(row for row in flow.settings if row.type in RANGED + LISTED)


def sweep(
    asked: PlayRequest,
    name: str,
    verdict: str,
    *,
    first: str = "",
    last: str = "",
    step: str = "",
    search: bool = False,
) -> Sweep:
    """Read what is asked; BadInput lists every fault. Without a range it is some 20 values around the usual one."""
    flow = reading.flow(asked.flow)
    known = {row.name: row for row in sweepable(flow)}
    verdicts = [row.id for row in flow.verdicts]
    problems = []
    if name not in known:
        problems.append(f'setting "{name}": allowed: {", ".join(known) or "none"}{did_you_mean(name, known)}')
    if verdict not in verdicts:
        allowed = f"allowed: {', '.join(verdicts) or 'none'}{did_you_mean(verdict, verdicts)}"
        problems.append(f'verdict "{verdict}": the flow {flow.id} has no such verdict; {allowed}')
    if search and not _searches(flow, verdict):
        can = [row.id for row in flow.verdicts if row.id in SEARCHED and row.varies]
        problems.append(f'verdict "{verdict}": is not searched over orders; allowed: {", ".join(can) or "none"}')
    if problems:
        raise BadInput(problems)
    found = _values(known[name], first, last, step)
    rest = tuple(pair for pair in asked.settings if pair[0] != name)
    return Sweep(replace(asked, settings=rest), known[name], found, verdict, search)


def _searches(flow: Flow, verdict: str) -> bool:
    return any(row.id == verdict and row.id in SEARCHED and row.varies for row in flow.verdicts)


def point(asked: Sweep, value: str) -> Point:
    """What the verdict says with the setting at that value."""
    request = replace(asked.asked, settings=(*asked.asked.settings, (asked.setting.name, value)))
    return _point(request, value, asked.verdict, asked.search, starting.digest(request.flow))


@lru_cache(maxsize=KEPT)
def _point(request: PlayRequest, value: str, verdict: str, search: bool, _digest: str) -> Point:
    try:
        played = play(request)
    except BadInput as error:
        return Point(value, None, tuple(error.problems))
    found = searched(replace(played, verdicts=_only(played, verdict))) if search else played
    return Point(value, _only(found, verdict)[0])


def _only(played: Play, verdict: str) -> tuple[Answered, ...]:
    return tuple(row for row in played.verdicts if row.id == verdict)


# Which values.


def _values(setting: Setting, first: str, last: str, step: str) -> tuple[str, ...]:
    if setting.type in LISTED:
        return ("true", "false") if setting.type == "switch" else setting.choices
    parse, spell = _units(setting)
    problems: list[str] = []
    bounds = [_bound(setting, name, text, problems) for name, text in (("from", first), ("to", last), ("step", step))]
    if problems:
        raise BadInput(problems)
    begin, end, stride = bounds
    usual = parse(setting.default)
    grid = parse(setting.step) if setting.step else (1000 if setting.type == "duration" else 1)
    begin = begin if begin is not None else parse(setting.least) if setting.least else 0
    end = end if end is not None else _reach(setting, max(usual, begin), grid)
    stride = stride or _stride(end - begin, grid)
    if end < begin:
        raise BadInput([f"to: found {spell(end)}, which is before from, {spell(begin)}"])
    found = list(range(begin, end + 1, stride))
    if not step:
        # Round values, and the usual one among them.
        round_ones = range(-(-begin // stride) * stride, end + 1, stride)
        found = sorted({begin, *round_ones, *([usual] if begin <= usual <= end else [])})
    if len(found) > MOST_POINTS:
        many = f"{len(found)} values from {spell(begin)} to {spell(end)}; allowed: {MOST_POINTS} at most"
        raise BadInput([f"step: {spell(stride)} makes {many}"])
    return tuple(spell(value) for value in found)


def _bound(setting: Setting, name: str, text: str, problems: list[str]) -> int | None:
    if not text:
        return None
    try:
        # A step is no value of the setting; it only has its unit.
        plain = replace(setting, least="", most="", step="") if name == "step" else setting
        found = _units(setting)[0](values.canonical(plain, text))
    except ValueError as error:
        problems.append(f"{name}: {error}")
        return None
    if name == "step" and found == 0:
        problems.append(f"step: found {text}; allowed: more than 0")
    return found


def _units(setting: Setting) -> tuple[Callable[[str], int], Callable[[int], str]]:
    return (durations.parse, durations.format) if setting.type == "duration" else (int, str)


def _reach(setting: Setting, usual: int, grid: int) -> int:
    """Twice the usual value, or some twenty steps, within what the setting allows."""
    found = max(2 * usual, USUAL_POINTS * grid)
    parse, _ = _units(setting)
    return min(found, parse(setting.most)) if setting.most else found


def _stride(width: int, grid: int) -> int:
    """1, 2 or 5 times a power of ten grid steps, so that there are some twenty of them."""
    stride = grid
    power = 1
    while width > stride * (USUAL_POINTS + 10):
        for digit in NICE:
            stride = grid * digit * power
            if width <= stride * (USUAL_POINTS + 10):
                break
        power *= 10
    return stride


def line(found: Point) -> str:
    """One point as text."""
    if found.answer is None:
        return f"{found.value:>10}  {'; '.join(found.problems)}"
    row = found.answer
    span = f" ({row.least:g} to {row.most:g})" if row.least is not None and row.most not in (None, row.least) else ""
    mark = {True: "ok", False: "NO", None: "  "}[row.ok]
    return f"{found.value:>10}  {mark} {value_of(row)}{span}"


def value_of(row: Answered) -> str:
    """The value with its unit."""
    if row.value is None:
        return "never" if row.id in FACTS else "not searched"
    if isinstance(row.value, bool):
        return "yes" if row.value else "no"
    if isinstance(row.value, str):
        return row.value
    return f"{row.value:g} {row.unit}".rstrip()


def report(asked: Sweep, points: tuple[Point, ...]) -> dict[str, Any]:
    """The whole for programs."""
    rows = [
        {"value": row.value, "verdict": verdict_row(row.answer) if row.answer else None, "problems": list(row.problems)}
        for row in points
    ]
    return {"flow": asked.asked.flow, "setting": asked.setting.name, "verdict": asked.verdict, "points": rows}
