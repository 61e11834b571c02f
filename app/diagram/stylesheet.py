"""The rules of `static/diagram.css` for a picture on its own: one theme, resolved, nothing that resvg ignores."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from app.paths import static_dir

Theme = Literal["light", "dark"]

_COLOUR = re.compile(r"(--[a-z-]+):\s*light-dark\(([^,()]+),([^,()]+)\);")
_VARIABLE = re.compile(r"var\((--[a-z-]+)\)")


@lru_cache(maxsize=2)
def flat(theme: Theme) -> str:
    """All rules outside at-rules, with the theme's colours in place of names. KeyError for a name without a colour."""
    text = re.sub(r"/\*.*?\*/", "", (static_dir() / "diagram.css").read_text(), flags=re.DOTALL)
    colours = {name: (light if theme == "light" else dark).strip() for name, light, dark in _COLOUR.findall(text)}
    rules = [rule for rule in _rules(text) if not rule.startswith((":root", "@", "svg"))]
    resolved = _VARIABLE.sub(lambda found: colours[found[1]], "".join(rules))
    return re.sub(r"\s*([{};:,])\s*", r"\1", re.sub(r"\s+", " ", resolved)).replace(";}", "}")


def _rules(text: str) -> list[str]:
    """The top-level rules, each with its braces."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "}" and depth == 0:
            found.append(text[start : at + 1].strip())
            start = at + 1
    return found
