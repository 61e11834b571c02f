"""The pages of a meeting from a moment of a walk: for a projector, for a follower, for whoever speaks."""

from __future__ import annotations

from collections.abc import Callable

from app.story import play as story
from app.story.words import DEPTHS
from app.web import pictures
from app.web.address import VIEWS, Query
from app.web.frames import frame
from app.web.moment import Moment
from app.web.pages import Frame
from app.web.player import clock_of, saying_of
from app.web.player_parts import Depth, Saying
from app.web.session_parts import Meeting, NoteRow
from app.web.stage_pages import FollowPage, PresentPage, SpeakerPage, Stage
from app.web.telling import titles

PRESENT, SPEAKER = "/present", "/speaker"


def stage_of(moment: Moment, shapes: tuple[str, ...], *, words: bool, revision: int = 0) -> Stage:
    """What is seen of a step."""
    view = moment.place.query.view or VIEWS[0]
    return Stage(
        clock=clock_of(moment),
        saying=said(moment),
        words=words,
        view=view,
        picture=pictures.drawn(moment.played, view, moment.n, shapes),
        revision=revision,
        here=moment.step(moment.n),
    )


def present_page(moment: Moment, shapes: tuple[str, ...], *, title: str, meeting: Meeting | None = None) -> PresentPage:
    return PresentPage(
        frame=_frame(moment, title, moment.asking),
        flow_title=title,
        stage=stage_of(moment, shapes, words=False, revision=meeting.revision if meeting else 0),
        controls=True,
        views=_views(moment, moment.asking),
        leave=moment.beside("").step(moment.n),
        speaker=moment.beside(SPEAKER).step(moment.n),
        meeting=meeting,
    )


def follow_page(
    moment: Moment, shapes: tuple[str, ...], *, title: str, meeting: Meeting, here: Callable[[Query], str]
) -> FollowPage:
    """`here` gives the page's own address, which names no step."""
    looks = moment.place.query
    return FollowPage(
        frame=_frame(moment, title, here),
        flow_title=title,
        stage=stage_of(moment, shapes, words=True, revision=meeting.revision),
        controls=False,
        views=_views(moment, here),
        depths=_depths(moment, here),
        around=f"/s/{meeting.shown}/{moment.n}{looks.at_view('')}",
        leads=f"/s/{{id}}/{{step}}{looks.at_view('')}",
        meeting=meeting,
    )


def speaker_page(
    moment: Moment, *, title: str, notes: tuple[NoteRow, ...] = (), meeting: Meeting | None = None
) -> SpeakerPage:
    n = moment.n
    return SpeakerPage(
        frame=_frame(moment, title, moment.asking),
        flow_title=title,
        clock=clock_of(moment),
        saying=said(moment),
        depths=_depths(moment, moment.asking),
        coming=said(moment.at(n + 1)) if n < len(moment.steps) else None,
        notes=tuple(row for row in notes if row.n == n),
        later=tuple(row for row in notes if row.n == n + 1),
        revision=meeting.revision if meeting else 0,
        meeting=meeting,
    )


def said(moment: Moment) -> Saying:
    """What just happened, for the reader of the address."""
    passage = story.passage(moment.played, moment.n, moment.place.query.depth or DEPTHS[0])
    return saying_of(moment, passage, titles(moment.played))


def _frame(moment: Moment, title: str, here: Callable[[Query], str]) -> Frame:
    query = moment.place.query
    return frame(title=title, theme=query.theme, here=lambda theme: here(query.in_theme(theme)))


def _views(moment: Moment, here: Callable[[Query], str]) -> tuple[Depth, ...]:
    query = moment.place.query
    shown = query.view or VIEWS[0]
    return tuple(
        Depth(name=name, href=here(query.at_view("" if name == VIEWS[0] else name)), current=name == shown)
        for name in VIEWS
    )


def _depths(moment: Moment, here: Callable[[Query], str]) -> tuple[Depth, ...]:
    query = moment.place.query
    current = query.depth or DEPTHS[0]
    return tuple(Depth(name=name, href=here(query.at_depth(name)), current=name == current) for name in DEPTHS)
