"""The web application: every part put together, once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from fastapi import Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response

from app import __version__
from app.configuration import FRAME_ANCESTORS, RETENTION
from app.store.database import Store
from app.web import failures
from app.web.assets import Assets
from app.web.clearing import clear_up
from app.web.following import Following
from app.web.headers import SecurityHeaders
from app.web.limits import Limits, within_limits
from app.web.metrics import Metrics
from app.web.observing import Contained, Observed
from app.web.rendering import Renderer
from app.web.routes import (
    bringing,
    comparisons,
    embeds,
    exports,
    flows,
    inspecting,
    machine,
    meeting,
    notes,
    oembed,
    operating,
    overlays,
    reading,
    reports,
    sessions,
    sweeps,
)
from app.web.site import Site, own_pages_only


def create_app(store: Store | None = None, *, migrate: bool = True) -> FastAPI:
    """The application on a database, the configured one by default; its tables are brought up to date at once.

    Or by somebody else while it runs: then it is not ready until they are.
    """
    kept = store or Store()
    if migrate:
        kept.migrate()
    assets = Assets()
    renderer = Renderer(asset=assets.href, vendored=assets.vendored, version=__version__)

    age = RETENTION.get()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        clearing = asyncio.create_task(clear_up(kept, age)) if age else None
        yield
        if clearing:
            clearing.cancel()
        if store is None:
            kept.close()

    app = FastAPI(
        title="Loopscope",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        # Every route says itself what it gives.
        default_response_class=Response,
        dependencies=[Depends(own_pages_only), Depends(within_limits)],
        lifespan=lifespan,
    )
    metrics = Metrics(kept)
    app.state.limits = Limits()
    app.state.site = Site(renderer=renderer, assets=assets, store=kept, metrics=metrics, following=Following(kept))
    for family in (
        reading,
        bringing,
        inspecting,
        sweeps,
        comparisons,
        overlays,
        exports,
        reports,
        flows,
        meeting,
        notes,
        sessions,
        embeds,
        oembed,
        machine,
        operating,
    ):
        app.include_router(family.router)

    @app.get("/static/{name:path}", include_in_schema=False)
    def static(request: Request, name: str) -> Response:
        return assets.answer(request, name)

    failures.install(app, renderer)
    # The one added last is outermost.
    app.add_middleware(Contained, answer=partial(failures.fault, renderer))
    app.add_middleware(GZipMiddleware, minimum_size=600, compresslevel=6)
    app.add_middleware(SecurityHeaders, ancestors=FRAME_ANCESTORS.get())
    app.add_middleware(Observed, metrics=metrics)
    return app
