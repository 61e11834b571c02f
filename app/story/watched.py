"""What `kubectl get -w -o json` prints, whole objects one after the other, as a trace of what changed in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from app.kube.objects import KINDS, TIMES, Object, instant
from app.kube.stringmap import StringMap
from app.sim.flatten import changes
from app.story.watch import born

LISTED = "LISTED"
"""Stands for a type where all objects of some kinds have just been listed: what is not among them is gone."""
HINTS = TIMES | {"lastHeartbeatTime", "lastObservedTime", "time"}
"""Fields that tell when an object was written last."""
# What a trace shows of a spec; all else may be as it likes.
SPEC = (
    "replicas",
    "nodeName",
    "tolerations",
    "taints",
    "unschedulable",
    "minAvailable",
    "maxUnavailable",
    "unhealthyPodEvictionPolicy",
    "parallelism",
    "completions",
    "backoffLimit",
    "suspend",
)
GROWING = frozenset({"Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"})
"""Kinds whose status is empty when they have only just been made."""

Key = tuple[str, str]
"""Kind and path of an object."""
Dated = tuple[float, dict[str, Any]]
"""An entry and the second of its time, from 1970."""


def entries(watched: Sequence[tuple[str, Any]], where: str) -> tuple[list[Dated], list[str]]:
    """(type or nothing, object) in order, as a trace; what cannot be read.

    An object does not say when it was printed: its newest time is taken. Where that is no newer than it was, the entry
    has `dated` false. What is listed first was there before, unless it has only just been made. An object is certainly
    gone, without a date, where it is not in a later list of its kind, or where another of its name comes.
    """
    watching = _Watching()
    problems: list[str] = []
    for at, (verb, body) in enumerate(watched):
        try:
            watching.see(verb, body)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            problems.append(f"{where}: object {at + 1}: found {type(error).__name__}: {error}; allowed: an API object")
    return watching.found, problems


class _Known(NamedTuple):
    """An object as it was seen last."""

    obj: Object | None
    at: float
    uid: str


class _Watching:
    """What has been seen so far."""

    def __init__(self) -> None:
        self.found: list[Dated] = []
        self.known: dict[Key, _Known] = {}
        self.listing = True

    def see(self, verb: str, body: Any) -> None:
        if verb == LISTED:
            self._miss({_key(row) for row in body if row.get("kind") != "Event"})
            return
        key, now, uid, obj = _key(body), _written(body), str(body["metadata"].get("uid", "")), _object(body)
        if key in self.known and self.known[key].uid != uid and verb != "DELETED":
            self._lose(key)
        before, last, _ = self.known.get(key, NEVER)
        self.listing = self.listing and key not in self.known and verb in ("", "ADDED")
        event = verb or ("MODIFIED" if key in self.known else "ADDED")
        entry = None if self.listing and not _is_fresh(body) else _entry(key, event, before, obj)
        if entry is not None:
            self.found.append((max(now, last), entry | ({} if now > last else {"dated": False})))
        self.known[key] = _Known(obj, max(now, last), uid)
        if event == "DELETED":
            del self.known[key]

    def _miss(self, listed: set[Key]) -> None:
        """A list ends: what was there of its kinds and is not in it is gone."""
        scope = {_scope(key) for key in listed}
        for key in [key for key in self.known if key not in listed and _scope(key) in scope]:
            self._lose(key)
        self.listing = False

    def _lose(self, key: Key) -> None:
        last = self.known.pop(key)
        self.found.append((last.at, {"kind": key[0], "object": key[1], "event": "DELETED", "dated": False}))
        self.listing = False


def _scope(key: Key) -> tuple[str, str]:
    """Kind and namespace: kubectl lists all of these together."""
    return key[0], key[1].rpartition("/")[0]


NEVER = _Known(None, 0.0, "")


def _is_fresh(body: Mapping[str, Any]) -> bool:
    """Whether nobody has written its status yet: in a listing, that it was made while it was watched."""
    told = [value for name, value in (body.get("status") or {}).items() if name != "qosClass" and value != "Pending"]
    return body["kind"] in GROWING and not any(told)


def _key(body: Mapping[str, Any]) -> Key:
    """Kind and path."""
    meta = body["metadata"]
    return str(body["kind"]), "/".join(part for part in (meta.get("namespace", ""), meta["name"]) if part)


def _written(body: Mapping[str, Any]) -> float:
    """When it was written last, as far as it tells."""
    parts = (body["metadata"], body.get("status") or {}, (body.get("spec") or {}).get("taints") or [])
    return max([_seconds(body["metadata"]["creationTimestamp"]), *(at for part in parts for at in _times(part, ""))])


def _object(body: Mapping[str, Any]) -> Object | None:
    """As far as it is modelled."""
    if body["kind"] not in KINDS:
        return None
    shown = {name: body[name] for name in ("metadata", "status", "endpoints") if name in body}
    shown["spec"] = {name: value for name, value in (body.get("spec") or {}).items() if name in SPEC}
    obj: Object = msgspec.convert(_timed(shown, ""), KINDS[body["kind"]], dec_hook=_mapped)
    return obj


def _entry(key: Key, event: str, before: Object | None, after: Object | None) -> dict[str, Any] | None:
    entry: dict[str, Any] = {"kind": key[0], "object": key[1], "event": event}
    if event == "DELETED":
        return entry
    if before is None:
        fields = [{"path": path, "after": value} for path, value in born(after)] if after is not None else []
        return None if event == "MODIFIED" else entry | {"changes": fields}
    differing = [{"path": path, "before": old, "after": new} for path, old, new in changes(before, after)]
    return entry | {"changes": differing} if differing else None


def _times(value: Any, name: str) -> Iterator[float]:
    """Every time that is told; a deletion is asked for its grace period before it is due."""
    if isinstance(value, dict):
        for field, item in value.items():
            if field == "deletionTimestamp":
                yield _seconds(item) - float(value.get("deletionGracePeriodSeconds") or 0)
            else:
                yield from _times(item, field)
    elif isinstance(value, list):
        for item in value:
            yield from _times(item, name)
    elif name in HINTS and isinstance(value, str):
        yield _seconds(value)


def _seconds(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()


def _timed(value: Any, name: str) -> Any:
    """With times as the model keeps them."""
    if isinstance(value, dict):
        return {field: _timed(item, field) for field, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_timed(item, name) for item in value]
    return instant(value) if name in TIMES and isinstance(value, str) else value


def _mapped(wanted: type, value: Any) -> Any:
    if wanted is StringMap:
        return StringMap({str(key): str(item) for key, item in value.items()})
    raise TypeError(wanted)
