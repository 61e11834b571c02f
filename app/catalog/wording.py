"""The same flow in other words: what a `words.NAME.yaml` beside `flow.yaml` says instead, and its terms in the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from app.catalog.faults import one_of
from app.catalog.flow import Flow, Moment, MomentWords, Notes, Retold, Wording
from app.errors import BadInput
from app.kube.near_names import did_you_mean
from app.kube.yaml_values import Path, Problem

T = TypeVar("T", bound=Struct)
Terms = Mapping[str, str]

RETOLD = ("symptoms", "verdicts", "scenes", "questions", "traps")
"""Parts of a flow of which single texts may be told anew."""
# What a symptom tells to look at is commands, which are the platform's own.
_KEPT = {"look"}


def worded(flow: Flow, name: str) -> Flow:
    """The flow in those words; in its own for no name. BadInput says which there are."""
    if not name:
        return flow
    if name not in flow.wordings:
        known = ", ".join(flow.wordings) or "none"
        raise BadInput([f'words: found "{name}"; allowed: {known}{did_you_mean(name, flow.wordings)}'])
    return _worded(flow, flow.wordings[name])


def reworded(text: str, terms: Terms, *, prose: bool = False) -> str:
    """A text with its terms replaced; what is part of a name or of a path stays. Prose begins with a capital."""
    if not terms or not text:
        return text
    # What is told in these words already is left as it is.
    known = dict.fromkeys(terms.values()) | dict(terms)

    def other(found: re.Match[str]) -> str:
        new = _other(found[0], known)
        begins = prose and (not found.start() or text[: found.start()].endswith((". ", "? ", "! ")))
        return new[:1].upper() + new[1:] if begins else new

    return _pattern(tuple(known)).sub(other, text)


@lru_cache(maxsize=8)
def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Longer terms first; a term may begin a sentence."""
    words = sorted({*terms, *(term[:1].upper() + term[1:] for term in terms)}, key=lambda term: (-len(term), term))
    # What somebody else has said stands in quotes.
    return re.compile(rf"\"[^\"]*\"|(?<![\w/.{{-])(?:{'|'.join(map(re.escape, words))})(?![\w/}}-]|\.\w)")


def _other(found: str, terms: Mapping[str, str | None]) -> str:
    if found in terms or found.startswith('"'):
        return terms.get(found) or found
    other = terms[found[:1].lower() + found[1:]] or found
    return other[:1].upper() + other[1:]


def _prose(text: str, terms: Terms) -> str:
    return reworded(text, terms, prose=True)


def _worded(flow: Flow, new: Wording) -> Flow:
    terms = new.terms
    lanes = tuple(replace(row, title=new.lanes.get(row.lane) or _prose(row.title, terms)) for row in flow.lanes)
    settings = tuple(
        replace(row, title=_prose(row.title, terms), help=_prose(row.help, terms)) for row in flow.settings
    )
    told = {part: _told(getattr(flow, part), getattr(new, part), terms) for part in RETOLD}
    return replace(
        flow,
        title=new.title or _prose(flow.title, terms),
        summary=new.summary or _prose(flow.summary, terms),
        lanes=lanes,
        settings=settings,
        assumes=new.assumes or tuple(_prose(text, terms) for text in flow.assumes),
        leaves_out=new.leaves_out or tuple(_prose(text, terms) for text in flow.leaves_out),
        moments=_moments(flow.moments, new.moments, terms),
        terms=terms,
        short=new.short,
        **told,
    )


def _told(rows: Sequence[T], new: Sequence[Retold], terms: Terms) -> tuple[T, ...]:
    by_id = {row.id: row for row in new}
    return tuple(_changed(row, by_id.get(row.id), terms) for row in rows)  # type: ignore[attr-defined]


def _changed(row: T, new: Retold | None, terms: Terms) -> T:
    texts = {}
    for field in Retold.__struct_fields__[1:]:
        old = getattr(row, field, "")
        if isinstance(old, str) and old:
            kept = old if field in _KEPT else _prose(old, terms)
            texts[field] = (getattr(new, field) if new else "") or kept
    return replace(row, **texts)


def _moments(rows: Sequence[Moment], new: Sequence[MomentWords], terms: Terms) -> tuple[Moment, ...]:
    by_id = {row.id: row for row in new}
    found = []
    for row in rows:
        told = by_id.get(row.id)
        title = told.title if told else _prose(row.title, terms)
        notes = told.notes if told else _notes(row.notes, terms)
        found.append(replace(row, title=title, notes=notes))
    return tuple(found)


def _notes(notes: Notes, terms: Terms) -> Notes:
    return Notes(**{depth: _prose(getattr(notes, depth), terms) for depth in Notes.__struct_fields__})


def check(flow: Flow, new: Wording) -> Iterator[Problem]:
    """What is told anew is there to be told."""
    for lane in new.lanes:
        yield from one_of(("lanes", lane), lane, [row.lane for row in flow.lanes])
    for part in ("moments", *RETOLD):
        known = [row.id for row in getattr(flow, part)]
        for at, row in enumerate(getattr(new, part)):
            yield from one_of((part, at, "id"), row.id, known)
            if row.id in known and isinstance(row, Retold):
                yield from _fields((part, at), getattr(flow, part)[known.index(row.id)], row)


def _fields(path: Path, told: Struct, row: Retold) -> Iterator[Problem]:
    """Only what such a part has can be told anew."""
    fields = [name for name in Retold.__struct_fields__[1:] if name in told.__struct_fields__]
    for name in Retold.__struct_fields__[1:]:
        if getattr(row, name) and name not in fields:
            yield Problem((*path, name), f"there is none here; allowed: {', '.join(fields)}")
