"""The Job controller's table."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.batch import Job, JobSpec, JobStatus, UncountedTerminatedPods
from app.kube.jobs import FINALIZER, JOB_NAME
from app.kube.meta import Condition, ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.pods import Pod
from app.loops.job import LOOP
from app.sim.acts import Act, Create, Patch
from tests.loops.beliefs import TEMPLATE, decided, pod, requested, told, turn

KEY = Ref("Job", "default", "sum")
RUNS: dict[str, Any] = {"startTime": 0, "active": 1, "ready": 0, "terminating": 0}
IDLE = RUNS | {"active": 0}


ONE: dict[str, Any] = {
    "parallelism": 1,
    "completions": 1,
    "backoffLimit": 6,
    "podReplacementPolicy": "TerminatingOrFailed",
}


def job(status: dict[str, Any] | None = None, **spec: Any) -> Job:
    given: dict[str, Any] = ONE | spec
    return Job(
        ObjectMeta(name="sum", namespace="default", uid="uid-sum", generation=1),
        JobSpec(TEMPLATE, **given),
        JobStatus(**(status or {})),
    )


JOB = job()


def worker(name: str, *, held: bool = True, **more: Any) -> Pod:
    made = pod(f"sum-{name}", JOB, labels={JOB_NAME: "sum"}, **more)
    return replace(made, metadata=replace(made.metadata, finalizers=(FINALIZER,) if held else ()))


CREATE = "create-pod pod/ TooFewPods"
CHANGED = "update-status job/sum PodsChanged"
COUNTED = "update-status job/sum PodsCounted"
COMPLETE = "update-status job/sum CompletionsReached"
LATE = Condition("FailureTarget", "True", "DeadlineExceeded", "Job was active longer than specified deadline")


def freed(name: str) -> str:
    return f"remove-finalizer pod/sum-{name} PodCounted"


@pytest.mark.parametrize(
    ("believes", "acts"),
    [
        pytest.param([], [], id="nothing is done about a Job that is gone"),
        pytest.param([worker("a")], [freed("a")], id="but for the pods that it left"),
        pytest.param([JOB], [CREATE, CHANGED], id="a new one: a pod, and the start is noted"),
        pytest.param([job(RUNS), worker("a")], [], id="one that runs is rest"),
        pytest.param([job(RUNS), worker("a", ready=0)], [CHANGED], id="ready pods are reported"),
        pytest.param(
            [job(RUNS), worker("a", phase="Succeeded")],
            [CHANGED, freed("a"), COMPLETE],
            id="the end: noted, let go, counted",
        ),
        pytest.param(
            [job(RUNS, completions=2), worker("a", phase="Succeeded")],
            [CREATE, CHANGED, freed("a"), COUNTED],
            id="the next one goes first",
        ),
        pytest.param(
            [job(RUNS), worker("a", phase="Failed")],
            [CHANGED, freed("a"), COUNTED, "wait 10000"],
            id="a failure is counted, and the next try waits",
        ),
        pytest.param(
            [job(IDLE | {"failed": 1}), worker("a", phase="Failed", held=False)], ["wait 10000"], id="a rest of 10 s"
        ),
        pytest.param(
            [job(RUNS, backoffLimit=0), worker("a", phase="Failed")],
            [CHANGED, freed("a"), "update-status job/sum BackoffLimitExceeded"],
            id="the last failure",
        ),
        pytest.param(
            [job({**IDLE, "conditions": (LATE,), "terminating": 1}), worker("a", deleted=True)],
            [CHANGED, freed("a"), COUNTED],
            id="past its deadline: it is not over while a pod still ends",
        ),
        pytest.param(
            [job({**IDLE, "conditions": (LATE,), "failed": 1}), worker("a", phase="Failed", held=False)],
            ["update-status job/sum DeadlineExceeded"],
            id="and then it is",
        ),
        pytest.param(
            [job({"conditions": (Condition("Complete", "True"),)}), worker("a", phase="Running")],
            [],
            id="a Job that is over is left alone",
        ),
        pytest.param([job(RUNS, activeDeadlineSeconds=12), worker("a")], ["wait 12000"], id="the deadline is awaited"),
        pytest.param(
            [job(RUNS, parallelism=0), worker("a")],
            ["delete-pod pod/sum-a NotWantedAnyMore", CHANGED],
            id="fewer are wanted",
        ),
    ],
)
def test_turn(believes: list[Object], acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes))) == acts


def test_a_pod_holds_a_finalizer_from_the_start() -> None:
    create, wrote = decided(LOOP, turn(LOOP, KEY, JOB, now=2_900))
    assert isinstance(create, Act)
    assert isinstance(create.request, Create)
    made = requested(create)
    assert (made.metadata.generateName, made.metadata.finalizers) == ("sum-", (FINALIZER,))
    status = requested(wrote).status
    assert (status.startTime, status.active, status.ready, status.terminating) == (2_000, 1, 0, 0)


def test_after_the_rest_it_is_tried_again() -> None:
    believes = (job(IDLE | {"failed": 1}), worker("a", phase="Failed", held=False))
    create, _ = decided(LOOP, turn(LOOP, KEY, *believes, now=10_000))
    assert isinstance(create, Act)
    assert (create.reason, create.moment) == ("Retry", "job-pod-retried")


def test_what_is_written_on_the_way_to_the_end() -> None:
    noted, let_go, ended = decided(LOOP, turn(LOOP, KEY, job(RUNS), worker("a", phase="Succeeded"), now=9_500))
    status = requested(noted).status
    assert status.uncountedTerminatedPods == UncountedTerminatedPods(succeeded=("uid-sum-a",))
    assert [(row.type, row.reason) for row in status.conditions] == [("SuccessCriteriaMet", "CompletionsReached")]
    assert isinstance(let_go, Act)
    assert let_go.request == Patch(Ref("Pod", "default", "sum-a"), (("metadata.finalizers", ()),))
    assert isinstance(ended, Act)
    status = requested(ended).status
    assert (status.uncountedTerminatedPods, status.succeeded, status.completionTime) == (None, 1, 9_000)
    assert [row.type for row in status.conditions] == ["SuccessCriteriaMet", "Complete"]
    (event,) = ended.events
    assert (event.type, event.reason, event.message) == ("Normal", "Completed", "Job completed")


def test_the_end_of_a_failure_is_told() -> None:
    ended = decided(LOOP, turn(LOOP, KEY, job(RUNS, backoffLimit=0), worker("a", phase="Failed")))[-1]
    assert isinstance(ended, Act)
    (event,) = ended.events
    assert (event.type, event.reason, event.message) == (
        "Warning",
        "BackoffLimitExceeded",
        "Job has reached the specified backoff limit",
    )
    assert ended.moment == "job-failed"


def test_a_pod_that_was_listed_and_let_go_is_counted_by_the_next_sync() -> None:
    """The controller was stopped between the finalizer and the counter."""
    listed = RUNS | {"active": 0, "uncountedTerminatedPods": UncountedTerminatedPods(failed=("uid-sum-a",))}
    (wrote, _) = decided(LOOP, turn(LOOP, KEY, job(listed), worker("a", phase="Failed", held=False)))
    status = requested(wrote).status
    assert (status.failed, status.uncountedTerminatedPods) == (1, None)


@pytest.mark.parametrize(
    ("refused", "acts"),
    [
        pytest.param(0, [CHANGED], id="the first write: nothing is let go"),
        pytest.param(1, [CHANGED, freed("a")], id="the finalizer: nothing is counted"),
    ],
)
def test_a_refusal_ends_the_sync(refused: int, acts: list[str]) -> None:
    found = turn(LOOP, KEY, job(RUNS), worker("a", phase="Succeeded"))
    assert told(decided(LOOP, found, refuse=[refused])) == acts
