"""What programs ask: flows and walks as JSON, and the list of these addresses."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.catalog import reading
from app.catalog.listing import listing
from app.story import report
from app.web.address import Query, parse
from app.web.described import WALK, answers, refusals
from app.web.frames import frame
from app.web.pages import DocsPage, Operation
from app.web.site import SiteDep

router = APIRouter()


@router.get(
    "/api/v1/flows",
    summary="All flows with their settings, scenes, symptoms and verdicts",
    responses=answers("A list of flows", "application/json"),
)
def flows() -> Response:
    return _json([listing(flow) for flow in reading.flows().values()])


@router.get(
    "/api/v1/flows/{flow}/run",
    summary="A whole walk, as `loopscope run` prints it",
    responses=answers("The walk", "application/json") | refusals(404, 422),
    openapi_extra={"parameters": WALK},
)
def run(site: SiteDep, request: Request, flow: str) -> Response:
    return _json(report.report(site.play(flow, parse(request.url.query))))


def _json(value: Any) -> Response:
    return Response(report.as_json(value), media_type="application/json")


@router.get("/docs", include_in_schema=False)
def docs(site: SiteDep, request: Request) -> Response:
    """The list without foreign scripts: FastAPI's own page loads them from a CDN."""
    theme = parse(request.url.query).theme
    schema = request.app.openapi()
    page = DocsPage(
        frame=frame(title="API", theme=theme, current="docs", here=lambda other: f"/docs{Query(theme=other)}"),
        schema=request.app.openapi_url,
        operations=tuple(
            Operation(method=method.upper(), path=path, summary=row.get("summary", ""))
            for path, methods in schema["paths"].items()
            for method, row in methods.items()
        ),
    )
    return site.renderer.answer(request, page)
