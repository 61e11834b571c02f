"""Static files, read once at start: named with their digest, so that browsers may keep them for good."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from app.errors import NotFound
from app.paths import static_dir

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
FOR_GOOD = "public, max-age=31536000, immutable"
ASK_AGAIN = "public, max-age=0, must-revalidate"
# One stylesheet is one request: the pictures' rules are served behind the pages' own.
SHEETS = ("app.css", "diagram.css", "embed.css")


@dataclass(frozen=True, kw_only=True)
class Asset:
    """One file as it is served."""

    body: bytes
    type: str
    digest: str


class Assets:
    """All files of `static/` that pages use, by their path below it."""

    def __init__(self, folder: Path | None = None) -> None:
        root = folder or static_dir()
        self._files = {
            path.relative_to(root).as_posix(): _asset(path.read_bytes(), path.suffix)
            for path in sorted(root.rglob("*"))
            if path.suffix in TYPES
        }
        fonts = {name: file for name, file in self._files.items() if name.endswith(".woff2")}
        sheet = b"\n".join(self._files[name].body for name in SHEETS if name in self._files)
        for name, font in fonts.items():
            sheet = sheet.replace(f'"{name}"'.encode(), f'"/static/{name}?v={font.digest}"'.encode())
        self._files["site.css"] = _asset(sheet, ".css")

    def href(self, name: str) -> str:
        """The address of a file, another one whenever its content changes."""
        return f"/static/{name}?v={self._files[name].digest}"

    def vendored(self, start: str) -> str:
        """The address of the script in `vendor/` whose name begins so; the version stands in the name only."""
        return self.href(
            next(name for name in self._files if name.startswith(f"vendor/{start}") and name.endswith(".js"))
        )

    @property
    def digest(self) -> str:
        """Of all files together."""
        return sha256("".join(file.digest for file in self._files.values()).encode()).hexdigest()[:12]

    def answer(self, request: Request, name: str) -> Response:
        """Serve one file; the version in the address tells whether it may be kept."""
        file = self._files.get(name)
        if file is None:
            raise NotFound(f"no file {name!r} under /static")
        current = request.query_params.get("v") == file.digest
        headers = {"etag": f'"{file.digest}"', "cache-control": FOR_GOOD if current else ASK_AGAIN}
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(file.body, headers=headers, media_type=file.type)


def _asset(body: bytes, suffix: str) -> Asset:
    return Asset(body=body, type=TYPES[suffix], digest=sha256(body).hexdigest()[:12])
