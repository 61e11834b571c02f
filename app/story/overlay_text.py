"""An overlay for a terminal and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.kube.quoting import printable
from app.story.overlaying import Overlay, Pair, Seen, largest, rows
from app.story.play import Play
from app.story.recordings import Recording

MARKS = {
    "same": "=",
    "time": "= other time",
    "text": "= other words",
    "recorded": "+ only recorded",
    "modelled": "- only modelled",
}
WIDTH = max(map(len, MARKS.values()))
MOST_NAMED = 8


def plain(recording: Recording, found: Overlay) -> str:
    """Three columns: recorded time, modelled time, what; a summary below."""
    told = [f"{'recorded':>10} {'modelled':>10}"]
    for group in rows(found):
        one = group[0]
        times = f"{time_of(one.recorded):>10} {time_of(one.modelled):>10}"
        told.append(f"{times}  {MARKS[one.state]:{WIDTH}}  {one.one.object}: {'; '.join(map(said, group))}")
    told += ["", *summary(recording, found)]
    return "\n".join(map(printable, told)) + "\n"


def summary(recording: Recording, found: Overlay) -> list[str]:
    """How much matches, by how much times differ, and what to know to judge it."""
    matched = found.count("same") + found.count("time") + found.count("text")
    more = [
        f"{found.count(state)} {words}"
        for state, words in (("time", "at another time"), ("text", "in other words"))
        if found.count(state)
    ]
    partly = f" ({', '.join(more)})" if more else ""
    only = f"{found.count('recorded')} only recorded, {found.count('modelled')} only modelled."
    told = [f"{matched} match{partly}, {only}"]
    apart = largest(found)
    if apart:
        told.append(f"Largest differences in time: {'; '.join(map(_apart, apart))}.")
    late = _after(recording, found)
    if late:
        told.append(f"Of what is only modelled, {late} came after the last entry of the recording.")
    return told + notes(recording, found)


def notes(recording: Recording, found: Overlay) -> list[str]:
    """What to know to judge the numbers."""
    told = [f"Times count as the same when they are within {found.tolerance:g} s or 6 % of the time that has passed."]
    if recording.form != "trace":
        told.append(
            f"The recording bears dates: it was moved by {found.shift:+.3f} s, where most of what matches has the "
            "same time."
            if any(pair.recorded and pair.modelled for pair in found.pairs)
            else "The recording bears dates, and nothing in it matches: it begins at 0."
        )
    if any(pair.recorded and not pair.recorded.dated for pair in found.pairs):
        told.append("?: the object does not say when it was written; such times are not compared.")
    if not recording.deletions:
        told.append(
            "Deletions do not show, unless another object of the same name came: kubectl tells of them with "
            "--output-watch-events, and a list after the watch shows what is gone."
        )
    if found.unknown:
        told.append(f"The walk does nothing with: {_named(found.unknown)}.")
    if found.left_out:
        told.append(f"Left out, as the recording has none of it: {_named(found.left_out)}.")
    return told


def report(recording: Recording, found: Overlay, played: Play) -> dict[str, Any]:
    """The same for programs."""
    return {
        "recording": {"source": recording.source, "form": recording.form, "entries": len(recording.entries)},
        "flow": played.flow.id,
        "scene": played.setup.scene,
        "settings": dict(played.setup.settings),
        "shift": found.shift,
        "tolerance": found.tolerance,
        "counts": {state: found.count(state) for state in MARKS},
        "after_the_recording": _after(recording, found),
        "largest": [_row(pair) for pair in largest(found)],
        "unknown": list(found.unknown),
        "left_out": list(found.left_out),
        "rows": [_row(pair) for pair in found.pairs],
    }


def _row(pair: Pair) -> dict[str, Any]:
    return {
        "state": pair.state,
        "object": pair.one.object,
        "path": pair.one.path,
        "recorded": _side(pair.recorded),
        "modelled": _side(pair.modelled),
        "apart": pair.apart,
    }


def _side(seen: Seen | None) -> dict[str, Any] | None:
    return None if seen is None else {"at": seen.at if seen.dated else None, "value": seen.said}


def time_of(seen: Seen | None) -> str:
    """In seconds; `?` where nothing tells, empty where there is none."""
    if seen is None:
        return ""
    return f"{seen.at:.3f}" if seen.dated else "?"


def said(pair: Pair) -> str:
    """What came about, as recorded, and what the model says instead."""
    one = pair.one
    told = f"{one.path} {one.said}".strip()
    if pair.recorded is None or pair.modelled is None or pair.recorded.said == pair.modelled.said:
        return told
    return f"{told} (modelled: {pair.modelled.said})"


def _apart(pair: Pair) -> str:
    return f"{pair.apart:+.3f} s, {pair.one.object} {pair.one.path}"


def _after(recording: Recording, found: Overlay) -> int:
    """How much of what is only modelled the recording did not last for."""
    end = recording.entries[-1]["t"] + found.shift
    return sum(pair.state == "modelled" and pair.one.at > end for pair in found.pairs)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
