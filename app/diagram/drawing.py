"""A walk and a position in it, drawn or told."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from app.diagram import twins
from app.diagram.extract import (
    Flow,
    Point,
    Ref,
    Sweep,
    Walk,
    chart_view,
    cluster_view,
    messages_view,
    timeline_view,
)
from app.diagram.layout.chart import place_chart
from app.diagram.layout.cluster import place_cluster
from app.diagram.layout.messages import place_messages
from app.diagram.layout.thumbnail import place_thumbnail
from app.diagram.layout.timeline import place_timeline
from app.diagram.mermaid import mermaid_text
from app.diagram.shapes import Picture
from app.diagram.views import Pin

Lines = tuple[str, ...]

FRAMED_WIDE, FRAMED_ARROWS, FRAMED_ARROWS_NARROW = 684.0, 9, 5
"""What a frame of 700 by 394 has room for beside its controls, with nothing set smaller than on a page."""


def cluster(walk: Walk, n: int, flow: Flow, *, narrow: bool = False) -> Picture:
    """The cluster as it is after step n (0: at the start), with what each process believes."""
    view = cluster_view(walk, n, flow)
    return place_cluster(view, narrow=narrow, desc=_told(twins.cluster_lines(view)))


def messages(walk: Walk, n: int, flow: Flow, *, narrow: bool = False, whole: bool = False) -> Picture:
    """The messages around step n, or with `whole` all from the start up to it."""
    view = messages_view(walk, n, flow, whole=whole)
    return place_messages(view, narrow=narrow, desc=_told(twins.messages_lines(view)))


def timeline(
    walk: Walk, n: int, flow: Flow, *, narrow: bool = False, target: Ref | None = None, pins: tuple[Pin, ...] = ()
) -> Picture:
    """The whole walk to scale, with a cursor at step n; about `target`, or what the flow or the walk is about."""
    view = replace(timeline_view(walk, n, flow, target), pins=pins)
    return place_timeline(view, narrow=narrow, desc=_told(twins.timeline_lines(view)), told=twins.pinned)


def framed(view: str, walk: Walk, n: int, flow: Flow, *, narrow: bool = False) -> Picture:
    """One of the views for a small frame on a page of somebody else's."""
    match view:
        case "messages":
            shown = messages_view(walk, n, flow, most=FRAMED_ARROWS_NARROW if narrow else FRAMED_ARROWS)
            return place_messages(shown, narrow=narrow, wide=FRAMED_WIDE, desc=_told(twins.messages_lines(shown)))
        case "timeline":
            kept = timeline_view(walk, n, flow)
            return place_timeline(kept, narrow=narrow, wide=FRAMED_WIDE, desc=_told(twins.timeline_lines(kept)))
        case _:
            return picture(view, walk, n, flow, narrow=narrow)


def thumbnail(walk: Walk, n: int, flow: Flow, *, target: Ref | None = None, name: str = "thumbnail") -> Picture:
    """A small timeline without words. A page with several gives each flow's another `name`, from which ids are made."""
    view = timeline_view(walk, n, flow, target)
    return place_thumbnail(view, f"{name}-{flow.id}", desc=_told(twins.timeline_lines(view)))


def chart(asked: Sweep, points: tuple[Point, ...], verdict: str, *, narrow: bool = False) -> Picture:
    """What a verdict, given by its title, says over the values of a setting."""
    view = chart_view(asked, points, verdict)
    return place_chart(view, narrow=narrow, desc=_told(twins.chart_lines(view)))


def mermaid(walk: Walk, n: int, flow: Flow) -> str:
    """The messages from the start up to step n as a Mermaid sequence diagram."""
    return mermaid_text(messages_view(walk, n, flow, whole=True))


def describe_cluster(walk: Walk, n: int, flow: Flow) -> Lines:
    return twins.cluster_lines(cluster_view(walk, n, flow))


def describe_messages(walk: Walk, n: int, flow: Flow) -> Lines:
    return twins.messages_lines(messages_view(walk, n, flow))


def describe_timeline(
    walk: Walk, n: int, flow: Flow, *, target: Ref | None = None, pins: tuple[Pin, ...] = ()
) -> Lines:
    return twins.timeline_lines(replace(timeline_view(walk, n, flow, target), pins=pins))


def describe_chart(asked: Sweep, points: tuple[Point, ...], verdict: str) -> Lines:
    return twins.chart_lines(chart_view(asked, points, verdict))


PICTURES: dict[str, Callable[[Walk, int, Flow, bool], Picture]] = {
    "cluster": lambda walk, n, flow, narrow: cluster(walk, n, flow, narrow=narrow),
    "messages": lambda walk, n, flow, narrow: messages(walk, n, flow, narrow=narrow),
    "timeline": lambda walk, n, flow, narrow: timeline(walk, n, flow, narrow=narrow),
    "thumbnail": lambda walk, n, flow, _: thumbnail(walk, n, flow),
}
TWINS: dict[str, Callable[[Walk, int, Flow], Lines]] = {
    "cluster": describe_cluster,
    "messages": describe_messages,
    "timeline": describe_timeline,
}


def picture(view: str, walk: Walk, n: int, flow: Flow, *, narrow: bool = False) -> Picture:
    """One of the views by its name; KeyError for a name that is none."""
    return PICTURES[view](walk, n, flow, narrow)


def describe(view: str, walk: Walk, n: int, flow: Flow) -> Lines:
    """The text twin of a view by its name."""
    return TWINS[view](walk, n, flow)


def _told(lines: Lines) -> str:
    """A description in one go: long ones are cut, the twin on the page has them whole."""
    text = ". ".join(lines)
    return text if len(text) <= 600 else f"{text[:600].rpartition('. ')[0] or text[:600]} …"
