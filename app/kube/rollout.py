"""How many replicas a Deployment's ReplicaSets get while it rolls out: pkg/controller/deployment, as plain sums."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.kube.workloads import Deployment, ReplicaSet, RollingUpdateDeployment

DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"
REVISION = "deployment.kubernetes.io/revision"

_PERCENT = re.compile(r"[+-]?[0-9]+%", re.ASCII)


class Scaling(NamedTuple):
    """One write of `spec.replicas`, which is one ScalingReplicaSet event."""

    name: str
    before: int
    after: int

    @property
    def message(self) -> str:
        direction = "up" if self.after > self.before else "down"
        return f"Scaled {direction} replica set {self.name} from {self.before} to {self.after}"


# Numbers and percentages.


def resolved(value: int | str, total: int, *, round_up: bool) -> int:
    """GetScaledValueFromIntOrPercent: a number as it is, a percentage of `total`."""
    if isinstance(value, int):
        return value
    if not _PERCENT.fullmatch(value):
        raise ValueError(f'found "{value}"; allowed: a number, or a percentage such as 25%')
    product = int(value[:-1]) * total
    return -(-product // 100) if round_up else product // 100


def fenceposts(max_surge: int | str | None, max_unavailable: int | str | None, replicas: int) -> tuple[int, int]:
    """ResolveFenceposts: surge rounds up, unavailable down; both zero would never move, so one may be missing."""
    surge = resolved(max_surge or 0, replicas, round_up=True)
    unavailable = resolved(max_unavailable or 0, replicas, round_up=False)
    return surge, unavailable or (1 if surge == 0 else 0)


def desired(deployment: Deployment) -> int:
    return size(deployment.spec.replicas)


def size(replicas: int | None) -> int:
    """Unset means one."""
    return 1 if replicas is None else replicas


def rolling(deployment: Deployment) -> bool:
    return deployment.spec.strategy.type == "RollingUpdate"


def max_unavailable(deployment: Deployment) -> int:
    """How many pods may be missing, never more than there are; none unless it rolls."""
    replicas = desired(deployment)
    if not rolling(deployment) or replicas == 0:
        return 0
    return min(_fenceposts(deployment)[1], replicas)


def max_surge(deployment: Deployment) -> int:
    """How many pods there may be beyond the wanted ones; none unless it rolls."""
    return _fenceposts(deployment)[0] if rolling(deployment) else 0


def _fenceposts(deployment: Deployment) -> tuple[int, int]:
    rule = _rule(deployment)
    return fenceposts(rule.maxSurge, rule.maxUnavailable, desired(deployment))


def _rule(deployment: Deployment) -> RollingUpdateDeployment:
    return deployment.spec.strategy.rollingUpdate or RollingUpdateDeployment()


def replica_annotations(deployment: Deployment) -> dict[str, str]:
    """What every write of a ReplicaSet's size notes on it, so that later scaling can be told from rolling."""
    replicas = desired(deployment)
    return {DESIRED_REPLICAS: str(replicas), MAX_REPLICAS: str(replicas + max_surge(deployment))}


# Sums over ReplicaSets. Terminating pods count nowhere here: pods can exceed replicas + surge for a while.


def total_replicas(sets: Sequence[ReplicaSet]) -> int:
    return sum(size(row.spec.replicas) for row in sets)


def total_available(sets: Sequence[ReplicaSet]) -> int:
    return sum(row.status.availableReplicas for row in sets)


# The new ReplicaSet.


def new_replicas(deployment: Deployment, old: Sequence[ReplicaSet], current: int) -> int:
    """NewRSNewReplicas: the size of the new ReplicaSet that now has `current` replicas, or is to be made with 0."""
    replicas = desired(deployment)
    if not rolling(deployment):
        return replicas
    # maxSurge alone is asked here, not the fenceposts.
    surge = resolved(_rule(deployment).maxSurge or 0, replicas, round_up=True)
    room = replicas + surge - total_replicas(old) - current
    return current if room <= 0 else current + min(room, replicas - current)


def scale_new(deployment: Deployment, new: ReplicaSet, old: Sequence[ReplicaSet]) -> Scaling | None:
    """What is done to the new ReplicaSet, which comes before anything is done to old ones."""
    current, replicas = size(new.spec.replicas), desired(deployment)
    after = replicas if current >= replicas else new_replicas(deployment, old, current)
    return Scaling(new.metadata.name, current, after) if after != current else None


# Old ReplicaSets: unhealthy pods first, then as many healthy ones as availability allows.


def scale_old(deployment: Deployment, new: ReplicaSet, old: Sequence[ReplicaSet]) -> tuple[Scaling, ...]:
    """What is done to old ReplicaSets if nothing was done to the new one (reconcileOldReplicaSets)."""
    sets = by_age([row for row in old if size(row.spec.replicas) > 0])
    least_available = desired(deployment) - max_unavailable(deployment)
    new_unavailable = size(new.spec.replicas) - new.status.availableReplicas
    most = total_replicas(sets) + size(new.spec.replicas) - least_available - new_unavailable
    if not sets or most <= 0:
        return ()
    cleaned, sound = _cleaned(sets, most)
    if not sound:
        return cleaned
    sizes = {row.metadata.name: size(row.spec.replicas) for row in sets}
    sizes.update((step.name, step.after) for step in cleaned)
    spare = total_available([*sets, new]) - least_available
    return cleaned + _taken(sets, sizes, spare)


def cleanup_unhealthy(old: Sequence[ReplicaSet], most: int) -> tuple[Scaling, ...]:
    """Take pods that are not available from the oldest ReplicaSets, at most `most` of them."""
    return _cleaned(by_age(old), most)[0]


def _cleaned(old: Sequence[ReplicaSet], most: int) -> tuple[tuple[Scaling, ...], bool]:
    steps: list[Scaling] = []
    for row in old:
        before, available = size(row.spec.replicas), row.status.availableReplicas
        if most <= 0 or before in (0, available):
            continue
        # A status that still counts pods of before the last scale-down ends the sync: upstream calls it an error.
        if available > before:
            return tuple(steps), False
        count = min(most, before - available)
        most -= count
        steps.append(Scaling(row.metadata.name, before, before - count))
    return tuple(steps), True


def scale_down_available(
    deployment: Deployment, sets: Sequence[ReplicaSet], old: Sequence[ReplicaSet]
) -> tuple[Scaling, ...]:
    """scaleDownOldReplicaSetsForRollingUpdate, with `sets` those that count as available."""
    spare = total_available(sets) - (desired(deployment) - max_unavailable(deployment))
    return _taken(by_age(old), {row.metadata.name: size(row.spec.replicas) for row in old}, spare)


def _taken(old: Sequence[ReplicaSet], sizes: dict[str, int], spare: int) -> tuple[Scaling, ...]:
    steps: list[Scaling] = []
    for row in old:
        before = sizes[row.metadata.name]
        count = min(before, spare)
        if count <= 0:
            continue
        spare -= count
        steps.append(Scaling(row.metadata.name, before, before - count))
    return tuple(steps)


def scale_old_to_zero(old: Sequence[ReplicaSet]) -> tuple[Scaling, ...]:
    """The Recreate strategy's first half."""
    return tuple(Scaling(row.metadata.name, size(row.spec.replicas), 0) for row in old if size(row.spec.replicas) > 0)


def by_age(sets: Sequence[ReplicaSet]) -> list[ReplicaSet]:
    """Oldest first, ties by name (ReplicaSetsByCreationTimestamp)."""
    return sorted(sets, key=lambda row: (row.metadata.creationTimestamp or 0, row.metadata.name))
