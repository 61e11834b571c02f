"""The CronJob controller's table."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.batch import CronJob, CronJobSpec, CronJobStatus, Job, JobReference, JobSpec, JobStatus, JobTemplateSpec
from app.kube.cronjobs import SCHEDULED_FOR, TOO_MANY, job_name
from app.kube.meta import Condition, ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.stringmap import StringMap
from app.loops.cronjob import LOOP
from app.sim.acts import Act
from tests.loops.beliefs import TEMPLATE, decided, owner_of, requested, told, turn

KEY = Ref("CronJob", "default", "tick")
MINUTE = 60_000
NOW = 2 * MINUTE + 100


def cron(policy: str = "Allow", status: CronJobStatus | None = None, **spec: Any) -> CronJob:
    return CronJob(
        ObjectMeta(name="tick", namespace="default", uid="uid-tick", creationTimestamp=0),
        CronJobSpec(
            "* * * * *",
            JobTemplateSpec(ObjectMeta(labels=StringMap({"app": "tick"})), JobSpec(TEMPLATE)),
            concurrencyPolicy=policy,
            successfulJobsHistoryLimit=1,
            failedJobsHistoryLimit=1,
            **spec,
        ),
        status or CronJobStatus(lastScheduleTime=MINUTE),
    )


CRON = cron()
NAME = job_name(CRON, 2 * MINUTE)


def job(name: str, *, end: str = "", completed: int | None = None) -> Job:
    rows = (Condition(end, "True"),) if end else ()
    meta = ObjectMeta(name=name, namespace="default", uid=f"uid-{name}", ownerReferences=owner_of(CRON))
    return Job(meta, JobSpec(TEMPLATE), JobStatus(rows, 0, completed))


def runs(*names: str) -> CronJobStatus:
    return CronJobStatus(tuple(JobReference(name, "default", f"uid-{name}") for name in names), MINUTE)


CREATE = f"create-job job/{NAME} TimeHasCome"
STATUS = "update-status cronjob/tick JobsChanged"
LATER = f"wait {3 * MINUTE + 100}"


@pytest.mark.parametrize(
    ("believes", "acts"),
    [
        pytest.param([], [], id="nothing is done about a CronJob that is gone"),
        pytest.param([CRON], [CREATE, STATUS, LATER], id="its time has come"),
        pytest.param([cron(status=CronJobStatus(lastScheduleTime=2 * MINUTE))], [LATER], id="started already"),
        pytest.param([cron(suspend=True)], [], id="suspended"),
        pytest.param(
            [cron("Forbid", runs("old")), job("old")], ["skip-start cronjob/tick JobAlreadyActive", LATER], id="Forbid"
        ),
        pytest.param(
            [cron("Replace", runs("old")), job("old")],
            ["delete-job job/old Replaced", CREATE, STATUS, LATER],
            id="Replace",
        ),
        pytest.param(
            [cron("Forbid", runs("old")), job("old", end="Complete", completed=0)],
            [CREATE, STATUS, LATER],
            id="in one sync the old one is seen ended and the next begins, as recorded",
        ),
        pytest.param(
            [
                cron(status=CronJobStatus((), 2 * MINUTE, 9_000)),
                job("a", end="Complete", completed=5_000),
                job("b", end="Complete", completed=9_000),
            ],
            ["delete-job job/a BeyondHistoryLimit", LATER],
            id="one more than the history holds",
        ),
    ],
)
def test_turn(believes: list[Object], acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes, now=NOW, fired=True))) == acts


def test_a_refusal_is_told_at_its_time_only() -> None:
    """Between the scheduled times nothing is decided, or the loop would never rest."""
    held = (cron("Forbid", runs("old")), job("old"))
    assert told(decided(LOOP, turn(LOOP, KEY, *held, now=NOW))) == [LATER]


def test_what_is_made() -> None:
    create, status, _ = decided(LOOP, turn(LOOP, KEY, CRON, now=NOW))
    made = requested(create)
    assert (made.metadata.name, made.metadata.labels) == (NAME, StringMap({"app": "tick"}))
    assert made.metadata.annotations == StringMap({SCHEDULED_FOR: "2026-01-01T12:02:00Z"})
    assert made.metadata.controller is not None
    assert made.metadata.controller.uid == "uid-tick"
    assert isinstance(create, Act)
    (event,) = create.events
    assert (event.reason, event.message, event.object) == ("SuccessfulCreate", f"Created job {NAME}", KEY)
    assert requested(status).status.lastScheduleTime == 2 * MINUTE


def test_a_job_that_was_made_and_not_noted_is_noted_now() -> None:
    """The API server refuses the second one of that name; the first is entered into the list."""
    acts = decided(LOOP, turn(LOOP, KEY, CRON, job(NAME), now=NOW), refuse=[0])
    assert told(acts) == [CREATE, STATUS, LATER]
    assert [row.name for row in requested(acts[1]).status.active] == [NAME]


def test_a_creation_that_fails_is_not_noted() -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, CRON, now=NOW), refuse=[0])) == [CREATE, LATER]


def test_too_many_missed_times_are_told_and_the_latest_is_started() -> None:
    create = decided(LOOP, turn(LOOP, KEY, CRON, now=200 * MINUTE))[0]
    assert isinstance(create, Act)
    assert (create.events[0].reason, create.events[0].message) == ("TooManyMissedTimes", TOO_MANY)


def test_what_was_seen_is_told_with_the_status() -> None:
    seen = replace(cron(), status=replace(runs("old"), lastScheduleTime=2 * MINUTE))
    status, _ = decided(LOOP, turn(LOOP, KEY, seen, job("old", end="Complete", completed=7_000), now=NOW))
    assert isinstance(status, Act)
    (event,) = status.events
    assert (event.reason, event.message) == ("SawCompletedJob", "Saw completed job: old, condition: Complete")
    assert requested(status).status.lastSuccessfulTime == 7_000
