"""Bring your own manifests: they are read with a flow, kept under their hash, and what they leave open is asked."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.catalog import reading
from app.errors import BadInput
from app.kube.manifests import read_files
from app.kube.secrets import without_values
from app.store import manifests
from app.story import play as story
from app.story.play import Play
from app.web.address import Query, parse
from app.web.bring_page import BringPage, bring_page, questions
from app.web.frames import frame
from app.web.site import Site, SiteDep
from app.web.uploads import SentDep, joined

router = APIRouter(include_in_schema=False)

SOURCE = "manifest"


@router.get("/manifests")
def paste(site: SiteDep, request: Request, flow: str = "", m: str = "") -> Response:
    """A place to bring some; or, of what is kept here, what a flow makes of it and has to ask."""
    text, played = "", None
    problems: tuple[str, ...] = ()
    if m:
        with site.store.reading() as db:
            text = manifests.get(db, hash=m)
    if m and flow:
        try:
            played = story.play(story.request(flow, manifest=text))
        except BadInput as error:
            problems = tuple(error.problems)
    return site.renderer.answer(request, _page(request, flow, text, problems, played))


@router.post("/manifests")
def keep(site: SiteDep, request: Request, form: SentDep) -> Response:
    """Read the manifests with the flow that was chosen; only what can be walked gets an address."""
    flow, texts = form.field("flow"), form.texts("text", SOURCE)
    try:
        name, played = _kept(site, flow, texts)
    except BadInput as error:
        # Files cannot be put back into a form: all of it is shown as one text, to be mended there.
        page = _page(request, flow, joined(texts) if texts else "", tuple(error.problems))
        return site.renderer.answer(request, page, status=422)
    if questions(played):
        return RedirectResponse(f"/manifests{Query(manifest=name).joined({'flow': flow})}", 303)
    return RedirectResponse(f"/f/{flow}{Query(manifest=name)}", 303)


def _kept(site: Site, flow: str, texts: Mapping[str, str]) -> tuple[str, Play]:
    """The hash of what can be walked, without the values of Secrets, and the walk."""
    if not texts:
        raise BadInput([f"{SOURCE}: is empty; paste some, or choose files"])
    # What cannot be read is told with the lines that were given; of the rest nothing keeps the values of Secrets.
    read_files(texts)
    kept = without_values(joined(texts))
    played = story.play(story.request(flow, manifest=kept))
    with site.store.writing() as db:
        return manifests.put(db, text=kept), played


def _page(
    request: Request, flow: str, text: str, problems: tuple[str, ...] = (), played: Play | None = None
) -> BringPage:
    query = parse(request.url.query)
    around = frame(
        title="Your manifests",
        theme=query.theme,
        current="manifests",
        here=lambda other: (
            f"/manifests{Query(manifest=query.manifest, theme=other).joined({'flow': flow} if flow else {})}"
        ),
    )
    in_order = sorted(reading.flows().values(), key=lambda row: row.place)
    flows = tuple((row.id, row.title) for row in in_order)
    return bring_page(around, flows, flow, text, query, problems=problems, played=played)
