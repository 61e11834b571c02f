"""What `kubectl get` prints of DaemonSets, Jobs and CronJobs."""

from __future__ import annotations

from collections.abc import Sequence

from app.kube.ages import age, human_duration
from app.kube.batch import CronJob, Job
from app.kube.pod_columns import NONE
from app.kube.printers import table
from app.kube.workloads import DaemonSet


def get_daemon_sets(rows: Sequence[DaemonSet], now: int) -> str:
    cells = [
        (
            row.metadata.name,
            str(row.status.desiredNumberScheduled),
            str(row.status.currentNumberScheduled),
            str(row.status.numberReady),
            str(row.status.updatedNumberScheduled),
            str(row.status.numberAvailable),
            ",".join(f"{key}={value}" for key, value in row.spec.template.spec.nodeSelector.items()) or NONE,
            age(row.metadata.creationTimestamp, now),
        )
        for row in rows
    ]
    header = ["NAME", "DESIRED", "CURRENT", "READY", "UP-TO-DATE", "AVAILABLE", "NODE SELECTOR", "AGE"]
    return table(header, cells)


def get_jobs(rows: Sequence[Job], now: int) -> str:
    cells = [
        (
            row.metadata.name,
            _status(row),
            _completions(row),
            _duration(row, now),
            age(row.metadata.creationTimestamp, now),
        )
        for row in rows
    ]
    return table(["NAME", "STATUS", "COMPLETIONS", "DURATION", "AGE"], cells)


def _status(job: Job) -> str:
    """printJob, in its order."""
    words = ("Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet")
    if job.metadata.deletionTimestamp is not None and not job.finished:
        return "Terminating"
    return next((word for word in words if job.has(word)), "Running")


def _completions(job: Job) -> str:
    spec, done = job.spec, job.status.succeeded
    if spec.completions is not None:
        return f"{done}/{spec.completions}"
    return f"{done}/1 of {spec.parallelism}" if (spec.parallelism or 0) > 1 else f"{done}/1"


def _duration(job: Job, now: int) -> str:
    started, ended = job.status.startTime, job.status.completionTime
    return "" if started is None else human_duration((now if ended is None else ended) - started)


def get_cron_jobs(rows: Sequence[CronJob], now: int) -> str:
    cells = [
        (
            row.metadata.name,
            row.spec.schedule,
            NONE,
            str(row.spec.suspend),
            str(len(row.status.active)),
            NONE if row.status.lastScheduleTime is None else age(row.status.lastScheduleTime, now),
            age(row.metadata.creationTimestamp, now),
        )
        for row in rows
    ]
    return table(["NAME", "SCHEDULE", "TIMEZONE", "SUSPEND", "ACTIVE", "LAST SCHEDULE", "AGE"], cells)
