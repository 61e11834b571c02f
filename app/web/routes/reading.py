"""Pages to read: the gallery, symptoms, the glossary, bring your own manifests."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.catalog import reading
from app.catalog.inputs import inputs
from app.errors import BadInput
from app.kube.secrets import without_values
from app.store import manifests
from app.story import play as story
from app.web.address import Query, parse
from app.web.finding import find
from app.web.frames import frame
from app.web.pages import GalleryPage, GlossaryPage, InputsPage, ManifestsPage, SymptomsPage
from app.web.shelf import chapters, example
from app.web.site import FormDep, Site, SiteDep

router = APIRouter(include_in_schema=False)

MOST_ASKED = 200


@router.get("/")
def gallery(site: SiteDep, request: Request, q: str = "") -> Response:
    theme = parse(request.url.query).theme
    asked = q.strip()[:MOST_ASKED]
    flows = [source.flow for name, source in reading.shelf().sources.items() if name not in reading.shelf().faulty]
    page = GalleryPage(
        frame=frame(
            title="",
            description="",
            theme=theme,
            current="flows",
            here=lambda other: f"/{Query(theme=other)}",
        ),
        asked=asked,
        findings=find(flows, asked, theme) if asked else (),
        example=example(next((row for row in flows if row.headline), flows[0]), theme) if flows and not asked else None,
        chapters=chapters(flows, theme),
    )
    return site.renderer.answer(request, page)


@router.get("/symptoms")
def symptoms(site: SiteDep, request: Request, q: str = "") -> Response:
    theme = parse(request.url.query).theme
    asked = q.strip()[:MOST_ASKED]
    page = SymptomsPage(
        frame=frame(
            title="Symptoms", theme=theme, current="symptoms", here=lambda other: f"/symptoms{Query(theme=other)}"
        ),
        asked=asked,
        findings=find(reading.flows().values(), asked, theme),
    )
    return site.renderer.answer(request, page)


@router.get("/glossary")
def glossary(site: SiteDep, request: Request) -> Response:
    theme = parse(request.url.query).theme
    page = GlossaryPage(
        frame=frame(
            title="Glossary", theme=theme, current="glossary", here=lambda other: f"/glossary{Query(theme=other)}"
        ),
        entries=tuple(sorted(reading.lexicon().glossary.items(), key=lambda entry: entry[0].lower())),
    )
    return site.renderer.answer(request, page)


@router.get("/inputs")
def said(site: SiteDep, request: Request) -> Response:
    theme = parse(request.url.query).theme
    page = InputsPage(
        frame=frame(
            title="What can be said", theme=theme, current="inputs", here=lambda other: f"/inputs{Query(theme=other)}"
        ),
        inputs=inputs(),
    )
    return site.renderer.answer(request, page)


@router.get("/manifests")
def paste(site: SiteDep, request: Request, flow: str = "", m: str = "") -> Response:
    text = ""
    if m:
        with site.store.reading() as db:
            text = manifests.get(db, hash=m)
    return site.renderer.answer(request, _manifests(request, flow, text))


@router.post("/manifests")
def keep(site: SiteDep, request: Request, fields: FormDep) -> Response:
    """Read the manifests with the flow that was chosen; only what can be walked gets an address."""
    named = dict(fields)
    flow, text = named.get("flow", ""), named.get("text", "").replace("\r\n", "\n")
    try:
        name = _kept(site, flow, text)
    except BadInput as error:
        page = _manifests(request, flow, text, tuple(error.problems))
        return site.renderer.answer(request, page, status=422)
    return RedirectResponse(f"/f/{flow}{Query(manifest=name)}", 303)


def _kept(site: Site, flow: str, text: str) -> str:
    if not text.strip():
        raise BadInput(["manifest: is empty"])
    story.play(story.request(flow, manifest=text))
    with site.store.writing() as db:
        return manifests.put(db, text=without_values(text))


def _manifests(request: Request, flow: str, text: str, problems: tuple[str, ...] = ()) -> ManifestsPage:
    query = parse(request.url.query)
    return ManifestsPage(
        frame=frame(
            title="Your manifests",
            theme=query.theme,
            current="manifests",
            here=lambda other: f"/manifests{Query(manifest=query.manifest, theme=other)}",
        ),
        flows=tuple((row.id, row.title) for row in reading.flows().values()),
        flow=flow,
        text=text,
        problems=problems,
    )
