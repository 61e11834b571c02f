"""What the timeline shows: the intervals of a whole walk, and where in it a step stands."""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from app.catalog.flow import Flow
from app.diagram.extract import deeds, health, standing
from app.diagram.extract.kept import KEPT, Same, once_per_walk, record_at, steps, world_at
from app.diagram.extract.leading import subject_tracks
from app.diagram.extract.names import seconds
from app.diagram.extract.series import BEFORE, series
from app.diagram.extract.subjects import cast
from app.diagram.extract.tracks import Tracks
from app.diagram.extract.wording import retold
from app.diagram.views import TimelineView
from app.diagram.words import say
from app.kube.meta import Ref
from app.sim.walk import Walk

LEAST = 1000
"""A walk in which no time passes is drawn as one second."""


def timeline_view(walk: Walk, n: int, flow: Flow, target: Ref | None = None) -> TimelineView:
    """The intervals of the walk with the cursor at position n."""
    whole = _whole(Same(walk), flow.target, target)
    whole = replace(whole, keeps_waits=flow.keeps_waits)
    now = world_at(walk, n).now
    when = deeds.moment_of(record_at(walk, n))
    title = say("timeline", "title", seconds=seconds(whole.end - walk.start.now), step=when)
    view = replace(whole, title=title, cursor=now, cursor_text=f"T+{seconds(now)} s")
    return retold(view, flow.terms)


@lru_cache(maxsize=KEPT)
def _whole(same: Same, named: str, target: Ref | None) -> TimelineView:
    walk = same.walk
    tracks = Tracks(walk)
    who = cast(walk, named, target)
    rows = [*health.rows(tracks), *standing.nodes(tracks), *standing.budgets(tracks)]
    for subject in who.targets:
        rows += [*health.timer(tracks, subject), *subject_tracks(tracks, subject)]
    rows += [tracks.replacement(subject) for subject in who.replacements]
    failing = races(walk)
    instants = {walk.start.now - BEFORE, walk.start.now, max(walk.world.now, walk.start.now + LEAST)}
    instants |= {at for row in rows for part in row.segments for at in (part.start, part.end)}
    instants |= {at for pair in failing for at in pair} | {record.step.at for record in steps(walk)}
    return TimelineView(
        title="",
        start=walk.start.now - BEFORE,
        end=max(walk.world.now, walk.start.now + LEAST),
        tracks=tuple(rows),
        races=failing,
        race=say("timeline", "race"),
        instants=tuple(sorted(instants)),
        enlarged=say("timeline", "enlarged"),
        cursor=0,
        cursor_text="",
    )


@once_per_walk
def races(walk: Walk) -> tuple[tuple[int, int], ...]:
    """The intervals in which requests fail."""
    rows = series(walk, lambda world: world.ledger.failing)
    found: list[tuple[int, int]] = []
    for at, (start, failing) in enumerate(rows):
        until = rows[at + 1][0] if at + 1 < len(rows) else walk.world.now
        if until <= start or not any(row.weight for row in failing.values()):
            continue
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], until)
        else:
            found.append((start, until))
    return tuple(found)
