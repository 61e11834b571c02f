"""Pods whose apps are done for good while sidecars still run."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.pods import Container, Lifecycle, LifecycleHandler, SleepAction
from app.loops.kubelet.pods import LOOP
from app.sim.host import ContainerRun, Host, HostPod, Kill, Stop
from tests.loops.machines import act, api, decides, events, knows, machine, pod_after, run, there, worker_after

SIDECARS = (
    Container("first", "app:v1", restartPolicy="Always"),
    Container("second", "app:v1", restartPolicy="Always"),
)
POD = api(init=SIDECARS, restartPolicy="Never", grace=20)
DONE = run(state="exited", finished=1_200)
KILLS = (Kill("first", 0, 1_700, 20), Kill("second", 0, 1_700, 20))


def host(pod: HostPod, **more: object) -> Host:
    """A machine that relists at 0.7 s past the second, and has done so at 1.7 s."""
    return machine(pod, knows(pod, synced=1_700, **more), relist_phase=700)


def stopped(name: str, at: int) -> ContainerRun:
    return run(name, "exited", role="sidecar", finished=at, stop=Stop(1_700, 20_000, 1_705))


def test_they_are_ended_in_the_sync_that_finds_the_apps_done() -> None:
    pod = there(POD, run("first", role="sidecar"), run("second", role="sidecar"), DONE)
    made = act(LOOP, host(pod), POD, now=1_700)
    assert (made.verb, made.moment, made.outcome) == ("stop-sidecars", "sidecars-stopping", "grace 20 s")
    assert events(made) == ["Killing: Stopping container first", "Killing: Stopping container second"]
    assert (worker_after(made).stage, worker_after(made).kills) == ("sync", KILLS)


def test_the_later_one_goes_first() -> None:
    pod = there(POD, run("first", role="sidecar"), run("second", role="sidecar"), DONE)
    made = act(LOOP, host(pod, kills=KILLS), POD, now=1_700)
    asked = {row.name: row.stop is not None for row in pod_after(made).containers}
    assert asked == {"first": False, "second": True, "app": False}


def test_then_the_sandbox_goes_and_two_relists_end_it() -> None:
    pod = there(POD, stopped("first", 3_000), stopped("second", 2_400), DONE)
    made = act(LOOP, host(pod, kills=KILLS), POD, now=3_000)
    assert made.verb == "stop-sandbox"
    down = replace(pod_after(made), sandbox="stopped", sandbox_since=3_010)
    assert decides(LOOP, host(pod_after(made), kills=KILLS), POD, now=3_005) == ""
    waiting = host(down, kills=KILLS, seen=(run("first"), run("second"), DONE), seen_sandbox="ready")
    assert decides(LOOP, waiting, POD, now=3_010) == "wait 3700"
    shown = act(LOOP, waiting, POD, now=3_700, fired=True)
    assert (shown.verb, worker_after(shown).kills, worker_after(shown).seen_sandbox) == ("relist", (), "stopped")
    last = machine(down, worker_after(shown), relist_phase=700)
    assert decides(LOOP, last, POD, now=3_700) == "wait 4700"
    assert act(LOOP, last, POD, now=4_700, fired=True).reason == "Completed"


def test_a_pod_that_is_deleted_meanwhile_goes_on_with_the_kills_it_has() -> None:
    pod = there(POD, run("first", role="sidecar", stop=Stop(1_700, 20_000, 1_705)), stopped("second", 2_400), DONE)
    deleted = api(init=SIDECARS, restartPolicy="Never", grace=20, deleted=5)
    made = act(LOOP, host(pod, kills=KILLS), deleted, now=2_500)
    assert (made.verb, worker_after(made).kills) == ("kill-pod", KILLS[:1])


def test_their_hooks_run_first() -> None:
    slow = replace(SIDECARS[0], lifecycle=Lifecycle(preStop=LifecycleHandler(sleep=SleepAction(3))))
    spec = api(init=(slow,), restartPolicy="Never", grace=20)
    pod = there(spec, run("first", role="sidecar"), DONE)
    kill = (Kill("first", 0, 1_700, 20, hook="running"),)
    assert decides(LOOP, host(pod, kills=kill), spec, now=1_700) == "wait 4700"
