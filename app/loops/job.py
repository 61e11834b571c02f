"""Job controller: runs pods to their end, counts each of them once, and retries with a growing pause.

A pod holds a finalizer until it is counted, so none is lost. Changes of pods are looked at a second later, together.
What is remembered of failures is read from the pods that are there. Not modelled: indexed Jobs and their limits, pod
failure and success policies, ttlSecondsAfterFinished, and managedBy.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from app.kube import jobs
from app.kube.batch import Job
from app.kube.jobs import FINALIZER, JOB_NAME, Count, Verdict
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.replicas import batches
from app.kube.stringmap import StringMap
from app.loops.job_status import Draft
from app.loops.ownership import pod_from
from app.sim.acts import Act, Create, Delete, Event, Outcome, Patch, UpdateStatus, Wait
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, controller_key, own_key

SOURCE = "job-controller"
BATCH = 1000
"""syncJobBatchPeriod."""

Steps = Generator[Act | Wait, Outcome, None]


class Managed(NamedTuple):
    """What the writes of a sync to pods came to."""

    made: int = 0
    deleted: tuple[Pod, ...] = ()


def reconcile(turn: Turn) -> Steps:
    """One sync: pods to make or to delete, the status, finalizers of what is counted, and the counters."""
    job = turn.read(Job, turn.key)
    if job is None:
        yield from _orphaned(turn)
    elif not job.finished:
        yield from _sync(turn, job)


def _orphaned(turn: Turn) -> Steps:
    """The finalizer of a pod whose Job is gone holds it up no longer."""
    for pod in turn.selected(Pod, turn.key.namespace, StringMap({JOB_NAME: turn.key.name})):
        if FINALIZER in pod.metadata.finalizers:
            yield _released(pod)


def _sync(turn: Turn, job: Job) -> Steps:
    pods = turn.owned(Pod, job.metadata.uid)
    count = jobs.counted(job, pods)
    verdict = None if job.has("SuccessCriteriaMet") else jobs.failure(job, pods, count, turn.now)
    wait = None
    if verdict is not None:
        managed = yield from _deleted(job, count.active)
    else:
        wait = _resting_until(job, pods, count, turn.now)
        managed = yield from _managed(turn, job, count, resting=wait is not None)
    active = len(count.active) + managed.made - len(managed.deleted)
    if verdict is None and (job.has("SuccessCriteriaMet") or jobs.complete(job, count, active)):
        verdict = jobs.COMPLETE
    draft = Draft(job, pods, verdict, turn.now)
    draft.observe(active, count.ready - sum(pod.ready for pod in managed.deleted), _ending(count, managed))
    yield from _tracked(draft, _ending(count, managed))
    ends = [at for at in (wait, jobs.deadline(draft.job)) if at is not None]
    if verdict is None and ends:
        yield Wait(Bounds.at(max(min(ends), turn.now + 1)))


def _ending(count: Count, managed: Managed) -> int:
    return count.terminating + len(managed.deleted)


def _resting_until(job: Job, pods: Sequence[Pod], count: Count, now: int) -> int | None:
    """The end of the back-off, if pods are to be made and it is not over."""
    at = jobs.may_retry_at(job, pods)
    return at if at is not None and at > now and jobs.to_create(job, count) else None


def _managed(turn: Turn, job: Job, count: Count, *, resting: bool) -> Generator[Act | Wait, Outcome, Managed]:
    """manageJob: deletions or creations, never both in one sync."""
    if job.metadata.deletionTimestamp is not None:
        return Managed()
    surplus = jobs.to_delete(job, count, turn.now)
    if surplus:
        return (yield from _deleted(job, surplus))
    made = 0
    for batch in batches(0 if resting else jobs.to_create(job, count)):
        good = 0
        for _ in range(batch):
            good += (yield _creation(job, replaces=count.failed > 0)).ok
        made += good
        if good < batch:
            break
    return Managed(made)


def _deleted(job: Job, pods: Sequence[Pod]) -> Generator[Act | Wait, Outcome, Managed]:
    gone: tuple[Pod, ...] = ()
    for pod in pods:
        if (yield _deletion(job, pod)).status in ("ok", "not-found"):
            gone = (*gone, pod)
    return Managed(deleted=gone)


def _tracked(draft: Draft, terminating: int) -> Steps:
    """trackJobStatusAndRemoveFinalizers: first what will be counted, then the finalizers, then the counters."""
    if draft.changed and not (yield draft.write("PodsChanged")).ok:
        return
    for pod in draft.countable:
        if (yield _released(pod)).status not in ("ok", "not-found"):
            return
        draft.count(pod)
    finished = draft.finish(terminating)
    if draft.changed:
        yield draft.write("PodsCounted") if finished is None else _finished(draft, finished)


def _finished(draft: Draft, verdict: Verdict) -> Act:
    type_, reason = ("Normal", "Completed") if verdict.good else ("Warning", verdict.reason)
    message = "Job completed" if verdict.good else verdict.message
    return Act(
        "update-status",
        draft.job.ref,
        reason=verdict.reason,
        moment="job-complete" if verdict.good else "job-failed",
        request=UpdateStatus(draft.job),
        events=(Event(type_, reason, message, SOURCE),),
    )


def _creation(job: Job, *, replaces: bool) -> Act:
    pod = pod_from(job.spec.template, job, prefix=f"{job.metadata.name}-")
    finalizers = tuple(dict.fromkeys((*pod.metadata.finalizers, FINALIZER)))
    return Act(
        "create-pod",
        Ref("Pod", job.metadata.namespace, ""),
        reason="Retry" if replaces else "TooFewPods",
        moment="job-pod-retried" if replaces else "pod-created",
        request=Create(replace(pod, metadata=replace(pod.metadata, finalizers=finalizers))),
        events=(Event("Normal", "SuccessfulCreate", "Created pod: {name}", SOURCE, job.ref),),
    )


def _deletion(job: Job, pod: Pod) -> Act:
    message = f"Deleted pod: {pod.metadata.name}"
    return Act(
        "delete-pod",
        pod.ref,
        reason="NotWantedAnyMore",
        moment="surplus-pod-deleted",
        request=Delete(pod.ref),
        events=(Event("Normal", "SuccessfulDelete", message, SOURCE, job.ref),),
    )


def _released(pod: Pod) -> Act:
    rest = tuple(name for name in pod.metadata.finalizers if name != FINALIZER)
    return Act(
        "remove-finalizer",
        pod.ref,
        reason="PodCounted",
        moment="job-pod-counted",
        request=Patch(pod.ref, (("metadata.finalizers", rest),)),
        background=True,
    )


def _all(turn: Turn) -> list[Ref]:
    """Every Job, and those of which only pods are left."""
    orphans = [
        Ref(Job.kind, pod.metadata.namespace, owner.name)
        for pod in turn.all(Pod)
        if FINALIZER in pod.metadata.finalizers and (owner := pod.metadata.controller) is not None
    ]
    return list(dict.fromkeys([*(job.ref for job in turn.all(Job)), *orphans]))


LOOP = Loop(
    name="job",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={"Job": own_key, "Pod": controller_key("Job")},
    on_start=_all,
    batch=BATCH,
)
