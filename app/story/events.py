"""Kubernetes Events of a walk, counted as the event recorder counts them.

Not modelled: the recorder's token bucket (25 events per source and object, then one in 5 minutes) and the merging of
more than ten similar messages.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from app.kube.meta import Ref
from app.sim.walk import Walk


class Recorded(Struct, frozen=True):
    """One Event as written: the first of its kind, or a repeat that raises the count."""

    at: int
    first: int
    type: str
    reason: str
    object: Ref
    source: str
    message: str
    count: int

    def entry(self) -> dict[str, Any]:
        """In the form of the recordings."""
        return {
            "t": self.at / 1000,
            "kind": "Event",
            "object": f"{self.object.kind} {self.object.path}",
            "event": "ADDED" if self.count == 1 else "MODIFIED",
            "writer": self.source,
            "type": self.type,
            "reason": self.reason,
            "message": self.message,
            "count": self.count,
        }


def recorded(walk: Walk, until: int | None = None) -> list[tuple[int, Recorded]]:
    """(position in the walk's records, Event) of every write of an Event; `until` counts records."""
    known: dict[tuple[Ref, str, str, str, str], tuple[int, int]] = {}
    found: list[tuple[int, Recorded]] = []
    for at, row in enumerate(walk.records[:until]):
        for event in row.step.events:
            about = event.object or row.step.object
            key = (about, event.source, event.type, event.reason, event.message)
            first, count = known.get(key, (row.step.at, 0))
            known[key] = (first, count + 1)
            now = Recorded(row.step.at, first, event.type, event.reason, about, event.source, event.message, count + 1)
            found.append((at, now))
    return found


def newest(walk: Walk, until: int | None = None) -> list[Recorded]:
    """Every Event once, as last written, in the order of the last writes."""
    last: dict[tuple[Ref, str, str, str, str], Recorded] = {}
    for _, event in recorded(walk, until):
        key = (event.object, event.source, event.type, event.reason, event.message)
        last.pop(key, None)
        last[key] = event
    return list(last.values())
