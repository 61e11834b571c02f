"""Every environment variable that Loopscope reads: default, what is allowed, meaning. Nothing else reads any."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Generic, TypeVar

from app.errors import BadInput

T_co = TypeVar("T_co", covariant=True)

MOST_DAYS = 36_500
_PERIODS = {"s": 1, "m": 60, "h": 3_600}
_SIZES = {"Ki": 10, "Mi": 20, "Gi": 30}


@dataclass(frozen=True, kw_only=True)
class Variable(Generic[T_co]):
    """One of them. `read` makes the value of its text, and raises ValueError for a text that is not allowed."""

    name: str
    default: str
    allowed: str
    meaning: str
    read: Callable[[str], T_co]
    secret: bool = False
    """Whether its value is shown to nobody."""

    def given(self) -> str:
        """What it is set to; empty if it is not set."""
        return os.environ.get(self.name, "")

    def get(self) -> T_co:
        """As it is set now; one that is set to nothing counts as not set."""
        text = self.given() or self.default
        try:
            return self.read(text)
        except ValueError as error:
            told = str(error)
            raise BadInput(
                [f"{self.name}: found {text!r}; allowed: {self.allowed}" + f" ({told})" * bool(told)]
            ) from None


def _folders(text: str) -> tuple[Path, ...]:
    return tuple(Path(folder) for folder in text.split(os.pathsep) if folder)


def check() -> None:
    """Refuse, all at once, what is set to something that is not allowed."""
    problems: list[str] = []
    for variable in VARIABLES:
        try:
            variable.get()
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(problems)


def passed_on(**more: str) -> dict[str, str]:
    """The environment of a program that we start."""
    return {**os.environ, **more}


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return read


@dataclass(frozen=True)
class Rate:
    """So many in so many seconds; as many may come at once."""

    count: int
    seconds: int


def _number(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text, re.ASCII):
        raise ValueError
    return int(text)


def _number_or_off(text: str) -> int | None:
    return None if text == "off" else _number(text)


def _rate(text: str) -> Rate | None:
    if text == "off":
        return None
    count, _, unit = text.partition("/")
    if unit not in _PERIODS:
        raise ValueError
    return Rate(_number(count), _PERIODS[unit])


def _size(text: str) -> int:
    match = re.fullmatch(r"([1-9][0-9]{0,5})(Ki|Mi|Gi)", text, re.ASCII)
    if match is None:
        raise ValueError
    return int(match[1]) << _SIZES[match[2]]


def size_text(size: int) -> str:
    """As people write it, in the greatest unit that it is a whole number of."""
    unit = next(name for name, bits in reversed(_SIZES.items()) if not size % (1 << bits))
    return f"{size >> _SIZES[unit]} {unit}B"


def _days(text: str) -> timedelta | None:
    if text == "off":
        return None
    if not text.endswith("d"):
        raise ValueError
    return timedelta(days=min(_number(text.removesuffix("d")), MOST_DAYS))


def _networks(text: str) -> tuple[str, ...]:
    if text == "*":
        return ("*",)
    return tuple(str(ip_network(part.strip(), strict=False)) for part in text.split(","))


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


def _header(text: str) -> str:
    if text and not re.fullmatch(r"[A-Za-z0-9-]{1,64}", text):
        raise ValueError
    return text


DATABASE_URL = Variable(
    name="LOOPSCOPE_DATABASE_URL",
    default="sqlite:///loopscope.db",
    allowed="a database URL: sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/NAME",
    meaning="Where sessions and manifests are kept.",
    read=str,
    secret=True,
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

PROXIES = Variable(
    name="LOOPSCOPE_PROXIES",
    default="127.0.0.1",
    allowed="addresses and networks, separated by commas, or * for everybody",
    meaning="The proxies whose X-Forwarded-For and X-Forwarded-Proto are believed; without them, all who come through "
    "one proxy are one client to the limits.",
    read=_networks,
)
RETENTION = Variable(
    name="LOOPSCOPE_RETENTION",
    default="off",
    allowed="off, or days such as 90d",
    meaning="How long a session is kept that nobody touches, and a manifest that no session uses; the server clears up "
    "by itself, and says on the page how long a session is kept.",
    read=_days,
)
MOST_BODY = Variable(
    name="LOOPSCOPE_MOST_BODY",
    default="4Mi",
    allowed="a size such as 512Ki or 4Mi",
    meaning="The longest form that is read; a manifest may be three times as long in a form as in its file.",
    read=_size,
)
MOST_SESSIONS = Variable(
    name="LOOPSCOPE_MOST_SESSIONS",
    default="500",
    allowed="a whole number from 1, or off",
    meaning="How many sessions one browser may keep.",
    read=_number_or_off,
)
MOST_MANIFESTS = Variable(
    name="LOOPSCOPE_MOST_MANIFESTS",
    default="100000",
    allowed="a whole number from 1, or off",
    meaning="How many manifests are kept in all; they belong to nobody, for who has the text has the address.",
    read=_number_or_off,
)
RATE_SESSIONS = Variable(
    name="LOOPSCOPE_RATE_SESSIONS",
    default="120/m",
    allowed="a number a second, minute or hour, such as 5/s, 120/m or 1000/h, or off",
    meaning="How often one client may make or fork a session.",
    read=_rate,
)
RATE_MANIFESTS = Variable(
    name="LOOPSCOPE_RATE_MANIFESTS",
    default="120/m",
    allowed=RATE_SESSIONS.allowed,
    meaning="How often one client may send manifests or a recording.",
    read=_rate,
)
RATE_SEARCHES = Variable(
    name="LOOPSCOPE_RATE_SEARCHES",
    default="60/m",
    allowed=RATE_SESSIONS.allowed,
    meaning="How often one client may ask for a walk in every order.",
    read=_rate,
)
RATE_SWEEPS = Variable(
    name="LOOPSCOPE_RATE_SWEEPS",
    default="120/m",
    allowed=RATE_SESSIONS.allowed,
    meaning="How often one client may ask for a sweep; a long one is asked for once a second until it is done.",
    read=_rate,
)
RATE_EXPORTS = Variable(
    name="LOOPSCOPE_RATE_EXPORTS",
    default="60/m",
    allowed=RATE_SESSIONS.allowed,
    meaning="How often one client may ask for a walk to take away, or for a report.",
    read=_rate,
)
SEARCHES_AT_ONCE = Variable(
    name="LOOPSCOPE_SEARCHES_AT_ONCE",
    default="1",
    allowed="a whole number from 1",
    meaning="How many searches through orders one process works on at a time; each takes a processor for seconds.",
    read=_number,
)

NAME_HEADER = Variable(
    name="LOOPSCOPE_NAME_HEADER",
    default="",
    allowed="the name of a header, such as X-Forwarded-User",
    meaning="A header with the reader's name, shown on notes and to followers. Set it only where a proxy signs people "
    "in and takes this header out of whatever comes from outside; everybody could call themselves anything otherwise.",
    read=_header,
)

VARIABLES: tuple[Variable[object], ...] = (
    DATABASE_URL,
    FLOWS,
    FRAME_ANCESTORS,
    LOG,
    NAME_HEADER,
    PROXIES,
    RETENTION,
    MOST_BODY,
    MOST_SESSIONS,
    MOST_MANIFESTS,
    RATE_SESSIONS,
    RATE_MANIFESTS,
    RATE_SEARCHES,
    RATE_SWEEPS,
    RATE_EXPORTS,
    SEARCHES_AT_ONCE,
)
"""All of them, in the order in which they are documented."""
