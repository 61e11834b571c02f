"""Pages to read: the gallery, symptoms, the glossary, what can be said."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.catalog import reading, releases
from app.catalog.inputs import inputs
from app.kube.releases import CURRENT, NAMES
from app.story.facts import FACTS
from app.web.address import Query, parse
from app.web.finding import find
from app.web.frames import frame
from app.web.pages import GalleryPage, GlossaryPage, InputsPage, SymptomsPage, VersionsPage
from app.web.shelf import chapters, example
from app.web.site import SiteDep

router = APIRouter(include_in_schema=False)

MOST_ASKED = 1000


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
            title="Annotations and interventions",
            theme=theme,
            current="inputs",
            here=lambda other: f"/inputs{Query(theme=other)}",
        ),
        inputs=inputs(),
        facts=tuple(sorted(FACTS)),
        versions=NAMES,
    )
    return site.renderer.answer(request, page)


@router.get("/versions")
def versions(site: SiteDep, request: Request) -> Response:
    """What came with which release of Kubernetes."""
    theme = parse(request.url.query).theme
    page = VersionsPage(
        frame=frame(
            title="Versions", theme=theme, current="versions", here=lambda other: f"/versions{Query(theme=other)}"
        ),
        versions=NAMES,
        usual=CURRENT.name,
        behaviours=releases.rows(),
        elsewhere=releases.words().elsewhere,
    )
    return site.renderer.answer(request, page)
