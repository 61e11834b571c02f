"""Finds addresses of Loopscope in Markdown, HTML, AsciiDoc, reStructuredText, plain text and Mermaid fences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Literal
from urllib.parse import unquote, urlsplit

from app.diagram.mermaid import unescaped
from app.story.pinned import NAME as SEEN
from app.web.snippets import MARK

Kind = Literal["f", "s"]

# Up to what ends an address in any of these formats; our own addresses have none of it.
ADDRESS = re.compile(r"https?://[^\s<>\"'`()\[\]{}|\\^]+")
PUNCTUATION = ".,;:!?*_"
PATH = re.compile(r"/(?P<embed>embed/)?(?P<kind>[fs])/(?P<name>[^/]+)(?:/(?P<step>[^/]+))?(?:/[a-z-]+)?/?")
TOKEN = re.compile(r"[\w-]{20,64}", re.ASCII)
ENTITIES = (("&amp;", "&"), ("&#38;", "&"), ("&#x26;", "&"))
FENCE_ENDS = ("```", "~~~", "----", "....", "</")
FENCE_HEAD = "sequenceDiagram"
NEAR = 2_000
"""Characters around an address within which its words are looked for."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """One address at its place in a file."""

    file: str
    start: int
    """Where its address begins, in characters of the text."""
    line: int
    address: str
    """As it means: without what its format adds."""
    written: str
    """As it stands there."""
    embed: bool
    kind: Kind
    name: str
    """Of the flow, or the id of the session."""
    step: str
    """With the suffix of a picture; empty where there is none."""
    query: str
    words: tuple[str, ...]
    """Alternative texts, titles and link texts that belong to it."""
    fence: tuple[str, ...] | None
    """The lines of the Mermaid fence that this address marks."""


def links(text: str, file: str, *, bases: Sequence[str] = (), flows: Sequence[str] = ()) -> Iterator[Link]:
    """All of a file: those below one of `bases`; without any, those that look like ours or name one of `flows`."""
    for found in ADDRESS.finditer(text):
        written = found[0].rstrip(PUNCTUATION)
        address = written
        for entity, char in ENTITIES:
            address = address.replace(entity, char)
        parts = _ours(address, bases, flows)
        if parts is None:
            continue
        at = found.start()
        yield Link(
            file=file,
            start=at,
            line=text.count("\n", 0, at) + 1,
            address=address,
            written=written,
            embed=bool(parts["embed"]),
            kind="f" if parts["kind"] == "f" else "s",
            name=unquote(parts["name"]),
            step=unquote(parts["step"] or ""),
            query=urlsplit(address).query,
            words=tuple(dict.fromkeys(_words(text, at, at + len(written)))),
            fence=_fence(text, at),
        )


def _ours(address: str, bases: Sequence[str], flows: Sequence[str]) -> re.Match[str] | None:
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    path = parts.path
    if bases:
        base = next((row for row in bases if address.startswith(f"{row.rstrip('/')}/")), None)
        if base is None:
            return None
        path = path.removeprefix(urlsplit(base).path.rstrip("/"))
    found = PATH.fullmatch(path)
    if found is None or bases:
        return found
    sure = found["embed"] or f"{SEEN}=" in parts.query
    known = found["name"] in flows if found["kind"] == "f" else TOKEN.fullmatch(found["name"])
    return found if sure or known else None


MARKDOWN_BEFORE = re.compile(r"\[((?:\\.|[^\[\]\\])*)\]\(<?$", re.DOTALL)
REST_BEFORE = re.compile(r"`([^`<]+?)\s*<$", re.DOTALL)
REST_ALT = re.compile(r"[^\n]*\n(?:[ \t]+:[^\n]*\n)*?[ \t]+:alt:[ \t]*([^\n]+)")
ASCIIDOC_AFTER = re.compile(r"\[(?:\"((?:\\.|[^\"\\])*)\"|([^\],\"]*))")
ATTRIBUTE = re.compile(r"\b(?:alt|title|aria-label)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
ANCHOR = re.compile(r"[^<>]*>([^<]*)</a", re.IGNORECASE)
ACCESSIBLE = re.compile(r"[^\n]*\n\s*accTitle:[ \t]*([^\n]+)")


def _words(text: str, start: int, end: int) -> Iterator[str]:
    """What is written of an address beside it, in whichever format."""
    before, after = text[max(0, start - NEAR) : start], text[end : end + NEAR]
    if found := MARKDOWN_BEFORE.search(before):
        yield unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", found[1]))
    if found := REST_BEFORE.search(before):
        yield found[1]
    if before.endswith(":: ") and (found := REST_ALT.match(after)):
        yield found[1].strip()
    if found := ASCIIDOC_AFTER.match(after):
        yield unescape(re.sub(r"\\(.)", r"\1", found[1] if found[1] is not None else found[2]))
    opened, closed = before.rfind("<"), after.find(">")
    if opened > before.rfind(">") and closed >= 0:
        for found in ATTRIBUTE.finditer(before[opened:] + after[:closed]):
            yield unescape(found[1] if found[1] is not None else found[2])
        if found := ANCHOR.match(after):
            yield unescape(found[1]).strip()
    if before.endswith(f"{MARK} ") and (found := ACCESSIBLE.match(after)):
        yield unescaped(found[1]).strip()


def _fence(text: str, at: int) -> tuple[str, ...] | None:
    """The lines of a fence whose comment holds the address."""
    if not text[:at].endswith(f"{MARK} "):
        return None
    above = text[:at].rpartition("\n")[0].splitlines()
    head = next((n for n in range(len(above) - 1, -1, -1) if above[n].strip() == FENCE_HEAD), len(above))
    found = [row.strip() for row in above[head:]]
    for row in text[at:].splitlines()[1:]:
        line = row.strip()
        if not line or line.startswith(FENCE_ENDS):
            break
        found.append(line)
    return tuple(row for row in found if not row.startswith(("%%", "accTitle", "accDescr")))
