from typing import Any

import pytest
from msgspec.structs import replace

from app.kube import jobs
from app.kube.batch import Job, JobSpec, JobStatus, UncountedTerminatedPods
from app.kube.jobs import BACK_OFF, DEADLINE, FINALIZER, Verdict
from app.kube.meta import Condition, ObjectMeta
from app.kube.pods import (
    ContainerState,
    ContainerStateTerminated,
    ContainerStatus,
    Pod,
    PodSpec,
    PodStatus,
    PodTemplateSpec,
)
from app.kube.stringmap import StringMap

ONE: dict[str, Any] = {
    "parallelism": 1,
    "completions": 1,
    "backoffLimit": 6,
    "podReplacementPolicy": "TerminatingOrFailed",
}


def job(status: JobStatus | None = None, **spec: Any) -> Job:
    given: dict[str, Any] = ONE | spec
    return Job(ObjectMeta(name="sum", namespace="x"), JobSpec(**given), status or JobStatus())


def pod(
    name: str,
    phase: str = "Running",
    *,
    ended: int | None = None,
    gone: bool = False,
    held: bool = True,
    restarts: int = 0,
    ready: bool = False,
) -> Pod:
    state = (
        ContainerState(terminated=ContainerStateTerminated(finishedAt=ended)) if ended is not None else ContainerState()
    )
    rows = (Condition("Ready", "True"),) if ready else ()
    return Pod(
        ObjectMeta(
            name=name,
            uid=name,
            finalizers=(FINALIZER,) if held else (),
            creationTimestamp=0,
            deletionTimestamp=90_000 if gone else None,
            deletionGracePeriodSeconds=30 if gone else None,
        ),
        PodSpec(nodeName="n1"),
        PodStatus(
            phase=phase, conditions=rows, containerStatuses=(ContainerStatus("app", state, restartCount=restarts),)
        ),
    )


def test_the_server_gives_a_job_its_selector() -> None:
    bare = Job(ObjectMeta(name="sum"), JobSpec(template=PodTemplateSpec(ObjectMeta(labels=StringMap({"app": "sum"})))))
    made = jobs.with_selector(bare, "u-1")
    own = {
        "batch.kubernetes.io/controller-uid": "u-1",
        "batch.kubernetes.io/job-name": "sum",
        "controller-uid": "u-1",
        "job-name": "sum",
    }
    assert made.spec.template.metadata.labels == StringMap({"app": "sum", **own})
    assert made.metadata.labels == made.spec.template.metadata.labels
    assert made.spec.selector is not None
    assert made.spec.selector.matchLabels == StringMap({"batch.kubernetes.io/controller-uid": "u-1"})
    manual = replace(bare, spec=replace(bare.spec, manualSelector=True))
    assert jobs.with_selector(manual, "u-1") == manual


# When the next pod may be made.


@pytest.mark.parametrize(
    ("pods", "at"),
    [
        pytest.param([], None, id="at once"),
        pytest.param([pod("a", "Succeeded", ended=5_000)], None, id="also after a success"),
        pytest.param([pod("a", "Failed", ended=1_000)], 11_000, id="10 s after a failure, as recorded: 1 -> 11"),
        pytest.param(
            [pod("a", "Failed", ended=1_000), pod("b", "Failed", ended=12_000)], 32_000, id="20 s after the second: 32"
        ),
        pytest.param(
            [pod(str(n), "Failed", ended=1_000 * n) for n in (1, 2, 3, 4)], 84_000, id="80 s after the fourth"
        ),
        pytest.param([pod(str(n), "Failed", ended=1_000 * n) for n in range(1, 12)], 611_000, id="ten minutes at most"),
        pytest.param(
            [pod("a", "Failed", ended=1_000), pod("b", "Succeeded", ended=2_000), pod("c", "Failed", ended=3_000)],
            13_000,
            id="a success begins anew",
        ),
        pytest.param([pod("a", "Running", gone=True)], 70_000, id="a pod that is deleted counts from its deletion"),
    ],
)
def test_back_off(pods: list[Pod], at: int | None) -> None:
    assert jobs.may_retry_at(job(), pods) == at


def test_one_that_still_ends_has_not_failed_where_only_failed_ones_are_replaced() -> None:
    ending = pod("a", gone=True)
    assert jobs.has_failed(job().spec, ending)
    assert not jobs.has_failed(job(podReplacementPolicy="Failed").spec, ending)


# How many run.


@pytest.mark.parametrize(
    ("given", "pods", "create", "delete"),
    [
        pytest.param(job(), [], 1, 0, id="one"),
        pytest.param(job(parallelism=3, completions=6), [], 3, 0, id="three of six"),
        pytest.param(
            job(JobStatus(succeeded=4), parallelism=3, completions=6),
            [pod("a")],
            1,
            0,
            id="no more than are left to do",
        ),
        pytest.param(
            job(JobStatus(succeeded=4), parallelism=3, completions=6), [pod("a"), pod("b"), pod("c")], 0, 1, id="fewer"
        ),
        pytest.param(job(parallelism=2, completions=None), [], 2, 0, id="a pool of workers"),
        pytest.param(
            job(parallelism=2, completions=None),
            [pod("a", "Succeeded"), pod("b")],
            0,
            0,
            id="that winds down after one",
        ),
        pytest.param(job(), [pod("a", gone=True)], 1, 0, id="one that ends is replaced at once"),
        pytest.param(
            job(podReplacementPolicy="Failed"), [pod("a", gone=True)], 0, 0, id="unless only failed ones are replaced"
        ),
        pytest.param(job(suspend=True), [pod("a")], 0, 1, id="suspended: none"),
    ],
)
def test_how_many(given: Job, pods: list[Pod], create: int, delete: int) -> None:
    count = jobs.counted(given, pods)
    assert (jobs.to_create(given, count), len(jobs.to_delete(given, count, 0))) == (create, delete)


def test_every_pod_counts_once() -> None:
    """One in the counters, one listed with its finalizer still on, one new, one whose finalizer has gone."""
    status = JobStatus(failed=1, uncountedTerminatedPods=UncountedTerminatedPods(failed=("listed",)))
    pods = [pod("old", "Failed", held=False), pod("listed", "Failed"), pod("new", "Failed"), pod("on", ready=True)]
    count = jobs.counted(job(status), pods)
    assert (count.failed, count.succeeded, len(count.active), count.ready, count.terminating) == (3, 0, 1, 1, 0)


# The end.


@pytest.mark.parametrize(
    ("given", "pods", "now", "verdict"),
    [
        pytest.param(job(backoffLimit=2), [pod(n, "Failed") for n in "ab"], 0, None, id="two of two allowed"),
        pytest.param(job(backoffLimit=2), [pod(n, "Failed") for n in "abc"], 0, BACK_OFF, id="and a third"),
        pytest.param(job(JobStatus(startTime=1_000), activeDeadlineSeconds=12), [], 12_999, None, id="in time"),
        pytest.param(job(JobStatus(startTime=1_000), activeDeadlineSeconds=12), [], 13_000, DEADLINE, id="late"),
        pytest.param(
            job(backoffLimit=2, template=PodTemplateSpec(spec=PodSpec(restartPolicy="OnFailure"))),
            [pod("a", restarts=2)],
            0,
            BACK_OFF,
            id="restarts count where containers are restarted in place",
        ),
        pytest.param(job(backoffLimit=2), [pod("a", restarts=2)], 0, None, id="and not elsewhere"),
        pytest.param(
            job(JobStatus(conditions=(Condition("FailureTarget", "True", "DeadlineExceeded", "late"),))),
            [],
            0,
            Verdict("DeadlineExceeded", "late"),
            id="what has been decided stays",
        ),
    ],
)
def test_failure(given: Job, pods: list[Pod], now: int, verdict: Verdict | None) -> None:
    assert jobs.failure(given, pods, jobs.counted(given, pods), now) == verdict


@pytest.mark.parametrize(
    ("given", "pods", "active", "done"),
    [
        pytest.param(job(), [pod("a", "Succeeded")], 0, True, id="one of one"),
        pytest.param(job(completions=2), [pod("a", "Succeeded")], 0, False, id="one of two"),
        pytest.param(job(completions=None), [pod("a", "Succeeded")], 1, False, id="others still run"),
        pytest.param(job(completions=None), [pod("a", "Succeeded")], 0, True, id="any success is enough"),
        pytest.param(job(completions=0), [], 0, True, id="nothing to do"),
    ],
)
def test_complete(given: Job, pods: list[Pod], active: int, done: bool) -> None:
    assert jobs.complete(given, jobs.counted(given, pods), active) is done


def test_when_a_pod_ended() -> None:
    assert jobs.finished_at(pod("a", "Failed", ended=7_000)) == 7_000
    assert jobs.finished_at(pod("a", gone=True)) == 60_000
    assert jobs.finished_at(pod("a")) == 0
    unready = replace(pod("a"), status=PodStatus(conditions=(Condition("Ready", "False", lastTransitionTime=5_000),)))
    assert jobs.finished_at(unready) == 5_000
