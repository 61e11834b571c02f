"""What those ask who run the server: whether it answers, whether it can serve, and what it has counted."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from prometheus_client.exposition import choose_encoder
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import __version__
from app.web.failures import said
from app.web.site import SiteDep

router = APIRouter(tags=["operating"])

STATUS: dict[str, Any] = {
    "type": "object",
    "required": ["status", "version"],
    "properties": {"status": {"type": "string"}, "version": {"type": "string"}, "why": {"type": "string"}},
}
AS_JSON = {"content": {"application/json": {"schema": STATUS}}}


@router.get(
    "/healthz",
    summary="Whether the server answers; it asks nothing else, so that it may be a liveness probe",
    responses={200: {"description": "It does", **AS_JSON}},
)
async def health() -> Response:
    # On the loop itself: however many requests wait for a thread, the server is not dead.
    return _status(200, "ok")


@router.get(
    "/readyz",
    summary="Whether the server can serve: its database answers, too, and has the tables that it needs",
    responses={200: {"description": "It can", **AS_JSON}, 503: {"description": "Not now, and why", **AS_JSON}},
)
def ready(site: SiteDep) -> Response:
    try:
        why = site.store.unready()
    except SQLAlchemyError as error:
        why = f"the database does not answer: {said(error)}"
    return _status(503, "not ready", why=why) if why else _status(200, "ok")


def _status(code: int, status: str, **more: str) -> Response:
    told = {"status": status, "version": __version__, **more}
    return JSONResponse(told, status_code=code, headers={"cache-control": "no-store"})


@router.get(
    "/metrics",
    summary="What this process has counted, as Prometheus reads it",
    responses={200: {"description": "Prometheus text, or OpenMetrics if asked for", "content": {"text/plain": {}}}},
)
def metrics(site: SiteDep, request: Request) -> Response:
    encode, media_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(site.metrics.registry), media_type=media_type, headers={"cache-control": "no-store"})
