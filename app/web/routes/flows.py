"""`/f/…`: a flow at a step, as page, picture and text."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app import __version__
from app.catalog import starting
from app.diagram.stylesheet import Theme
from app.errors import BadInput, LoopscopeError, NotFound
from app.kube.near_names import did_you_mean
from app.story.play import LONGEST_NUMBER, Play, position
from app.story.words import DEPTHS
from app.web.address import Place, Query, parse
from app.web.assets import ASK_AGAIN
from app.web.described import LOOKS, WALK, answers, pages
from app.web.frames import frame
from app.web.moment import Moment
from app.web.pages import OrdersPage
from app.web.pictures import MEDIA_TYPES, SHAPES, SUFFIXES, exported
from app.web.player import Typed, player_page
from app.web.rendering import PART, wants_part
from app.web.rows import verdict_rows
from app.web.site import Site, SiteDep, canonical, origin_of
from app.web.telling import found_orders

router = APIRouter()

SHAPE = "Loopscope-Shape"
LISTING = "Loopscope-Listing"


@router.get("/f/{flow}", include_in_schema=False)
def begin(site: SiteDep, request: Request, flow: str, at: str = "") -> Response:
    """The start; with `at` the address of a step: its number, as forms send it, or the symptom that shows there."""
    if at:
        return _answer(site, request, flow, at, near=True)
    return _answer(site, request, flow, "0")


@router.get("/f/{flow}/orders", include_in_schema=False)
def orders(site: SiteDep, request: Request, flow: str) -> Response:
    """Every order of the loops and every lag; asked for by a click, because it takes its time."""
    query = parse(request.url.query)
    played = found_orders(site.play(flow, query))
    place = Place(path=f"/f/{flow}", query=canonical(played, query))
    page = OrdersPage(
        frame=frame(
            title=f"{played.flow.title}, in every order",
            theme=query.theme,
            current="flows",
            here=lambda theme: f"{place.path}/orders{place.query.in_theme(theme)}",
        ),
        flow_title=played.flow.title,
        verdicts=verdict_rows(played, place),
        orders="",
        back=place.step(0),
    )
    return site.renderer.answer(request, page)


@router.get(
    "/f/{flow}/{step}",
    summary="A step: a page, or another form: .svg, .png, .mmd, .md, .txt, .json",
    responses=answers("The step", "text/html", *MEDIA_TYPES) | pages(404, 422),
    openapi_extra={"parameters": [*WALK, *LOOKS]},
)
def show(site: SiteDep, request: Request, flow: str, step: str) -> Response:
    return _answer(site, request, flow, step)


def _answer(site: Site, request: Request, flow: str, step: str, *, near: bool = False) -> Response:
    headers = caching(site, request, flow)
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    query = parse(request.url.query)
    try:
        played = site.play(flow, query)
    except BadInput as error:
        return _mended(site, request, (flow, step), error)
    short = canonical(played, query)
    if near:
        return RedirectResponse(Place(path=f"/f/{flow}", query=short).step(nearest(played, step)), 303)
    n, suffix = locate(played, step)
    if suffix:
        return picture(played, n, suffix, query, headers)
    place = Place(path=f"/f/{flow}", query=short)
    if short != query:
        return RedirectResponse(place.seen(step), 303)
    moment = Moment(played=played, n=n, place=place, free=place.query)
    page = player_page(moment, origin=origin_of(request), shapes=shapes_of(request), listing=listing_of(request))
    answer = site.renderer.answer(request, page)
    answer.headers.update(headers)
    return answer


def caching(site: Site, request: Request, flow: str) -> dict[str, str]:
    """What lets a browser keep the answer, and ask whether it is still right."""
    return {"etag": _tag(site, request, flow), "cache-control": ASK_AGAIN, "vary": f"{PART}, {SHAPE}, {LISTING}"}


def _tag(site: Site, request: Request, flow: str) -> str:
    """Everything that the answer depends on: an address, and the files it is made from."""
    parts = (
        __version__,
        site.renderer.digest,
        site.assets.digest,
        starting.digest(flow),
        str(request.url),
        *shapes_of(request),
        listing_of(request),
        str(wants_part(request)),
    )
    return f'W/"{sha256("|".join(parts).encode()).hexdigest()[:20]}"'


def shapes_of(request: Request) -> tuple[str, ...]:
    """A page needs a picture for every window, a part only the one for the window that it is swapped into."""
    asked = request.headers.get(SHAPE, "wide")
    return SHAPES if not wants_part(request) or asked not in SHAPES else (asked,)


def listing_of(request: Request) -> str:
    """The digest of the step list that a part is swapped beside; a page has a list of its own."""
    return request.headers.get(LISTING, "") if wants_part(request) else ""


def nearest(played: Play, at: str) -> int:
    """The step of that number, or the last where there are fewer; the step of a symptom; else the start."""
    if at.isascii() and at.isdigit() and len(at) <= LONGEST_NUMBER:
        return min(int(at), len(played.steps))
    return next((row.step for row in played.symptoms if row.id == at and row.step), 0)


def locate(played: Play, step: str) -> tuple[int, str]:
    """A step's number, and the form that is asked for: a suffix counts only where the whole is no step."""
    try:
        return position(played, step), ""
    except NotFound as unknown:
        name, _, suffix = step.rpartition(".")
        if suffix not in SUFFIXES or not name:
            raise NotFound(f"{unknown}{did_you_mean(step, [row.id for row in played.steps])}") from None
        return position(played, name), suffix


def picture(played: Play, n: int, suffix: str, query: Query, headers: dict[str, str]) -> Response:
    """The moment in another form."""
    theme: Theme = "dark" if query.theme == "dark" else "light"
    view, depth = query.view or "timeline", query.depth or DEPTHS[0]
    scale = int(query.scale or 1)
    body, media = exported(suffix, played, n, view=view, theme=theme, depth=depth, pod=query.described, scale=scale)
    return Response(body, headers=headers, media_type=media)


def _mended(site: Site, request: Request, there: tuple[str, str], error: BadInput) -> Response:
    """The walk without what was wrong, and beside each field what was typed into it."""
    (flow, step), query = there, parse(request.url.query)
    reduced, typed = _without_faults(query, error.problems)
    if reduced == query:
        raise error
    try:
        played = site.play(flow, reduced)
        n, suffix = locate(played, str(nearest(played, step)) if step.isdigit() else step)
    except LoopscopeError:
        raise error from None
    if suffix:
        raise error
    place = Place(path=f"/f/{flow}", query=canonical(played, reduced))
    moment = Moment(played=played, n=n, place=place, free=place.query)
    page = player_page(moment, origin=origin_of(request), typed=typed)
    return site.renderer.answer(request, page, status=422, cache_control="no-store")


def _without_faults(query: Query, problems: list[str]) -> tuple[Query, Typed]:
    """Leave out the settings that are complained of, or else the choice that was made last."""
    wrong = {
        name
        for name, _ in query.settings
        if any(row.startswith((f"setting {name}: ", f'setting "{name}": ')) for row in problems)
    }
    if wrong:
        good = tuple(pair for pair in query.settings if pair[0] not in wrong)
        return query.with_settings(good), Typed(settings=query.settings, problems=tuple(problems))
    if query.choices:
        kind, text = query.choices[-1]
        typed = Typed(intervention=text if kind == "do" else "", problems=tuple(problems))
        return replace(query, choices=query.choices[:-1]), typed
    return query, Typed(problems=tuple(problems))
