"""Text that a form brings along, typed or as files: read in memory, within the limit of what is taken at all."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from app.configuration import MOST_BODY, size_text
from app.errors import BadInput
from app.kube.quoting import printable
from app.web.address import MOST_PARTS
from app.web.site import form

MULTIPART = "multipart/form-data"
MOST_FILES = 200
LONGEST_NAME = 120


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What a form sent."""

    fields: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...] = ()
    """Name and text of each file, in their order."""

    def field(self, name: str) -> str:
        return dict(self.fields).get(name, "")

    def texts(self, name: str, source: str) -> dict[str, str]:
        """What was typed in that field under the name `source`, and every file under its own, where there is any."""
        typed = self.field(name).replace("\r\n", "\n")
        found = {source: typed} if typed.strip() else {}
        for file, text in self.files:
            found[_free(file, found)] = text
        return found


async def sent(request: Request) -> Sent:
    """The fields and files of a submitted form, whichever way it was encoded."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != MULTIPART:
        return Sent(fields=tuple(await form(request)))
    most = MOST_BODY.get()
    parser = MultiPartParser(
        request.headers, _limited(request, most), max_files=MOST_FILES, max_fields=MOST_PARTS, max_part_size=most
    )
    # What somebody uploads is never written to a disk: it may hold Secrets.
    parser.spool_max_size = most + 1
    try:
        found = await parser.parse()
    except MultiPartException as error:
        raise BadInput([f"form: {error.message}"]) from None
    try:
        pairs = found.multi_items()
        files = [await _text(value) for _, value in pairs if isinstance(value, UploadFile) and value.filename]
        return Sent(fields=tuple((key, value) for key, value in pairs if isinstance(value, str)), files=tuple(files))
    finally:
        await found.close()


SentDep = Annotated[Sent, Depends(sent)]


async def _limited(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            request.app.state.site.metrics.refused.labels("body").inc()
            raise HTTPException(413, f"at most {size_text(most)} are taken; what was sent is more")
        yield chunk


async def _text(file: UploadFile) -> tuple[str, str]:
    """A file's name and text. Some browsers send the path with the name."""
    name = printable((file.filename or "").replace("\\", "/").rpartition("/")[2][:LONGEST_NAME]) or "file"
    try:
        return name, (await file.read()).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise BadInput([f"{name}: is not UTF-8 text"]) from None


def _free(name: str, taken: Mapping[str, str]) -> str:
    """The name, or with a number behind it where another file is called so."""
    names = (name, *(f"{name} ({number})" for number in range(2, len(taken) + 3)))
    return next(row for row in names if row not in taken)


def joined(texts: Mapping[str, str]) -> str:
    """All as one text, each file under a comment with its name; a single one as it is."""
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n---\n".join(f"# {name}\n{text.strip()}" for name, text in texts.items()) + "\n"
