"""postStart hooks: they hold up everything else in the pod, and end their container when they fail."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.pods import Container, ExecAction, HTTPGetAction, Lifecycle, LifecycleHandler, Pod, SleepAction
from app.loops.kubelet.pods import LOOP
from app.sim.host import ContainerRun, Crash, Host, Kill, PostStart, Stop
from tests.loops.machines import APP, act, api, decides, events, knows, machine, run, there, worker_after

EXEC = LifecycleHandler(exec=ExecAction(("register", "--now")))
OTHER = Container("other", "app:v1")
STARTED = run(created=100, started=112)
RUNNING = PostStart("app", 0, 120)
ERROR = (
    'Exec lifecycle hook ([register --now]) for Container "app" in Pod "web-1_default(uid-web-1)" failed - '
    "error: command 'register --now' exited with 1: , message: \"\""
)


def pod(takes: str = "", handler: LifecycleHandler = EXEC) -> Pod:
    spec = replace(APP, lifecycle=Lifecycle(postStart=handler))
    return api(spec, OTHER, behaves={"post-start": takes} if takes else {})


def host(spec: Pod, hook: PostStart | None, *runs: ContainerRun, **more: object) -> Host:
    """A machine that relists at 0.7 s past the second; a container was started at 0.1 s, its hook at 0.12 s."""
    found = there(spec, *(runs or (STARTED,)), sandbox_since=50)
    told = None if hook is None else 100
    return machine(found, knows(found, seen=(), post_start=hook, told=told, **more), relist_phase=700)


def test_it_begins_when_the_container_has_started() -> None:
    made = act(LOOP, host(pod(), None), pod(), now=120)
    assert (made.verb, made.reason, made.moment) == ("run-post-start", "PostStart", "poststart-started")
    assert events(made) == ["Started: Container started"]
    assert worker_after(made).post_start == RUNNING


@pytest.mark.parametrize(
    ("spec", "decision"),
    [
        pytest.param(pod("5s"), "wait 5120", id="one that takes 5 s"),
        pytest.param(pod(handler=LifecycleHandler(sleep=SleepAction(3))), "wait 3120", id="a sleep"),
        pytest.param(pod("never-returns"), "", id="one that never returns"),
        pytest.param(pod("fails"), "end-post-start failed", id="one that fails"),
    ],
)
def test_nothing_else_is_started_before_its_end(spec: Pod, decision: str) -> None:
    assert decides(LOOP, host(spec, RUNNING), spec, now=120) == decision


def test_at_its_end_the_next_container_is_started() -> None:
    spec = pod("5s")
    done = act(LOOP, host(spec, RUNNING), spec, now=5_120, fired=True)
    assert (done.verb, done.moment, done.outcome) == ("end-post-start", "poststart-done", "done")
    after = machine(there(spec, STARTED), worker_after(done), relist_phase=700)
    started = act(LOOP, after, spec, now=5_120)
    assert (started.verb, started.reason) == ("start-container", "other")
    # Its own start was told of when the hook began.
    assert [text.split(":")[0] for text in events(started)] == ["Pulled", "Created"]


def test_one_that_fails_ends_its_container_with_the_grace_of_the_pod() -> None:
    spec = pod("fails")
    made = act(LOOP, host(spec, RUNNING), spec, now=125, fired=True)
    assert events(made) == ["FailedPostStartHook: PostStartHook failed", "Killing: FailedPostStartHook"]
    worker = worker_after(made)
    assert worker.kills == (Kill("app", 0, 125, 30, "postStart"),)
    assert [(row.failing, row.message) for row in worker.crashes] == [("PostStartHookError", ERROR)]
    stopped = act(LOOP, machine(there(spec, STARTED), worker), spec, now=125)
    assert (stopped.verb, stopped.reason) == ("stop-container", "timeout 30 s")


def test_what_it_ended_is_shown_by_the_next_relist_and_the_rest_of_the_pod_goes_on() -> None:
    spec = pod("fails")
    ended = run(created=100, state="exited", started=112, finished=150, stop=Stop(125, 30_000, 130))
    failed = replace(RUNNING, how="failed")
    kills = (Kill("app", 0, 125, 30, "postStart"),)
    crash = Crash("app", failing="PostStartHookError", message=ERROR)
    goes_on = host(spec, failed, ended, kills=kills, crashes=(crash,))
    made = act(LOOP, goes_on, spec, now=150)
    assert (made.verb, made.reason) == ("start-container", "other")
    alone = api(spec.spec.containers[0], behaves={"post-start": "fails"})
    waits = host(alone, failed, ended, kills=kills, crashes=(crash,))
    assert decides(LOOP, waits, alone, now=150) == "wait 700"
    shown = worker_after(act(LOOP, waits, alone, now=700, fired=True))
    assert (shown.kills, shown.seen, shown.crashes[0].shown) == ((), (ended,), "PostStartHookError")


def test_a_program_that_ends_meanwhile_takes_its_hook_along() -> None:
    spec = pod("5s")
    gone = run(created=100, state="exited", started=112, finished=400)
    made = act(LOOP, host(spec, RUNNING, gone), spec, now=400)
    assert (made.verb, made.outcome, worker_after(made).kills) == ("end-post-start", "failed", ())


def test_a_pod_that_is_deleted_does_not_wait_for_it() -> None:
    spec = pod("never-returns")
    deleted = replace(spec, metadata=replace(spec.metadata, deletionTimestamp=31_000, deletionGracePeriodSeconds=30))
    made = act(LOOP, host(spec, RUNNING), deleted, now=1_000)
    assert (made.verb, worker_after(made).post_start) == ("kill-pod", None)
    assert events(made) == ["Killing: Stopping container app"]


def test_a_hook_over_http() -> None:
    spec = pod("fails", LifecycleHandler(httpGet=HTTPGetAction(80, "/hook")))
    made = act(LOOP, host(spec, RUNNING), spec, now=125, fired=True)
    assert worker_after(made).crashes[0].message.startswith('HTTP lifecycle hook (/hook) for Container "app" in Pod')
