"""What `kubectl get -w -o json` prints, whole objects one after the other, as a trace of what changed in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from app.kube.objects import KINDS, TIMES, Object, instant
from app.kube.stringmap import StringMap
from app.sim.flatten import changes
from app.story.watch import born

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

Dated = tuple[float, dict[str, Any]]
"""An entry and the second of its time, from 1970."""


def entries(watched: Sequence[tuple[str, Any]], where: str) -> tuple[list[Dated], list[str]]:
    """(type or nothing, object) in order, as a trace; what cannot be read.

    An object does not say when it was printed: its newest time is taken. Where that is no newer than it was, the entry
    has `dated` false. What is listed first was there before, unless it has only just been made.
    """
    found: list[Dated] = []
    problems: list[str] = []
    known: dict[tuple[str, str], tuple[Any, float]] = {}
    listing = True
    for at, (verb, body) in enumerate(watched):
        try:
            key, now, obj = _key(body), _written(body), _object(body)
            before, last = known.get(key, (None, 0.0))
            listing = listing and key not in known and verb in ("", "ADDED")
            event = verb or ("MODIFIED" if key in known else "ADDED")
            entry = None if listing and not _is_fresh(body) else _entry(key, event, before, obj)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            problems.append(f"{where}: object {at + 1}: found {type(error).__name__}: {error}; allowed: an API object")
            continue
        if entry is not None:
            found.append((max(now, last), entry | ({} if now > last else {"dated": False})))
        known[key] = (obj, max(now, last))
        if event == "DELETED":
            del known[key]
    return found, problems


def _is_fresh(body: Mapping[str, Any]) -> bool:
    """Whether nobody has written its status yet: in a listing, that it was made while it was watched."""
    told = [value for name, value in (body.get("status") or {}).items() if name != "qosClass" and value != "Pending"]
    return body["kind"] in GROWING and not any(told)


def _key(body: Mapping[str, Any]) -> tuple[str, str]:
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


def _entry(key: tuple[str, str], event: str, before: Object | None, after: Object | None) -> dict[str, Any] | None:
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
