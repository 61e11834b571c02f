"""`/sessions` and `/s/…`: walks that are kept, resumed, changed and forked."""

from __future__ import annotations

import secrets

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app import __version__
from app.errors import BadInput
from app.store import sessions
from app.store.tables import Session
from app.story.play import Play, in_words, position
from app.web.address import Choice, Place, Query, choices_of, parse, query_of
from app.web.clearing import kept_for
from app.web.frames import frame
from app.web.moment import Moment
from app.web.pages import SessionRow, SessionsPage
from app.web.player import Typed, player_page
from app.web.routes.flows import locate, picture, shapes_of
from app.web.site import FormDep, Site, SiteDep, canonical, origin_of
from app.web.sittings import Sitting, kept, open_sitting, remember

router = APIRouter(include_in_schema=False)

OWNER = "loopscope_owner"
A_YEAR = 365 * 24 * 3600
PRIVATE = "no-store"


@router.get("/sessions")
def listed(site: SiteDep, request: Request) -> Response:
    query = parse(request.url.query)
    owner = request.cookies.get(OWNER, "")
    with site.store.reading() as db:
        found = sessions.list_for_owner(db, owner=owner)
    titles = {row.flow: site.title_of(row.flow) for row in found}
    page = SessionsPage(
        frame=frame(
            title="Sessions", theme=query.theme, current="sessions", here=lambda theme: f"/sessions{Query(theme=theme)}"
        ),
        sessions=tuple(_row(row, titles[row.flow]) for row in found),
        days=kept_for(),
    )
    return site.renderer.answer(request, page, cache_control=PRIVATE)


def _row(row: Session, title: str) -> SessionRow:
    return SessionRow(
        href=f"/s/{row.edit_id}/{row.position}",
        title=row.title,
        flow=title,
        position=row.position,
        touched=f"{row.updated_at:%Y-%m-%d %H:%M}",
        branch=row.forked_from is not None,
    )


@router.post("/sessions")
def create(site: SiteDep, request: Request, fields: FormDep) -> Response:
    """Keep a walk that was an address so far."""
    named = dict(fields)
    flow = named.get("flow", "")
    query = query_of(fields)
    played = site.play(flow, query)
    n = position(played, named.get("step") or "0")
    owner = _owner(request)
    with site.store.writing() as db:
        session = sessions.create(
            db,
            owner=owner,
            flow=flow,
            scene=played.setup.scene,
            settings=played.setup.settings,
            engine_version=__version__,
            title=named.get("title", "").strip() or played.flow.title,
            manifest_hash=query.manifest or None,
        )
        if query.choices or n:
            sessions.replace_choices(db, edit_id=session.edit_id, choices=query.choices, position=n)
    return _owned(request, RedirectResponse(f"/s/{session.edit_id}/{n}{query.only_looks()}", 303), owner)


def _owner(request: Request) -> str:
    """Which browser this is; a new name for one that has made no session yet."""
    return request.cookies.get(OWNER) or secrets.token_urlsafe(16)


def _owned(request: Request, answer: Response, owner: str) -> Response:
    """The cookie that lists a browser's sessions: set only when it has one."""
    if request.cookies.get(OWNER) != owner:
        secure = request.url.scheme == "https"
        answer.set_cookie(OWNER, owner, max_age=A_YEAR, httponly=True, samesite="lax", secure=secure)
    return answer


@router.get("/s/{id}")
def resume(site: SiteDep, id: str) -> Response:
    with site.store.reading() as db:
        session = sessions.get_for_reading(db, id=id).session
    return RedirectResponse(f"/s/{id}/{session.position}", 303)


@router.get("/s/{id}/{step}")
def show(site: SiteDep, request: Request, id: str, step: str) -> Response:
    sitting = open_sitting(site, id)
    query = parse(request.url.query)
    n, suffix = locate(sitting.played, step)
    if suffix:
        return picture(in_words(sitting.played, query.words), n, suffix, query, {"cache-control": PRIVATE})
    if sitting.may_edit:
        with site.store.writing() as db:
            remember(db, sitting, n)
    return _page(site, request, sitting, n, query=query)


def _page(
    site: Site, request: Request, sitting: Sitting, n: int, *, query: Query, typed: Typed | None = None
) -> Response:
    moment = _moment(sitting, n, query.only_looks())
    origin = origin_of(request)
    page = player_page(
        moment,
        origin=origin,
        shapes=shapes_of(request),
        typed=typed,
        kept=kept(sitting, moment, origin),
    )
    return site.renderer.answer(request, page, status=422 if typed else 200, cache_control=PRIVATE)


def _moment(sitting: Sitting, n: int, looks: Query | None = None) -> Moment:
    place = Place(path=f"/s/{sitting.id}", query=looks or Query())
    played = in_words(sitting.played, place.query.words)
    return Moment(played=played, n=n, place=place, free=canonical(sitting.played, sitting.query))


@router.post("/s/{id}/choices")
def choose(site: SiteDep, request: Request, id: str, fields: FormDep) -> Response:
    """Intervene, or let another loop go first. Where a later pick cannot stay, in a branch; the old one is kept."""
    sitting, n = _at(site, id, fields)
    chosen = choices_of(fields)
    if len(chosen) != 1:
        raise BadInput([f"choice: found {len(chosen)}; one do or pick is sent at a time"])
    stays = _moment(sitting, n).kept_with(chosen[0][0], sitting.query.choices)
    try:
        played = site.play(sitting.session.flow, _with(sitting.query, stays, chosen[0]))
    except BadInput as error:
        typed = Typed(intervention=dict(fields).get("do", ""), problems=tuple(error.problems))
        return _page(site, request, sitting, n, query=query_of(fields), typed=typed)
    after = _first_other(sitting.played, played, n)
    branches = stays < len(sitting.choices)
    owner, edit_id, seen = _owner(request), id, _number(fields, "seen")
    with site.store.writing() as db:
        sessions.get_for_editing(db, edit_id=id)
        if branches:
            edit_id, seen = sessions.fork(db, id=id, owner=owner, choices_kept=stays, position=n).edit_id, stays
        kind, text = chosen[0]
        sessions.append_choice(db, edit_id=edit_id, kind=kind, text=text, seen=seen, position=n)
    answer = RedirectResponse(f"/s/{edit_id}/{after}{query_of(fields).only_looks()}", 303)
    return _owned(request, answer, owner) if branches else answer


def _with(query: Query, stays: int, choice: Choice) -> Query:
    return query.with_choices((*query.choices[:stays], choice))


def _first_other(before: Play, after: Play, n: int) -> int:
    """The first step that the choice has changed; the same step where it changed none."""
    old = [(row.id, row.step.at) for row in before.steps]
    new = [(row.id, row.step.at) for row in after.steps]
    return next((at + 1 for at in range(n, len(new)) if at >= len(old) or old[at] != new[at]), n)


@router.post("/s/{id}/fork")
def fork(site: SiteDep, request: Request, id: str, fields: FormDep) -> Response:
    """Go another way from here; needs no right to change the session."""
    sitting, n = _at(site, id, fields)
    stays = _moment(sitting, n).chosen_until_here(sitting.query.choices)
    owner = _owner(request)
    with site.store.writing() as db:
        branch = sessions.fork(db, id=id, owner=owner, choices_kept=stays, position=n)
    there = f"/s/{branch.edit_id}/{n}{query_of(fields).only_looks()}"
    return _owned(request, RedirectResponse(there, 303), owner)


@router.post("/s/{id}/rename")
def rename(site: SiteDep, id: str, fields: FormDep) -> Response:
    with site.store.writing() as db:
        sessions.rename(db, edit_id=id, title=dict(fields).get("title", "").strip())
    return _back(id, fields)


@router.post("/s/{id}/notes")
def note(site: SiteDep, id: str, fields: FormDep) -> Response:
    sitting, n = _at(site, id, fields)
    named = dict(fields)
    step = sitting.played.steps[n - 1].id if n else "0"
    with site.store.writing() as db:
        actor, text = named.get("actor", "").strip() or "reader", named.get("text", "").strip()
        sessions.add_note(db, edit_id=id, step_id=step, actor=actor, text=text)
    return _back(id, fields)


@router.post("/s/{id}/delete")
def delete(site: SiteDep, id: str) -> Response:
    with site.store.writing() as db:
        sessions.delete(db, edit_id=id)
    return RedirectResponse("/sessions", 303)


def _at(site: Site, id: str, fields: list[tuple[str, str]]) -> tuple[Sitting, int]:
    sitting = open_sitting(site, id)
    return sitting, position(sitting.played, dict(fields).get("step") or "0")


def _back(id: str, fields: list[tuple[str, str]]) -> Response:
    return RedirectResponse(f"/s/{id}/{_number(fields, 'step')}{query_of(fields).only_looks()}", 303)


def _number(fields: list[tuple[str, str]], name: str) -> int:
    text = dict(fields).get(name, "")
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise BadInput([f"{name}: found {text[:40]!r}; allowed: a whole number"])
    return int(text)
