"""`/oembed`: what a program is told that wants to show one of our pages inside its own."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.errors import BadInput, NotFound
from app.web import framed_moments, oembed, snippets
from app.web.address import pairs_of
from app.web.described import answers, refusals
from app.web.described import asked as described
from app.web.embed_dialog import source_of
from app.web.embedding import span
from app.web.framing import framing_of
from app.web.moment import Moment
from app.web.site import Site, SiteDep, origin_of
from app.web.sittings import open_sitting

router = APIRouter()


@router.get(
    "/oembed",
    summary="An oEmbed description of a page: its address as url; maxwidth, maxheight, format=json",
    responses=answers("The description", "application/json") | refusals(401, 404, 422, 501),
    openapi_extra={"parameters": described({"maxwidth": "in pixels", "maxheight": "in pixels"})},
)
def describe(site: SiteDep, request: Request, url: str, format: str = "json") -> Response:
    """As oembed.com has it: 404 for what is not ours, 401 for what is not for all to see, 501 for XML."""
    if format != "json":
        raise HTTPException(501, f"format: found {format[:40]!r}; allowed: json")
    size = _size(*(request.query_params.get(name, "") for name in ("maxwidth", "maxheight")))
    asked = oembed.asked(url, request.url.netloc)
    try:
        moment = _moment(site, asked)
        framing = framing_of(pairs_of(asked.query))
        span(moment.played, framing)
    except BadInput as error:
        raise NotFound(f"url: {'; '.join(error.problems)}") from None
    source = source_of(moment, framing, origin_of(request), size=size)
    answer = oembed.rich(title=source.words, html=snippets.iframe(source), origin=origin_of(request), size=size)
    return JSONResponse(answer)


def _moment(site: Site, asked: oembed.Asked) -> Moment:
    if asked.kind == "f":
        return framed_moments.of_flow(site, asked.name, asked.step or "0", asked.query, f"/f/{asked.name}")
    sitting = open_sitting(site, asked.name)
    if sitting.may_edit:
        raise HTTPException(401, "url: this address of the session may change it, and is for its owner only")
    step = asked.step or str(sitting.session.position)
    return framed_moments.of_session(sitting, step, asked.query, f"/s/{asked.name}")


def _size(maxwidth: str, maxheight: str) -> tuple[int, int]:
    """Never more than what is asked for, nor more than is needed."""
    problems = [
        f"{name}: found {text[:40]!r}; allowed: a number of pixels"
        for name, text in (("maxwidth", maxwidth), ("maxheight", maxheight))
        if text and not (text.isascii() and text.isdigit() and len(text) < 7 and int(text) > 0)
    ]
    if problems:
        raise BadInput(problems)
    width, height = snippets.USUAL_SIZE
    return min(width, int(maxwidth or width)), min(height, int(maxheight or height))
