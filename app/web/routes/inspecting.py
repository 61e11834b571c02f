"""Manifests under inspection: a page, and the same for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.errors import BadInput
from app.inspect.inspecting import Inspection, inspect
from app.inspect.report import report
from app.inspect.sarif import sarif
from app.kube.manifests import judged
from app.kube.releases import CURRENT, NAMES, Release, release
from app.kube.secrets import without_values
from app.store import manifests
from app.story.report import as_json
from app.web.address import VERSION, Query, parse
from app.web.described import answers, refusals
from app.web.frames import frame
from app.web.inspect_page import SOURCE, InspectPage, inspect_page
from app.web.pages import Frame
from app.web.site import Site, SiteDep
from app.web.uploads import SentDep, joined

router = APIRouter()

FORMS: dict[str, Callable[[Inspection], dict[str, Any]]] = {"json": report, "sarif": sarif}
TYPES = {"json": "application/json", "sarif": "application/sarif+json"}


@router.get("/inspect", include_in_schema=False)
def show(site: SiteDep, request: Request) -> Response:
    """What was pasted before, inspected; or a place to paste it."""
    query = parse(request.url.query)
    if not query.manifest:
        return site.renderer.answer(request, inspect_page(_frame(query)))
    return site.renderer.answer(request, _inspected(query, _kept(site, query.manifest)))


@router.post("/inspect", include_in_schema=False)
def keep(site: SiteDep, request: Request, form: SentDep) -> Response:
    """Only what can be read gets an address."""
    texts = form.texts("text", SOURCE)
    try:
        name = _put(site, texts)
    except BadInput as error:
        shown = joined(texts) if texts else ""
        page = inspect_page(_frame(parse(request.url.query)), text=shown, problems=tuple(error.problems))
        return site.renderer.answer(request, page, status=422)
    return RedirectResponse(f"/inspect{Query(manifest=name)}", 303)


def _put(site: Site, texts: Mapping[str, str]) -> str:
    """Keep what can be read, without the values of Secrets; its hash."""
    if not texts:
        raise BadInput([f"{SOURCE}: is empty"])
    judged(texts)
    kept = without_values(joined(texts))
    inspect({SOURCE: kept})
    with site.store.writing() as db:
        return manifests.put(db, text=kept)


@router.get(
    "/api/v1/inspect",
    summary="What Kubernetes computes from kept manifests, and findings, as `loopscope inspect` prints them",
    responses=answers("The findings", *TYPES.values()) | refusals(404, 422),
)
def answer(site: SiteDep, m: str, format: str = "json", kubernetes: str = CURRENT.name) -> Response:
    """By the hash of the manifests, as JSON or SARIF, for one release of Kubernetes."""
    if format not in FORMS:
        raise BadInput([f"format: found {format[:40]!r}; allowed: {', '.join(FORMS)}"])
    found = inspect({SOURCE: _kept(site, m)}, _named(kubernetes))
    return Response(as_json(FORMS[format](found)), media_type=TYPES[format])


def _inspected(query: Query, text: str) -> InspectPage:
    name = query.manifest
    asked = dict(query.settings).get(VERSION, CURRENT.name)
    found = inspect({SOURCE: text}, _named(asked))
    version = f"&kubernetes={asked}" if asked != CURRENT.name else ""
    links = (
        ("json", f"/api/v1/inspect?m={name}{version}"),
        ("sarif", f"/api/v1/inspect?m={name}&format=sarif{version}"),
        ("flows", f"/manifests{Query(manifest=name, theme=query.theme)}"),
    )
    return inspect_page(_frame(query), text=text, found=found, links=links, name=name)


def _named(name: str) -> Release:
    if name not in NAMES:
        raise BadInput([f"kubernetes: found {name[:40]!r}; allowed: {', '.join(NAMES)}"])
    return release(name)


def _kept(site: Site, name: str) -> str:
    with site.store.reading() as db:
        return manifests.get(db, hash=name)


def _frame(query: Query) -> Frame:
    return frame(
        title="Inspect",
        theme=query.theme,
        current="inspect",
        here=lambda other: f"/inspect{Query(manifest=query.manifest, settings=query.settings, theme=other)}",
    )
