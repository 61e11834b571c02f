"""CronJob controller: makes a Job when its time has come; of several missed times only the latest.

Not modelled: time zones, and the events of syncs between the scheduled times that change nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from msgspec.structs import replace

from app.kube.batch import CronJob, CronJobStatus, Job, JobReference
from app.kube.cronjobs import FORBIDDEN, TOO_MANY, Due, due, job_name, kept, rfc1123z, surplus, timestamped
from app.kube.meta import ObjectMeta, Ref
from app.loops.ownership import owned_by
from app.sim.acts import Act, Create, Delete, Event, Outcome, UpdateStatus, Wait
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, controller_key, own_key

SOURCE = "cronjob-controller"

Steps = Generator[Act | Wait, Outcome, None]


def reconcile(turn: Turn) -> Steps:
    """One sync: old Jobs go, ended ones are noted, and the one that is due is made; then the status, once."""
    owner = turn.read(CronJob, turn.key)
    if owner is None:
        return
    children = turn.owned(Job, owner.metadata.uid)
    for job in surplus(owner, children):
        if job.metadata.deletionTimestamp is None and (yield _deletion(owner, job.ref, "BeyondHistoryLimit")).ok:
            children.remove(job)
    book = kept(owner, children)
    found, status = Due(), book.status
    if owner.metadata.deletionTimestamp is None and not owner.spec.suspend:
        found = due(owner, status, turn.now)
        status = yield from _started(turn, owner, status, found)
    if status != owner.status:
        events = tuple(Event(type_, reason, message, SOURCE) for type_, reason, message in book.seen)
        yield _status(owner, status, events)
    if found.look is not None:
        yield Wait(Bounds.at(max(found.look, turn.now + 1)))


def _started(
    turn: Turn, owner: CronJob, status: CronJobStatus, found: Due
) -> Generator[Act | Wait, Outcome, CronJobStatus]:
    """Make the Job that is due; the status that follows."""
    if found.refused and turn.fired:
        yield _refusal(owner, found)
    if found.start is None:
        return status
    for reference in found.replaced:
        outcome = yield _deletion(owner, Ref(Job.kind, reference.namespace, reference.name), "Replaced")
        if outcome.status not in ("ok", "not-found"):
            return status
        status = replace(status, active=tuple(row for row in status.active if row.uid != reference.uid))
    outcome = yield _creation(owner, found.start, many=found.many)
    # Made before, by a sync that could not note it any more.
    made = outcome.object if outcome.ok else _own(turn, owner, job_name(owner, found.start))
    if not isinstance(made, Job):
        return status
    meta = made.metadata
    reference = JobReference(meta.name, meta.namespace, meta.uid)
    return replace(status, active=(*status.active, reference), lastScheduleTime=found.start)


def _own(turn: Turn, owner: CronJob, name: str) -> Job | None:
    job = turn.read(Job, Ref(Job.kind, owner.metadata.namespace, name))
    above = job.metadata.controller if job is not None else None
    return job if above is not None and above.uid == owner.metadata.uid else None


def _creation(owner: CronJob, time: int, *, many: bool) -> Act:
    name, template = job_name(owner, time), owner.spec.jobTemplate
    made = Job(
        metadata=ObjectMeta(
            name=name,
            namespace=owner.metadata.namespace,
            labels=template.metadata.labels,
            annotations=template.metadata.annotations.merged(timestamped(time)),
            ownerReferences=(owned_by(owner),),
        ),
        spec=template.spec,
    )
    events = [Event("Normal", "SuccessfulCreate", f"Created job {name}", SOURCE, owner.ref)]
    if many:
        events.insert(0, Event("Warning", "TooManyMissedTimes", TOO_MANY, SOURCE, owner.ref))
    return Act(
        "create-job",
        made.ref,
        reason="TimeHasCome",
        moment="cronjob-started",
        request=Create(made),
        events=tuple(events),
    )


def _deletion(owner: CronJob, job: Ref, reason: str) -> Act:
    return Act(
        "delete-job",
        job,
        reason=reason,
        moment="cronjob-replaced" if reason == "Replaced" else "old-job-deleted",
        request=Delete(job),
        events=(Event("Normal", "SuccessfulDelete", f"Deleted job {job.name}", SOURCE, owner.ref),),
    )


def _refusal(owner: CronJob, found: Due) -> Act:
    late = found.refused == "MissSchedule"
    text = f"Missed scheduled time to start a job: {rfc1123z(found.time or 0)}" if late else FORBIDDEN
    return Act(
        "skip-start",
        owner.ref,
        reason=found.refused,
        moment="cronjob-missed" if late else "cronjob-held",
        events=(Event("Warning" if late else "Normal", found.refused, text, SOURCE),),
    )


def _status(owner: CronJob, status: CronJobStatus, events: Sequence[Event]) -> Act:
    wanted = replace(owner, status=status)
    return Act(
        "update-status",
        owner.ref,
        reason="JobsChanged",
        request=UpdateStatus(wanted),
        events=tuple(events),
        background=True,
    )


def _all(turn: Turn) -> list[Ref]:
    return [owner.ref for owner in turn.all(CronJob)]


LOOP = Loop(
    name="cronjob",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={"CronJob": own_key, "Job": controller_key("CronJob")},
    on_start=_all,
)
