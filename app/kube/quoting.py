"""Text that came from outside, as an error message may show it: in quotes, on one line, not too long."""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 60
_MOST_NAMES = 12


def shown(text: str) -> str:
    cut = text if len(text) <= _MOST else text[: _MOST - 1] + "…"
    return f'"{printable(cut)}"'


def printable(text: str) -> str:
    """On one line, with escapes for what does not print."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)


def listed(names: Sequence[str], none: str = "none") -> str:
    """Names as the end of `allowed: ...`."""
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return (", ".join(names[:_MOST_NAMES]) or none) + more


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
