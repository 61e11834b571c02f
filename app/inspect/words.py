"""The words of an inspection, from `flows/inspect.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct, convert
from yaml import safe_load

from app.paths import flows_dir


class RuleWords(Struct, frozen=True, forbid_unknown_fields=True):
    """`says` and `remedy` name values of the finding in braces."""

    severity: str
    title: str
    says: str
    why: str
    remedy: str
    source: str


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    severities: dict[str, str]
    rules: dict[str, RuleWords]
    facts: dict[str, str]
    sentences: dict[str, str]


@lru_cache(maxsize=1)
def words() -> Words:
    """All of them."""
    return convert(safe_load((flows_dir() / "inspect.yaml").read_text(encoding="utf-8")), Words)


def label(name: str, /, **values: object) -> str:
    """What stands before a fact."""
    return words().facts[name].format(**values)


def say(name: str, /, **values: object) -> str:
    """A sentence with its values filled in."""
    return words().sentences[name].format(**values)


def counted(name: str, count: int, /, **values: object) -> str:
    """`1 error`, `2 errors`."""
    one, _, many = words().sentences[name].partition("|")
    return (one if count == 1 else many).format(count=f"{count:,}", **values)


def filled(text: str, values: Mapping[str, str]) -> str:
    """A rule's sentence about one finding."""
    return text.format(**values)
