"""A reader's own recording of a cluster, read from the forms that there are into entries of one form."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.errors import BadInput
from app.kube import durations
from app.kube.quoting import listed, printable, shown
from app.kube.yaml_reading import read_documents
from app.kube.yaml_values import plain
from app.story import watched
from app.story.watched import LISTED

ALLOWED = (
    'an object with "trace", a list of its entries (as `loopscope run --format watch` prints it), or what '
    "`kubectl get events -o json` or `kubectl get … -w -o json --output-watch-events` prints, also with -o yaml"
)
VERBS = ("ADDED", "MODIFIED", "DELETED")
MOST_PROBLEMS = 10
YAML = re.compile(r"---|#|%|- |[A-Za-z]+:", re.ASCII)
"""How YAML of kubectl begins, and JSON never does."""
STAMP = re.compile(r"\.([0-9a-f]{15,16})$")
"""How the name of an Event ends: its first time in nanoseconds."""
NEAR = 2.0
"""Seconds by which that may differ from the time that it states, which is in whole seconds."""


class Recording(Struct, frozen=True):
    """What was seen, in the order of its time."""

    source: str
    form: str
    """trace, events or watch (of whole objects)."""
    entries: tuple[dict[str, Any], ...]
    """As in the recordings: t in seconds, kind, object, event, changes; of an Event type, reason, message, count.

    `dated` is false where nothing in an object says when it was written.
    """
    deletions: bool = True
    """Whether it would show that an object is gone."""
    zero: float | None = None
    """The second, from 1970, of t = 0, where the recording bears dates."""


def read(text: str, source: str, *, most: int | None = None) -> Recording:
    """Raises BadInput with what was found, where, and what is allowed, such as `most` entries."""
    recording = _read(text, source)
    found = len(recording.entries)
    _refuse([f"{source}: found {found:,} entries; allowed: at most {most:,}"] if most and found > most else [])
    return recording


def _read(text: str, source: str) -> Recording:
    documents = _documents(text, source)
    found = documents[0] if len(documents) == 1 else None
    if isinstance(found, dict) and "trace" in found:
        return _trace(found["trace"], source, f"{source}: trace")
    if isinstance(found, list):
        return _trace(found, source, source)
    if isinstance(found, dict) and isinstance(found.get("items"), list) and _only_events(found["items"]):
        return _events(found["items"], source)
    rows = [row for document in documents for row in _unlisted(document)]
    for at, row in enumerate(rows):
        body = row.get("object", row) if isinstance(row, dict) and LISTED not in row else row
        if not isinstance(body, dict) or "kind" not in body or not isinstance(body.get("metadata"), dict):
            if isinstance(row, dict) and LISTED in row:
                continue
            place = f"{source}: document {at + 1}" if len(rows) > 1 else source
            said = f"an object with {listed(list(row), 'nothing in it')}" if isinstance(row, dict) else _told(row)
            raise BadInput([f"{place}: found {printable(said)}; allowed: {ALLOWED}"])
    return _watch(rows, source)


def _only_events(items: Sequence[Any]) -> bool:
    return all(isinstance(row, dict) and row.get("kind") == "Event" for row in items)


def _unlisted(document: Any) -> list[Any]:
    """The items of a list, with a mark behind them that says so; anything else is itself."""
    if not isinstance(document, dict) or not isinstance(document.get("items"), list):
        return [document]
    kind = str(document.get("kind", "")).removesuffix("List")
    items = [{"kind": kind} | row if isinstance(row, dict) else row for row in document["items"]]
    return [*items, {LISTED: items}]


def _documents(text: str, source: str) -> list[Any]:
    """One JSON document after the other, or YAML as kubectl separates it."""
    if not YAML.match(text.lstrip("\ufeff \t\r\n")):
        return _json(text, source)
    reading = read_documents(text, source)
    if reading.problems or not reading.documents:
        told = reading.problems[0] if reading.problems else f"{source}: found nothing"
        raise BadInput([f"{told}; allowed: JSON or YAML: {ALLOWED}"])
    return [plain(document.root) for document in reading.documents]


def _told(value: Any) -> str:
    """A value of any kind, as JSON, not too long."""
    return printable(shown(json.dumps(value, ensure_ascii=False))[1:-1])


def _json(text: str, source: str) -> list[Any]:
    """One document after the other; there is at least one."""
    found: list[Any] = []
    decoder, at = json.JSONDecoder(), 0
    try:
        while not found or at < len(text):
            value, at = decoder.raw_decode(text, _past_space(text, at))
            found.append(value)
            at = _past_space(text, at)
        json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadInput([f"{source}: found no JSON: {error.msg} at {where}; allowed: {ALLOWED}"]) from None
    except RecursionError:
        raise BadInput([f"{source}: found JSON that is nested too deep; allowed: {ALLOWED}"]) from None
    except UnicodeEncodeError:
        raise BadInput([f"{source}: found half of a surrogate pair; allowed: text"]) from None
    except ValueError as error:
        # A number of more digits than are read.
        raise BadInput([f"{source}: {error}; allowed: {ALLOWED}"]) from None
    return found


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _watch(documents: Sequence[Any], source: str) -> Recording:
    """Events among the objects as last seen; the others by what changed in them."""
    typed = [_typed(row) for row in documents]
    wrong = [shown(str(verb)) for verb, _ in typed if verb not in ("", "BOOKMARK", LISTED, *VERBS)]
    _refuse([f"{source}: type: found {verb}; allowed: {', '.join(VERBS)}" for verb in wrong])
    one_by_one = [body for verb, body in typed if verb != LISTED]
    last = {_told(body["metadata"].get("name")): body for body in one_by_one if body["kind"] == "Event"}
    objects = [row for row in typed if row[0] == LISTED or (row[1]["kind"] != "Event" and row[0] != "BOOKMARK")]
    if all(verb == LISTED for verb, _ in objects):
        return _events(list(last.values()), source)
    found, problems = watched.entries(objects, source)
    seen, more = _dated_events(list(last.values()), source)
    _refuse(problems + more)
    # What is not in a list at the end is gone.
    deletions = any(verb in VERBS for verb, _ in typed) or typed[-1][0] == LISTED
    zero, entries = _in_order([*found, *seen], source)
    return Recording(source, "watch", entries, deletions, zero)


def _typed(row: Mapping[str, Any]) -> tuple[str, Any]:
    """What kubectl says of an object, where it does, and the object; or that all these were listed."""
    if LISTED in row:
        return LISTED, row[LISTED]
    return (row.get("type", ""), row["object"]) if "object" in row else ("", row)


def _trace(rows: Any, source: str, where: str) -> Recording:
    if not isinstance(rows, list):
        raise BadInput([f"{where}: found {_told(rows)}; allowed: a list of entries"])
    _refuse([problem for at, row in enumerate(rows) for problem in _faults(row, f"{where}[{at}]")])
    _refuse([] if rows else [f"{where}: found no entry; allowed: at least one"])
    return Recording(source, "trace", tuple(sorted(rows, key=lambda row: float(row["t"]))))


def _faults(row: Any, where: str) -> Iterator[str]:
    """What is wrong with one entry of a trace."""
    if not isinstance(row, dict):
        yield f"{where}: found {_told(row)}; allowed: an object with t, kind, object and event"
        return
    if not _is_number(row.get("t")):
        yield f"{where}.t: found {_told(row.get('t'))}; allowed: a number of seconds"
    needed = ("kind", "object", "event", *(("reason",) if row.get("kind") == "Event" else ()))
    texts = [*needed, *(name for name in ("type", "message", "writer", "owner") if name in row)]
    for name in texts:
        if not isinstance(row.get(name), str):
            yield f"{where}.{name}: found {_told(row.get(name))}; allowed: a text"
    if isinstance(row.get("event"), str) and row["event"] not in VERBS:
        yield f"{where}.event: found {_told(row['event'])}; allowed: {', '.join(VERBS)}"
    changes = row.get("changes", [])
    if not isinstance(changes, list):
        yield f"{where}.changes: found {_told(changes)}; allowed: a list of objects with path, before and after"
        return
    for at, change in enumerate(changes):
        if not isinstance(change, dict) or not isinstance(change.get("path"), str):
            yield f"{where}.changes[{at}]: found {_told(change)}; allowed: an object with path, before and after"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _events(items: Sequence[Any], source: str) -> Recording:
    kinds = sorted({str(row.get("kind")) if isinstance(row, dict) else _told(row) for row in items} - {"Event"})
    if kinds or not items:
        raise BadInput([f"{source}: items: found {', '.join(kinds) or 'nothing'}; allowed: Events. {ALLOWED}"])
    found, problems = _dated_events(items, source)
    _refuse(problems)
    zero, entries = _in_order(found, source)
    return Recording(source, "events", entries, zero=zero)


def _dated_events(items: Sequence[Any], source: str) -> tuple[list[watched.Dated], list[str]]:
    problems: list[str] = []
    found: list[watched.Dated] = []
    for at, row in enumerate(items):
        try:
            found += _event(row)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            problems.append(
                f"{source}: Event {at + 1}: found {shown(str(error.args[0]))} amiss; allowed: an Event with "
                "involvedObject, reason and firstTimestamp or eventTime"
            )
    return found, problems


def _in_order(found: list[watched.Dated], source: str) -> tuple[float, tuple[dict[str, Any], ...]]:
    """The first time that is known, and all by time counted from it."""
    if not found:
        raise BadInput(
            [f"{source}: found objects in which nothing changes; allowed: a watch during which something does"]
        )
    found.sort(key=lambda pair: pair[0])
    zero = next((at for at, entry in found if entry.get("dated", True)), found[0][0])
    return zero, tuple(entry | {"t": round(max(at - zero, 0), 3)} for at, entry in found)


def since(recording: Recording, text: str) -> Recording:
    """What was recorded at a time or later: a date, or a duration after the recording's first entry."""
    try:
        after = durations.parse(text) / 1000
    except ValueError:
        after = _after(recording, text)
    kept = tuple(row for row in recording.entries if row["t"] >= after)
    if not kept:
        raise BadInput([f"since {shown(text)}: nothing was recorded then or later"])
    return replace(recording, entries=kept)


def _after(recording: Recording, text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        allowed = f"a duration such as {durations.ALLOWED}, or a date such as 2026-05-06T07:08:09Z"
        raise BadInput([f"since: found {shown(text)}; allowed: {allowed}"]) from None
    if recording.zero is None:
        raise BadInput([f"since: found a date, but {recording.source} has none; allowed: {durations.ALLOWED}"])
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - recording.zero


def _event(row: Mapping[str, Any]) -> Iterator[tuple[float, dict[str, Any]]]:
    """An Event when it was first seen and, where it came again, when it was last seen."""
    about = row["involvedObject"]
    series = row.get("series") or {}
    first = _seconds(row.get("firstTimestamp") or row.get("eventTime") or row.get("lastTimestamp"))
    last = _seconds(series.get("lastObservedTime") or row.get("lastTimestamp") or row.get("firstTimestamp"), first)
    count = int(row.get("count") or series.get("count") or 1)
    path = "/".join(part for part in (about.get("namespace", ""), about["name"]) if part)
    entry = {
        "kind": "Event",
        "object": f"{about['kind']} {path}",
        "event": "ADDED",
        "writer": (row.get("source") or {}).get("component") or row.get("reportingComponent") or "",
        "type": str(row.get("type") or "Normal"),
        "reason": str(row["reason"]),
        "message": str(row.get("message") or "").strip(),
        "count": 1,
    }
    exact = _sharper(first, row)
    yield exact, entry
    if count > 1:
        yield max(last, exact), entry | {"event": "MODIFIED", "count": count}


def _seconds(text: str | None, otherwise: float | None = None) -> float:
    if not text:
        if otherwise is None:
            raise KeyError("firstTimestamp")
        return otherwise
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()


def _sharper(first: float, row: Mapping[str, Any]) -> float:
    """The first time to the millisecond, which the recorder puts into the Event's name."""
    match = STAMP.search(str((row.get("metadata") or {}).get("name", "")))
    exact = int(match[1], 16) / 1e9 if match else first
    return exact if abs(exact - first) <= NEAR else first


def _refuse(problems: list[str]) -> None:
    if problems:
        more = [f"and {len(problems) - MOST_PROBLEMS} more"] if len(problems) > MOST_PROBLEMS else []
        raise BadInput([*problems[:MOST_PROBLEMS], *more])
