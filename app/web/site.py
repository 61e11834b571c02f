"""What every route needs: templates, static files, the database; and walks as addresses name them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request

from app.catalog import reading, releases
from app.catalog.settings import effective, scene_of
from app.configuration import MOST_BODY, size_text
from app.errors import BadInput, LoopscopeError
from app.store import manifests
from app.store.database import Store
from app.story import play as story
from app.story.play import Play, PlayRequest
from app.web.address import MOST_PARTS, Query
from app.web.assets import Assets
from app.web.following import Following
from app.web.headers import is_foreign
from app.web.metrics import Metrics
from app.web.rendering import Renderer

FORM = "application/x-www-form-urlencoded"
APPLIED = re.compile(r"\b(?:apply|write-manifest \S+) m:([0-9a-f]+)")
PRIVATE = "no-store"
"""What belongs to a session is kept by nobody on the way."""


def manifests_of(query: Query) -> tuple[str, ...]:
    """The hashes of all manifests that an address names."""
    return tuple(dict.fromkeys(name for name in (query.manifest, *_applied(query)) if name))


def _applied(query: Query) -> list[str]:
    return [name for _, text in query.choices for name in APPLIED.findall(text)]


def request_of(flow: str, query: Query, texts: Mapping[str, str]) -> PlayRequest:
    """The walk that an address names, with the manifests' texts by their hashes."""
    return story.request(
        flow,
        settings=query.settings,
        scene=query.scene,
        manifest=texts[query.manifest] if query.manifest else None,
        choices=query.choices,
        applies={name: texts[name] for name in dict.fromkeys(_applied(query))},
        words=query.words,
    )


@dataclass(frozen=True, kw_only=True)
class Site:
    """What the application holds for all requests."""

    renderer: Renderer
    assets: Assets
    store: Store
    metrics: Metrics
    following: Following

    def play(self, flow: str, query: Query) -> Play:
        """The walk that an address names."""
        texts: dict[str, str] = {}
        if named := manifests_of(query):
            with self.store.reading() as db:
                texts = {name: manifests.get(db, hash=name) for name in named}
        return story.play(request_of(flow, query, texts))

    def title_of(self, flow: str) -> str:
        """A flow's title; its id where it is no longer there, or broken."""
        try:
            return reading.flow(flow).title
        except LoopscopeError:
            return flow


def site(request: Request) -> Site:
    found: Site = request.app.state.site
    return found


SiteDep = Annotated[Site, Depends(site)]


async def form(request: Request) -> list[tuple[str, str]]:
    """The fields of a submitted form in their order, which for choices matters."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (FORM, ""):
        raise HTTPException(415, f"found {kind}; allowed: {FORM}")
    body, most = bytearray(), MOST_BODY.get()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            request.app.state.site.metrics.refused.labels("body").inc()
            raise HTTPException(413, f"at most {size_text(most)} are taken; what was sent is more")
    try:
        return parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_PARTS)
    except UnicodeDecodeError:
        raise BadInput(["form: is not UTF-8"]) from None
    except ValueError:
        raise BadInput([f"form: at most {MOST_PARTS} fields are read"]) from None


FormDep = Annotated[list[tuple[str, str]], Depends(form)]


def own_pages_only(request: Request) -> None:
    """Another site's page may link to us, not act through a reader's browser."""
    if request.method not in ("GET", "HEAD", "OPTIONS") and is_foreign(request.headers):
        raise HTTPException(403, "this form was sent from a page of another site; open ours and send it from there")


def canonical(played: Play, query: Query) -> Query:
    """The same walk in the fewest words: settings as they are spelled, and none that hold anyway."""
    # A page has no scale.
    query = replace(query, scale="")
    spelled = tuple((name, played.setup.settings[name]) for name, _ in query.settings)
    if query.manifest:
        # A manifest may say something of its own, which only a setting given in full overrides.
        return query.with_settings(spelled)
    scene = scene_of(played.flow, query.scene)
    usual = effective(played.flow, scene, {})
    # What is usual may depend on the version, but not which version that is.
    of_version = [row.name for row in played.flow.settings if releases.TARGET in row.sets]
    there = {name: played.setup.settings[name] for name in of_version}
    usual = {**effective(played.flow, scene, there), **{name: usual[name] for name in of_version}}
    return query.with_settings(tuple((name, value) for name, value in spelled if usual[name] != value))


def origin_of(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"
