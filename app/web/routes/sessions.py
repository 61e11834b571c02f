"""`/sessions` and `/s/…`: walks that are kept, resumed, changed and forked."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app import __version__
from app.errors import BadInput
from app.store import presenting, sessions
from app.store.tables import Session
from app.story.play import LONGEST_NUMBER, Play, in_words, position
from app.web.address import Choice, Query, choices_of, parse, query_of
from app.web.browsers import browser_of, owned
from app.web.browsers import owner as owner_of
from app.web.clearing import kept_for
from app.web.frames import frame
from app.web.meetings import meeting_of
from app.web.pages import SessionRow, SessionsPage
from app.web.player import Typed, player_page
from app.web.routes.flows import listing_of, locate, picture, shapes_of
from app.web.site import PRIVATE, FormDep, Site, SiteDep, origin_of
from app.web.sittings import Sitting, arrive, kept, moment_of, open_sitting

router = APIRouter(include_in_schema=False)


@router.get("/sessions")
def listed(site: SiteDep, request: Request) -> Response:
    query = parse(request.url.query)
    owner = browser_of(request)
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
    owner = owner_of(request)
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
    return owned(request, RedirectResponse(f"/s/{session.edit_id}/{n}{query.only_looks()}", 303), owner)


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
    arrive(site, sitting, n, browser_of(request))
    return _page(site, request, sitting, n, query=query)


def _page(
    site: Site, request: Request, sitting: Sitting, n: int, *, query: Query, typed: Typed | None = None
) -> Response:
    moment = moment_of(sitting, n, query.only_looks())
    origin = origin_of(request)
    meeting = meeting_of(request, sitting.shown, moment, id=sitting.id, may_edit=sitting.may_edit)
    page = player_page(
        moment,
        origin=origin,
        shapes=shapes_of(request),
        listing=listing_of(request),
        typed=typed,
        kept=kept(sitting, moment, origin, meeting),
    )
    return site.renderer.answer(request, page, status=422 if typed else 200, cache_control=PRIVATE)


@router.post("/s/{id}/choices")
def choose(site: SiteDep, request: Request, id: str, fields: FormDep) -> Response:
    """Intervene, or let another loop go first. Where a later pick cannot stay, in a branch; the old one is kept."""
    sitting, n = _at(site, id, fields)
    chosen = choices_of(fields)
    if len(chosen) != 1:
        raise BadInput([f"choice: found {len(chosen)}; one do or pick is sent at a time"])
    stays = moment_of(sitting, n).kept_with(chosen[0][0], sitting.query.choices)
    try:
        played = site.play(sitting.session.flow, _with(sitting.query, stays, chosen[0]))
    except BadInput as error:
        typed = Typed(intervention=dict(fields).get("do", ""), problems=tuple(error.problems))
        return _page(site, request, sitting, n, query=query_of(fields), typed=typed)
    after = _first_other(sitting.played, played, n)
    branches = stays < len(sitting.choices)
    owner, edit_id, seen = owner_of(request), id, _number(fields, "seen")
    with site.store.writing() as db:
        sessions.get_for_editing(db, edit_id=id)
        if branches:
            branch = sessions.fork(db, id=id, owner=owner, choices_kept=stays, position=n)
            presenting.take_along(db, source=sitting.session, branch=branch, browser=owner)
            edit_id, seen = branch.edit_id, stays
        kind, text = chosen[0]
        sessions.append_choice(db, edit_id=edit_id, kind=kind, text=text, seen=seen, position=n)
        if not branches:
            presenting.chosen(db, session=sitting.session)
    site.following.changed()
    answer = RedirectResponse(f"/s/{edit_id}/{after}{query_of(fields).only_looks()}", 303)
    return owned(request, answer, owner) if branches else answer


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
    stays = moment_of(sitting, n).chosen_until_here(sitting.query.choices)
    owner = owner_of(request)
    with site.store.writing() as db:
        branch = sessions.fork(db, id=id, owner=owner, choices_kept=stays, position=n)
        presenting.take_along(db, source=sitting.session, branch=branch, browser=owner)
    there = f"/s/{branch.edit_id}/{n}{query_of(fields).only_looks()}"
    return owned(request, RedirectResponse(there, 303), owner)


@router.post("/s/{id}/rename")
def rename(site: SiteDep, id: str, fields: FormDep) -> Response:
    with site.store.writing() as db:
        sessions.rename(db, edit_id=id, title=dict(fields).get("title", "").strip())
    return back(id, fields)


@router.post("/s/{id}/delete")
def delete(site: SiteDep, id: str) -> Response:
    with site.store.writing() as db:
        sessions.delete(db, edit_id=id)
    site.following.changed()
    return RedirectResponse("/sessions", 303)


def _at(site: Site, id: str, fields: list[tuple[str, str]]) -> tuple[Sitting, int]:
    sitting = open_sitting(site, id)
    return sitting, position(sitting.played, dict(fields).get("step") or "0")


def back(id: str, fields: list[tuple[str, str]]) -> Response:
    """To the step that a form was sent from."""
    step = dict(fields).get("step", "")
    n = int(step) if step.isascii() and step.isdigit() and len(step) <= LONGEST_NUMBER else 0
    return RedirectResponse(f"/s/{id}/{n}{query_of(fields).only_looks()}", 303)


def _number(fields: list[tuple[str, str]], name: str) -> int:
    text = dict(fields).get(name, "")
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise BadInput([f"{name}: found {text[:40]!r}; allowed: a whole number"])
    return int(text)
