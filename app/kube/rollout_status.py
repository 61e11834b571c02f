"""What a Deployment reports about its rollout: counts, conditions, progress and its deadline."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from app.kube.meta import Condition, condition, whole_second
from app.kube.releases import CURRENT, Release
from app.kube.rollout import desired, max_unavailable, total_available, total_replicas
from app.kube.workloads import Deployment, DeploymentStatus, ReplicaSet

AVAILABLE, PROGRESSING, REPLICA_FAILURE = "Available", "Progressing", "ReplicaFailure"
NEW_AVAILABLE, TIMED_OUT = "NewReplicaSetAvailable", "ProgressDeadlineExceeded"

_NO_DEADLINE = 2**31 - 1

Conditions = tuple[Condition, ...]


def counted(
    deployment: Deployment,
    sets: Sequence[ReplicaSet],
    new: ReplicaSet | None,
    now: int,
    release: Release = CURRENT,
) -> DeploymentStatus:
    """The counts and the Available condition (calculateStatus); `sets` includes the new ReplicaSet."""
    available = total_available(sets)
    # A ReplicaSet that its controller has not seen yet has no pods at all (GetTerminatingReplicaCountForReplicaSets).
    reported = [
        row.status for row in sets if row.status.observedGeneration or row.status.terminatingReplicas is not None
    ]
    terminating = [status.terminatingReplicas for status in reported] if release.terminating_counted else [None]
    enough = available >= desired(deployment) - max_unavailable(deployment)
    return DeploymentStatus(
        observedGeneration=deployment.metadata.generation,
        replicas=sum(row.status.replicas for row in sets),
        updatedReplicas=new.status.replicas if new else 0,
        readyReplicas=sum(row.status.readyReplicas for row in sets),
        availableReplicas=available,
        unavailableReplicas=max(0, total_replicas(sets) - available),
        terminatingReplicas=None if None in terminating else sum(count or 0 for count in terminating),
        conditions=set_condition(deployment.status.conditions, _availability(enough=enough), now),
    )


def rollout_status(
    deployment: Deployment,
    sets: Sequence[ReplicaSet],
    new: ReplicaSet | None,
    now: int,
    release: Release = CURRENT,
) -> DeploymentStatus:
    """The status at the end of a sync that rolls out (syncRolloutStatus)."""
    status = counted(deployment, sets, new, now, release)
    current = condition(deployment.status.conditions, PROGRESSING)
    conditions = status.conditions if has_deadline(deployment) else _without(status.conditions, PROGRESSING)

    # Once the rollout is over, what comes and goes is no progress any more.
    over = status.replicas == status.updatedReplicas and current is not None and current.reason == NEW_AVAILABLE
    if has_deadline(deployment) and not over:
        conditions = _progress(deployment, status, new, now)

    failure = _replica_failure(sets, new)
    conditions = set_condition(conditions, failure, now) if failure else _without(conditions, REPLICA_FAILURE)
    return replace(status, conditions=conditions)


def _progress(deployment: Deployment, status: DeploymentStatus, new: ReplicaSet | None, now: int) -> Conditions:
    subject = f'ReplicaSet "{new.metadata.name}"' if new else f'Deployment "{deployment.metadata.name}"'
    if complete(deployment, status):
        row = Condition(PROGRESSING, "True", NEW_AVAILABLE, f"{subject} has successfully progressed.")
        return set_condition(status.conditions, row, now)
    if progressing(deployment, status):
        # Any progress restarts the deadline, also when the reason stays: only lastTransitionTime is kept.
        row = Condition(PROGRESSING, "True", "ReplicaSetUpdated", f"{subject} is progressing.")
        return set_condition(status.conditions, row, now, always=True)
    if timed_out(deployment, status, now):
        row = Condition(PROGRESSING, "False", TIMED_OUT, f"{subject} has timed out progressing.")
        return set_condition(status.conditions, row, now)
    return status.conditions


def complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    """DeploymentComplete: everything is new, wanted, available and seen."""
    replicas = desired(deployment)
    return (
        status.updatedReplicas == status.replicas == status.availableReplicas == replicas
        and status.observedGeneration >= deployment.metadata.generation
    )


def progressing(deployment: Deployment, status: DeploymentStatus) -> bool:
    """DeploymentProgressing: more new, fewer old, more ready or more available than in its present status."""
    before = deployment.status
    return (
        status.updatedReplicas > before.updatedReplicas
        or status.replicas - status.updatedReplicas < before.replicas - before.updatedReplicas
        or status.readyReplicas > before.readyReplicas
        or status.availableReplicas > before.availableReplicas
    )


def has_deadline(deployment: Deployment) -> bool:
    return deployment.spec.progressDeadlineSeconds not in (None, _NO_DEADLINE)


def deadline(deployment: Deployment, conditions: Conditions) -> int | None:
    """After which instant the rollout has timed out, if it can."""
    row = condition(conditions, PROGRESSING)
    seconds = deployment.spec.progressDeadlineSeconds
    if row is None or seconds is None or not has_deadline(deployment) or row.reason in (NEW_AVAILABLE, TIMED_OUT):
        return None
    return (row.lastUpdateTime or 0) + seconds * 1000


def timed_out(deployment: Deployment, status: DeploymentStatus, now: int) -> bool:
    """DeploymentTimedOut."""
    row = condition(status.conditions, PROGRESSING)
    if has_deadline(deployment) and row is not None and row.reason == TIMED_OUT:
        return True
    end = deadline(deployment, status.conditions)
    return end is not None and end < now


def created(name: str) -> Condition:
    return Condition(PROGRESSING, "True", "NewReplicaSetCreated", f'Created new replica set "{name}"')


def found(name: str) -> Condition:
    return Condition(PROGRESSING, "True", "FoundNewReplicaSet", f'Found new replica set "{name}"')


def paused() -> Condition:
    return Condition(PROGRESSING, "Unknown", "DeploymentPaused", "Deployment is paused")


def resumed() -> Condition:
    return Condition(PROGRESSING, "Unknown", "DeploymentResumed", "Deployment is resumed")


def set_condition(conditions: Conditions, new: Condition, now: int, *, always: bool = False) -> Conditions:
    """SetDeploymentCondition: the same status and reason change nothing; others move to the end."""
    before = condition(conditions, new.type)
    same_status = before is not None and before.status == new.status
    if before is not None and same_status and before.reason == new.reason and not always:
        return conditions
    since = before.lastTransitionTime if before is not None and same_status else whole_second(now)
    return (
        *_without(conditions, new.type),
        replace(new, lastTransitionTime=since, lastUpdateTime=whole_second(now)),
    )


def _availability(*, enough: bool) -> Condition:
    if enough:
        return Condition(AVAILABLE, "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    return Condition(AVAILABLE, "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")


def _replica_failure(sets: Sequence[ReplicaSet], new: ReplicaSet | None) -> Condition | None:
    """The failure of the new ReplicaSet, or else the first of any."""
    ordered = ([new] if new else []) + list(sets)
    rows = (condition(row.status.conditions, REPLICA_FAILURE) for row in ordered)
    return next((Condition(row.type, row.status, row.reason, row.message) for row in rows if row), None)


def _without(conditions: Conditions, type_: str) -> Conditions:
    return tuple(row for row in conditions if row.type != type_)
