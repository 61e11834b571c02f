"""Durations as they are written everywhere, `300ms`, `5s`, `2m`, `1h30m`, in whole milliseconds."""

from __future__ import annotations

import re

from app.kube.quoting import shown

ALLOWED = "300ms, 5s, 2m or 1h30m"

_UNITS = {"h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
# Nine digits keep every sum within the calendar.
_FORM = re.compile(
    r"(?=[0-9])(?:(?P<h>[0-9]{1,4})h)?(?:(?P<m>[0-9]{1,6})m(?!s))?(?:(?P<s>[0-9]{1,8})s)?(?:(?P<ms>[0-9]{1,9})ms)?",
    re.ASCII,
)


def parse(text: str) -> int:
    """Milliseconds; ValueError says what was found and what is allowed."""
    match = _FORM.fullmatch(text)
    if match is None:
        cause = f"; did you mean {text}s?" if text.isascii() and text.isdigit() and len(text) < 9 else ""
        raise ValueError(f"found {shown(text)}; a duration is written {ALLOWED}{cause}")
    return sum(int(match[unit] or 0) * size for unit, size in _UNITS.items())


def format(milliseconds: int) -> str:
    """The shortest spelling that parses back to the same number."""
    parts = []
    rest = milliseconds
    for unit, size in _UNITS.items():
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
