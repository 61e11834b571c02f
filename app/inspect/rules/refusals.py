"""What the API server would turn down; the best known of these have a rule of their own."""

from __future__ import annotations

from collections.abc import Iterator

from app.inspect.finding import Found, found
from app.inspect.subject import Subject
from app.kube.annotations import PREFIX
from app.kube.manifests import Refusal
from app.kube.objects import Object
from app.kube.workload_validation import NONE
from app.kube.workloads import DaemonSet, Deployment

SELECTOR, CANNOT_MOVE, SLEEPS_TOO_LONG, TWICE, ANNOTATION, BOTH, OTHER = range(7)
_ROLLING = {Deployment.kind: "strategy", DaemonSet.kind: "updateStrategy"}


def selector_mismatch(subject: Subject) -> Iterator[Found]:
    """A workload's selector must match the labels of its own template (ValidateDeploymentSpec and its like in
    pkg/apis/apps/validation), or it would make pods without end and never know them.
    """
    yield from _of(subject, SELECTOR)


def rollout_cannot_move(subject: Subject) -> Iterator[Found]:
    """Both maxSurge and maxUnavailable may not be 0 (ValidateRollingUpdateDeployment, ValidateRollingUpdateDaemonSet):
    no pod could be added before one is gone, and none taken away.
    """
    yield from _of(subject, CANNOT_MOVE)


def surge_and_unavailable(subject: Subject) -> Iterator[Found]:
    """Of a DaemonSet one of the two must be 0 (ValidateRollingUpdateDaemonSet), and maxUnavailable unset is 1."""
    yield from _of(subject, BOTH)


def sleep_over_grace(subject: Subject) -> Iterator[Found]:
    """A preStop sleep may last at most as long as terminationGracePeriodSeconds (validateSleepAction in
    pkg/apis/core/validation).
    """
    yield from _of(subject, SLEEPS_TOO_LONG)


def declared_twice(subject: Subject) -> Iterator[Found]:
    """Of two that are applied one after the other the last holds (kubectl apply): which, depends on file names."""
    yield from _of(subject, TWICE)


def annotation_refused(subject: Subject) -> Iterator[Found]:
    """Loopscope's own annotations say how a program behaves; a cluster takes any, Loopscope only what it can read."""
    yield from _of(subject, ANNOTATION)


def refused(subject: Subject) -> Iterator[Found]:
    """What validation says on create (pkg/apis/core/validation, pkg/apis/apps/validation and their like)."""
    yield from _of(subject, OTHER)


def field_dropped(subject: Subject) -> Iterator[Found]:
    """A field whose gate is off is dropped without a word (dropDisabledFields in pkg/api/pod/util.go)."""
    for ref, field in subject.dropped:
        yield found(ref, field.path, since=field.since)


def _of(subject: Subject, sort: int) -> Iterator[Found]:
    for obj, refusal in subject.refused:
        if _sort(obj, refusal) == sort:
            yield found(obj.ref, refusal.problem.path, problem=refusal.problem.text)


def _sort(obj: Object, refusal: Refusal) -> int:
    path = refusal.problem.path
    if not path:
        return TWICE
    if path == ("spec", "template", "metadata", "labels"):
        return SELECTOR
    if path[:-1] == ("spec", _ROLLING.get(obj.kind), "rollingUpdate"):
        if path[-1] == "maxUnavailable" and _both_zero(obj):
            return CANNOT_MOVE
        if path[-1] == "maxSurge" and _both_set(obj):
            return BOTH
    if path[-3:] == ("preStop", "sleep", "seconds"):
        return SLEEPS_TOO_LONG
    own = "annotations" in path and isinstance(path[-1], str) and path[-1].partition("/")[0] == PREFIX.rstrip("/")
    return ANNOTATION if own else OTHER


def _both_zero(obj: Object) -> bool:
    match obj:
        case Deployment() if (rolling := obj.spec.strategy.rollingUpdate) is not None:
            return rolling.maxSurge in NONE and rolling.maxUnavailable in NONE
        case DaemonSet() if (daemons := obj.spec.updateStrategy.rollingUpdate) is not None:
            return daemons.maxSurge in (None, *NONE) and daemons.maxUnavailable in NONE
        case _:
            return False


def _both_set(obj: Object) -> bool:
    rolling = obj.spec.updateStrategy.rollingUpdate if isinstance(obj, DaemonSet) else None
    return rolling is not None and rolling.maxSurge not in (None, *NONE) and rolling.maxUnavailable not in NONE
