"""Who asks: the cookie by which a browser finds its sessions again, and the name that a proxy vouches for."""

from __future__ import annotations

import secrets
import unicodedata
from contextlib import suppress
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from app.configuration import NAME_HEADER
from app.store.tables import NAME_LENGTH

OWNER = "loopscope_owner"
A_YEAR = 365 * 24 * 3600


def browser_of(request: Request) -> str:
    """Which browser this is; empty for one that has made no session yet."""
    return request.cookies.get(OWNER, "")


def owner(request: Request) -> str:
    """The same, with a new name for one that has none."""
    return browser_of(request) or secrets.token_urlsafe(16)


def owned(request: Request, answer: Response, owner: str) -> Response:
    """The cookie that lists a browser's sessions: set only when it has one."""
    if browser_of(request) != owner:
        secure = request.url.scheme == "https"
        answer.set_cookie(OWNER, owner, max_age=A_YEAR, httponly=True, samesite="lax", secure=secure)
    return answer


def known_as(browser: str) -> str:
    """What others may see of a browser's name: the same each time, and no way back to it."""
    return sha256(browser.encode()).hexdigest()[:12] if browser else ""


def name_of(request: Request) -> str:
    """Who this is, where a proxy before us says so; whoever can reach us past the proxy can say anything."""
    header = NAME_HEADER.get()
    given = request.headers.get(header, "") if header else ""
    with suppress(UnicodeError):
        # Headers are read as Latin-1; proxies write names in UTF-8.
        given = given.encode("latin-1").decode()
    shown = "".join(char for char in given if unicodedata.category(char)[0] != "C")
    return " ".join(shown.split())[:NAME_LENGTH]
