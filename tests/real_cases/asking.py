"""What a public case needs to become a test: a walk for what is given, and answers to what it asserts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from app.story.fact import Subject
from app.story.facts import FACTS
from app.story.play import Play

PREFIX = "sim.loopscope.dev/"

Answer = Callable[[Play], Any]


class Real(NamedTuple):
    """One case: the walk of its manifests with what a check gives besides, and an answer for every name asserted."""

    run: Callable[[dict[str, Any]], Play]
    answers: Mapping[str, Answer]


def fact(name: str) -> Answer:
    return lambda walk: FACTS[name](Subject(walk.walk, walk.target)).value


def moment_at(walk: Play, moment: str) -> float | None:
    return next((row.step.at / 1000 for row in walk.steps if row.step.moment == moment), None)


def differences(real: Real, given: dict[str, Any], asserted: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What a case asserts and the model does not show, as (found, expected)."""
    walk = real.run(given)
    found = {name: real.answers[name](walk) for name in asserted}
    return {name: (found[name], row) for name, row in asserted.items() if not _agrees(name, found[name], row)}


def _agrees(name: str, found: Any, expected: Any) -> bool:
    if "contain" in name.rsplit("_", maxsplit=1)[-1]:
        texts = [expected] if isinstance(expected, str) else expected
        return all(text in found for text in texts)
    if name.endswith("_by_s"):
        return found is not None and found <= expected
    if isinstance(expected, dict):
        return found is not None and expected.get("min", found) <= found <= expected.get("max", found)
    if isinstance(expected, str) and isinstance(found, str):
        return fnmatchcase(found, expected)
    return bool(found == expected)
