"""The words inside pictures, from `flows/pictures.yaml`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import yaml

from app.paths import flows_dir


@lru_cache(maxsize=1)
def _read() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((flows_dir() / "pictures.yaml").read_text())
    return found


def say(part: str, word: str, /, **names: object) -> str:
    """The words of that part and name, with names filled in; KeyError when the file has none."""
    text: str = _read()[part][word]
    return text.format(**names) if names else text


def part(name: str) -> dict[str, str]:
    """All words of a part, for a template that has use for many."""
    found: dict[str, str] = _read()[name]
    return found


def act(loop: str, verb: str, names: dict[str, object]) -> str:
    """What the arrow of an act says: the words for that loop's verb, or for the verb."""
    acts: dict[str, str] = _read()["acts"]
    template = acts.get(f"{loop}.{verb}") or acts.get(verb) or acts["any"]
    return template.format(verb=verb, **names)


def has_act(loop: str, verb: str) -> bool:
    """Whether there are words for that act, or only the ones for any."""
    return f"{loop}.{verb}" in _read()["acts"] or verb in _read()["acts"]


def plain(word: str, /, **names: object) -> str:
    """A sentence that stands alone in the file."""
    text: str = _read()[word]
    return text.format(**names)
