"""From a class of error to its status and page; nothing else in the web layer catches broadly."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from app.errors import BadInput, LoopscopeError, MovedOn, NotFound, ReadOnly, TooMuch
from app.kube.near_names import did_you_mean
from app.web.frames import frame
from app.web.logs import LOGGER
from app.web.pages import FailurePage
from app.web.rendering import Renderer

STATUS: dict[type[LoopscopeError], int] = {
    NotFound: 404,
    BadInput: 422,
    ReadOnly: 403,
    MovedOn: 409,
    TooMuch: 429,
}
MOST_SHOWN = 2_000
NO_DATABASE = "the database does not answer just now; nothing was changed, and the same again in a moment should do"
PAGES = (
    "/",
    "/f/termination",
    "/manifests",
    "/inspect",
    "/symptoms",
    "/glossary",
    "/sessions",
    "/docs",
    "/healthz",
    "/readyz",
    "/metrics",
    "/api/v1/flows",
    "/api/v1/inspect",
)


def install(app: FastAPI, renderer: Renderer) -> None:
    """Answer every error with its page, or with JSON where programs ask."""

    def ours(request: Request, error: LoopscopeError) -> Response:
        status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
        problems = error.problems if isinstance(error, BadInput) else [str(error)]
        found = failure(renderer, request, status, problems)
        if isinstance(error, TooMuch):
            found.headers["retry-after"] = str(error.wait)
            request.app.state.site.metrics.refused.labels(error.limit).inc()
        return found

    def theirs(request: Request, error: HTTPException) -> Response:
        problem = str(error.detail)
        if error.status_code == 404:
            problem = f"{request.url.path}: no such page{did_you_mean(request.url.path, PAGES)}"
        found = failure(renderer, request, error.status_code, [problem])
        found.headers.update(error.headers or {})
        return found

    def invalid(request: Request, error: RequestValidationError) -> Response:
        rows = [f"{'.'.join(str(part) for part in row['loc'][1:])}: {row['msg']}" for row in error.errors()]
        return failure(renderer, request, 422, rows)

    def without_database(request: Request, error: SQLAlchemyError) -> Response:
        LOGGER.warning("the database does not answer: %s", said(error), extra={"id": request.state.request_id})
        found = failure(renderer, request, 503, [NO_DATABASE])
        found.headers["retry-after"] = "5"
        return found

    app.exception_handler(LoopscopeError)(ours)
    app.exception_handler(HTTPException)(theirs)
    app.exception_handler(RequestValidationError)(invalid)

    def without_tables(request: Request, error: SQLAlchemyError) -> Response:
        if not request.app.state.site.store.unready():
            raise error
        return without_database(request, error)

    for kind in (OperationalError, PoolTimeout):
        app.exception_handler(kind)(without_database)
    app.exception_handler(ProgrammingError)(without_tables)


def said(error: SQLAlchemyError) -> str:
    """What the database said, on one line."""
    return " ".join(str(getattr(error, "orig", None) or error).split())


def fault(renderer: Renderer, request: Request) -> Response:
    """The traceback is in the server's log; whoever asked is told that it is not their fault, and under which id."""
    problem = f"Loopscope failed at this. It is a fault of ours; the server's log has it as {request.state.request_id}."
    try:
        return failure(renderer, request, 500, [problem])
    except Exception:  # noqa: BLE001 - whatever keeps the page from being made must not hide what it is about
        LOGGER.exception("the page for a fault failed, too", extra={"id": request.state.request_id})
        return PlainTextResponse(f"{problem}\n", 500)


def failure(renderer: Renderer, request: Request, status: int, problems: list[str]) -> Response:
    """Say what is wrong and what was given."""
    if request.url.path.startswith(("/api/", "/oembed")):
        return JSONResponse({"problems": problems}, status_code=status)
    given = tuple((name, value[:MOST_SHOWN]) for name, value in parse_qsl(request.url.query)[:100])
    page = FailurePage(
        frame=frame(title=str(status), here=lambda theme: f"/?theme={theme}" if theme else "/"),
        status=status,
        problems=tuple(problems),
        typed=given,
        afresh=request.url.path if given and request.method == "GET" else "",
    )
    return renderer.answer(request, page, status=status, cache_control="no-store")
