"""A scheduler that puts pods where a recording had them at its start: the real one picks among equals at random."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from msgspec.structs import replace

from app.kube.pods import Pod
from app.loops import scheduler
from app.loops.registry import LOOPS
from app.sim.acts import Act, Bind
from app.sim.engine import Model
from app.sim.loop import Turn

HASH = re.compile(r"-[a-z0-9]{6,10}$")


def placing(setup: dict[str, Any]) -> Model:
    """All loops, with that scheduler instead of the real one."""
    places: dict[str, list[str]] = defaultdict(list)
    for row in sorted(setup["pods_at_start"], key=lambda row: str(row["pod"])):
        places[_family(row["owner"], row["pod"])].append(row["node"] or "")

    def reconcile(turn: Turn) -> Any:
        pod = turn.read(Pod, turn.key)
        if pod is None or pod.spec.nodeName or pod.finished:
            return None
        owner = pod.metadata.controller
        if owner is not None and owner.kind == "DaemonSet":
            # Its pods name their node themselves.
            return scheduler.reconcile(turn)
        family = _family(f"{owner.kind}/{owner.name}" if owner else None, pod.metadata.name)
        taken = sum(_same(other, pod, family) for other in turn.all(Pod, pod.metadata.namespace))
        nodes = places[family]
        node = nodes[taken] if taken < len(nodes) else ""
        return Act("bind", pod.ref, request=Bind(pod.ref, node)) if node else scheduler.reconcile(turn)

    return Model(replace(loop, reconcile=reconcile) if loop.name == "scheduler" else loop for loop in LOOPS)


def _family(owner: str | None, pod: str) -> str:
    """What made the pod, without the hash that differs."""
    return HASH.sub("", owner) if owner and owner.startswith("ReplicaSet/") else f"{owner} {'' if owner else pod}"


def _same(other: Pod, pod: Pod, family: str) -> bool:
    owner = other.metadata.controller
    same = _family(f"{owner.kind}/{owner.name}" if owner else None, other.metadata.name) == family
    return same and other.metadata.name != pod.metadata.name and bool(other.spec.nodeName)
