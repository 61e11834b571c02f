"""The types of settings: which texts each allows, and the one spelling that a value has everywhere else."""

from __future__ import annotations

import re
from collections.abc import Callable

from app.catalog.flow import Setting
from app.kube import durations
from app.kube.near_names import did_you_mean
from app.kube.quoting import shown
from app.sim.lags import Lag

_COUNT = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def canonical(setting: Setting, text: str) -> str:
    """The value in its one spelling; ValueError says what was found and what is allowed."""
    return TYPES[setting.type](setting, text.strip())


def lag(text: str) -> Lag:
    """A lag in its canonical spelling, `least..usual..most`."""
    return Lag(*[durations.parse(part) for part in text.split("..")])


def _refusal(setting: Setting, text: str, near: str = "") -> ValueError:
    return ValueError(f"found {shown(text)}; allowed: {allowed(setting)}{near}")


def allowed(setting: Setting) -> str:
    """The values that a setting may have, in words."""
    match setting.type:
        case "choice":
            return ", ".join(setting.choices) + _open(setting)
        case "switch":
            return "true, false"
        case "lag":
            each = f", each{_range(setting)}" if _range(setting) else ""
            return f"LEAST..USUAL..MOST, LEAST..MOST or one duration, such as 50ms..1s{each}"
        case "count":
            return f"a whole number{_range(setting)}"
        case _:
            return f"a duration such as {durations.ALLOWED}{_range(setting)}"


def _open(setting: Setting) -> str:
    if not setting.open_choices:
        return ""
    if any(_is_duration(choice) for choice in setting.choices):
        return ", or another duration"
    return ", where the value after = may be another"


def _range(setting: Setting) -> str:
    start = f" from {setting.least}" if setting.least else ""
    end = f" up to {setting.most}" if setting.most else ""
    return start + end + (f" in steps of {setting.step}" if setting.step else "")


def _duration(setting: Setting, text: str) -> str:
    try:
        size = durations.parse(text)
    except ValueError:
        near = f"; did you mean {text}s?" if _COUNT.fullmatch(text) else ""
        raise _refusal(setting, text, near) from None
    _within(setting, text, size, durations.parse)
    return durations.format(size)


def _count(setting: Setting, text: str) -> str:
    if not _COUNT.fullmatch(text):
        raise _refusal(setting, text)
    _within(setting, text, int(text), int)
    return text


def _within(setting: Setting, text: str, size: int, parse: Callable[[str], int]) -> None:
    least = parse(setting.least) if setting.least else 0
    too_small, too_large = size < least, bool(setting.most) and size > parse(setting.most)
    if too_small or too_large or (setting.step and size % parse(setting.step)):
        raise _refusal(setting, text)


def _choice(setting: Setting, text: str) -> str:
    if text in setting.choices:
        return text
    if setting.open_choices and _is_duration(text) and any(_is_duration(choice) for choice in setting.choices):
        return durations.format(durations.parse(text))
    heads = {choice.partition("=")[0]: choice for choice in setting.choices}
    head, _, value = text.partition("=")
    if setting.open_choices and head in heads:
        sample = heads[head].partition("=")[2]
        if value and (not sample or not _is_duration(sample) or _is_duration(value)):
            return f"{head}={durations.format(durations.parse(value))}" if _is_duration(value) else text
        raise _refusal(setting, text, f"; say how much, as in {heads[head]}" if sample else "")
    raise _refusal(setting, text, did_you_mean(text, setting.choices))


def _is_duration(text: str) -> bool:
    try:
        durations.parse(text)
    except ValueError:
        return False
    return True


def _switch(setting: Setting, text: str) -> str:
    if text in ("true", "false"):
        return text
    meant = {"yes": "true", "on": "true", "1": "true", "no": "false", "off": "false", "0": "false"}.get(text.lower())
    raise _refusal(setting, text, f"; write {meant}" if meant else "")


def _lag(setting: Setting, text: str) -> str:
    """Of two parts the usual is the default's, or the nearer end where the default's lies outside."""
    parts = text.split("..")
    if not 1 <= len(parts) <= 3 or not all(_is_duration(part) for part in parts):
        raise _refusal(setting, text)
    sizes = [durations.parse(part) for part in parts]
    for part, size in zip(parts, sizes, strict=True):
        _within(setting, part, size, durations.parse)
    if len(sizes) == 2:
        sizes.insert(1, min(max(_usual(setting, sizes[0]), sizes[0]), sizes[1]))
    if len(sizes) == 1:
        sizes *= 3
    if sizes != sorted(sizes):
        raise _refusal(setting, text, "; the least comes first and the most last")
    return "..".join(durations.format(size) for size in sizes)


def _usual(setting: Setting, otherwise: int) -> int:
    """What usually happens if nothing is said: the middle, or only, part of the default."""
    parts = setting.default.split("..")
    return durations.parse(parts[len(parts) // 2]) if len(parts) in (1, 3) else otherwise


TYPES: dict[str, Callable[[Setting, str], str]] = {
    "duration": _duration,
    "count": _count,
    "choice": _choice,
    "switch": _switch,
    "lag": _lag,
}
