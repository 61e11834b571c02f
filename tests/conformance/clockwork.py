"""Areas about CronJobs and StatefulSets."""

from app.kube.batch import CronJob, CronJobSpec, CronJobStatus, JobReference
from app.kube.cronjobs import due
from app.kube.meta import Condition, ObjectMeta
from app.kube.objects import timestamp
from app.kube.pods import Pod, PodSpec, PodStatus
from app.kube.workloads import StatefulSet, StatefulSetSpec
from app.loops.statefulset import planned
from tests.conformance.building import milliseconds
from tests.conformance.cases import Actual, Given


def cron_job(given: Given) -> Actual:
    """One sync, whose status has seen all Jobs."""
    last = given.take("lastScheduleTime", None)
    active = tuple(JobReference(f"cron-{number}", "x", f"u-{number}") for number in range(given.take("activeJobs", 0)))
    owner = CronJob(
        ObjectMeta(name="cron", namespace="x", creationTimestamp=milliseconds(given.take("creation"))),
        CronJobSpec(
            given.take("schedule"),
            concurrencyPolicy=given.take("concurrencyPolicy"),
            startingDeadlineSeconds=given.take("startingDeadlineSeconds", None),
        ),
        CronJobStatus(active, None if last is None else milliseconds(last)),
    )
    now = milliseconds(given.take("now"))
    found = due(owner, owner.status, now)
    warning = "MissSchedule" if found.refused == "MissSchedule" else "TooManyMissedTimes" if found.many else ""
    return {
        "created": int(found.start is not None),
        "deleted": len(found.replaced),
        "active": len(active) - len(found.replaced) + (found.start is not None),
        "requeueSeconds": None if found.look is None else (found.look - now) / 1000,
        "scheduledTime": None if found.time is None else timestamp(found.time),
        "warnings": int(bool(warning)),
        "event": warning,
    }


def stateful_set(given: Given) -> Actual:
    owner = StatefulSet(
        ObjectMeta(name="db", namespace="x"),
        StatefulSetSpec(replicas=given.take("replicas"), podManagementPolicy=given.take("podManagementPolicy")),
    )
    pods = {row["ordinal"]: _pod(given.part(row)) for row in given.take("pods")}
    writes = planned(owner, {ordinal: pod for ordinal, pod in pods.items() if pod is not None}, "db-1", 0)
    return {
        "created": [write for write in writes if isinstance(write, int)],
        "deleted": [write[0].metadata.name for write in writes if not isinstance(write, int)],
    }


def _pod(given: Given) -> Pod | None:
    ordinal, missing = given.take("ordinal"), given.take("missing", default=False)
    ready, gone = given.take("ready", default=False), given.take("terminating", default=False)
    given.done()
    if missing:
        return None
    return Pod(
        ObjectMeta(name=f"db-{ordinal}", deletionTimestamp=30_000 if gone else None),
        PodSpec(nodeName="n1"),
        PodStatus(phase="Running", conditions=(Condition("Ready", "True" if ready else "False"),)),
    )
