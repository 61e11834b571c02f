"""A walk made into a file for somebody to take away: one at a time, and kept for a while."""

from __future__ import annotations

from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from app.export.asked import Asked, File
from app.export.forms import exported
from app.story.play import Play
from app.web.keeping import Kept
from app.web.limits import exporting

KEPT_FILES = 24


def _made(played: Play, wanted: Asked) -> File:
    with exporting():
        return exported(played, wanted)


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
