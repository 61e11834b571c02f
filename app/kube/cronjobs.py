"""The rules of CronJobs: which time is started now, what becomes of Jobs that run or have ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from msgspec.structs import replace

from app.kube import cron
from app.kube.batch import CronJob, CronJobStatus, Job, JobReference
from app.kube.objects import ZERO, timestamp

SCHEDULED_FOR = "batch.kubernetes.io/cronjob-scheduled-timestamp"
FORBIDDEN = "Not starting job because prior execution is running and concurrency policy is Forbid"
TOO_MANY = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"


def job_name(owner: CronJob, scheduled: int) -> str:
    """The CronJob's name and the minutes since 1970."""
    return f"{owner.metadata.name}-{(int(ZERO.timestamp()) + scheduled // 1000) // 60}"


def rfc1123z(instant: int) -> str:
    return (ZERO + timedelta(milliseconds=instant)).strftime("%a, %d %b %Y %H:%M:%S +0000")


# Jobs that are there.


def surplus(owner: CronJob, children: Sequence[Job]) -> tuple[Job, ...]:
    """Finished Jobs beyond the history limits, the oldest first."""
    found: list[Job] = []
    for word, limit in (
        ("Complete", owner.spec.successfulJobsHistoryLimit),
        ("Failed", owner.spec.failedJobsHistoryLimit),
    ):
        ended = sorted((job for job in children if job.finished == word), key=_started)
        found += ended[: max(0, len(ended) - (len(ended) if limit is None else limit))]
    return tuple(found)


def _started(job: Job) -> tuple[int, str]:
    at = job.status.startTime
    return (2**62 if at is None else at), job.metadata.name


class Bookkeeping(NamedTuple):
    """The status after a look at the Jobs, with (type, reason, message) of what was seen."""

    status: CronJobStatus
    seen: tuple[tuple[str, str, str], ...] = ()


def kept(owner: CronJob, children: Sequence[Job]) -> Bookkeeping:
    """Which Jobs are still active, and when one last succeeded."""
    status = owner.status
    by_uid = {job.metadata.uid: job for job in children}
    active: list[JobReference] = []
    seen: list[tuple[str, str, str]] = []
    for reference in status.active:
        job = by_uid.get(reference.uid)
        if job is None:
            seen.append(("Normal", "MissingJob", f"Active job went missing: {reference.name}"))
        elif job.finished:
            message = f"Saw completed job: {reference.name}, condition: {job.finished}"
            seen.append(("Normal", "SawCompletedJob", message))
        else:
            active.append(reference)
    times = [job.status.completionTime for job in children if job.finished == "Complete"]
    last = max((at for at in (*times, status.lastSuccessfulTime) if at is not None), default=None)
    return Bookkeeping(replace(status, active=tuple(active), lastSuccessfulTime=last), tuple(seen))


# The time that is due.


class Due(NamedTuple):
    """What a sync decides about the schedule."""

    start: int | None = None
    """The time whose Job is to be made."""
    refused: str = ""
    """Why the due time is not started: MissSchedule or JobAlreadyActive."""
    time: int | None = None
    """The due time."""
    replaced: tuple[JobReference, ...] = ()
    many: bool = False
    """Whether over a hundred were missed; the latest is started all the same."""
    look: int | None = None
    """When to look again."""


def due(owner: CronJob, status: CronJobStatus, now: int) -> Due:
    """syncCronJob, from the schedule on; `status` is the one after the bookkeeping."""
    spec, created = owner.spec, owner.metadata.creationTimestamp or 0
    schedule = cron.parse(spec.schedule)
    look = cron.next_look(schedule, created, status.lastScheduleTime, now)
    found = cron.missed(schedule, created, status.lastScheduleTime, spec.startingDeadlineSeconds, now)
    time = found.recent if found is not None else None
    if found is None or time is None or time > now:
        return Due(look=look)
    if spec.startingDeadlineSeconds is not None and time + spec.startingDeadlineSeconds * 1000 < now:
        return Due(refused="MissSchedule", time=time, look=look)
    if time == status.lastScheduleTime or job_name(owner, time) in [row.name for row in status.active]:
        return Due(look=look)
    if spec.concurrencyPolicy == "Forbid" and status.active:
        return Due(refused="JobAlreadyActive", time=time, look=look)
    replaced = status.active if spec.concurrencyPolicy == "Replace" else ()
    again = cron.next_look(schedule, created, time, now)
    return Due(time, "", time, replaced, found.starts == "many", again)


def timestamped(instant: int) -> dict[str, str]:
    """The annotation that tells a Job which time it was made for."""
    return {SCHEDULED_FOR: timestamp(instant)}
