"""An embed from a moment of a walk: one view, small controls, nothing that changes anything."""

from __future__ import annotations

from dataclasses import replace

from app.errors import BadInput, NotFound
from app.story import pinned
from app.story.pinned import Changed
from app.story.play import Play, passage, position
from app.story.words import DEPTHS
from app.web import pictures
from app.web.embed_page import EmbedPage
from app.web.framing import POST, FramedPlace, Framing
from app.web.moment import Moment, clock_text
from app.web.player_parts import Clock
from app.web.telling import brief, titles

USUAL_VIEW = "messages"


def span(played: Play, framing: Framing) -> tuple[int, int]:
    """The first and the last step that an embed shows."""
    ends: list[int] = []
    problems: list[str] = []
    for name, text, usual in (("from", framing.first, 0), ("to", framing.last, len(played.steps))):
        try:
            ends.append(position(played, text) if text else usual)
        except NotFound as error:
            problems.append(f"{name}: {error}")
    if problems:
        raise BadInput(problems)
    first, last = ends
    if first > last:
        raise BadInput([f"from, to: found step {first} to {last}; the first comes before the last"])
    return first, last


def embed_page(moment: Moment, framing: Framing, *, page: str, oembed: str) -> EmbedPage:
    """`page` is the same moment outside of the frame."""
    played, n, query = moment.played, moment.n, moment.place.query
    told = titles(played)
    said = passage(played, n, query.depth or DEPTHS[0])
    caption = told[n - 1] if n else said.title
    return EmbedPage(
        title=f"{played.flow.title} · {caption}" if n else caption,
        theme=query.theme,
        clock=_clock(moment, framing),
        caption=caption,
        text=brief(said.text.strip(), moment.steps[n - 1]) if n else said.text.strip(),
        told=f"step {n} of {len(moment.steps)}, {clock_text(moment.now)}: {caption}",
        picture=pictures.framed(played, framing.only or query.view or USUAL_VIEW, n),
        page=page,
        oembed=oembed,
        controls=not framing.only,
        posts=framing.height == POST,
        changed=bool(changed_since(played, n, query.seen)),
    )


def _clock(moment: Moment, framing: Framing) -> Clock:
    n = moment.n
    first, last = span(moment.played, framing)
    place = FramedPlace(place=moment.place, framing=framing)
    return Clock(
        text=clock_text(moment.now),
        step=n,
        steps=len(moment.steps),
        first=place.step(first) if n != first else "",
        back=place.step(n - 1) if n > first else "",
        next=place.step(n + 1) if n < last else "",
        last=place.step(last) if n != last else "",
        wait="",
        stopped=moment.played.walk.stopped,
    )


def changed_since(played: Play, n: int, seen: str) -> tuple[Changed, ...]:
    """What of a step is not as an address says that somebody saw it; what cannot be read says nothing."""
    try:
        return pinned.behaves(pinned.changes(played, n, pinned.read(seen))) if seen else ()
    except BadInput:
        return ()


def unframed(moment: Moment) -> str:
    """The page of the same moment: by its id, so that it stays right when a step is inserted before it."""
    place = moment.place
    query = replace(place.query, view="")
    return place.asking(query).at(place.path.removeprefix("/embed")).step(moment.id)
