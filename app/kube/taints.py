"""Taints and the tolerations that a pod has for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from app.kube.nodes import Taint
from app.kube.pods import Toleration

UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
KEPT_AWAY = ("NoSchedule", "NoExecute")

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def parse_taint(text: str) -> Taint:
    """`KEY[=VALUE]:EFFECT` as kubectl takes it; ValueError says what is allowed."""
    pair, colon, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    if not colon or not key or effect not in EFFECTS:
        raise ValueError(f'found "{text}"; allowed: KEY[=VALUE]:EFFECT, with an effect of {", ".join(EFFECTS)}')
    return Taint(key, effect, value)


def tolerates(toleration: Toleration, taint: Taint, *, comparisons: bool = False) -> bool:
    """ToleratesTaint; `comparisons` is the gate of Lt and Gt, which is off in released versions."""
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case "Lt" | "Gt" if comparisons and _INTEGER.fullmatch(toleration.value) and _INTEGER.fullmatch(taint.value):
            difference = int(taint.value) - int(toleration.value)
            return difference < 0 if toleration.operator == "Lt" else difference > 0
        case _:
            return False


def untolerated(
    taints: Iterable[Taint],
    tolerations: Sequence[Toleration],
    effects: Collection[str] = KEPT_AWAY,
    *,
    comparisons: bool = False,
) -> Taint | None:
    """The first taint with one of these effects that nothing tolerates."""
    return next(
        (
            taint
            for taint in taints
            if taint.effect in effects
            and not any(tolerates(row, taint, comparisons=comparisons) for row in tolerations)
        ),
        None,
    )


def seconds_until_evicted(taints: Iterable[Taint], tolerations: Sequence[Toleration]) -> int | None:
    """How long a pod may stay under NoExecute taints: 0 is not at all, None for ever.

    Of each taint the first matching toleration counts, and of these the shortest (getMinTolerationTime).
    """
    limits: list[int | None] = []
    for taint in taints:
        if taint.effect != "NoExecute":
            continue
        used = next((row for row in tolerations if tolerates(row, taint)), None)
        if used is None:
            return 0
        limits.append(used.tolerationSeconds)
    return shortest(limits) if limits else None


def shortest(limits: Sequence[int | None]) -> int | None:
    """The least of the seconds that are set, None if none is; where nothing is tolerated 0 (getMinTolerationTime)."""
    finite = [seconds for seconds in limits if seconds is not None]
    return max(0, min(finite)) if finite else None if limits else 0
