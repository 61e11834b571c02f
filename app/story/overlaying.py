"""A reader's own recording held against a walk on one clock: what both have, and what only one of them has."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.sim.walk import Walk
from app.story.aliases import about, aliases, renamed
from app.story.events import newest
from app.story.recordings import Recording
from app.story.watch import trace

NOT_COMPARED = re.compile(
    r"resourceVersion|observedGeneration|lastTransitionTime|lastUpdateTime|uid|creationTimestamp|startedAt|finishedAt"
    r"|containerID|imageID|podIP|hostIP|startTime|timeAdded|generation$|managedFields|pod-template-hash|revision"
)
ONE_BURST = 0.05
"""Seconds: updates of an object that are less apart count as one, as a watcher may see them in any order."""
CANDIDATES = 500
"""So many times are tried for where a recording with dates belongs."""
SHARE = 0.06
"""Of the time that has passed: by so much a time may differ in any case."""


class Seen(Struct, frozen=True):
    """One thing that came about: an object, a field of it or an Event."""

    at: float
    object: str
    path: str
    said: str
    """The value or message, without what differs in every cluster: times, uids, durations."""
    exact: tuple[str, ...]
    """By which it is matched; without nodes, among which a scheduler picks at random, and what programs print."""
    loose: tuple[str, ...]
    """By which it is matched where no exact one is there: without messages; empty for a plain value."""
    place: int = 0
    """Of its entry in the trace."""
    dated: bool = True
    """Whether the time is known."""


class Pair(Struct, frozen=True):
    """The same thing on both sides, or one that only one of them has; times in seconds on the walk's clock."""

    recorded: Seen | None
    modelled: Seen | None
    state: str
    """same, time (too far apart), text (other words), recorded or modelled (only there)."""

    @property
    def apart(self) -> float:
        """Seconds by which the model is later, as far as that is known."""
        if self.recorded is None or self.modelled is None or not self.recorded.dated:
            return 0.0
        return round(self.modelled.at - self.recorded.at, 3)

    @property
    def when(self) -> tuple[float, int]:
        """Where it stands among all: by its recorded time, if that is known."""
        first = self.modelled if self.recorded is not None and not self.recorded.dated else self.recorded
        seen = first or self.one
        return seen.at, seen.place

    @property
    def one(self) -> Seen:
        """The recorded side, if there is one."""
        found = self.recorded or self.modelled
        if found is None:
            raise AssertionError
        return found


class Overlay(Struct, frozen=True):
    """All pairs in the order of their time."""

    pairs: tuple[Pair, ...]
    shift: float
    """Seconds that were added to every recorded time."""
    tolerance: float
    unknown: tuple[str, ...]
    """Objects of the recording that the walk does not have."""
    left_out: tuple[str, ...]
    """Kinds and namespaces of the walk that the recording does not have."""

    def count(self, state: str) -> int:
        """How many pairs are in a state."""
        return sum(pair.state == state for pair in self.pairs)


def overlay(recording: Recording, walk: Walk, tolerance: float = 1.0) -> Overlay:
    """Match transitions object by object, in order, whatever their times; then say whose times agree.

    In a trace t = 0 is that of the walk. All else bears dates: it is put where most of what matches has the same time.
    """
    whole = _shown(recording, walk)
    kinds, namespaces = _scope(recording.entries)
    inside = [row for row in whole if row["kind"] in kinds and _namespace(row) in namespaces]
    names = aliases(recording.entries, inside)
    bursts = recording.form == "trace"
    theirs, mine = _by_object(recording.entries, {}, in_bursts=bursts), _by_object(inside, names, in_bursts=bursts)
    matched = [(theirs.get(key, []), mine.get(key, [])) for key in dict.fromkeys((*theirs, *mine))]
    first = [pair for ours, others in matched for pair in _in_order(ours, others)]
    shift = 0.0 if recording.form == "trace" else _shift(first, tolerance)
    pairs = [pair for ours, others in matched for pair in _all(_later(ours, shift), others, tolerance)]
    outside = {row["kind"] for row in whole} - kinds | {_namespace(row) for row in whole} - namespaces
    return Overlay(
        tuple(sorted(pairs, key=lambda pair: pair.when)),
        shift,
        tolerance,
        tuple(sorted(theirs.keys() - mine.keys())),
        tuple(sorted(filter(None, outside))),
    )


def _shown(recording: Recording, walk: Walk) -> list[dict[str, Any]]:
    """Of the walk what a recording of this form would show."""
    if recording.form == "trace":
        return trace(walk)
    if recording.form == "events":
        return _last_events(walk)
    objects = [row for row in trace(walk) if row["kind"] != "Event"]
    whole = sorted([*objects, *_last_events(walk)], key=lambda row: float(row["t"]))
    gone = {(row["kind"], row["object"]) for row in recording.entries if row["event"] == "DELETED"}
    return [
        row for row in whole if recording.deletions or row["event"] != "DELETED" or (row["kind"], row["object"]) in gone
    ]


def _last_events(walk: Walk) -> list[dict[str, Any]]:
    """What a list of Events still tells of them: the first and the last time of each, and how often it came."""
    rows = []
    for event in newest(walk):
        rows.append(event.entry() | {"t": event.first / 1000, "event": "ADDED", "count": 1})
        if event.count > 1:
            rows.append(event.entry())
    return sorted(rows, key=lambda row: float(row["t"]))


def _scope(entries: Iterable[Mapping[str, Any]]) -> tuple[set[str], set[str]]:
    return {row["kind"] for row in entries}, {_namespace(row) for row in entries}


def _namespace(entry: Mapping[str, Any]) -> str:
    return about(entry)[1].rpartition("/")[0]


def _by_object(
    entries: Iterable[Mapping[str, Any]], names: Mapping[str, str], *, in_bursts: bool
) -> dict[str, list[Seen]]:
    """What came about with each object, Events apart, a burst in a stated order."""
    found: dict[str, list[Seen]] = {}
    for place, entry in enumerate(entries):
        for seen in _seen(entry, names):
            row = replace(seen, place=place, dated=entry.get("dated", True))
            found.setdefault(seen.object, []).append(row)
    return {key: list(_merged(rows, in_bursts=in_bursts)) for key, rows in found.items()}


def _seen(entry: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Seen]:
    kind, path = about(entry)
    called = f"{kind} {renamed(path, names)}"
    if entry["kind"] == "Event":
        yield _event(entry, f"Event of {called}", renamed(entry.get("message", ""), names))
        return
    at = float(entry["t"])
    if entry["event"] != "MODIFIED":
        yield Seen(at, called, entry["event"], "", (entry["event"],), ())
    for change in entry.get("changes", ()):
        if not NOT_COMPARED.search(change["path"]):
            yield _field(at, called, renamed(change["path"], names), change.get("after"), names)


def _event(entry: Mapping[str, Any], called: str, message: str) -> Seen:
    said = _plain(message)
    key = re.sub(r"(?<=probe failed:).*", "", said) if entry["reason"] == "Unhealthy" else said
    key = re.sub(r" to \S+$", "", key) if entry["reason"] == "Scheduled" else key
    kind = (entry["reason"], entry.get("type", ""))
    count = entry.get("count", 1)
    again = f" ({count} times)" if entry["event"] == "MODIFIED" and count != 1 else ""
    return Seen(float(entry["t"]), called, entry["reason"], said + again, (*kind, key), kind)


def _field(at: float, called: str, path: str, value: Any, names: Mapping[str, str]) -> Seen:
    said = _plain(renamed(value, names)) if isinstance(value, str) else json.dumps(value)
    key = "" if path == "spec.nodeName" and value else re.sub(r"\s*node=\S+", "", said)
    worded = path.startswith("status.conditions[") or path.endswith(("state", "State"))
    return Seen(at, called, path, said, (path, key), (path, said.partition(" ")[0]) if worded else ())


def _plain(text: str) -> str:
    """On one line, without times, uids and durations."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?", "(time)", text)
    text = re.sub(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "(uid)", text)
    return re.sub(r"\b\d+(?:\.\d+)?(?:ms|s)\b", "(duration)", " ".join(text.split()))


def _merged(rows: Iterable[Seen], *, in_bursts: bool) -> Iterator[Seen]:
    """Of one burst the last value that each path took, in a stated order; dates are too coarse to tell bursts."""
    burst: dict[tuple[str, ...], Seen] = {}
    last = None
    for row in rows:
        if last is not None and (row.at - last.at > ONE_BURST if in_bursts else row.place != last.place):
            yield from sorted(burst.values(), key=_stated)
            burst = {}
        burst[row.exact if row.object.startswith("Event of") else row.exact[:1]] = row
        last = row
    yield from sorted(burst.values(), key=_stated)


def _stated(row: Seen) -> tuple[Any, ...]:
    """An object comes about before all else and is gone after it."""
    return row.path == "DELETED", row.path != "ADDED", row.exact


def _in_order(theirs: Sequence[Seen], mine: Sequence[Seen]) -> list[tuple[Seen, Seen]]:
    """What is the same, in the same order on both sides."""
    matcher = SequenceMatcher(None, [row.exact for row in theirs], [row.exact for row in mine], autojunk=False)
    blocks = matcher.get_matching_blocks()
    return [(theirs[block.a + at], mine[block.b + at]) for block in blocks for at in range(block.size)]


def _all(theirs: list[Seen], mine: list[Seen], tolerance: float) -> Iterator[Pair]:
    """The pairs of one object: what is in order, what changed places, what has another time, what other words."""
    pairs = _in_order(theirs, mine)
    for key, anytime in (("exact", False), ("exact", True), ("loose", False)):
        taken = {id(row) for pair in pairs for row in pair}
        free, spare = ([row for row in side if id(row) not in taken and getattr(row, key)] for side in (theirs, mine))
        pairs += _only_ones(free, spare) if anytime else _nearest(free, spare, key, tolerance)
    taken = {id(row) for pair in pairs for row in pair}
    yield from (Pair(row, other, _state(row, other, tolerance)) for row, other in pairs)
    yield from (Pair(row, None, "recorded") for row in theirs if id(row) not in taken)
    yield from (Pair(None, row, "modelled") for row in mine if id(row) not in taken)


def _nearest(theirs: list[Seen], mine: list[Seen], key: str, tolerance: float) -> Iterator[tuple[Seen, Seen]]:
    """Each with the nearest in time of those that have the same key, if it is near enough."""
    spare = list(mine)
    for row in theirs:
        near = [one for one in spare if getattr(one, key) == getattr(row, key) and _near(row, one, tolerance)]
        if near:
            nearest = min(near, key=lambda one: abs(one.at - row.at))
            spare.remove(nearest)
            yield row, nearest


def _only_ones(theirs: list[Seen], mine: list[Seen]) -> Iterator[tuple[Seen, Seen]]:
    """What both sides have once, at whatever time."""
    recorded, modelled = (Counter(row.exact for row in side) for side in (theirs, mine))
    once = {row.exact: row for row in mine if modelled[row.exact] == 1}
    yield from ((row, once[row.exact]) for row in theirs if recorded[row.exact] == 1 and row.exact in once)


def _near(row: Seen, other: Seen, tolerance: float) -> bool:
    return not row.dated or abs(row.at - other.at) <= max(tolerance, SHARE * abs(row.at))


def _state(row: Seen, other: Seen, tolerance: float) -> str:
    if not _near(row, other, tolerance):
        return "time"
    return "same" if row.exact == other.exact else "text"


def _shift(pairs: Sequence[tuple[Seen, Seen]], tolerance: float) -> float:
    """What puts most of what matches where the walk has it; of several the one that the earliest asks for."""
    dated = sorted((pair for pair in pairs if pair[0].dated), key=lambda pair: pair[0].at)
    by = [round(other.at - row.at, 3) for row, other in dated]
    return max(by[:CANDIDATES], key=lambda shift: sum(abs(one - shift) <= tolerance for one in by), default=0.0)


def _later(rows: Sequence[Seen], by: float) -> list[Seen]:
    return [replace(row, at=round(row.at + by, 3)) for row in rows]


def largest(found: Overlay, most: int = 3) -> list[Pair]:
    """The pairs whose times are furthest apart, one for each object and time; none where no time differs."""
    apart = sorted((group[0] for group in rows(found) if group[0].apart), key=lambda pair: -abs(pair.apart))
    return apart[:most]


def rows(found: Overlay) -> list[list[Pair]]:
    """Pairs that share object, times and state, together."""

    def key(pair: Pair) -> tuple[Any, ...]:
        at = [None if seen is None else seen.at for seen in (pair.recorded, pair.modelled)]
        return (pair.one.object, pair.state, *at)

    groups: dict[tuple[Any, ...], list[Pair]] = {}
    for pair in found.pairs:
        groups.setdefault(key(pair), []).append(pair)
    return list(groups.values())
