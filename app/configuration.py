"""Every environment variable that Loopscope reads: default, what is allowed, meaning. Nothing else reads any."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from app.errors import BadInput

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Variable(Generic[T_co]):
    """One of them. `read` makes the value of its text, and raises ValueError for a text that is not allowed."""

    name: str
    default: str
    allowed: str
    meaning: str
    read: Callable[[str], T_co]

    def get(self) -> T_co:
        """As it is set now; one that is set to nothing counts as not set."""
        text = os.environ.get(self.name, "") or self.default
        try:
            return self.read(text)
        except ValueError as error:
            told = str(error)
            raise BadInput(
                [f"{self.name}: found {text!r}; allowed: {self.allowed}" + f" ({told})" * bool(told)]
            ) from None


def _folders(text: str) -> tuple[Path, ...]:
    return tuple(Path(folder) for folder in text.split(os.pathsep) if folder)


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return read


# What the grammar of frame-ancestors allows; neither `;` nor `,` nor a line's end can pass into the header.
_ANCESTOR = re.compile(
    r"'self'|\*|[a-z][a-z0-9+.-]*:|(?:[a-z][a-z0-9+.-]*://)?(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::(?:\d{1,5}|\*))?/?",
    re.ASCII | re.IGNORECASE,
)


def _ancestors(text: str) -> str:
    """Our own pages always: they show what an embed will look like."""
    sources = text.split()
    if sources == ["'none'"]:
        return "'none'"
    wrong = [source for source in sources if not _ANCESTOR.fullmatch(source)]
    if wrong or not sources:
        raise ValueError(f"{wrong[0]} is no source" if wrong else "")
    return " ".join(dict.fromkeys(["'self'", *sources]))


DATABASE_URL = Variable(
    name="LOOPSCOPE_DATABASE_URL",
    default="sqlite:///loopscope.db",
    allowed="a database URL: sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/NAME",
    meaning="Where sessions and manifests are kept.",
    read=str,
)
FLOWS = Variable(
    name="LOOPSCOPE_FLOWS",
    default="",
    allowed="folders, separated as in PATH",
    meaning="Folders with flows of your own, added to those that come with Loopscope.",
    read=_folders,
)

LOG = Variable(
    name="LOOPSCOPE_LOG",
    default="text",
    allowed="text, json or off",
    meaning="How the server writes to standard error: one line a request, and every fault; with off only faults.",
    read=_one_of("text", "json", "off"),
)

FRAME_ANCESTORS = Variable(
    name="LOOPSCOPE_FRAME_ANCESTORS",
    default="'self'",
    allowed="'self', 'none', or sources as in a Content-Security-Policy: https://wiki.example, https://*.example:8443",
    meaning="Whose pages may show /embed in a frame, beside our own. All other pages are framed by our own only.",
    read=_ancestors,
)

VARIABLES: tuple[Variable[object], ...] = (DATABASE_URL, FLOWS, FRAME_ANCESTORS, LOG)
"""All of them, in the order in which they are documented."""
