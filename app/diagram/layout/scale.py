"""A scale of time that is true to the millisecond, but for two liberties that are labelled as such.

Long waits are cut out and marked with their length; and where much happens at the very start of a long walk, that start
is enlarged by a stated factor.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import NamedTuple

CUT = 34
"""The width of a wait that was cut out."""
BEFORE = 26
"""The width of what lies before the start; it has no length of its own."""
LONG, VERY_LONG = 0.6, 0.92
"""A wait is cut out when it takes more than this share of the time that is left; the second where waits are kept."""
MOST_CUTS = 4
CROWDED = 5
"""Instants that a start must have to be enlarged,"""
CROWD_SHARE = 0.05
"""the most of the whole that it may take,"""
CROWD_WIDTH = 0.32
"""and the share of the width that it then gets."""
STEPS = (1, 2, 5)
HOUR = 3_600_000


class Piece(NamedTuple):
    start: int
    end: int
    left: float
    right: float
    cut: bool


class Near(NamedTuple):
    """The enlarged start."""

    start: int
    end: int
    left: float
    right: float
    times: float
    """How much larger than the rest."""


class Scale(NamedTuple):
    pieces: tuple[Piece, ...]
    near: Near | None

    def at(self, instant: int) -> float:
        """Where an instant stands."""
        starts = [piece.start for piece in self.pieces]
        piece = self.pieces[max(bisect_right(starts, instant) - 1, 0)]
        if instant >= piece.end:
            return piece.right
        share = (instant - piece.start) / (piece.end - piece.start)
        return piece.left + (piece.right - piece.left) * max(share, 0)

    @property
    def cuts(self) -> list[Piece]:
        return [piece for piece in self.pieces if piece.cut]


def scale(instants: tuple[int, ...], left: float, right: float, *, keeps_waits: bool = False) -> Scale:
    """From the first instant (just before the start) to the last one."""
    first, rest = instants[0], instants[1:]
    gaps = list(pairwise(rest))
    cut = _long(gaps, VERY_LONG if keeps_waits else LONG)
    shown = sum(end - start for start, end in gaps if (start, end) not in cut) or 1
    room = right - left - BEFORE - CUT * len(cut)
    crowd = _crowd(rest, cut, shown)
    inside = room * CROWD_WIDTH if crowd > rest[0] else 0.0
    near_rate = inside / (crowd - rest[0]) if inside else 0.0
    far_rate = (room - inside) / max(shown - (crowd - rest[0]), 1)
    x = left + BEFORE
    pieces = [Piece(first, rest[0], left, x, cut=False)]
    for start, end in gaps:
        folded = (start, end) in cut
        wide = CUT if folded else (end - start) * (near_rate if end <= crowd else far_rate)
        pieces.append(Piece(start, end, x, x + wide, folded))
        x += wide
    near = Near(rest[0], crowd, left + BEFORE, left + BEFORE + inside, near_rate / far_rate) if inside else None
    return Scale(tuple(pieces), near)


def _long(gaps: list[tuple[int, int]], share: float) -> set[tuple[int, int]]:
    """The waits to cut out: the longest, as long as it dwarfs all the rest together."""
    left = sorted(gaps, key=lambda gap: (gap[0] - gap[1], gap[0]))
    found: set[tuple[int, int]] = set()
    while len(left) > 2 and len(found) < MOST_CUTS:
        start, end = left[0]
        total = sum(gap[1] - gap[0] for gap in left)
        if end - start <= share * total or total == end - start:
            break
        found.add(left.pop(0))
    return found


def _crowd(instants: tuple[int, ...], cut: set[tuple[int, int]], shown: int) -> int:
    """Where a crowded start ends; the start itself if there is none."""
    start = found = instants[0]
    for at, (one, other) in enumerate(pairwise(instants)):
        if (one, other) in cut or other - start > CROWD_SHARE * shown:
            break
        if at + 2 >= CROWDED:
            found = other
    return found


def ticks(found: Scale, least: float) -> list[int]:
    """Round instants at least `least` apart; the enlarged start has finer ones than the rest."""
    kept: list[int] = []
    regions = [(piece.start, piece.end, piece.left, piece.right) for piece in _regions(found)]
    for start, end, left, right in regions:
        if right - left < 1:
            continue
        step = _step(least * (end - start) / (right - left))
        for at in range(-(-start // step) * step, end + 1, step):
            if not kept or (at > kept[-1] and found.at(at) - found.at(kept[-1]) >= least * 0.8):
                kept.append(at)
    return kept


def _regions(found: Scale) -> list[Piece]:
    """Stretches of one rate, cuts left out."""
    rows: list[Piece] = []
    for piece in found.pieces[1:]:
        if piece.cut:
            continue
        last = rows[-1] if rows else None
        turns = found.near is not None and piece.start == found.near.end
        if last is not None and last.end == piece.start and not turns:
            rows[-1] = Piece(last.start, piece.end, last.left, piece.right, cut=False)
        else:
            rows.append(piece)
    return rows


def _step(least: float) -> int:
    """1, 2 or 5 times a power of ten milliseconds."""
    power = 1
    while True:
        for digit in STEPS:
            if digit * power >= least:
                return digit * power
        power *= 10


def spoken(milliseconds: int) -> str:
    """`20 ms`, `0.6 s`, `30 s`, `5 min`, `2 h 54 min 7 s`."""
    if 0 < abs(milliseconds) < 100:
        return f"{milliseconds} ms"
    if milliseconds >= HOUR:
        minutes, rest = divmod(round(milliseconds / 1000), 60)
        parts = (minutes // 60, "h"), (minutes % 60, "min"), (rest, "s")
        return " ".join(f"{number} {unit}" for number, unit in parts if number)
    if milliseconds >= 120_000 and milliseconds % 60_000 == 0:
        return f"{milliseconds // 60_000} min"
    digits = 3 if milliseconds < 10_000 else 1
    return f"{milliseconds / 1000:.{digits}f}".rstrip("0").rstrip(".") + " s"
