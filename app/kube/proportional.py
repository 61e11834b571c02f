"""What scaling a Deployment in the middle of a rollout does to its ReplicaSets: each gets its share."""

from __future__ import annotations

from collections.abc import Sequence

from app.kube.rollout import (
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    Scaling,
    by_age,
    desired,
    max_surge,
    rolling,
    scale_old_to_zero,
    size,
    total_replicas,
)
from app.kube.workloads import Deployment, ReplicaSet


def is_scaling_event(deployment: Deployment, sets: Sequence[ReplicaSet]) -> bool:
    """Whether the wanted number changed since an active ReplicaSet was last written."""
    noted = (_number(row, DESIRED_REPLICAS) for row in sets if size(row.spec.replicas) > 0)
    return any(number is not None and number != desired(deployment) for number in noted)


def scale(deployment: Deployment, new: ReplicaSet | None, old: Sequence[ReplicaSet]) -> tuple[Scaling, ...]:
    """The writes of a sync that only scales (DeploymentController.scale).

    One whose size stays only renews the annotations, and is no event.
    """
    only = _active_or_latest(new, old)
    if only is not None:
        step = Scaling(only.metadata.name, size(only.spec.replicas), desired(deployment))
        return (step,) if step.before != step.after else ()
    if new is not None and _saturated(deployment, new):
        return scale_old_to_zero(old)
    if not rolling(deployment):
        return ()
    return _proportional(deployment, [row for row in (*old, *([new] if new else [])) if size(row.spec.replicas) > 0])


def _proportional(deployment: Deployment, active: Sequence[ReplicaSet]) -> tuple[Scaling, ...]:
    replicas = desired(deployment)
    allowed = replicas + max_surge(deployment) if replicas > 0 else 0
    wanted = allowed - total_replicas(active)
    # The largest first; of equal ones, growing prefers the newer and shrinking the older.
    ordered = by_age(active) if wanted < 0 else by_age(active)[::-1]
    ordered.sort(key=lambda row: -size(row.spec.replicas))

    added, sizes = 0, []
    for row in ordered:
        share = _share(deployment, row, wanted, added)
        added += share
        sizes.append(size(row.spec.replicas) + share)
    sizes[0] = max(0, sizes[0] + wanted - added)
    return tuple(
        Scaling(row.metadata.name, size(row.spec.replicas), after) for row, after in zip(ordered, sizes, strict=True)
    )


def _share(deployment: Deployment, row: ReplicaSet, wanted: int, added: int) -> int:
    """GetReplicaSetProportion: in proportion to what the ReplicaSet had of the former maximum."""
    if wanted == added:
        return 0
    current = size(row.spec.replicas)
    left = wanted - added
    if desired(deployment) == 0:
        return max(-current, left)
    former = _number(row, MAX_REPLICAS) or deployment.status.replicas
    if former == 0:
        return 0
    # Half away from zero, as Go's integer.RoundToInt32; both factors are positive.
    grown = (2 * current * (desired(deployment) + max_surge(deployment)) + former) // (2 * former)
    share = grown - current
    return min(share, left) if wanted > 0 else max(share, left)


def _active_or_latest(new: ReplicaSet | None, old: Sequence[ReplicaSet]) -> ReplicaSet | None:
    sets = by_age(old)[::-1]
    active = [row for row in (*sets, *([new] if new else [])) if size(row.spec.replicas) > 0]
    if len(active) == 1:
        return active[0]
    if active:
        return None
    return new or next(iter(sets), None)


def _saturated(deployment: Deployment, new: ReplicaSet) -> bool:
    replicas = desired(deployment)
    return (
        size(new.spec.replicas) == replicas
        and _number(new, DESIRED_REPLICAS) == replicas
        and new.status.availableReplicas == replicas
    )


def _number(row: ReplicaSet, annotation: str) -> int | None:
    text = row.metadata.annotations.get(annotation) or ""
    return int(text) if text.isascii() and text.isdigit() else None
