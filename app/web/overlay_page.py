"""The page of an overlay: what it is made of, and how it is made from what was matched."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.story import overlay_text
from app.story.overlaying import Overlay, Pair, rows
from app.story.play import Play
from app.story.recordings import Recording
from app.web.address import Place
from app.web.pages import Frame
from app.web.rendering import Page

MOST_ROWS = 1_000


@dataclass(frozen=True, kw_only=True)
class OverlayRow:
    """What came about with one object at one time."""

    recorded: str
    """When it was recorded, on the walk's clock; empty where it was not, `?` where nothing tells."""
    modelled: str
    """When the walk has it; empty where it has not."""
    href: str
    """The walk at that time."""
    state: str
    """same, time, text, recorded or modelled."""
    object: str
    """With the recording's name, where it has one."""
    says: tuple[str, ...]
    """Each field or message."""


@dataclass(frozen=True, kw_only=True)
class OverlayPage(Page):
    """A reader's recording held against a walk."""

    template: ClassVar[str] = "overlay.html"

    frame: Frame
    """Title, theme, navigation."""
    flow_title: str
    """Of the lesson."""
    back: str
    """The walk."""
    action: str
    """Where the form goes."""
    carried: tuple[tuple[str, str], ...]
    """What of the address the form keeps."""
    text: str
    """What was pasted, if it cannot be read."""
    since: str
    """What came before that is left out, as it was typed."""
    problems: tuple[str, ...]
    """Why."""
    summary: tuple[str, ...]
    """How much matches, and what to know to judge that; nothing while there is no recording."""
    rows: tuple[OverlayRow, ...]
    """In the order of their time."""
    more: int
    """How many more there are that are not shown."""


def overlay_page(
    frame: Frame,
    played: Play,
    place: Place,
    *,
    text: str = "",
    since: str = "",
    problems: tuple[str, ...] = (),
    found: tuple[Recording, Overlay] | None = None,
) -> OverlayPage:
    """The page, with a recording or without."""
    groups = rows(found[1]) if found else []
    times = [row.step.at for row in played.steps]
    return OverlayPage(
        frame=frame,
        flow_title=played.flow.title,
        back=place.step(0),
        action=f"{place.path}/overlay",
        carried=place.query.pairs(),
        text=text,
        since=since,
        problems=problems,
        summary=tuple(overlay_text.summary(*found)) if found else (),
        rows=tuple(_row(group, place, times) for group in groups[:MOST_ROWS]),
        more=max(len(groups) - MOST_ROWS, 0),
    )


def _row(group: Sequence[Pair], place: Place, times: Sequence[int]) -> OverlayRow:
    one = group[0]
    there = one.modelled
    return OverlayRow(
        recorded=overlay_text.time_of(one.recorded),
        modelled=overlay_text.time_of(there),
        href=place.step(bisect_right(times, round(there.at * 1000))) if there else "",
        state=one.state,
        object=one.one.object,
        says=tuple(map(overlay_text.said, group)),
    )
