"""Kubernetes Events of a walk, counted and throttled as the event recorder does it.

As in client-go's tools/record/events_cache.go; recordings show that there is one bucket for each object and type
of Event. Not modelled: the merging of more than ten messages that differ in details only.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from app.kube.meta import Ref
from app.sim.acts import Event
from app.sim.step import Step
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
    part: str = ""
    """The part of the object that it is about, such as `spec.containers{app}`."""
    uid: str = ""
    """Of the object: one that is made anew under the same name has Events of its own."""

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


BURST, REFILL = 25, 300_000
"""So many events of a source of one type about one object at once, then one in so many milliseconds."""


class Recorders:
    """What the event recorders of all processes remember; a kubelet that is started anew has forgotten all."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[int, int]] = {}
        self._buckets: dict[tuple[str, ...], tuple[int, int]] = {}

    def take(self, step: Step, event: Event) -> Recorded | None:
        """The Event as it is written; None when there have been too many."""
        about = event.object or step.object
        uid = _uid(step, about)
        source = (event.source, step.node, str(about), uid)
        if not self._may_pass((*source, event.type), step.at):
            return None
        key = (*source, event.part, event.type, event.reason, event.message)
        first, count = self._known.get(key, (step.at, 0))
        self._known[key] = (first, count + 1)
        return Recorded(
            at=step.at,
            first=first,
            type=event.type,
            reason=event.reason,
            object=about,
            source=event.source,
            message=event.message,
            count=count + 1,
            part=event.part,
            uid=uid,
        )

    def _may_pass(self, bucket: tuple[str, ...], now: int) -> bool:
        """A token in the bucket is worth REFILL milliseconds of waiting."""
        full = BURST * REFILL
        worth, since = self._buckets.get(bucket, (full, now))
        worth = min(worth + now - since, full)
        passes = worth >= REFILL
        self._buckets[bucket] = (worth - REFILL if passes else worth, now)
        return passes

    def forget(self, process: str, node: str) -> None:
        """That process on that node has begun anew."""
        self._known = {key: value for key, value in self._known.items() if key[:2] != (process, node)}
        self._buckets = {key: value for key, value in self._buckets.items() if key[:2] != (process, node)}


def _uid(step: Step, about: Ref) -> str:
    stored = step.world.etcd.get(about) or step.before.etcd.get(about)
    return stored.object.metadata.uid if stored is not None else ""


def recorded(walk: Walk, until: int | None = None) -> list[tuple[int, Recorded]]:
    """(position in the walk's records, Event) of every write of an Event; `until` counts records."""
    recorders = Recorders()
    found: list[tuple[int, Recorded]] = []
    for at, row in enumerate(walk.records[:until]):
        if row.step.loop == "you" and row.step.verb == "start":
            process, _, node = row.step.object.name.partition(".")
            recorders.forget(process, node)
        taken = (recorders.take(row.step, event) for event in row.step.events)
        found += [(at, event) for event in taken if event is not None]
    return found


def newest(walk: Walk, until: int | None = None) -> list[Recorded]:
    """Every Event once, as last written, in the order of the last writes."""
    last: dict[tuple[object, ...], Recorded] = {}
    for _, event in recorded(walk, until):
        key = (event.object, event.source, event.part, event.type, event.reason, event.message, event.first)
        last.pop(key, None)
        last[key] = event
    return list(last.values())
