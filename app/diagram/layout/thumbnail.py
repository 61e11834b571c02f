"""A timeline of a few rows without words, for a card in the gallery."""

from __future__ import annotations

from app.diagram.layout.scale import scale
from app.diagram.layout.timeline import bars_of
from app.diagram.shapes import Box, Group, Picture, box, name_for, rounded
from app.diagram.views import TimelineView, Track

THUMB_WIDTH, THUMB_HEIGHT, THUMB_ROWS = 300, 92, 4


def place_thumbnail(view: TimelineView, id: str, *, desc: str) -> Picture:
    """The same intervals, small and without words, for a card in the gallery."""
    tracks = _telling(view)
    found = scale(view.instants, 0, THUMB_WIDTH, keeps_waits=view.keeps_waits)
    step = THUMB_HEIGHT / max(len(tracks), 1)
    high = min(15.0, step - 6)
    groups = []
    for number, (start, end) in enumerate(view.races):
        left = found.at(start)
        shade = box(left, 0, max(found.at(end) - left, 2), THUMB_HEIGHT, "race")
        groups.append(Group(id=name_for(id, "race", str(number)), look="racing", boxes=(shade,)))
    for at, track in enumerate(tracks):
        bars = [
            Box(bar.x, bar.y, bar.width, rounded(high), bar.look, bar.radius)
            for bar in bars_of(found, track.segments, 0)
        ]
        y = rounded(at * step + (step - high) / 2)
        groups.append(
            Group(
                id=name_for(id, track.id),
                look=f"track k-{track.kind}",
                y=y,
                title=track.name,
                boxes=tuple(bars),
            )
        )
    return Picture(
        id=name_for(id),
        look="picture timeline thumbnail",
        width=THUMB_WIDTH,
        height=THUMB_HEIGHT,
        title=view.title,
        desc=desc,
        groups=tuple(groups),
    )


def _telling(view: TimelineView) -> list[Track]:
    """The few rows that show most: one of each of the kinds that a race is between, then those with most harm."""

    def weight(track: Track) -> tuple[int, int]:
        harm = sum(part.end - part.start for part in track.segments if part.state in ("stale", "failure"))
        return -harm, -len(track.segments)

    ranked = sorted((track for track in view.tracks if track.segments), key=weight)
    firsts = [
        next((track for track in ranked if track.kind == kind), None) for kind in ("app", "controller", "kube-proxy")
    ]
    order = [track for track in firsts if track is not None]
    order += [track for track in ranked if track not in order]
    return [track for track in view.tracks if track in order[:THUMB_ROWS]]
