"""`…/report`: the report of a review of a walk or a session, as a page and as files."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.diagram.words import part
from app.errors import BadInput
from app.export.asked import DEPTH, Asked
from app.export.figures import figures
from app.export.reporting import FORMS, placed, reported
from app.export.review import Subject, review
from app.store import sessions
from app.store.sessions import MOST_QUESTION, THE_START, THE_STEP
from app.story.play import Play, position
from app.web import sources, taking
from app.web.address import Query, parse, query_of
from app.web.browsers import name_of
from app.web.described import WALK, answers, pages
from app.web.frames import frame
from app.web.limits import exporting
from app.web.report_page import Deciding, ReportPage
from app.web.site import FormDep, Site, SiteDep, origin_of
from app.web.sittings import open_sitting
from app.web.sources import Source
from app.web.telling import titles

router = APIRouter()

NAMES = [
    {"name": "form", "in": "query", "schema": {"type": "string", "enum": list(FORMS)}},
    {"name": "question", "in": "query", "schema": {"type": "string"}},
    {"name": "against", "in": "query", "schema": {"type": "string"}},
]


@router.get(
    "/f/{flow}/report",
    summary="The report of a review of a walk; against is what follows the ? of another variant's address",
    responses=answers("The page, or the file", *(media.partition(";")[0] for _, media in FORMS.values()))
    | pages(404, 422, 429),
    openapi_extra={"parameters": [*WALK, *NAMES]},
)
def of_flow(site: SiteDep, request: Request, flow: str, question: str = "") -> Response:
    if len(question) > MOST_QUESTION:
        raise BadInput([f"question: has {len(question)} characters; at most {MOST_QUESTION} are allowed"])
    source = sources.of_flow(site, request, flow)
    return _answer(site, request, replace(source, question=question.strip()))


@router.get("/s/{id}/report", include_in_schema=False)
def of_session(site: SiteDep, request: Request, id: str) -> Response:
    return _answer(site, request, sources.of_session(site, request, id))


@router.post("/s/{id}/question", include_in_schema=False)
def ask(site: SiteDep, id: str, fields: FormDep) -> Response:
    with site.store.writing() as db:
        sessions.set_question(db, edit_id=id, question=dict(fields).get("question", "").strip())
    return _back(id, fields)


@router.post("/s/{id}/decisions", include_in_schema=False)
def decide(site: SiteDep, request: Request, id: str, fields: FormDep) -> Response:
    """Write down what was decided, at a step."""
    named = dict(fields)
    sitting = open_sitting(site, id)
    n = position(sitting.played, named.get("step") or "0")
    step = sitting.played.steps[n - 1].id if n else THE_START
    # A proxy's word for who somebody is counts for more than theirs.
    author, text = name_of(request) or named.get("actor", "").strip(), named.get("text", "").strip()
    with site.store.writing() as db:
        sessions.add_note(db, edit_id=id, step_id=step, actor=THE_STEP, text=text, kind="decision", author=author)
    return _back(id, fields)


def _back(id: str, fields: list[tuple[str, str]]) -> Response:
    return RedirectResponse(f"/s/{id}/report{query_of(fields).only_looks()}", 303)


def _answer(site: Site, request: Request, source: Source) -> Response:
    named = request.query_params
    form, typed = named.get("form", ""), named.get("against", "").strip()
    if form and form not in FORMS:
        raise BadInput([f"form: found {form[:40]!r}; allowed: {', '.join(FORMS)}"])
    problems: list[str] = []
    against = None
    if typed:
        try:
            against = _other(site, source, typed)
        except BadInput as error:
            problems = [f"other variant: {problem}" for problem in error.problems]
    if form and problems:
        raise BadInput(problems)
    subject = Subject(
        title=source.title,
        question=source.question,
        manifest=source.free.query.manifest,
        against=against,
    )
    wanted = _wanted(request, source)
    if form:
        with exporting():
            file = reported(form, source.played, wanted, subject)
        return taking.answer(request, file, download=form == "html", cache_control=source.cache_control)
    page = _page(source, wanted, subject, step=named.get("step", ""), typed=typed, problems=tuple(problems))
    status = 422 if problems else 200
    return site.renderer.answer(request, page, status=status, cache_control=source.cache_control)


def _other(site: Site, source: Source, typed: str) -> Play:
    """The other variant of the same flow; it runs on the same manifests unless it says which."""
    query = parse(typed.removeprefix("?"))
    mine: Query = source.free.query
    if not query.manifest:
        query = replace(query, manifest=mine.manifest)
    return site.play(source.played.flow.id, replace(query, words=mine.words))


def _wanted(request: Request, source: Source) -> Asked:
    page, pictures = sources.addresses(origin_of(request), source.free)
    looks = source.place.query
    return Asked(
        form="report",
        last=len(source.played.steps),
        theme=looks.theme,
        depth=looks.depth or DEPTH,
        address=page,
        pictures=pictures,
        remarks=source.remarks,
    )


def _page(
    source: Source, wanted: Asked, subject: Subject, *, step: str, typed: str, problems: tuple[str, ...]
) -> ReportPage:
    played, place = source.played, source.place
    found = review(played, wanted, subject)
    shapes, drawn = placed(tuple(figures(played, found, subject.against)))
    path, in_session = f"{place.path}/report", place.path.startswith("/s/")
    more = {"question": "" if in_session else source.question, "against": typed}
    kept = {name: text for name, text in more.items() if text}
    return ReportPage(
        frame=frame(
            title=f"{source.title}, report",
            theme=place.query.theme,
            current="flows",
            here=lambda theme: path + place.query.in_theme(theme).joined(kept),
        ),
        back=place.step(step or 0),
        action=path,
        carried=place.query.pairs(without=("question", "against")),
        asks=not in_session,
        against=typed,
        problems=problems,
        files=tuple((form, path + place.query.joined({**kept, "form": form})) for form in FORMS),
        deciding=_deciding(source, step) if source.may_edit else None,
        review=found,
        words=part("report"),
        shapes=shapes.all,
        figures=drawn,
        href=place.step,
    )


def _deciding(source: Source, step: str) -> Deciding:
    played = source.played
    return Deciding(
        action=source.place.path,
        carried=source.place.query.pairs(),
        steps=tuple(enumerate((played.flow.title, *titles(played)))),
        step=position(played, step) if step else 0,
    )
