"""What a client that watches everything would have seen, in the form of the recordings."""

from __future__ import annotations

from typing import Any

from app.kube.objects import Object
from app.sim.flatten import changes, flat
from app.sim.step import Commit, Step
from app.sim.walk import Walk
from app.story.events import recorded

# Signs of life, which the recordings leave out, too.
LEFT_OUT = frozenset({"kube-node-lease"})
ON_CREATION = {"Deployment": {"spec.replicas"}, "StatefulSet": {"spec.replicas"}}


def trace(walk: Walk) -> list[dict[str, Any]]:
    """Every change of an object and every Event, in order, with the time in seconds."""
    rows: list[tuple[int, dict[str, Any]]] = []
    for at, row in enumerate(walk.records):
        rows += [(at, entry) for commit in row.step.commits if (entry := _entry(row.step, commit)) is not None]
    for at, event in recorded(walk):
        rows.append((_whole(walk, at), event.entry()))
    return [entry for _, entry in sorted(rows, key=lambda pair: pair[0])]


def _whole(walk: Walk, at: int) -> int:
    """The last record of what the API server does about one request: Events are sent when it has answered."""
    while at + 1 < len(walk.records) and walk.records[at + 1].step.loop == "api-server":
        at += 1
    return at


def _entry(step: Step, commit: Commit) -> dict[str, Any] | None:
    if commit.ref.namespace in LEFT_OUT:
        return None
    entry: dict[str, Any] = {"t": step.at / 1000, "kind": commit.ref.kind, "object": commit.ref.path}
    if commit.after is None:
        return entry | {"event": "DELETED"}
    if commit.before is None:
        entry["event"] = "ADDED"
    else:
        entry["event"] = "MODIFIED"
    if commit.writer:
        entry["writer"] = commit.writer
    if commit.before is None:
        owner = commit.after.metadata.controller
        if owner is not None:
            entry["owner"] = f"{owner.kind}/{owner.name}"
        found = [{"path": path, "after": value} for path, value in born(commit.after)]
        return entry | ({"changes": found} if found else {})
    differing = changes(commit.before, commit.after)
    if not differing:
        return None
    return entry | {"changes": [{"path": path, "before": old, "after": new} for path, old, new in differing]}


def born(obj: Object) -> list[tuple[str, object]]:
    """The fields that a recording shows of a new object."""
    return [
        (path, value)
        for path, value in flat(obj).items()
        if not path.startswith(("metadata.deletion", "endpoints[", "status.conditions"))
    ]
