"""Columns as text/tabwriter of Go sets them: cells end at tabs, a column lasts as long as lines have a cell in it."""

from __future__ import annotations

from collections.abc import Sequence

PADDING = 2

Cells = list[str]


def tabulated(lines: Sequence[str]) -> list[str]:
    """The lines with their tabs turned into columns; the last cell of a line belongs to none."""
    rows = [line.split("\t") for line in lines]
    return _block(rows, [])


def _block(rows: Sequence[Cells], widths: list[int]) -> list[str]:
    """Lines that share the columns to their left, whose widths are known."""
    column = len(widths)
    found: list[str] = []
    at = 0
    while at < len(rows):
        end = at
        while end < len(rows) and column < len(rows[end]) - 1:
            end += 1
        if end == at:
            found.append(_line(rows[at], widths))
            at += 1
        else:
            width = max(len(row[column]) for row in rows[at:end]) + PADDING
            found += _block(rows[at:end], [*widths, width])
            at = end
    return found


def _line(cells: Cells, widths: Sequence[int]) -> str:
    fitted = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]
    return "".join([*fitted, *cells[len(widths) :]])
