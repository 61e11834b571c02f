"""The JSON of a walk: its keys are a promise to other tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from app.catalog import own_words
from app.kube.objects import to_wire
from app.sim.maps import ordered
from app.sim.walk import Record
from app.story import who_first
from app.story.events import newest
from app.story.fact import Fact
from app.story.play import Answered, Play, differences, output
from app.story.terminal import kubectl
from app.story.words import title


def report(played: Play, facts: Mapping[str, Fact] | None = None) -> dict[str, Any]:
    """Everything about one walk, with the facts that were asked for."""
    walk = played.walk
    told = {"facts": [_fact_row(name, fact) for name, fact in facts.items()]} if facts else {}
    if played.flow.about_memory:
        told["orders"] = [{"step": row.n} | to_builtins(found) for row, found in who_first.first_orders(walk)]
    return told | {
        "flow": played.flow.id,
        "kubernetes": played.setup.release.name,
        "scene": played.setup.scene,
        "settings": dict(played.setup.settings),
        "target": str(played.target),
        "clock": walk.world.now / 1000,
        "stopped": walk.stopped,
        "steps": [step_row(played, row) for row in walk.steps],
        "events": [
            {
                "at": event.at / 1000,
                "type": event.type,
                "reason": event.reason,
                "object": str(event.object),
                "from": event.source,
                "count": event.count,
                "message": event.message,
            }
            for event in newest(walk)
        ],
        "verdicts": [verdict_row(row) for row in played.verdicts],
        "symptoms": [{"id": row.id, "step": row.step} for row in played.symptoms if row.present],
        "kubectl": kubectl(played, len(played.steps)),
        "output": [
            {"at": at / 1000, "command": command, "stream": line.stream, "text": line.text}
            for at, command, line in output(played, len(played.steps))
        ],
        "objects": [
            to_wire(stored.object) | {"metadata": _with_version(stored.object, stored.version)}
            for _, stored in ordered(walk.world.etcd.objects)
        ],
        "assumed": [
            {"what": what, "names": list(names), "text": own_words.sentence(what, names)}
            for what, names in played.setup.assumed
        ],
        "not_modelled": [{"object": name, "path": path} for name, path in played.setup.not_modelled],
        "dropped": [{"object": name, "path": path, "since": since} for name, path, since in played.setup.dropped],
    }


def _fact_row(name: str, fact: Fact) -> dict[str, Any]:
    ends = {} if fact.least is None else {"least": fact.least, "most": fact.most}
    return {"id": name, "value": fact.value, "unit": fact.unit, "step": fact.step} | ends | {"more": dict(fact.more)}


def step_row(played: Play, row: Record) -> dict[str, Any]:
    """One step."""
    step = row.step
    return {
        "n": row.n,
        "id": row.id,
        "at": step.at / 1000,
        "loop": step.loop,
        "node": step.node,
        "from": step.sender,
        "to": step.to,
        "verb": step.verb,
        "object": str(step.object),
        "outcome": step.outcome,
        "reason": step.reason,
        "cause": row.cause,
        "moment": step.moment,
        "title": title(played.flow, row),
        "folded": row.folded,
        "changes": [
            {"object": change.object, "path": change.path, "before": change.before, "after": change.after}
            for change in differences(row)
        ],
    }


def verdict_row(row: Answered) -> dict[str, Any]:
    """One verdict; `least` and `most` where it is a range, `varies` and `exact` only when orders were searched."""
    found: dict[str, Any] = {
        "id": row.id,
        "value": row.value,
        "unit": row.unit,
        "ok": row.ok,
        "step": row.step,
        "text": row.text,
    }
    if row.exact is None and row.least is not None:
        found |= {"least": row.least, "most": row.most}
    if row.exact is not None:
        found |= {"least": row.least, "most": row.most, "varies": list(row.varies), "exact": row.exact}
    return found


def _with_version(obj: Any, version: int) -> dict[str, Any]:
    meta: dict[str, Any] = to_wire(obj)["metadata"]
    return meta | {"resourceVersion": str(version)}


def as_json(value: Any) -> str:
    """Readable and stable: the same walk gives the same bytes."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
