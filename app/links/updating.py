"""Writes into a document what is seen now, once somebody has read what has changed and found the text still right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import escape

from app.links.checking import Checked
from app.links.finding import NEAR
from app.story import pinned
from app.story.markup import in_markdown
from app.web.address import parse
from app.web.snippets import in_asciidoc

WRITTEN: tuple[Callable[[str], str], ...] = (in_markdown, in_asciidoc, lambda text: str(escape(text)), str)
"""The ways in which words may stand in a document."""


def updated(text: str, found: Sequence[Checked]) -> str:
    """The document with the pins, and with the alternative texts that were our words. A fence has to be pasted anew."""
    # From the end, so that what was found before it stays where it was.
    for row in sorted(found, key=lambda row: row.link.start, reverse=True):
        if row.played is None or not row.pinned or row.state != "changed":
            continue
        link, now = row.link, str(pinned.pin(row.played, row.n))
        stale = [change for change in row.changes if change.what == "alt text"]
        pinned_anew = link.written.replace(f"seen={parse(link.query).seen}", f"seen={now}")
        end = link.start + len(link.written)
        before, after = text[: link.start], text[end:]
        for change in stale:
            before, after = _reworded(before, after, change.before, change.now)
        text = f"{before}{pinned_anew}{after}"
    return text


def _reworded(before: str, after: str, old: str, new: str) -> tuple[str, str]:
    """The words nearest to the address, in the way in which they stand there."""
    for written in WRITTEN:
        mine, others = before[-NEAR:], after[:NEAR]
        if written(old) in others and not _nearer(mine, others, written(old)):
            return before, after.replace(written(old), written(new), 1)
        if written(old) in mine:
            head, _, tail = before.rpartition(written(old))
            return f"{head}{written(new)}{tail}", after
    return before, after


def _nearer(mine: str, others: str, words: str) -> bool:
    at = mine.rfind(words)
    return at >= 0 and len(mine) - at - len(words) <= others.find(words)
