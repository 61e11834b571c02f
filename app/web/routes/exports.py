"""`…/export`: a walk or a session in forms to take away, and the page that lists them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from app.export.asked import FORMS, asked
from app.story.play import position
from app.web import sources, taking
from app.web.address import VIEWS, Place
from app.web.described import WALK, answers, pages
from app.web.export_page import ExportPage
from app.web.frames import frame
from app.web.site import Site, SiteDep, origin_of
from app.web.sources import Source

router = APIRouter()

DOWNLOADED = ("html", "folder")
"""Pages are handed over, never shown as ours."""
CHOICES = ("view", "theme", "depth", "from", "to")


@router.get(
    "/f/{flow}/export",
    summary="A walk to take away: without form a page that lists the forms",
    responses=answers("The page, or the file", *(form.media.partition(";")[0] for form in FORMS.values()))
    | pages(404, 422, 429),
    openapi_extra={
        "parameters": [
            *WALK,
            {"name": "form", "in": "query", "schema": {"type": "string", "enum": list(FORMS)}},
            *({"name": name, "in": "query", "schema": {"type": "string"}} for name in ("step", *CHOICES, "scale")),
        ]
    },
)
def of_flow(site: SiteDep, request: Request, flow: str) -> Response:
    return _answer(site, request, sources.of_flow(site, request, flow))


@router.get("/s/{id}/export", include_in_schema=False)
def of_session(site: SiteDep, request: Request, id: str) -> Response:
    return _answer(site, request, sources.of_session(site, request, id))


def _answer(site: Site, request: Request, source: Source) -> Response:
    named = request.query_params
    if named.get("form"):
        return _file(request, source)
    return site.renderer.answer(request, _page(request, source), cache_control=source.cache_control)


def _file(request: Request, source: Source) -> Response:
    named, query = request.query_params, source.place.query
    page, pictures = sources.addresses(origin_of(request), source.free)
    wanted = asked(
        source.played,
        named["form"],
        step=named.get("step", ""),
        first=named.get("from", ""),
        last=named.get("to", ""),
        view=query.view,
        theme=query.theme,
        scale=named.get("scale", ""),
        depth=query.depth,
        address=page,
        pictures=pictures,
        remarks=source.remarks,
    )
    file = taking.made(source.played, wanted)
    return taking.answer(request, file, download=wanted.form in DOWNLOADED, cache_control=source.cache_control)


def _page(request: Request, source: Source) -> ExportPage:
    named, place = request.query_params, source.place
    n = position(source.played, named.get("step") or "0")
    step = named.get("step") or "0"
    span = {name: named[name] for name in ("from", "to") if named.get(name)}
    path = f"{place.path}/export"
    return ExportPage(
        frame=frame(
            title=f"{source.title}, to take away",
            theme=place.query.theme,
            current="flows",
            here=lambda theme: path + place.query.in_theme(theme).joined({**span, "step": step}),
        ),
        title=source.title,
        back=place.asking(replace(place.query, view="")).step(step),
        step=str(n),
        action=path,
        carried=(("step", step), *place.query.pairs(without=CHOICES)),
        chosen={name: named.get(name, "") for name in CHOICES},
        hrefs={form: path + place.query.joined({**span, "form": form}) for form in FORMS},
        doubled=path + place.query.joined({**span, "form": "sheet-png", "scale": "2"}),
        pictures=tuple(_pictures(place, step)),
        remarks=len(source.remarks),
        command=_command(source),
    )


def _pictures(place: Place, step: str) -> Iterator[tuple[str, str]]:
    """Every view of the step: as SVG, and as PNG once and twice as large."""
    query = replace(place.query, depth="", pod="")
    for view in VIEWS:
        shown = replace(query, view=view)
        yield f"{view}.svg", place.asking(shown).step(f"{step}.svg")
        yield f"{view}.png", place.asking(shown).step(f"{step}.png")
        yield f"{view}.png, 2×", place.asking(replace(shown, scale="2")).step(f"{step}.png")
    yield "mmd", place.asking(replace(query, view="")).step(f"{step}.mmd")


def _command(source: Source) -> str:
    """The same walk on the command line."""
    query = source.free.query
    parts = ["loopscope", "export", source.played.flow.id]
    parts += ["-f", "FILE"] if query.manifest else []
    parts += ["--scene", query.scene] if query.scene else []
    for name, value in query.settings:
        parts += ["--set", f"{name}={value}"]
    for kind, text in query.choices:
        parts += [f"--{kind}", text]
    return shlex.join([*parts, "--form", "html", "-o", f"{source.played.flow.id}.html"])
