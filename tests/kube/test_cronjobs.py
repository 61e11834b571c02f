"""CronJobs: t = 0 is noon, 1 January 2026; `* * * * *` unless a row says otherwise."""

from typing import Any

import pytest

from app.kube.batch import CronJob, CronJobSpec, CronJobStatus, Job, JobReference, JobStatus
from app.kube.cronjobs import Due, due, job_name, kept, rfc1123z, surplus
from app.kube.meta import Condition, ObjectMeta

MINUTE = 60_000
HOUR = 60 * MINUTE


def cron(schedule: str = "* * * * *", *, created: int = 0, **spec: Any) -> CronJob:
    given: dict[str, Any] = {"successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1} | spec
    return CronJob(ObjectMeta(name="tick", namespace="x", creationTimestamp=created), CronJobSpec(schedule, **given))


def ran(last: int | None, *active: str) -> CronJobStatus:
    return CronJobStatus(tuple(JobReference(name, "x", f"uid-{name}") for name in active), last)


def job(name: str, *, end: str = "", started: int = 0, completed: int | None = None) -> Job:
    rows = (Condition(end, "True"),) if end else ()
    return Job(
        ObjectMeta(name=name, namespace="x", uid=f"uid-{name}"),
        status=JobStatus(conditions=rows, startTime=started, completionTime=completed),
    )


def test_a_job_is_named_after_its_minute() -> None:
    """As recorded: the run of 2026-11-29T21:26:00Z was tick-29933126."""
    recorded = (29_933_126 * 60 - 1_767_268_800) * 1000
    assert job_name(cron(), recorded) == "tick-29933126"
    assert rfc1123z(recorded) == "Sun, 29 Nov 2026 21:26:00 +0000"


@pytest.mark.parametrize(
    ("owner", "status", "now", "found"),
    [
        pytest.param(cron(), ran(None), 30_000, Due(look=MINUTE + 100), id="nothing is due"),
        pytest.param(
            cron(), ran(None), MINUTE + 100, Due(MINUTE, time=MINUTE, look=2 * MINUTE + 100), id="the first time"
        ),
        pytest.param(cron(), ran(MINUTE), MINUTE + 200, Due(look=2 * MINUTE + 100), id="it is started once"),
        pytest.param(
            cron(),
            ran(MINUTE),
            5 * MINUTE + 9_000,
            Due(5 * MINUTE, time=5 * MINUTE, look=6 * MINUTE + 100),
            id="after an outage the latest, and only that",
        ),
        pytest.param(
            cron("0 * * * *"),
            ran(HOUR),
            200 * HOUR,
            Due(200 * HOUR, time=200 * HOUR, many=True, look=201 * HOUR + 100),
            id="also when over a hundred were missed",
        ),
        pytest.param(
            cron(startingDeadlineSeconds=30),
            ran(MINUTE),
            5 * MINUTE + 9_000,
            Due(5 * MINUTE, time=5 * MINUTE, look=6 * MINUTE + 100),
            id="9 s late, 30 s allowed",
        ),
        pytest.param(
            cron(startingDeadlineSeconds=30),
            ran(MINUTE),
            5 * MINUTE + 42_000,
            Due(look=6 * MINUTE + 100),
            id="42 s late: skipped without a word, as recorded",
        ),
        pytest.param(
            cron(concurrencyPolicy="Forbid"),
            ran(MINUTE, "tick-1"),
            2 * MINUTE + 100,
            Due(refused="JobAlreadyActive", time=2 * MINUTE, look=3 * MINUTE + 100),
            id="Forbid waits for the one that runs",
        ),
        pytest.param(
            cron(concurrencyPolicy="Forbid"),
            ran(MINUTE),
            2 * MINUTE + 30_000,
            Due(2 * MINUTE, time=2 * MINUTE, look=3 * MINUTE + 100),
            id="and is tried again when that has ended",
        ),
        pytest.param(
            cron(concurrencyPolicy="Allow"),
            ran(MINUTE, "tick-1"),
            2 * MINUTE + 100,
            Due(2 * MINUTE, time=2 * MINUTE, look=3 * MINUTE + 100),
            id="Allow does not",
        ),
        pytest.param(
            cron(concurrencyPolicy="Replace"),
            ran(MINUTE, "tick-1"),
            2 * MINUTE + 100,
            Due(2 * MINUTE, "", 2 * MINUTE, ran(None, "tick-1").active, look=3 * MINUTE + 100),
            id="Replace ends it",
        ),
        pytest.param(
            cron(),
            ran(None, job_name(cron(), MINUTE)),
            MINUTE + 100,
            Due(look=2 * MINUTE + 100),
            id="one that stands in the list was started",
        ),
        pytest.param(cron("0 0 31 2 *"), ran(None), HOUR, Due(), id="a day that never comes"),
    ],
)
def test_what_is_due(owner: CronJob, status: CronJobStatus, now: int, found: Due) -> None:
    assert due(owner, status, now) == found


@pytest.mark.parametrize(
    ("children", "status", "seen"),
    [
        pytest.param([job("a")], ran(0, "a"), [], id="one that runs stays"),
        pytest.param(
            [job("a", end="Complete", completed=7_000)],
            CronJobStatus((), 0, 7_000),
            ["SawCompletedJob: Saw completed job: a, condition: Complete"],
            id="one that is complete goes, and its time is noted",
        ),
        pytest.param(
            [job("a", end="Failed")],
            ran(0),
            ["SawCompletedJob: Saw completed job: a, condition: Failed"],
            id="one that has failed goes, too",
        ),
        pytest.param([], ran(0), ["MissingJob: Active job went missing: a"], id="one that is not there any more"),
    ],
)
def test_bookkeeping(children: list[Job], status: CronJobStatus, seen: list[str]) -> None:
    owner = CronJob(cron().metadata, cron().spec, ran(0, "a"))
    found = kept(owner, children)
    assert (found.status, [f"{reason}: {message}" for _, reason, message in found.seen]) == (status, seen)


def test_histories_are_kept_apart() -> None:
    good = [job(f"g{number}", end="Complete", started=number) for number in range(5)]
    bad = [job(f"b{number}", end="Failed", started=number) for number in range(2)]
    assert [row.metadata.name for row in surplus(cron(), [job("runs"), *good, *bad])] == ["g0", "g1", "b0"]
    assert surplus(cron(successfulJobsHistoryLimit=None, failedJobsHistoryLimit=None), [*good, *bad]) == ()
