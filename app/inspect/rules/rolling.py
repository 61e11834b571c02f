"""Rules about rollouts: how many pods may be missing while one runs, and when it counts as failed."""

from __future__ import annotations

from collections.abc import Iterator

from app.inspect.finding import Found, found
from app.inspect.spelling import names, span
from app.inspect.stopping import behaviour_of
from app.inspect.subject import Made, Subject
from app.kube.rollout import max_surge, max_unavailable, resolved
from app.kube.workloads import Deployment


def _deployments(subject: Subject) -> Iterator[tuple[Made, Deployment]]:
    return ((made, made.owner) for made in subject.made if isinstance(made.owner, Deployment) and made.pods)


def recreate(subject: Subject) -> Iterator[Found]:
    """Recreate scales every old ReplicaSet to 0 and waits until its pods are gone before it makes a new one
    (pkg/controller/deployment/recreate.go).
    """
    for made, owner in _deployments(subject):
        services = subject.services_of(made)
        if owner.spec.strategy.type == "Recreate" and services:
            yield found(made, ("spec", "strategy", "type"), services=names(row.ref for row in services))


def all_unavailable(subject: Subject) -> Iterator[Found]:
    """A rollout may take away replicas less maxUnavailable pods at once, percentages rounded down (MaxUnavailable in
    pkg/controller/deployment/util): all of them here.
    """
    for made, owner in _deployments(subject):
        rolling = owner.spec.strategy.rollingUpdate
        if rolling is not None and max_unavailable(owner) >= made.pods and subject.services_of(made):
            path = ("spec", "strategy", "rollingUpdate", "maxUnavailable")
            yield found(made, path, given=rolling.maxUnavailable, replicas=made.pods, surge=max_surge(owner))


def rounded_to_one(subject: Subject) -> Iterator[Found]:
    """Where surge is 0 and the percentage of unavailable rounds down to 0, one pod may be missing all the same:
    otherwise nothing could move (ResolveFenceposts).
    """
    for made, owner in _deployments(subject):
        rolling = owner.spec.strategy.rollingUpdate
        if rolling is None:
            continue
        surge = resolved(rolling.maxSurge or 0, made.pods, round_up=True)
        if surge == 0 and resolved(rolling.maxUnavailable or 0, made.pods, round_up=False) == 0:
            path = ("spec", "strategy", "rollingUpdate", "maxUnavailable")
            yield found(made, path, given=rolling.maxUnavailable, replicas=made.pods)


def deadline_under_start(subject: Subject) -> Iterator[Found]:
    """A rollout without progress for progressDeadlineSeconds is reported as failed (DeploymentTimedOut): a pod makes
    progress when it is available, which is a start, the first readiness and minReadySeconds later.
    """
    for made, owner in _deployments(subject):
        starts = [behaviour_of(made, part).startup for part in made.lasting]
        takes = max(starts, default=0) + owner.spec.minReadySeconds * 1000
        deadline = owner.spec.progressDeadlineSeconds
        if deadline is not None and any(starts) and takes >= deadline * 1000:
            yield found(made, ("spec", "progressDeadlineSeconds"), takes=span(takes), deadline=f"{deadline}s")
