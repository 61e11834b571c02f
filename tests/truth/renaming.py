"""A model's trace with the names that a recording generated, on the nodes that it picked."""

from __future__ import annotations

import json
import re
from typing import Any


def renamed(truth: list[dict[str, Any]], model: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The model's trace with the recording's generated names.

    Names of generated objects mean nothing. They are matched by kind, by what made them and by order of appearance;
    the recording's own tool matches by order of appearance alone, and so takes an old pod of a rollout for a new one.
    """
    names = _runs(truth, model)
    for kind in ("ReplicaSet", "Pod", "EndpointSlice"):
        recorded, mine = _families(truth, kind, {}), _families(model, kind, names)
        for family, found in mine.items():
            names |= dict(zip(found, recorded.get(family, ()), strict=False))
    recorded_uids = _uids(truth)
    names |= {uid: recorded_uids[pod] for pod, uid in _uids(model).items() if pod in recorded_uids}
    recorded_hashes = _revisions(truth)
    for owner, hashes in _revisions(model).items():
        names |= dict(zip(hashes, recorded_hashes.get(owner, ()), strict=False))
    longest = sorted(names, key=len, reverse=True)
    text = json.dumps(model)
    for at, name in enumerate(longest):
        text = text.replace(name, f"<{at}>")
    for at, name in enumerate(longest):
        text = text.replace(f"<{at}>", names[name])
    whole: list[dict[str, Any]] = json.loads(text)
    return whole


def _families(entries: list[dict[str, Any]], kind: str, names: dict[str, str]) -> dict[tuple[str, bool], list[str]]:
    """Names of a kind in order of appearance, by what made them and (for ReplicaSets) whether they are new."""
    found: dict[tuple[str, bool], list[str]] = {}
    known: set[str] = set()
    for entry in entries:
        if entry["kind"] != kind:
            continue
        name = entry["object"].split("/", 1)[-1]
        maker, dash, suffix = name.rpartition("-")
        if name in known or not re.fullmatch(r"[a-z0-9]{5,10}", suffix) or not dash:
            continue
        known.add(name)
        new = kind == "ReplicaSet" and entry["event"] == "ADDED"
        found.setdefault((names.get(maker, maker), new), []).append(name)
    return found


def _runs(truth: list[dict[str, Any]], model: list[dict[str, Any]]) -> dict[str, str]:
    """The Jobs of CronJobs, whose names end in the minute of the clock: those of the model's clock by the recording's.

    The first new Job of a name that all have is that of the same minute.
    """
    recorded, mine = _minutes(truth), _minutes(model)
    ahead = {recorded[maker] - mine[maker] for maker in recorded.keys() & mine.keys()}
    by = max(ahead, default=0)
    made = {
        f"{maker}-{minute + at}": f"{maker}-{minute + at + by}" for maker, minute in mine.items() for at in range(-9, 9)
    }
    return made if ahead else {}


def _minutes(entries: list[dict[str, Any]]) -> dict[str, int]:
    """The minute of the first new Job of each CronJob."""
    found: dict[str, int] = {}
    for entry in entries:
        maker, _, minute = entry["object"].rpartition("/")[2].rpartition("-")
        if entry["kind"] == "Job" and entry["event"] == "ADDED" and re.fullmatch(r"\d{8}", minute):
            found.setdefault(maker, int(minute))
    return found


def _uids(entries: list[dict[str, Any]]) -> dict[str, str]:
    """The uids of pods that messages name, by `NAME_NAMESPACE`."""
    return dict(re.findall(r"([a-z0-9.-]+_[a-z0-9-]+)\(([0-9a-f-]{36})\)", json.dumps(entries)))


def _revisions(entries: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The hashes of templates that each StatefulSet names, in order of appearance."""
    found: dict[str, dict[str, None]] = {}
    for entry in entries:
        for change in entry.get("changes", []):
            if change["path"] in ("status.currentRevision", "status.updateRevision"):
                found.setdefault(entry["object"], {}).setdefault(change["after"])
    return {owner: list(hashes) for owner, hashes in found.items()}


def placed(truth: list[dict[str, Any]], model: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The model's trace with the recorded node of each newly bound pod: a scheduler picks among equals at random."""
    node_of = dict(_bindings(truth))
    found = []
    for row in model:
        entry = row
        pod = entry["object"].removeprefix("Pod ")
        if pod in node_of:
            entry = json.loads(json.dumps(row))
            for change in entry.get("changes", []):
                if change["path"] == "spec.nodeName":
                    change["after"] = node_of[pod]
            if entry.get("reason") == "Scheduled":
                entry["message"] = re.sub(r" to \S+$", f" to {node_of[pod]}", entry["message"])
        found.append(entry)
    return found


def _bindings(entries: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [
        (entry["object"], change["after"])
        for entry in entries
        for change in entry.get("changes", [])
        if entry["kind"] == "Pod" and change["path"] == "spec.nodeName"
    ]
