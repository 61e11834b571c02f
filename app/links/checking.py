"""Derives each link again, and says what is no longer as it was seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from app import diagram
from app.errors import BadInput, LoopscopeError, Unchecked
from app.links.finding import Link
from app.links.shelf import Shelf
from app.story import pinned
from app.story.pinned import Changed
from app.story.play import Play, in_words
from app.web.address import Query, pairs_of, parse
from app.web.embedding import span
from app.web.framing import framing_of
from app.web.routes.flows import locate

State = Literal["holds", "changed", "unchecked"]
PAGES = ("orders", "sweep", "overlay")
"""Pages of a whole walk beside the steps."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One link, and what became of it."""

    link: Link
    state: State
    changes: tuple[Changed, ...] = ()
    why: str = ""
    """Why it was not checked."""
    pinned: bool = False
    """Whether it says what was seen; if not, only that it leads somewhere was checked."""
    played: Play | None = field(default=None, repr=False)
    n: int = 0


def check(link: Link, shelf: Shelf, *, any_version: bool = False) -> Checked:
    """Level-headed: what cannot be told from here is not said to have changed."""
    try:
        query = parse(link.query)
        played = _walk(link, query, shelf)
        n = _step(link, played)
        seen = pinned.read(query.seen) if query.seen else None
    except Unchecked as error:
        return Checked(link=link, state="unchecked", why=str(error))
    except LoopscopeError as error:
        problems = error.problems if isinstance(error, BadInput) else [str(error)]
        return Checked(link=link, state="changed", changes=tuple(Changed("address", "", row) for row in problems))
    found = pinned.changes(played, n, seen) if seen else ()
    if any_version:
        found = pinned.behaves(found)
    changes = (*found, *_words(link, played, n, query), *_fence(link, played, n))
    return Checked(
        link=link, state="changed" if changes else "holds", changes=changes, pinned=bool(seen), played=played, n=n
    )


def _walk(link: Link, query: Query, shelf: Shelf) -> Play:
    if link.kind == "s":
        return in_words(shelf.session(link.name), query.words)
    if link.step == "compare":
        named = dict(pairs_of(link.query))
        for text in (named.get("a", ""), named.get("b", "")):
            shelf.walk(link.name, parse(text))
    return shelf.walk(link.name, query)


def _step(link: Link, played: Play) -> int:
    """The number of the step; the start where the link is of the whole walk."""
    if not link.step or (link.kind == "f" and link.step in (*PAGES, "compare")):
        return 0
    n, suffix = locate(played, link.step)
    if link.embed:
        if suffix:
            raise BadInput([f"step {link.step}: an embed is a page, and has no .{suffix}"])
        span(played, framing_of(pairs_of(link.query)))
    return n


def _words(link: Link, played: Play, n: int, query: Query) -> list[Changed]:
    """Texts beside the link that are our words of a step, but not of this one as it is now."""
    if not link.words:
        return []
    now = pinned.words_at(played, n)
    try:
        then = pinned.read(query.seen).words
    except BadInput:
        then = ""
    others = {pinned.words_at(played, at) for at in range(len(played.steps) + 1)} - {played.flow.title}
    stale = [text for text in link.words if text != now and (pinned.digest(text) == then or text in others)]
    return [Changed("alt text", text, now) for text in stale]


def _fence(link: Link, played: Play, n: int) -> list[Changed]:
    """The first line that differs from what the messages are now."""
    if link.fence is None:
        return []
    now = tuple(row.strip() for row in diagram.mermaid(played.walk, n, played.flow).splitlines())
    if link.fence == now:
        return []
    at = next((n for n, (old, new) in enumerate(zip(link.fence, now, strict=False)) if old != new), None)
    at = min(len(link.fence), len(now)) if at is None else at
    return [Changed("messages", *(lines[at] if at < len(lines) else "" for lines in (link.fence, now)))]
