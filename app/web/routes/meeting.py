"""The meeting: a step for a projector, the notes to speak from, and followers who go where a presenter goes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from app.store import presenting, sessions
from app.store.presenting import Shown
from app.web.address import Place, Query, parse, query_of
from app.web.browsers import browser_of, name_of, owned
from app.web.browsers import owner as owner_of
from app.web.meetings import Looks, followed_moment, meeting_of, told
from app.web.moment import Moment
from app.web.pictures import SHAPES
from app.web.rendering import Page
from app.web.routes.flows import locate, nearest, shapes_of
from app.web.site import PRIVATE, FormDep, Site, SiteDep, canonical
from app.web.sittings import Sitting, arrive, moment_of, note_rows, open_sitting
from app.web.stage import PRESENT, SPEAKER, follow_page, present_page, speaker_page

router = APIRouter(include_in_schema=False)


@router.get("/f/{flow}/{step}/present")
def present_flow(site: SiteDep, request: Request, flow: str, step: str) -> Response:
    moment = _of_flow(site, request, flow, step, PRESENT)
    return _answer(site, request, present_page(moment, shapes_of(request), title=moment.played.flow.title))


@router.get("/f/{flow}/{step}/speaker")
def speak_flow(site: SiteDep, request: Request, flow: str, step: str) -> Response:
    moment = _of_flow(site, request, flow, step, SPEAKER)
    return _answer(site, request, speaker_page(moment, title=moment.played.flow.title))


def _of_flow(site: Site, request: Request, flow: str, step: str, tail: str) -> Moment:
    query = parse(request.url.query)
    played = site.play(flow, query)
    n, _ = locate(played, step)
    place = Place(path=f"/f/{flow}", query=canonical(played, query), tail=tail)
    return Moment(played=played, n=n, place=place, free=place.query)


@router.get("/s/{id}/present")
def present_current(site: SiteDep, request: Request, id: str) -> Response:
    """Whatever is presented. To look at it moves nobody; only the address of a step does."""
    return _present(site, request, id, _current(site, request, id, PRESENT))


@router.get("/s/{id}/speaker")
def speak_current(site: SiteDep, request: Request, id: str) -> Response:
    return _speak(site, request, id, _current(site, request, id, SPEAKER))


def _current(site: Site, request: Request, id: str, tail: str) -> tuple[Sitting, Moment]:
    """The step that is presented. Whoever leads gets the address that can change it; it is theirs."""
    with site.store.reading() as db:
        opened = sessions.get_for_reading(db, id=id)
        shown = presenting.shown(db, session=opened.session)
    leads = opened.may_edit and bool(shown.presenter) and shown.presenter == browser_of(request)
    same = shown.session.id == opened.session.id
    there = id if same else shown.session.edit_id if leads else shown.session.read_id
    sitting = open_sitting(site, there)
    n = min(shown.position, len(sitting.played.steps))
    return sitting, moment_of(sitting, n, _looks(request), tail)


@router.get("/s/{id}/follow")
def follow(site: SiteDep, request: Request, id: str) -> Response:
    """What is presented, as it changes; without scripts, as it was when the page was fetched."""
    looks = parse(request.url.query).only_looks()
    with site.store.reading() as db:
        shown = presenting.followed(db, id=id)
    moment = followed_moment(site, shown, looks)
    meeting = meeting_of(request, shown, moment, id=id, may_edit=False)
    page = follow_page(
        moment,
        shapes_of(request),
        title=shown.session.title,
        meeting=meeting,
        here=lambda query: f"/s/{id}/follow{query}",
    )
    return _answer(site, request, page)


@router.get("/s/{id}/live")
async def live(site: SiteDep, request: Request, id: str, shape: str = "") -> Response:
    """Server-sent events: what is presented now, then every change. With `shape` they bring the picture, too."""
    if site.following.full:
        raise HTTPException(503, "no more followers fit on this server; try again later", {"retry-after": "5"})
    looks = parse(request.url.query)
    shown = await run_in_threadpool(_followed, site, id)
    wanted = Looks(view=looks.view, depth=looks.depth, words=looks.words, shape=shape if shape in SHAPES else "")
    packed = "gzip" in request.headers.get("accept-encoding", "")
    stream = site.following.stream(shown, wanted, partial(told, site, wanted), packed=packed)
    # Nothing on the way may hold events back, or change how they are packed.
    headers = {"cache-control": "no-store, no-transform", "x-accel-buffering": "no", "vary": "accept-encoding"}
    if packed:
        headers["content-encoding"] = "gzip"
    return StreamingResponse(_counted(site, stream), media_type="text/event-stream", headers=headers)


async def _counted(site: Site, stream: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    with site.metrics.following():
        async with aclosing(stream) as events:
            async for event in events:
                yield event


def _followed(site: Site, id: str) -> Shown:
    with site.store.reading() as db:
        return presenting.followed(db, id=id)


@router.get("/s/{id}/{step}/present")
def present(site: SiteDep, request: Request, id: str, step: str) -> Response:
    return _present(site, request, id, _arrived(site, request, id, step, PRESENT))


@router.get("/s/{id}/{step}/speaker")
def speak(site: SiteDep, request: Request, id: str, step: str) -> Response:
    return _speak(site, request, id, _arrived(site, request, id, step, SPEAKER))


def _arrived(site: Site, request: Request, id: str, step: str, tail: str) -> tuple[Sitting, Moment]:
    sitting = open_sitting(site, id)
    moment = moment_of(sitting, locate(sitting.played, step)[0], _looks(request), tail)
    arrive(site, sitting, moment.n, browser_of(request))
    return sitting, moment


def _present(site: Site, request: Request, id: str, found: tuple[Sitting, Moment]) -> Response:
    sitting, moment = found
    meeting = meeting_of(request, _followed(site, id), moment, id=id, may_edit=sitting.may_edit)
    return _answer(
        site, request, present_page(moment, shapes_of(request), title=sitting.session.title, meeting=meeting)
    )


def _speak(site: Site, request: Request, id: str, found: tuple[Sitting, Moment]) -> Response:
    sitting, moment = found
    meeting = meeting_of(request, _followed(site, id), moment, id=id, may_edit=sitting.may_edit)
    page = speaker_page(moment, title=sitting.session.title, notes=note_rows(sitting, moment), meeting=meeting)
    return _answer(site, request, page)


def _looks(request: Request) -> Query:
    return parse(request.url.query).only_looks()


def _answer(site: Site, request: Request, page: Page) -> Response:
    return site.renderer.answer(request, page, cache_control=PRIVATE)


@router.post("/s/{id}/present")
def start(site: SiteDep, request: Request, id: str, fields: FormDep) -> Response:
    """Present from here. Who takes over from another says so."""
    sitting = open_sitting(site, id)
    named, browser = dict(fields), owner_of(request)
    n = nearest(sitting.played, named.get("step", ""))
    with site.store.writing() as db:
        presenting.start(
            db, edit_id=id, browser=browser, name=name_of(request), position=n, takes_over=bool(named.get("over"))
        )
    site.following.changed()
    return owned(request, RedirectResponse(f"/s/{id}/{n}/present{query_of(fields).only_looks()}", 303), browser)


@router.post("/s/{id}/present/stop")
def stop(site: SiteDep, id: str, fields: FormDep) -> Response:
    with site.store.writing() as db:
        presenting.stop(db, edit_id=id)
    site.following.changed()
    n = nearest(open_sitting(site, id).played, dict(fields).get("step", ""))
    return RedirectResponse(f"/s/{id}/{n}{query_of(fields).only_looks()}", 303)
