"""The rules of `static/diagram.css` for a picture on its own: one theme, resolved, nothing that resvg ignores."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from app.paths import static_dir

Theme = Literal["light", "dark"]

_COLOUR = re.compile(r"(--[a-z-]+):\s*light-dark\(([^,()]+),([^,()]+)\);")
_CLASS = re.compile(r"\.([a-z][a-z0-9-]*)")
_VARIABLE = re.compile(r"var\((--[a-z-]+)\)")


@lru_cache(maxsize=2)
def flat(theme: Theme) -> str:
    """All rules outside at-rules, with the theme's colours in place of names. KeyError for a name without a colour."""
    return _minified("".join(_resolved(theme)))


def pruned(theme: Theme, classes: frozenset[str]) -> str:
    """The same with only those rules that can apply where no other classes are."""
    return _minified("".join(kept for rule in _resolved(theme) if (kept := _applying(rule, classes))))


@lru_cache(maxsize=1)
def adaptive() -> str:
    """All rules outside at-rules, with both themes' colours, for pages that carry their styles."""
    return _minified("".join(rule for rule in _rules(_text()) if not rule.startswith("@")))


def _text() -> str:
    return re.sub(r"/\*.*?\*/", "", (static_dir() / "diagram.css").read_text(), flags=re.DOTALL)


@lru_cache(maxsize=2)
def _resolved(theme: Theme) -> tuple[str, ...]:
    text = _text()
    colours = {name: (light if theme == "light" else dark).strip() for name, light, dark in _COLOUR.findall(text)}
    rules = [rule for rule in _rules(text) if not rule.startswith((":root", "@", "svg"))]
    return tuple(_VARIABLE.sub(lambda found: colours[found[1]], rule) for rule in rules)


def _applying(rule: str, classes: frozenset[str]) -> str:
    selectors, brace, body = rule.partition("{")
    kept = [one for one in selectors.split(",") if set(_CLASS.findall(one)) <= classes]
    return f"{','.join(kept)}{brace}{body}" if kept else ""


def _minified(text: str) -> str:
    return re.sub(r"\s*([{};:,])\s*", r"\1", re.sub(r"\s+", " ", text)).replace(";}", "}")


def _rules(text: str) -> list[str]:
    """The top-level rules, each with its braces."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "}" and depth == 0:
            found.append(text[start : at + 1].strip())
            start = at + 1
    return found
