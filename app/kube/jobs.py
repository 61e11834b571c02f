"""The rules of Jobs: what counts as ended, how long a retry waits, how many pods run, and when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from app.kube.batch import Job, JobSpec
from app.kube.meta import LabelSelector, condition
from app.kube.pods import Pod
from app.kube.replicas import is_active, is_terminating, victims
from app.kube.stringmap import StringMap

FINALIZER = "batch.kubernetes.io/job-tracking"
JOB_NAME = "batch.kubernetes.io/job-name"
CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
BURST = 500
FIRST_BACK_OFF = 10_000
LONGEST_BACK_OFF = 600_000


def with_selector(job: Job, uid: str) -> Job:
    """The labels and the selector that the API server gives to a new Job (generateSelector)."""
    if job.spec.manualSelector:
        return job
    name = job.metadata.name
    own = {CONTROLLER_UID: uid, JOB_NAME: name, "controller-uid": uid, "job-name": name}
    meta = job.spec.template.metadata
    labels = meta.labels.merged(own)
    template = replace(job.spec.template, metadata=replace(meta, labels=labels))
    # A Job without labels shares its template's.
    mine = job.metadata.labels or labels
    spec = replace(job.spec, template=template, selector=LabelSelector(StringMap({CONTROLLER_UID: uid})))
    return replace(job, metadata=replace(job.metadata, labels=mine), spec=spec)


# Pods.


def has_failed(spec: JobSpec, pod: Pod) -> bool:
    """isPodFailed: under TerminatingOrFailed a pod that is being deleted counts as failed before it has ended."""
    if pod.status.phase == "Failed":
        return True
    return spec.podReplacementPolicy != "Failed" and pod.terminating and pod.status.phase != "Succeeded"


def has_succeeded(pod: Pod) -> bool:
    return pod.status.phase == "Succeeded"


def finished_at(pod: Pod) -> int:
    """getFinishedTime: of its containers, else when it turned unready, was deleted or was made."""
    ended = [row.state.terminated for row in pod.status.containerStatuses]
    times = [row.finishedAt for row in ended if row is not None and row.finishedAt is not None]
    if times and len(times) == len(pod.status.containerStatuses):
        return max(times)
    ready = condition(pod.status.conditions, "Ready")
    if ready is not None and ready.status == "False" and ready.lastTransitionTime is not None:
        return ready.lastTransitionTime
    if pod.metadata.deletionTimestamp is not None:
        return pod.metadata.deletionTimestamp - (pod.metadata.deletionGracePeriodSeconds or 0) * 1000
    return pod.metadata.creationTimestamp or 0


def may_retry_at(job: Job, pods: Sequence[Pod]) -> int | None:
    """When the next pod may be made: 10 s after the last failure, doubling with each since the last success."""
    ended = sorted((finished_at(pod), has_succeeded(pod)) for pod in pods if _over(job, pod))
    failures, last = 0, 0
    for at, good in ended:
        failures, last = (0, 0) if good else (failures + 1, at)
    return last + min(FIRST_BACK_OFF * 2 ** min(failures - 1, 16), LONGEST_BACK_OFF) if failures else None


def _over(job: Job, pod: Pod) -> bool:
    return has_succeeded(pod) or has_failed(job.spec, pod)


# Counting.


class Count(NamedTuple):
    """A Job's pods as one sync finds them."""

    active: tuple[Pod, ...]
    terminating: int
    ready: int
    succeeded: int
    failed: int
    """Both with those that are not in the status yet."""


def counted(job: Job, pods: Sequence[Pod]) -> Count:
    status, uncounted = job.status, job.status.uncountedTerminatedPods
    listed = (*uncounted.succeeded, *uncounted.failed) if uncounted else ()
    new = [pod for pod in pods if FINALIZER in pod.metadata.finalizers and pod.metadata.uid not in listed]
    active = tuple(pod for pod in pods if is_active(pod))
    return Count(
        active=active,
        terminating=sum(map(is_terminating, pods)),
        ready=sum(pod.ready for pod in active),
        succeeded=status.succeeded + sum(map(has_succeeded, new)) + (len(uncounted.succeeded) if uncounted else 0),
        failed=status.failed
        + sum(has_failed(job.spec, pod) for pod in new)
        + (len(uncounted.failed) if uncounted else 0),
    )


def wanted_active(job: Job, count: Count) -> int:
    """How many pods should run now."""
    spec, most = job.spec, job.spec.parallelism or 0
    if spec.suspend:
        return 0
    if spec.completions is None:
        return len(count.active) if count.succeeded else most
    return max(0, min(most, spec.completions - count.succeeded))


def to_create(job: Job, count: Count) -> int:
    """Under podReplacementPolicy Failed, a pod that still ends holds the place of its successor."""
    held = count.terminating if job.spec.podReplacementPolicy == "Failed" else 0
    return max(0, min(BURST, wanted_active(job, count) - held - len(count.active)))


def to_delete(job: Job, count: Count, now: int) -> tuple[Pod, ...]:
    """Pods beyond the wanted ones, those that got least far first."""
    return victims(count.active, (), max(0, min(BURST, len(count.active) - wanted_active(job, count))), now)


# The end.


class Verdict(NamedTuple):
    """Why a Job ends, and whether that is good."""

    reason: str
    message: str
    good: bool = False


COMPLETE = Verdict("CompletionsReached", "Reached expected number of succeeded pods", good=True)
BACK_OFF = Verdict("BackoffLimitExceeded", "Job has reached the specified backoff limit")
DEADLINE = Verdict("DeadlineExceeded", "Job was active longer than specified deadline")


def deadline(job: Job) -> int | None:
    """The instant at which activeDeadlineSeconds are over."""
    seconds, started = job.spec.activeDeadlineSeconds, job.status.startTime
    return None if seconds is None or started is None or job.spec.suspend else started + seconds * 1000


def failure(job: Job, pods: Sequence[Pod], count: Count, now: int) -> Verdict | None:
    """Whether it has failed, by its own record or by the rules."""
    noted = condition(job.status.conditions, "FailureTarget")
    if noted is not None and noted.status == "True":
        return Verdict(noted.reason, noted.message)
    limit = 6 if job.spec.backoffLimit is None else job.spec.backoffLimit
    if count.failed > limit or _restarts(job, pods) >= max(limit, 1):
        return BACK_OFF
    end = deadline(job)
    return DEADLINE if end is not None and now >= end else None


def _restarts(job: Job, pods: Sequence[Pod]) -> int:
    """pastBackoffLimitOnFailure: with OnFailure, restarts of containers count instead of pods."""
    if job.spec.template.spec.restartPolicy != "OnFailure":
        return 0
    running = [pod.status for pod in pods if pod.status.phase in ("Running", "Pending")]
    rows = [row for status in running for row in (*status.initContainerStatuses, *status.containerStatuses)]
    return sum(row.restartCount for row in rows)


def complete(job: Job, count: Count, active: int) -> bool:
    """Whether it has all its successes and nothing runs any more; `active` counts what this sync made or deleted."""
    wanted = 1 if job.spec.completions is None else job.spec.completions
    return count.succeeded >= wanted and active == 0
