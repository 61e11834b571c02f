"""When an answer is the right one: the cases give values, ranges, patterns and pieces of text."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

EXPLAINS = {"why", "note", "tolerance", "formula"}
"""What explains an expectation expects nothing itself."""


def asserted(check: dict[str, Any]) -> dict[str, Any]:
    """What a check expects, by name."""
    return {name: value for name, value in check["assert"].items() if name not in EXPLAINS}


def agrees(name: str, found: Any, expected: Any, tolerance: float = 0) -> bool:
    """Whether what was computed is what the case says."""
    if isinstance(found, str) and ("contain" in name.rsplit("_", maxsplit=1)[-1]):
        texts = [expected] if isinstance(expected, str) else expected
        return all(text in found for text in texts)
    if name.endswith("_by_s"):
        return found is not None and bool(found <= expected)
    if isinstance(expected, dict) and set(expected) <= {"min", "max"}:
        rows = found if isinstance(found, list) else [found]
        ends = expected.get("min", float("-inf")), expected.get("max", float("inf"))
        return bool(rows) and all(row is not None and ends[0] <= row <= ends[1] for row in rows)
    if isinstance(expected, dict):
        return set(found) == set(expected) and all(abs(found[key] - row) <= tolerance for key, row in expected.items())
    if isinstance(expected, str) and isinstance(found, str):
        return fnmatchcase(found, expected)
    return bool(found == expected)
