"""`/f/…/compare`: two walks of one flow side by side."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.catalog.releases import between
from app.errors import BadInput
from app.story import comparing
from app.story.comparing import Comparison, Judged, Pair
from app.story.play import Play
from app.story.sweeping import value_of
from app.web import pictures
from app.web.address import Place, Query, parse
from app.web.frames import frame
from app.web.many_walks import ComparedStep, ComparedVerdict, ComparePage
from app.web.moment import seconds
from app.web.site import SiteDep, canonical

router = APIRouter(include_in_schema=False)

WORDS = {True: "good", False: "bad", None: ""}


@router.get("/f/{flow}/compare")
def compare(site: SiteDep, request: Request, flow: str, a: str = "", b: str = "") -> Response:
    """`a` and `b` are what follows the `?` of each walk's own address; empty for the flow as it is."""
    queries: list[Query] = []
    walks: list[Play] = []
    problems: list[str] = []
    for name, text in (("first", a), ("second", b)):
        try:
            queries.append(parse(text.strip().removeprefix("?")))
            walks.append(site.play(flow, queries[-1]))
        except BadInput as error:
            problems += [f"{name} walk: {problem}" for problem in error.problems]
    theme = parse(request.url.query).theme
    typed = (a, b)
    if problems:
        usual = site.play(flow, Query())
        page = _page(usual, typed, theme, problems=tuple(problems))
        return site.renderer.answer(request, page, status=422)
    first, second = walks
    places = [
        Place(path=f"/f/{flow}", query=canonical(walk, query)) for walk, query in zip(walks, queries, strict=True)
    ]
    page = _page(first, typed, theme, second=second, places=(places[0], places[1]))
    return site.renderer.answer(request, page)


def _page(
    first: Play,
    typed: tuple[str, str],
    theme: str,
    *,
    second: Play | None = None,
    places: tuple[Place, Place] | None = None,
    problems: tuple[str, ...] = (),
) -> ComparePage:
    flow = first.flow
    a, b = typed
    found = comparing.compare(first, second) if second is not None else Comparison((), ())
    parts = found.parts_at
    pair = (first.setup.release, second.setup.release) if second is not None else ()
    releases = pair if len(set(pair)) > 1 else ()
    return ComparePage(
        frame=frame(
            title=f"{flow.title}, two walks",
            theme=theme,
            current="flows",
            here=lambda other: f"/f/{flow.id}/compare?{urlencode({'a': a, 'b': b, 'theme': other})}",
        ),
        flow_title=flow.title,
        action=f"/f/{flow.id}/compare",
        first=a,
        second=b,
        problems=problems,
        walks=tuple(place.step(0) for place in places) if places else (),
        pictures=(pictures.thumbnail(first), pictures.thumbnail(second, "second")) if second else (),
        verdicts=tuple(_verdict(row) for row in found.verdicts),
        steps=tuple(_step(pair, places, first=at == parts) for at, pair in enumerate(found.pairs)) if places else (),
        releases=tuple(row.name for row in releases),
        behaviours=between(*releases) if releases else (),
        parts=parts is not None,
        differing=sum(pair.state != "same" for pair in found.pairs),
    )


def _verdict(row: Judged) -> ComparedVerdict:
    return ComparedVerdict(
        title=row.title,
        first=value_of(row.first),
        second=value_of(row.second),
        first_ok=WORDS[row.first.ok],
        second_ok=WORDS[row.second.ok],
        first_text=row.first.text,
        second_text=row.second.text,
        differs=row.differs,
    )


def _step(pair: Pair, places: tuple[Place, Place], *, first: bool) -> ComparedStep:
    mine, theirs = pair.first, pair.second
    return ComparedStep(
        title=pair.title,
        state=pair.state,
        parts=first,
        first=seconds(mine.at) if mine else "",
        second=seconds(theirs.at) if theirs else "",
        first_href=places[0].step(mine.n) if mine else "",
        second_href=places[1].step(theirs.n) if theirs else "",
        outcomes=f"{mine.outcome}, {theirs.outcome}" if mine and theirs and mine.outcome != theirs.outcome else "",
        says=pair.words or (),
    )
