"""A walk at one step, as an embed's address or the page to make one names it."""

from __future__ import annotations

from app.errors import NotFound
from app.story.play import in_words
from app.web.address import Place, parse
from app.web.moment import Moment
from app.web.routes.flows import locate
from app.web.site import Site, canonical
from app.web.sittings import Sitting


def of_flow(site: Site, flow: str, step: str, query: str, path: str) -> Moment:
    """`path` is where its links lead, `query` the raw one."""
    asked = parse(query)
    played = site.play(flow, asked)
    place = Place(path=path, query=canonical(played, asked))
    return Moment(played=played, n=_page(*locate(played, step)), place=place, free=place.query)


def of_session(sitting: Sitting, step: str, query: str, path: str) -> Moment:
    """The same of a session, whose walk is stored and not in the query."""
    looks = parse(query).only_looks()
    played = in_words(sitting.played, looks.words)
    free = canonical(sitting.played, sitting.query)
    return Moment(played=played, n=_page(*locate(played, step)), place=Place(path=path, query=looks), free=free)


def _page(n: int, suffix: str) -> int:
    if suffix:
        raise NotFound(f"step {n}: as .{suffix} it is a file and no page")
    return n
