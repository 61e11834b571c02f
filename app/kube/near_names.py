"""The known name that somebody most likely meant."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache


def near_name(name: str, known: Iterable[str]) -> str | None:
    """The closest of `known` if one slip in about four letters explains it; the first of equals in sorted order."""
    return _near(name, known if isinstance(known, frozenset) else frozenset(known)) if len(name) <= 64 else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of an error's sentence: the near name, or nothing."""
    near = near_name(name, known)
    return f'; did you mean "{near}"?' if near else ""


@lru_cache(maxsize=1024)
def _near(name: str, known: frozenset[str]) -> str | None:
    wanted = name.lower()
    letters = set(wanted)
    best: tuple[int, str] | None = None
    for candidate, lower in _sorted(known):
        shorter = min(len(wanted), len(lower))
        allowed = max(1, shorter // 4) if shorter > 2 else 0
        # Cheap signs that it is far off: most names are.
        if abs(len(wanted) - len(lower)) > allowed or len(letters.difference(lower)) > allowed or candidate == name:
            continue
        slips = distance(wanted, lower)
        if slips <= allowed and (best is None or slips < best[0]):
            best = (slips, candidate)
    return best[1] if best else None


@lru_cache(maxsize=256)
def _sorted(known: frozenset[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, name.lower()) for name in sorted(known))


def distance(left: str, right: str) -> int:
    """Inserted, dropped, changed letters and swapped neighbours between two words (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        above, row = row, [i]
        for j, b in enumerate(right, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = above
    return row[-1]
