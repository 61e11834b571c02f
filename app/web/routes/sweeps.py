"""`/f/…/sweep`: a verdict over the values of one setting."""

from __future__ import annotations

from contextlib import nullcontext
from time import monotonic
from urllib.parse import urlencode

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from app import diagram
from app.errors import BadInput
from app.story import sweeping
from app.story.play import Play
from app.story.searching import SEARCHED
from app.story.sweeping import Point, Sweep
from app.web.address import Place, Query, parse
from app.web.frames import frame
from app.web.limits import searching
from app.web.many_walks import SweepPage, SweepRow
from app.web.player_parts import Drawn
from app.web.site import SiteDep, canonical

router = APIRouter(include_in_schema=False)

PATIENCE = 1.0
"""Seconds after which a page is sent with the values so far; it then asks for the rest."""
OWN = ("over", "verdict", "from", "to", "step", "search")
"""The names in the address that say which values of what."""


@router.get("/f/{flow}/sweep")
def sweep(site: SiteDep, request: Request, flow: str) -> Response:
    """The form, and what it asks for: as many values as can be had in a moment, and a link that goes on."""
    query = parse(request.url.query)
    played = site.play(flow, query)
    named = {name: request.query_params.get(name, "").strip() for name in OWN}
    if not named["over"]:
        return site.renderer.answer(request, _page(played, query, named))
    try:
        asked = _asked(played, named)
    except BadInput as error:
        page = _page(played, query, named, problems=tuple(error.problems))
        return site.renderer.answer(request, page, status=422)
    with searching() if asked.search else nullcontext():
        points = _had(asked)
    return site.renderer.answer(request, _page(played, query, named, asked=asked, points=points))


def _asked(played: Play, named: dict[str, str]) -> Sweep:
    return sweeping.sweep(
        played.request,
        named["over"],
        named["verdict"],
        first=named["from"],
        last=named["to"],
        step=named["step"],
        search=bool(named["search"]),
    )


def _had(asked: Sweep) -> tuple[Point, ...]:
    """At least one more than are kept already, so that asking again always comes nearer to the end."""
    began = monotonic()
    found: list[Point] = []
    for value in asked.values:
        found.append(sweeping.point(asked, value))
        if monotonic() - began > PATIENCE:
            break
    return tuple(found)


def _page(
    played: Play,
    query: Query,
    named: dict[str, str],
    *,
    asked: Sweep | None = None,
    points: tuple[Point, ...] = (),
    problems: tuple[str, ...] = (),
) -> SweepPage:
    flow = played.flow
    place = Place(path=f"/f/{flow.id}", query=canonical(played, query))
    settings = tuple((row.name, row.title) for row in sweeping.sweepable(flow))
    verdicts = tuple((row.id, row.title) for row in flow.verdicts)
    titles = dict(verdicts)
    total = len(asked.values) if asked else 0
    here = f"{place.path}/sweep{_with(place.query, named)}"
    return SweepPage(
        frame=frame(
            title=f"{flow.title}, over a setting",
            theme=query.theme,
            current="flows",
            here=lambda theme: f"{place.path}/sweep{_with(place.query.in_theme(theme), named)}",
        ),
        flow_title=flow.title,
        back=place.step(0),
        action=f"{place.path}/sweep",
        carried=place.query.pairs(),
        settings=settings,
        verdicts=verdicts,
        named=named,
        searches=any(row.varies and row.id in SEARCHED for row in flow.verdicts),
        problems=problems,
        picture=_drawn(asked, points, titles.get(named["verdict"], "")) if asked else None,
        rows=tuple(_row(place, asked, point) for point in points) if asked else (),
        done=len(points),
        total=total,
        go_on=here if len(points) < total else "",
    )


def _with(query: Query, named: dict[str, str]) -> str:
    """The walk's part of the address, then ours."""
    mine = urlencode({name: value for name, value in named.items() if value})
    return f"{query}{'&' if str(query) else '?'}{mine}" if mine else str(query)


def _drawn(asked: Sweep, points: tuple[Point, ...], verdict: str) -> Drawn:
    wide, narrow = (diagram.chart(asked, points, verdict, narrow=shape) for shape in (False, True))
    return Drawn(
        # Its template escapes every word; it is markup from here on.
        wide=Markup(diagram.render_svg(wide, standalone=False)),  # noqa: S704
        narrow=Markup(diagram.render_svg(narrow, standalone=False)),  # noqa: S704
        lines=diagram.describe_chart(asked, points, verdict),
    )


def _row(place: Place, asked: Sweep, point: Point) -> SweepRow:
    answer = point.answer
    settings = (
        *(row for row in place.query.settings if row[0] != asked.setting.name),
        (asked.setting.name, point.value),
    )
    there = Place(path=place.path, query=place.query.with_settings(settings))
    return SweepRow(
        value=point.value,
        usual=point.value == asked.usual,
        ok="" if answer is None or answer.ok is None else "good" if answer.ok else "bad",
        number="" if answer is None else sweeping.value_of(answer),
        text="; ".join(point.problems) if answer is None else answer.text,
        href="" if answer is None else there.step(answer.step or 0),
    )
