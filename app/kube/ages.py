"""How kubectl tells the age of things: `119s`, `2m5s`, `3h5m`, `2d`."""

from __future__ import annotations

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3_600, 86_400, 31_536_000


def human_duration(milliseconds: int) -> str:
    """HumanDuration in apimachinery pkg/util/duration."""
    # Towards zero, as Go's int() cuts: up to two seconds in the future are still now.
    seconds = -(-milliseconds // 1000) if milliseconds < 0 else milliseconds // 1000
    if seconds < -1:
        return "<invalid>"
    if seconds < 2 * _MINUTE:
        return f"{max(seconds, 0)}s"
    if seconds < 10 * _MINUTE:
        return _two(seconds, _MINUTE, "m", 1, "s")
    if seconds < 3 * _HOUR:
        return f"{seconds // _MINUTE}m"
    if seconds < 8 * _HOUR:
        return _two(seconds, _HOUR, "h", _MINUTE, "m")
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR}h"
    if seconds < 8 * _DAY:
        return _two(seconds, _DAY, "d", _HOUR, "h")
    if seconds < 2 * _YEAR:
        return f"{seconds // _DAY}d"
    if seconds < 8 * _YEAR:
        return _two(seconds, _YEAR, "y", _DAY, "d")
    return f"{seconds // _YEAR}y"


def age(since: int | None, now: int) -> str:
    """The AGE column."""
    return "<unknown>" if since is None else human_duration(now - since)


def _two(seconds: int, large: int, unit: str, small: int, small_unit: str) -> str:
    rest = seconds % large // small
    return f"{seconds // large}{unit}" + (f"{rest}{small_unit}" if rest else "")


def go_duration(milliseconds: int) -> str:
    """As Go prints a time.Duration: `250ms`, `1.5s`, `1m20s`, `5m0s`."""
    if milliseconds < 1000:
        return f"{milliseconds}ms" if milliseconds else "0s"
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    text = f"{rest // 1000}.{rest % 1000:03}".rstrip("0").rstrip(".") + "s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text
