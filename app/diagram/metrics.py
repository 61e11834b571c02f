"""How wide a text is in a picture, by the real advances of the fonts, and what is left of it where room is short."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ELLIPSIS = "…"


class Face(NamedTuple):
    """A font file and a size in the picture's units."""

    font: str
    size: float


# Every text has one of these classes; static/diagram.css gives each the same font and size (a test holds them equal).
FACES: dict[str, Face] = {
    "t-head": Face("Inter-600", 12.5),
    "t-chip": Face("Inter-600", 11),
    "t-lane": Face("Inter-600", 9),
    "t-text": Face("Inter-500", 10.5),
    "t-strong": Face("Inter-600", 10.5),
    "t-note": Face("Inter-400", 10),
    "t-words": Face("Inter-500", 10),
    "t-loud": Face("Inter-600", 10),
    "t-mono": Face("JetBrainsMono-400", 9.5),
}
_UNKNOWN = 700
"""Thousandths of an em for a character that no face has (names are ASCII, so it should not come to that)."""


def _read() -> dict[str, dict[str, int]]:
    table = json.loads((Path(__file__).parent / "advances.json").read_text())
    return {
        font: dict(zip(characters, map(int, numbers.split()), strict=True))
        for font, (characters, numbers) in table.items()
    }


_ADVANCES = _read()


@lru_cache(maxsize=8192)
def width(text: str, look: str) -> float:
    """The width of a text of that class, kerning left out (it only narrows)."""
    font, size = FACES[look]
    table = _ADVANCES[font]
    return sum(table.get(char, _UNKNOWN) for char in text) * size / 1000


@lru_cache(maxsize=8192)
def fitted(text: str, look: str, room: float) -> str:
    """As much of the text as fits, ending in an ellipsis where something was cut."""
    if width(text, look) <= room:
        return text
    kept = text
    while kept and width(kept + ELLIPSIS, look) > room:
        kept = kept[:-1]
    return kept.rstrip(" ·,→") + ELLIPSIS if kept else ""


@lru_cache(maxsize=4096)
def tail_fitted(name: str, look: str, room: float) -> str:
    """As much of a name as fits: what tells generated names apart stands at their end."""
    if width(name, look) <= room:
        return name
    kept = name
    while kept and width(ELLIPSIS + kept, look) > room:
        kept = kept[1:]
    return ELLIPSIS + kept if kept else ""


@lru_cache(maxsize=4096)
def wrapped(text: str, look: str, room: float, lines: int) -> tuple[str, ...]:
    """The text in at most that many lines, broken at spaces, and within a word that is too long at its hyphens."""
    found: list[str] = [""]
    for part in _parts(text, look, room):
        if found[-1] and width((found[-1] + part).rstrip(), look) > room and len(found) < lines:
            found.append(part)
        else:
            found[-1] += part
    return tuple(fitted(line.rstrip(), look, room) for line in found)


def _parts(text: str, look: str, room: float) -> list[str]:
    found = []
    for word in text.split(" "):
        pieces = word.split("-") if width(word, look) > room else [word]
        found += [f"{piece}-" for piece in pieces[:-1]] + [f"{pieces[-1]} "]
    return found
