"""Tables of kubectl get for DaemonSets, Jobs and CronJobs."""

from typing import Any

import pytest

from app.kube.batch import CronJob, CronJobSpec, CronJobStatus, Job, JobReference, JobSpec, JobStatus
from app.kube.meta import Condition, ObjectMeta
from app.kube.pods import PodSpec, PodTemplateSpec
from app.kube.stringmap import StringMap
from app.kube.workload_printers import get_cron_jobs, get_daemon_sets, get_jobs
from app.kube.workloads import DaemonSet, DaemonSetSpec, DaemonSetStatus

META = ObjectMeta(name="web", namespace="default", creationTimestamp=0)


def test_daemon_sets() -> None:
    spec = DaemonSetSpec(template=PodTemplateSpec(spec=PodSpec(nodeSelector=StringMap({"disk": "ssd"}))))
    status = DaemonSetStatus(3, 0, 4, 2, updatedNumberScheduled=1, numberAvailable=2)
    assert get_daemon_sets([DaemonSet(META, spec, status)], 5_000).splitlines() == [
        "NAME   DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE",
        "web    4         3         2       1            2           disk=ssd        5s",
    ]


def job(completions: int | None = 1, parallelism: int = 1, *conditions: str, **status: Any) -> Job:
    rows = tuple(Condition(type_, "True") for type_ in conditions)
    spec = JobSpec(completions=completions, parallelism=parallelism)
    return Job(META, spec, JobStatus(rows, **status))


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (job(3, 2, startTime=1_000, succeeded=1), "web    Running   1/3           4s         5s"),
        (
            job(1, 1, "Complete", startTime=1_000, completionTime=3_000, succeeded=1),
            "web    Complete   1/1           2s         5s",
        ),
        (job(1, 1, "FailureTarget", "Failed", startTime=0), "web    Failed   0/1           5s         5s"),
        (job(None, 2), "web    Running   0/1 of 2                 5s"),
        (job(None, 1), "web    Running   0/1                      5s"),
    ],
)
def test_jobs(row: Job, line: str) -> None:
    header, cells = get_jobs([row], 5_000).splitlines()
    assert header.split() == ["NAME", "STATUS", "COMPLETIONS", "DURATION", "AGE"]
    assert cells == line


def test_cron_jobs() -> None:
    status = CronJobStatus((JobReference("web-1", "default", "u"),), 60_000)
    rows = [CronJob(META, CronJobSpec("*/5 * * * *"), status), CronJob(META, CronJobSpec("@daily", suspend=True))]
    assert get_cron_jobs(rows, 90_000).splitlines() == [
        "NAME   SCHEDULE      TIMEZONE   SUSPEND   ACTIVE   LAST SCHEDULE   AGE",
        "web    */5 * * * *   <none>     False     1        30s             90s",
        "web    @daily        <none>     True      0        <none>          90s",
    ]
