"""Text in Markdown that shows it as it is, whatever it holds."""

from __future__ import annotations

import re

# `<` and `&` as entities, because not every Markdown knows them behind a backslash; `$` opens formulas in some.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "~": "&#126;", "|": "&#124;"}
_MEANINGFUL = re.compile(r"[\\`*_{}\[\]#&<>$~|]")
_STARTING = re.compile(r"^(\d+)([.)])|^([-+])")


def in_markdown(text: str) -> str:
    """Within a line."""
    return _MEANINGFUL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), " ".join(text.split()))


def line_of_markdown(text: str) -> str:
    """Where a line begins with it: it is no list and no heading."""
    return _STARTING.sub(lambda found: f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}", in_markdown(text))
