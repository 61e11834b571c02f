"""A walk made into a file for somebody to take away: one at a time, and kept for a while."""

from __future__ import annotations

from hashlib import sha256
from threading import Lock

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.export.asked import Asked, File
from app.export.forms import exported
from app.story.play import Play
from app.web.keeping import Kept

PATIENCE = 30.0
"""Seconds that an export waits for the one before it."""
KEPT_FILES = 24

_making = Lock()


def _made(played: Play, wanted: Asked) -> File:
    # Each takes a processor for up to seconds; whoever waits holds a thread, so not for long.
    if not _making.acquire(timeout=PATIENCE):
        raise HTTPException(503, "other exports are under way; try again in a minute", {"retry-after": "60"})
    try:
        return exported(played, wanted)
    finally:
        _making.release()


made = Kept(_made, most=KEPT_FILES)
"""The file that is asked for."""


def answer(request: Request, file: File, *, download: bool, cache_control: str) -> Response:
    """The file under its name; a page is handed over, never shown as one of ours."""
    tag = f'"{sha256(file.body).hexdigest()[:20]}"'
    headers = {
        "etag": tag,
        "cache-control": cache_control,
        "content-disposition": f'{"attachment" if download else "inline"}; filename="{file.name}"',
    }
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if download:
        headers["content-security-policy"] = "default-src 'none'; sandbox"
    return Response(file.body, headers=headers, media_type=file.media)
