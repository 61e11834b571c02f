"""`/s/…/notes`: what is written beside the steps of a session, pinned, changed, taken away and read by programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast, get_args

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.errors import BadInput
from app.export.writing import rendered
from app.store import sessions
from app.store.sessions import THE_START, THE_STEP, NoteKind
from app.story.play import position
from app.story.report import as_json
from app.web.browsers import name_of
from app.web.pins import checked_pin
from app.web.routes.sessions import back
from app.web.session_parts import NoteRow
from app.web.site import PRIVATE, FormDep, Site, SiteDep
from app.web.sittings import Sitting, data_of, moment_of, note_rows, open_sitting
from app.web.telling import titles

router = APIRouter(include_in_schema=False)
Fields = list[tuple[str, str]]


@router.post("/s/{id}/notes")
def add(site: SiteDep, request: Request, id: str, fields: FormDep) -> Response:
    sitting, named = open_sitting(site, id), dict(fields)
    n = position(sitting.played, named.get("step") or "0")
    step = sitting.played.steps[n - 1].id if n else THE_START
    actor = checked_pin(moment_of(sitting, n), named.get("actor", "").strip()) or THE_STEP
    text, kind, author = named.get("text", "").strip(), _kind(named), name_of(request)
    with site.store.writing() as db:
        sessions.add_note(db, edit_id=id, step_id=step, actor=actor, text=text, kind=kind, author=author)
    return back(id, fields)


@router.post("/s/{id}/notes/{note}")
def change(site: SiteDep, id: str, note: int, fields: FormDep) -> Response:
    """Write it anew, or with `delete` take it away. What it is pinned to stays."""
    named = dict(fields)
    with site.store.writing() as db:
        if named.get("delete"):
            sessions.delete_note(db, edit_id=id, id=note)
        else:
            sessions.change_note(db, edit_id=id, id=note, text=named.get("text", "").strip(), kind=_kind(named))
    return back(id, fields)


def _kind(named: Mapping[str, str]) -> NoteKind:
    kind = named.get("kind") or "note"
    if kind not in get_args(NoteKind):
        raise BadInput([f"kind: found {kind[:40]!r}; allowed: {' or '.join(get_args(NoteKind))}"])
    return cast("NoteKind", kind)


@router.get("/s/{id}/notes.json")
def as_data(site: SiteDep, id: str) -> Response:
    """All notes in the order of the walk."""
    sitting, rows = _listed(site, id)
    body = {
        "title": sitting.session.title,
        "flow": sitting.session.flow,
        "question": sitting.session.question,
        "notes": [data_of(row) for row in rows],
    }
    return Response(as_json(body), media_type="application/json", headers={"cache-control": PRIVATE})


@router.get("/s/{id}/notes.md")
def as_text(site: SiteDep, id: str) -> Response:
    sitting, rows = _listed(site, id)
    body = rendered(
        "notes.md",
        title=sitting.session.title,
        flow=site.title_of(sitting.session.flow),
        question=sitting.session.question,
        notes=rows,
        steps=("", *titles(sitting.played)),
    )
    return Response(body, media_type="text/markdown; charset=utf-8", headers={"cache-control": PRIVATE})


def _listed(site: Site, id: str) -> tuple[Sitting, tuple[NoteRow, ...]]:
    sitting = open_sitting(site, id)
    return sitting, note_rows(sitting, moment_of(sitting, 0))
