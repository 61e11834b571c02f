"""Every request gets an id, is timed, counted and written to the log; a fault of ours becomes a page with that id."""

from __future__ import annotations

import re
import secrets
import time
import traceback
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.logs import LOGGER
from app.web.metrics import OTHER, Metrics

ID = "x-request-id"
CUT = "…"


class Observed:
    """The outermost layer: sees what was asked and what was answered."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seen: dict[str, Any] = {"status": 500, "type": "", "route": OTHER}
        id = _id(Headers(scope=scope))
        # One dictionary that the layers within share, even where they hand on a scope of their own.
        scope.setdefault("state", {}).update(request_id=id, seen=seen)
        begun = time.perf_counter()

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[ID] = id
                seen.update(status=message["status"], type=headers.get("content-type", "").partition(";")[0])
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - begun
            self._metrics.answered(scope["method"], seen["route"], seen["status"], seconds, seen["type"])
            told = {"id": id, "method": scope["method"], "route": seen["route"], "status": seen["status"]}
            LOGGER.info("request", extra={**told, "ms": round(1000 * seconds, 1)})


class Contained:
    """The innermost layer: notes which route it was, and answers in place of one that raised."""

    def __init__(self, app: ASGIApp, answer: Callable[[Request], Response]) -> None:
        self.app = app
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def send_on(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, send_on)
        except Exception as error:
            _tell(scope, error)
            if begun:
                # Half of the answer is out: only cutting it off tells the reader that the rest is missing.
                raise
            await self._answer(Request(scope))(scope, receive, send)
        finally:
            scope["state"]["seen"]["route"] = getattr(scope.get("route"), "path", OTHER)


def _id(headers: Headers) -> str:
    """The one that a proxy gave the request, if it is one; or a new one."""
    given = headers.get(ID, "")
    return given if re.fullmatch(r"[A-Za-z0-9._-]{1,64}", given) else secrets.token_hex(8)


def _tell(scope: Scope, error: Exception) -> None:
    """The traceback goes to the log, without what would let its reader into a session."""
    text = "".join(traceback.format_exception(error))
    for secret in _secrets(scope):
        text = text.replace(secret, CUT)
    route = getattr(scope.get("route"), "path", OTHER)
    told = {"id": scope["state"]["request_id"], "method": scope["method"], "route": route}
    LOGGER.error("failed", extra={**told, "traceback": text})


def _secrets(scope: Scope) -> list[str]:
    """Ids in the path, what the query says, and cookies; the longest first, for one may hold another."""
    headers = Headers(scope=scope)
    try:
        cookies = [row.value for row in SimpleCookie(headers.get("cookie", "")).values()]
    except CookieError:
        cookies = [headers.get("cookie", "")]
    found = [scope.get("query_string", b"").decode("latin-1"), *cookies, *_words(scope.get("path_params", {}))]
    return sorted((text for text in found if len(text) > 3), key=len, reverse=True)


def _words(given: dict[str, Any]) -> list[str]:
    return [str(value) for name, value in given.items() if name == "id"]
