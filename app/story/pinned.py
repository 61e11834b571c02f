"""What a reader saw of a step, in a few characters of an address, and what of it no longer holds."""

from __future__ import annotations

import re
from hashlib import sha256

import msgspec
from msgspec import Struct

from app import __version__
from app.errors import BadInput
from app.story.play import Play
from app.story.words import title

NAME = "seen"
"""Of the part of an address that holds a pin."""
FORM = re.compile(
    r"(?P<version>[0-9A-Za-z.+-]{1,32})~(?P<at>-?[0-9.]{1,15})~(?P<outcome>[a-z0-9-]{1,40})"
    r"~(?P<step>[0-9a-f]{4})\.(?P<words>[0-9a-f]{4})\.(?P<verdicts>[0-9a-f]{4})",
    re.ASCII,
)


class Pin(Struct, frozen=True):
    """One step as somebody saw it. Time and outcome are told as they were, the rest by digests of 16 bits."""

    version: str
    at: str
    """Seconds since the stimulus."""
    outcome: str
    """`ok`, or the status of a refusal; `start` before the first step."""
    step: str
    """Of its id and what came of it."""
    words: str
    """Of the flow's and the step's title."""
    verdicts: str
    """Of what came of the whole walk."""

    def __str__(self) -> str:
        return f"{self.version}~{self.at}~{self.outcome}~{self.step}.{self.words}.{self.verdicts}"


class Changed(Struct, frozen=True):
    """One thing that is no longer as it was seen."""

    what: str
    """time, outcome, step, words, verdicts or version."""
    before: str
    """Empty where only its digest is known."""
    now: str


def words_at(played: Play, n: int) -> str:
    """A step in one line: the text by which whatever is embedded of it is called."""
    return f"{played.flow.title}: {title(played.flow, played.steps[n - 1])}" if n else played.flow.title


def pin(played: Play, n: int) -> Pin:
    """The step as it is now."""
    row = played.steps[n - 1] if n else None
    outcome = row.step.outcome if row else "start"
    status = re.sub(r"[^a-z0-9]+", "-", outcome.partition(":")[0].lower()).strip("-")[:40]
    verdicts = [[answer.id, answer.value, answer.ok] for answer in played.verdicts]
    return Pin(
        version=__version__,
        at=f"{(row.step.at if row else 0) / 1000:.3f}".rstrip("0").rstrip("."),
        outcome=status or "none",
        step=digest(f"{row.id} {outcome}" if row else "0"),
        words=digest(words_at(played, n)),
        verdicts=digest(msgspec.json.encode(verdicts).decode()),
    )


def digest(text: str) -> str:
    """16 bits: of a change one in 65,536 goes unnoticed."""
    return sha256(text.encode()).hexdigest()[:4]


def read(text: str) -> Pin:
    """A pin from an address; BadInput says what one looks like."""
    found = FORM.fullmatch(text)
    if found is None:
        form = "VERSION~SECONDS~OUTCOME~STEP.WORDS.VERDICTS"
        raise BadInput([f"{NAME}: found {text[:60]!r}; allowed: {form}, as Loopscope writes it"])
    return Pin(**found.groupdict())


def changes(played: Play, n: int, seen: Pin) -> tuple[Changed, ...]:
    """What of a step is no longer as it was seen, what matters most first."""
    now = pin(played, n)
    told = {
        "step": played.steps[n - 1].id if n else "0",
        "words": words_at(played, n),
        "verdicts": "; ".join(answer.text for answer in played.verdicts),
    }
    found = []
    for name in ("outcome", "step", "time", "words", "verdicts", "version"):
        field = "at" if name == "time" else name
        before, after = getattr(seen, field), getattr(now, field)
        # A refusal that reads otherwise is another outcome, which its status alone does not tell.
        if before != after and not (name == "step" and seen.outcome != now.outcome):
            found.append(Changed(name, "" if name in told else before, told.get(name, after)))
    return tuple(found)


def behaves(found: tuple[Changed, ...]) -> tuple[Changed, ...]:
    """Without what is only another version: the same is seen."""
    return tuple(row for row in found if row.what != "version")
