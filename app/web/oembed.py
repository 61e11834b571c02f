"""oEmbed: what a program is told that wants to show one of our addresses inside its own page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from app.errors import NotFound

VERSION = "1.0"
CACHE_SECONDS = 3600
PORTS = {"http": "80", "https": "443"}
PAGE = re.compile(r"/(?:embed/)?(?P<kind>[fs])/(?P<name>[^/]{1,200})(?:/(?P<step>[^/]{1,600}))?/?")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A page of ours that somebody wants to embed."""

    kind: str
    """`f`, a flow, or `s`, a session."""
    name: str
    step: str
    """Empty where the address names none."""
    query: str


def discovery(page: str) -> str:
    """The address that describes a page, given in full, for its head."""
    parts = urlsplit(page)
    return f"{parts.scheme}://{parts.netloc}/oembed?url={quote(page, safe='')}"


def asked(url: str, host: str) -> Asked:
    """NotFound for what is no page of this server."""
    try:
        parts = urlsplit(url)
        ours = parts.scheme in PORTS and _place(parts.netloc, PORTS[parts.scheme]) == _place(host, PORTS[parts.scheme])
    except ValueError:
        raise NotFound(f"url: found {url[:80]!r}, which is no address") from None
    if not ours:
        raise NotFound(f"url: found {url[:80]!r}; only addresses of http(s)://{host} are known here")
    found = PAGE.fullmatch(parts.path)
    if found is None:
        raise NotFound(f"url: {parts.path[:80]!r} is no flow at a step, no session and no embed")
    name, step = unquote(found["name"]), unquote(found["step"] or "")
    return Asked(kind=found["kind"], name=name, step=step, query=parts.query)


def _place(netloc: str, port: str) -> str:
    """Host and port, without the one that goes without saying."""
    return netloc.lower().removesuffix(f":{port}")


def rich(*, title: str, html: str, origin: str, size: tuple[int, int]) -> dict[str, Any]:
    """The answer, with every name as oembed.com has it."""
    width, height = size
    return {
        "version": VERSION,
        "type": "rich",
        "title": title,
        "provider_name": "Loopscope",
        "provider_url": f"{origin}/",
        "cache_age": CACHE_SECONDS,
        "width": width,
        "height": height,
        "html": html,
    }
