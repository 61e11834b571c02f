"""What exports and reports are made of: a walk at an address or in a session, and what was written beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.requests import Request

from app.export.asked import Remark
from app.store.sessions import THE_STEP
from app.store.tables import Note
from app.story.play import Play, in_words
from app.web.address import Place, Query, parse
from app.web.assets import ASK_AGAIN
from app.web.site import Site, canonical
from app.web.sittings import open_sitting


@dataclass(frozen=True, kw_only=True)
class Source:
    """One walk to be taken away."""

    played: Play
    place: Place
    """Where its own pages are."""
    free: Place
    """The same walk without the session: what stands in a file that leaves the house."""
    title: str
    """Of the flow, or of the session."""
    question: str = ""
    """What a review is to answer."""
    remarks: tuple[Remark, ...] = ()
    may_edit: bool = False
    """Whether it is a session that this address may change."""
    cache_control: str = ASK_AGAIN


def of_flow(site: Site, request: Request, flow: str) -> Source:
    query = parse(request.url.query)
    played = site.play(flow, query)
    place = Place(path=f"/f/{flow}", query=canonical(played, query))
    return Source(played=played, place=place, free=place, title=played.flow.title)


def of_session(site: Site, request: Request, id: str) -> Source:
    sitting = open_sitting(site, id)
    looks = parse(request.url.query).only_looks()
    played = in_words(sitting.played, looks.words)
    walk = canonical(sitting.played, sitting.query)
    free = replace(walk, depth=looks.depth, view=looks.view, theme=looks.theme, words=looks.words)
    return Source(
        played=played,
        place=Place(path=f"/s/{sitting.id}", query=looks),
        free=Place(path=f"/f/{played.flow.id}", query=free),
        title=sitting.session.title,
        question=sitting.session.question,
        remarks=tuple(
            Remark(row.step_id, _who(row), row.text, decision=row.kind == "decision") for row in sitting.notes
        ),
        may_edit=sitting.may_edit,
        cache_control="no-store",
    )


def addresses(origin: str, free: Place) -> tuple[str, str]:
    """Where steps and their pictures are, with `{step}` and `{view}` to be filled in."""
    query: Query = replace(free.query, view="", depth="", pod="", scale="")
    page = f"{origin}{free.path}/{{step}}"
    return f"{page}{query}", f"{page}.svg{query}{'&' if str(query) else '?'}view={{view}}"


def _who(row: Note) -> str:
    return ", ".join(name for name in (row.author, row.actor) if name and name != THE_STEP)
