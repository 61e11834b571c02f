"""The end of a pod: the table of the kubelet's killing, one budget for hook, turn and signal."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.pods import Container, ExecAction, Lifecycle, LifecycleHandler, Pod, PodStatus, SleepAction
from app.loops.kubelet.pods import LOOP
from app.sim.acts import Delete
from app.sim.host import ContainerRun, Host, HostPod, Kill, Pull, Stop, Worker
from tests.loops.machines import (
    APP,
    KEY,
    UID,
    act,
    api,
    decides,
    events,
    knows,
    machine,
    pod_after,
    run,
    stopping,
    there,
    worker_after,
)

GOING = api(deleted=30)
RUNS = there(GOING, run())
HOOKED = replace(APP, lifecycle=Lifecycle(preStop=LifecycleHandler(exec=ExecAction(("sleep", "5")))))
SLEEPS = replace(APP, lifecycle=Lifecycle(preStop=LifecycleHandler(sleep=SleepAction(5))))
SIDECARS = tuple(Container(name, "app:v1", restartPolicy="Always") for name in ("first", "second"))
DEAD = run(state="exited", finished=2_000, stop=Stop(1_000, 30_000, 1_000))
NEVER = {"pre-stop": "never-returns"}


def ending(pod: HostPod, *kills: Kill, **worker: object) -> Host:
    """A pod whose killing has begun."""
    return machine(pod, knows(pod, stage="terminating", kills=kills, **worker))


def kill(name: str = "app", since: int = 1_000, grace: int = 30, **more: object) -> Kill:
    return Kill(name, 0, since, grace, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pod", "believed", "grace"),
    [
        pytest.param(RUNS, [GOING], 30, id="the grace of the deletion"),
        pytest.param(RUNS, [api(grace=30, deleted=5)], 5, id="which may be shorter than the spec's"),
        pytest.param(RUNS, [api(deleted=0)], 1, id="and is never below a second"),
        pytest.param(RUNS, [], 1, id="a pod whose object is gone gets a second"),
        pytest.param(RUNS, [api(uid="uid-later")], 1, id="also when there is a new one of its name"),
    ],
)
def test_the_grace_is_fixed_when_the_killing_begins(pod: HostPod, believed: list[Pod], grace: int) -> None:
    made = act(LOOP, machine(pod, knows(pod)), *believed, now=1_000)
    worker = worker_after(made)
    assert (made.verb, made.moment, worker.grace) == ("kill-pod", "killing", grace)
    assert worker.kills == (kill(grace=grace),)


def test_all_running_containers_are_told_of_at_once_sidecars_too() -> None:
    pod = there(api(init=SIDECARS, deleted=30), run("first", role="sidecar"), run("second", "exited"), run())
    made = act(LOOP, machine(pod, knows(pod)), pod.pod)
    assert events(made) == ["Killing: Stopping container first", "Killing: Stopping container app"]


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(there(GOING, sandbox="creating"), id="a sandbox"),
        pytest.param(there(GOING, run(state="created")), id="a container"),
    ],
)
def test_calls_in_flight_end_first(pod: HostPod) -> None:
    assert decides(LOOP, machine(pod, knows(pod)), GOING) == ""


def test_a_pull_is_given_up() -> None:
    pod = there(GOING, pull=Pull("app", "app:v2", 0))
    made = act(LOOP, machine(pod, knows(pod)), GOING)
    assert (pod_after(made).pull, made.background, made.moment) == (None, True, "")


def test_a_start_that_was_not_looked_at_yet_is_ended_too() -> None:
    made = act(LOOP, machine(RUNS, knows(there(GOING))), GOING)
    assert worker_after(made).seen == (run(),)
    assert len(worker_after(made).kills) == 1


HOOK = there(api(HOOKED, deleted=30), run())
STUCK = there(api(HOOKED, deleted=10, behaves=NEVER), run())


@pytest.mark.parametrize(
    ("pod", "killed", "now", "decision"),
    [
        pytest.param(RUNS, kill(), 1_000, "stop-container", id="no hook, so at once"),
        pytest.param(HOOK, kill(), 1_000, "run-hook", id="a hook runs first"),
        pytest.param(HOOK, kill(hook="running"), 1_000, "wait 6000", id="as long as it takes"),
        pytest.param(HOOK, kill(hook="running"), 6_000, "end-hook done", id="and ends"),
        pytest.param(HOOK, kill(hook="done", hook_ended=6_000), 6_000, "stop-container", id="then the stop"),
        pytest.param(STUCK, kill(grace=10, hook="running"), 1_000, "wait 11000", id="a hook may not outlast the grace"),
        pytest.param(STUCK, kill(grace=10, hook="running"), 11_000, "end-hook cut", id="it is cut"),
        pytest.param(
            there(api(HOOKED, deleted=30, behaves={"pre-stop": "fails"}), run()),
            kill(hook="running"),
            1_000,
            "end-hook failed",
            id="a hook that fails ends at once",
        ),
        pytest.param(
            there(api(HOOKED, deleted=30), run(state="exited", finished=3_000)),
            kill(hook="running"),
            3_000,
            "end-hook failed",
            id="as does one whose container ends",
        ),
        pytest.param(
            there(api(SLEEPS, deleted=30), run(state="exited", finished=3_000)),
            kill(hook="running"),
            3_000,
            "wait 6000",
            id="but a sleep sleeps on",
        ),
        pytest.param(there(GOING, stopping(1_000, signalled=1_000)), kill(), 1_000, "", id="the runtime is waited for"),
        pytest.param(there(GOING, DEAD), kill(), 2_000, "stop-sandbox", id="its return is seen at once"),
    ],
)
def test_one_container(pod: HostPod, killed: Kill, now: int, decision: str) -> None:
    assert decides(LOOP, ending(pod, killed), pod.pod, now=now) == decision


@pytest.mark.parametrize(
    ("hook_ended", "grace", "timeout"),
    [
        pytest.param(None, 30, 30_000, id="no hook leaves the whole grace"),
        pytest.param(26_000, 30, 5_000, id="25 s of hook leave 5 s"),
        pytest.param(26_900, 30, 5_000, id="of the hook whole seconds count"),
        pytest.param(30_500, 30, 2_000, id="two seconds remain at least"),
        pytest.param(None, 1, 2_000, id="also of a grace of one"),
    ],
)
def test_what_is_left_between_sigterm_and_sigkill(hook_ended: int | None, grace: int, timeout: int) -> None:
    killed = kill(grace=grace, hook="" if hook_ended is None else "done", hook_ended=hook_ended)
    pod = RUNS if hook_ended is None else HOOK
    now = hook_ended or 1_000
    (stopped,) = pod_after(act(LOOP, ending(pod, killed), pod.pod, now=now)).containers
    assert stopped.stop == Stop(now, timeout)


def test_a_failed_hook_is_told_of_at_once_a_cut_one_when_its_container_is_dead() -> None:
    failing = there(api(HOOKED, deleted=30, behaves={"pre-stop": "fails"}), run())
    failed = act(LOOP, ending(failing, kill(hook="running")), failing.pod, now=1_000)
    cut = act(LOOP, ending(STUCK, kill(grace=10, hook="running")), STUCK.pod, now=11_000)
    assert (events(failed), events(cut)) == (["FailedPreStopHook: PreStopHook failed"], [])
    dead = there(STUCK.pod, DEAD)
    late = act(LOOP, ending(dead, kill(grace=10, hook="cut", hook_ended=11_000)), STUCK.pod, now=12_000)
    assert (late.verb, events(late)) == ("report-hook", ["FailedPreStopHook: PreStopHook failed"])
    assert decides(LOOP, machine(dead, worker_after(late)), STUCK.pod, now=12_000) == "stop-sandbox"


def test_a_sleep_that_was_cut_is_not_told_of() -> None:
    dead = there(api(SLEEPS, deleted=2), DEAD)
    killed = kill(grace=2, hook="cut", hook_ended=3_000)
    assert decides(LOOP, ending(dead, killed), dead.pod, now=5_000) == "stop-sandbox"


def test_a_second_delete_with_a_shorter_grace_does_not_shorten_a_stop_that_runs() -> None:
    pod = there(GOING, stopping(1_000, 30_000, signalled=1_000))
    assert decides(LOOP, ending(pod, kill()), api(deleted=3), now=5_000) == ""


TEAM = api(APP, init=SIDECARS, deleted=30)
KILLS = (kill("first"), kill("second"), kill("app"))


@pytest.mark.parametrize(
    ("states", "now", "stopped"),
    [
        pytest.param(("running", "running", "running"), 1_000, "app", id="the app first"),
        pytest.param(
            ("running", "running", "stopping"), 1_000, "wait 31000", id="sidecars wait for it, within the grace"
        ),
        pytest.param(("running", "running", "exited"), 4_000, "second", id="then the last sidecar"),
        pytest.param(("running", "stopping", "exited"), 4_000, "wait 31000", id="which the first one waits for"),
        pytest.param(("running", "exited", "exited"), 5_000, "first", id="until it is its turn"),
        pytest.param(("running", "running", "stopping"), 31_000, "first", id="nobody waits longer than the grace"),
    ],
)
def test_the_order_of_sidecars(states: tuple[str, str, str], now: int, stopped: str) -> None:
    def as_said(name: str, state: str) -> ContainerRun:
        stop = Stop(1_000, 30_000, 1_000)
        if state == "stopping":
            return run(name, stop=stop)
        return run(name, state, stop=stop) if state == "exited" else run(name)

    runs = tuple(as_said(name, state) for name, state in zip(("first", "second", "app"), states, strict=True))
    host = ending(there(TEAM, *runs), *KILLS)
    if stopped.startswith("wait"):
        assert decides(LOOP, host, TEAM, now=now) == stopped
    else:
        made = act(LOOP, host, TEAM, now=now)
        (new,) = [row.name for row, old in zip(pod_after(made).containers, runs, strict=True) if row != old]
        assert new == stopped


def test_a_sidecar_that_waited_has_what_is_left() -> None:
    runs = (
        run("first"),
        run("second", "exited", stop=Stop(1_000, 30_000)),
        run(state="exited", stop=Stop(1_000, 30_000)),
    )
    made = act(LOOP, ending(there(TEAM, *runs), *KILLS), TEAM, now=21_500)
    assert pod_after(made).containers[0].stop == Stop(21_500, 10_000)


# After the containers: sandbox, status, volumes, object.
OVER = there(GOING, DEAD, sandbox="stopped")
SHOWN = api(deleted=30, status=PodStatus(phase="Succeeded"))


def over(pod: HostPod = OVER, **worker: object) -> Host:
    return machine(pod, knows(pod, **{"stage": "terminated", "ended": 2_000, "written": 2_010, **worker}))


@pytest.mark.parametrize(
    ("host", "believed", "now", "decision"),
    [
        pytest.param(ending(there(GOING, DEAD, stop_asked=2_000)), [GOING], 2_000, "", id="the sandbox is waited for"),
        pytest.param(ending(OVER), [GOING], 2_000, "end-pod", id="then the pod is over"),
        pytest.param(ending(there(GOING, sandbox="none")), [GOING], 2_000, "end-pod", id="at once without a sandbox"),
        pytest.param(over(written=None), [GOING], 2_000, "", id="the terminal status comes first"),
        pytest.param(over(), [SHOWN], 2_010, "wait 2110", id="then the volumes"),
        pytest.param(over(), [SHOWN], 2_410, "unmount-volumes", id="are unmounted"),
        pytest.param(over(volumes="gone"), [SHOWN], 2_110, "wait 2710", id="the object goes last"),
        pytest.param(over(volumes="gone"), [SHOWN], 2_960, "delete", id="by the kubelet's own delete"),
        pytest.param(over(volumes="gone"), [], 2_960, "forget", id="and is forgotten"),
        pytest.param(over(written=None), [], 2_400, "unmount-volumes", id="a forced pod has no status to write"),
        pytest.param(over(written=None, volumes="waiting"), [], 2_000, "forget", id="nor volumes that never were"),
        pytest.param(
            over(volumes="gone"),
            [api(deleted=0, status=PodStatus(phase="Succeeded"))],
            9_000,
            "",
            id="a finalizer holds it",
        ),
        pytest.param(
            over(volumes="gone"),
            [api(status=PodStatus(phase="Succeeded"))],
            9_000,
            "",
            id="a pod that just ended stays",
        ),
        pytest.param(
            over(there(api(deleted=30, behaves={"unmount": "hangs"}), DEAD, sandbox="stopped")),
            [SHOWN],
            99_000,
            "",
            id="volumes that hang keep it for ever",
        ),
        pytest.param(
            over(there(api(deleted=30, behaves={"unmount": "5s"}), DEAD, sandbox="stopped")),
            [SHOWN],
            2_010,
            "wait 7110",
            id="slow ones for a while",
        ),
    ],
)
def test_after_the_containers(host: Host, believed: list[Pod], now: int, decision: str) -> None:
    assert decides(LOOP, host, *believed, now=now) == decision


def test_the_end_is_seen_all_at_once() -> None:
    worker = worker_after(act(LOOP, ending(OVER, kill()), GOING, now=2_003))
    assert isinstance(worker, Worker)
    assert (worker.stage, worker.seen, worker.seen_sandbox) == ("terminated", (DEAD,), "stopped")
    assert (worker.probes, worker.kills, worker.dirty_since) == ((), (), 2_003)


def test_the_final_delete_means_that_pod_only() -> None:
    made = act(LOOP, over(volumes="gone"), SHOWN, now=2_960)
    assert made.request == Delete(KEY, 0, UID)
    assert made.moment == "final-delete"


def test_nothing_is_left_of_a_forgotten_pod() -> None:
    assert act(LOOP, over(volumes="gone"), now=2_960).host == machine()
