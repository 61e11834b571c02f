"""What was found out about links, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app import __version__
from app.links.checking import Checked
from app.story.pinned import Changed

MOST = 300


def plain(found: Sequence[Checked], files: int) -> str:
    """One line for each thing that has changed, with file and line first, as editors read it; then the sums."""
    return "\n".join([*_lines(found), _sum(found, files)]) + "\n"


def _lines(found: Sequence[Checked]) -> Iterator[str]:
    for row in found:
        place = f"{row.link.file}:{row.link.line}:"
        for change in row.changes:
            yield f"{place} {_told(change)}"
        if row.why:
            yield f"{place} not checked: {row.why}"
        if row.state != "holds":
            yield f"    {row.link.address}"


def _told(change: Changed) -> str:
    before, now = (_short(text) for text in (change.before, change.now))
    match change.what:
        case "address":
            return now
        case "version":
            return f"version: seen with {before}, this is {now}"
        case "alt text":
            return f'alt text: is "{before}", the step\'s words are "{now}"'
        case _:
            was = f'was "{before}", ' if before else "is no longer what was seen; "
            return f'{change.what}: {was}is now "{now}"'


def _short(text: str) -> str:
    return text if len(text) <= MOST else f"{text[:MOST]}…"


def _sum(found: Sequence[Checked], files: int) -> str:
    sums = _sums(found)
    links = "1 link" if len(found) == 1 else f"{len(found)} links"
    return (
        f"{links} in {files} file{'s' * (files != 1)}: {sums['holds']} hold, {sums['changed']} changed, "
        f"{sums['unchecked']} not checked; {sums['unpinned']} say nothing of what was seen"
    )


def _sums(found: Sequence[Checked]) -> dict[str, int]:
    states = {state: sum(row.state == state for row in found) for state in ("holds", "changed", "unchecked")}
    return {**states, "unpinned": sum(row.state != "unchecked" and not row.pinned for row in found)}


def report(found: Sequence[Checked], files: int) -> dict[str, Any]:
    """The same with every value."""
    return {
        "version": __version__,
        "files": files,
        "sums": _sums(found),
        "links": [
            {
                "file": row.link.file,
                "line": row.link.line,
                "address": row.link.address,
                "state": row.state,
                "pinned": row.pinned,
                "changes": [{"what": one.what, "before": one.before, "now": one.now} for one in row.changes],
                "why": row.why,
            }
            for row in found
        ],
    }
