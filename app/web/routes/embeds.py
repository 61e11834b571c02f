"""`/embed/…`: a step in a frame on somebody else's page; `…/embed`: the page that says what to paste there."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.errors import NotFound
from app.web import framed_moments, oembed
from app.web.address import pairs_of
from app.web.described import FRAMING, LOOKS, WALK, answers, pages
from app.web.embed_dialog import embed_dialog
from app.web.embedding import embed_page, span, unframed
from app.web.framing import FramedPlace, framing_of
from app.web.moment import Moment
from app.web.routes.flows import caching
from app.web.site import Site, SiteDep, origin_of
from app.web.sittings import open_sitting

router = APIRouter()

PRIVATE = {"cache-control": "no-store"}


@router.get(
    "/embed/f/{flow}/{step}",
    summary="A step without what is around it, for a frame in another page",
    responses=answers("The step", "text/html") | pages(404, 422),
    openapi_extra={"parameters": [*WALK, *LOOKS, *FRAMING]},
)
def embed_flow(site: SiteDep, request: Request, flow: str, step: str) -> Response:
    headers = caching(site, request, flow)
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    moment = framed_moments.of_flow(site, flow, step, request.url.query, f"/embed/f/{flow}")
    return _framed(site, request, moment, headers)


@router.get("/embed/s/{id}/{step}", include_in_schema=False)
def embed_session(site: SiteDep, request: Request, id: str, step: str) -> Response:
    """By the id that only reads: the other one would stand in the source of somebody's page for all to take."""
    sitting = open_sitting(site, id)
    if sitting.may_edit:
        raise NotFound("this id of the session may change it, so it is not embedded; Embed… names the one for reading")
    moment = framed_moments.of_session(sitting, step, request.url.query, f"/embed/s/{id}")
    return _framed(site, request, moment, PRIVATE)


def _framed(site: Site, request: Request, moment: Moment, headers: dict[str, str]) -> Response:
    framing = framing_of(pairs_of(request.url.query))
    first, last = span(moment.played, framing)
    if not first <= moment.n <= last:
        nearest = first if moment.n < first else last
        return RedirectResponse(FramedPlace(place=moment.place, framing=framing).step(nearest), 303)
    page = unframed(moment)
    shown = embed_page(moment, framing, page=page, oembed=oembed.discovery(f"{origin_of(request)}{page}"))
    answer = site.renderer.answer(request, shown)
    answer.headers.update(headers)
    return answer


@router.get("/f/{flow}/{step}/embed", include_in_schema=False)
def dialog_of_flow(site: SiteDep, request: Request, flow: str, step: str) -> Response:
    moment = framed_moments.of_flow(site, flow, step, request.url.query, f"/f/{flow}")
    return _dialog(site, request, moment)


@router.get("/s/{id}/{step}/embed", include_in_schema=False)
def dialog_of_session(site: SiteDep, request: Request, id: str, step: str) -> Response:
    """Whoever may change the session is given the addresses that only read it."""
    sitting = open_sitting(site, id)
    path = f"/s/{sitting.session.read_id}"
    return _dialog(site, request, framed_moments.of_session(sitting, step, request.url.query, path))


def _dialog(site: Site, request: Request, moment: Moment) -> Response:
    page = embed_dialog(moment, pairs_of(request.url.query), origin=origin_of(request))
    status = 422 if page.problems else 200
    return site.renderer.answer(request, page, status=status, cache_control="no-store")
