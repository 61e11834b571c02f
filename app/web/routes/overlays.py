"""`/f/…/overlay`: a reader's own recording held against a walk. It is kept nowhere."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.errors import BadInput
from app.story import recordings
from app.story.overlaying import overlay
from app.story.play import Play
from app.web.address import Place, Query, parse, query_of
from app.web.frames import frame
from app.web.overlay_page import overlay_page
from app.web.pages import Frame
from app.web.site import SiteDep, canonical
from app.web.uploads import SentDep

router = APIRouter(include_in_schema=False)

SOURCE = "recording"
MOST_ENTRIES = 5_000
"""Of a recording that the server compares; the command line takes any number."""


@router.get("/f/{flow}/overlay")
def show(site: SiteDep, request: Request, flow: str) -> Response:
    """A place to paste a recording."""
    query = parse(request.url.query)
    played = site.play(flow, query)
    place = _place(played, query)
    return site.renderer.answer(request, overlay_page(_frame(played, place), played, place))


@router.post("/f/{flow}/overlay")
def hold(site: SiteDep, request: Request, flow: str, form: SentDep) -> Response:
    """The recording of the form against the walk that its other fields name."""
    query = query_of(form.fields)
    played = site.play(flow, query)
    place = _place(played, query)
    around = _frame(played, place)
    text, since = "\n".join(form.texts("text", SOURCE).values()), form.field("since").strip()
    try:
        recording = recordings.read(text, SOURCE, most=MOST_ENTRIES)
        if since:
            recording = recordings.since(recording, since)
    except BadInput as error:
        page = overlay_page(around, played, place, text=text, since=since, problems=tuple(error.problems))
        return site.renderer.answer(request, page, status=422)
    found = (recording, overlay(recording, played.walk))
    page = overlay_page(around, played, place, text=text, since=since, found=found)
    return site.renderer.answer(request, page, cache_control="no-store")


def _place(played: Play, query: Query) -> Place:
    return Place(path=f"/f/{played.flow.id}", query=canonical(played, query))


def _frame(played: Play, place: Place) -> Frame:
    return frame(
        title=f"{played.flow.title}, beside a recording",
        theme=place.query.theme,
        current="flows",
        here=lambda theme: f"{place.path}/overlay{place.query.in_theme(theme)}",
    )
