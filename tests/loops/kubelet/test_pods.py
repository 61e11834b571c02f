"""The pod worker's table: from a pod that is bound to containers that run, and what happens when they end."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.backoff import Entry
from app.kube.pods import Container, Pod, Probe, TCPSocketAction
from app.kube.probes import Counting
from app.loops.host_pods import with_pod
from app.loops.kubelet.pods import LOOP
from app.sim.host import ContainerRun, Crash, Host, HostPod, ProbeState, Pull, Worker
from app.sim.lags import Bounds
from tests.loops.machines import (
    APP,
    UID,
    act,
    api,
    at,
    decides,
    events,
    knows,
    machine,
    off,
    pod_after,
    run,
    there,
    worker_after,
)

POD = api()
RUNS = there(POD, run())
PROBE = Probe(tcpSocket=TCPSocketAction(8080), periodSeconds=10, failureThreshold=3)
SETUP, SIDECAR = Container("setup", "app:v1"), Container("proxy", "app:v1", restartPolicy="Always")
SLOW = replace(SIDECAR, startupProbe=PROBE)
PRESENT = 'Pulled: Container image "app:v1" already present on machine and can be accessed by the pod'


def fresh(pod: Pod = POD, **worker: object) -> Host:
    """A pod that was just admitted."""
    return machine(HostPod(pod), Worker(**{"since": 0, **worker}))  # type: ignore[arg-type]


def probed(kind: str, result: str, name: str = "app", attempt: int = 0) -> ProbeState:
    return ProbeState(name, kind, base=0, attempt=attempt, counting=Counting(result))


def saw(pod: HostPod, **worker: object) -> Host:
    """A kubelet that knows the pod as it is."""
    return machine(pod, knows(pod, **worker))


@pytest.mark.parametrize(
    ("host", "believed", "now", "decision"),
    [
        pytest.param(machine(), [], 0, "", id="nothing is done about a pod that never was"),
        pytest.param(machine(), [POD], 0, "admit", id="a pod that is bound here is taken on"),
        pytest.param(machine(), [api(status=replace(POD.status, phase="Failed"))], 0, "", id="a finished one is not"),
        pytest.param(off(machine()), [POD], 0, "", id="without power nothing happens"),
        pytest.param(fresh(), [POD], 0, "wait 300", id="volumes are looked at again after 300 ms"),
        pytest.param(fresh(), [POD], 300, "run-sandbox", id="then the sandbox is asked for"),
        pytest.param(
            fresh(replace(POD, spec=replace(POD.spec, serviceAccountName=""))), [POD], 0, "run-sandbox", id="or at once"
        ),
        pytest.param(saw(there(POD, sandbox="creating", ip="")), [POD], 0, "", id="a sandbox is waited for"),
        pytest.param(saw(there(POD)), [POD], 0, "start-container", id="its container is started"),
        pytest.param(
            machine(there(POD), knows(there(POD)), images=()), [POD], 0, "pull-image", id="or its image pulled"
        ),
        pytest.param(saw(there(POD, pull=Pull("app", "app:v1", 0))), [POD], 0, "", id="a pull is waited for"),
        pytest.param(
            saw(there(POD, pull=Pull("app", "app:v1", 0, ended=5))), [POD], 5, "start-container", id="until it ends"
        ),
        pytest.param(
            machine(there(POD, run(state="created")), knows(there(POD))), [POD], 0, "", id="a start is waited for"
        ),
        pytest.param(machine(RUNS, knows(there(POD))), [POD], 0, "relist", id="and looked at, on demand"),
        pytest.param(saw(RUNS), [POD], 0, "", id="a pod that runs is rest"),
    ],
)
def test_start(host: Host, believed: list[Pod], now: int, decision: str) -> None:
    assert decides(LOOP, host, *believed, now=now) == decision


def test_a_container_that_starts_brings_its_events() -> None:
    made = act(LOOP, saw(there(POD)), POD, now=400)
    assert events(made) == [PRESENT, "Created: Container created"]
    assert pod_after(made).containers == (ContainerRun("app", "app", created=400),)
    assert made.to == "runtime n1"
    assert events(act(LOOP, machine(RUNS, knows(there(POD))), POD)) == ["Started: Container started"]


def test_the_address_is_seen_with_the_first_relist_and_the_sandbox_before() -> None:
    unseen = knows(there(POD), seen_sandbox="none", seen_ip="")
    started = worker_after(act(LOOP, machine(there(POD), unseen), POD))
    assert (started.seen_sandbox, started.seen_ip, started.dirty_since) == ("ready", "", 0)
    assert worker_after(act(LOOP, machine(RUNS, started), POD)).seen_ip == "10.244.1.2"


def test_probe_workers_begin_with_the_sandbox() -> None:
    pod = api(replace(APP, readinessProbe=PROBE, startupProbe=PROBE))
    worker = worker_after(act(LOOP, fresh(pod), pod, now=300))
    assert [(row.kind, row.base) for row in worker.probes] == [("readiness", 300), ("startup", 300)]


def test_a_pull_is_told_of_with_its_time() -> None:
    begun = act(LOOP, machine(there(POD), knows(there(POD)), images=()), POD, now=10)
    assert events(begun) == ['Pulling: Pulling image "app:v1"']
    ended = saw(there(POD, pull=Pull("app", "app:v1", 10, ended=1_260)))
    assert events(act(LOOP, ended, POD, now=1_260)) == [
        'Pulled: Successfully pulled image "app:v1" in 1.25s (1.25s including waiting). Image size: 0 bytes.',
        "Created: Container created",
    ]


TWO = api(APP, Container("log", "app:v1"))


@pytest.mark.parametrize(
    ("pod", "seen", "started"),
    [
        pytest.param(there(TWO), (), "app", id="apps in the order of the spec"),
        pytest.param(there(TWO, run()), (), "log", id="one after the other"),
        pytest.param(there(TWO, run(), run("log")), (), None, id="then one look at both"),
        pytest.param(there(api(init=(SETUP,))), (), "setup", id="an init container first"),
        pytest.param(
            there(api(init=(SETUP,)), run("setup", role="init")), (run("setup", role="init"),), "", id="alone"
        ),
        pytest.param(
            there(api(init=(SETUP,)), run("setup", "exited", role="init")),
            (run("setup", "exited", role="init"),),
            "app",
            id="the app once it has ended well",
        ),
        pytest.param(
            there(api(init=(SIDECAR,)), run("proxy", role="sidecar")),
            (run("proxy", role="sidecar"),),
            "app",
            id="a sidecar only has to run",
        ),
        pytest.param(
            there(api(init=(SLOW,)), run("proxy", role="sidecar")),
            (run("proxy", role="sidecar"),),
            "",
            id="unless its startup probe has not passed",
        ),
    ],
)
def test_order(pod: HostPod, seen: tuple[ContainerRun, ...], started: str | None) -> None:
    host = machine(pod, replace(knows(pod), seen=seen))
    decision = LOOP.reconcile(at(LOOP, host, pod.pod))
    if started == "":
        assert decision is None
    else:
        made = act(LOOP, host, pod.pod)
        assert made.verb == ("relist" if started is None else "start-container")
        assert made.reason == ("OnDemand" if started is None else started)


def test_a_startup_probe_that_passes_lets_the_next_one_begin() -> None:
    pod = there(api(init=(SLOW,)), run("proxy", role="sidecar"))
    passed = saw(pod, probes=(probed("startup", "Success", "proxy"),))
    assert act(LOOP, passed, pod.pod).reason == "app"


def test_the_event_of_a_start_goes_before_those_of_the_next_container() -> None:
    made = act(LOOP, machine(there(TWO, run()), knows(there(TWO))), TWO)
    assert events(made) == ["Started: Container started", PRESENT, "Created: Container created"]


# An end at 1.200 s is found by the relist at 1.700 s of a machine whose relists are 700 ms past the second.
GONE = there(POD, run(state="exited", finished=1_200, exit_code=1))
UNSEEN = machine(GONE, knows(RUNS), relist_phase=700)


@pytest.mark.parametrize(
    ("now", "fired", "decision"),
    [
        pytest.param(1_200, False, "wait 1700", id="the kubelet does not know yet"),
        pytest.param(1_700, True, "relist", id="until it looks"),
    ],
)
def test_a_container_that_ends_by_itself_is_found_by_the_relist(now: int, fired: bool, decision: str) -> None:
    assert decides(LOOP, UNSEEN, POD, now=now, fired=fired) == decision


CRASHED = there(POD, run(state="exited", finished=1_200, exit_code=1))
AGAIN = there(POD, run(state="exited", finished=2_200, exit_code=1, attempt=1))


@pytest.mark.parametrize(
    ("pod", "crash", "now", "decision"),
    [
        pytest.param(CRASHED, None, 1_700, "start-container", id="the first restart is immediate"),
        pytest.param(AGAIN, Entry(10_000, 1_700), 2_700, "back-off 10 s", id="the second is held back"),
        pytest.param(AGAIN, Entry(10_000, 1_700), 12_200, "start-container", id="for 10 s from the end of the run"),
        pytest.param(AGAIN, Entry(300_000, -700_000), 2_700, "start-container", id="it is forgotten after 10 minutes"),
    ],
)
def test_crash_back_off(pod: HostPod, crash: Entry | None, now: int, decision: str) -> None:
    crashes = () if crash is None else (Crash("app", entry=crash),)
    assert decides(LOOP, saw(pod, crashes=crashes, synced=now), POD, now=now) == decision


def test_a_restart_remembers_the_run_before_and_grows_the_back_off() -> None:
    made = act(LOOP, saw(CRASHED, synced=1_700), POD, now=1_700)
    (again,) = pod_after(made).containers
    assert (again.attempt, again.state, again.last) == (1, "created", CRASHED.containers[0])
    assert worker_after(made).crashes == (Crash("app", entry=Entry(10_000, 1_700)),)


def test_a_container_that_is_held_back_says_so_and_is_looked_at_again_a_bit_late() -> None:
    host = saw(AGAIN, crashes=(Crash("app", entry=Entry(10_000, 1_700)),), synced=2_700)
    made = act(LOOP, host, POD, now=2_700)
    (crash,) = worker_after(made).crashes
    assert events(made) == [f"BackOff: Back-off restarting failed container app in pod web-1_default({UID})"]
    assert crash.message == f"back-off 10s restarting failed container=app pod=web-1_default({UID})"
    # 9.5 s are left; the worker sleeps up to half as long again, and is taken up at the next whole second.
    assert crash.resync == Bounds(13_000, 15_000, 17_000)
    waiting = machine(AGAIN, worker_after(made))
    assert decides(LOOP, waiting, POD, now=2_700) == "wait 15000"
    restarted = worker_after(act(LOOP, waiting, POD, now=15_000, fired=True))
    assert [(row.shown, row.failing, row.entry) for row in restarted.crashes] == [
        ("CrashLoopBackOff", "", Entry(20_000, 15_000))
    ]


@pytest.mark.parametrize(
    ("policy", "code", "decision"),
    [
        pytest.param("Always", 0, "start-container", id="Always restarts after success, too"),
        pytest.param("OnFailure", 1, "start-container", id="OnFailure after a failure"),
        pytest.param("OnFailure", 0, "wait 2700", id="and not after success, when the pod is done"),
        pytest.param("Never", 1, "wait 2700", id="Never does not"),
    ],
)
def test_restart_policy(policy: str, code: int, decision: str) -> None:
    pod = api(restartPolicy=policy)
    ended = there(pod, run(state="exited", finished=1_200, exit_code=code))
    host = machine(ended, knows(ended, synced=1_700), relist_phase=700)
    assert decides(LOOP, host, pod, now=1_700) == decision


def test_a_pod_that_has_run_to_its_end_turns_to_termination_at_the_next_relist() -> None:
    pod = api(restartPolicy="Never")
    ended = there(pod, run(state="exited", finished=1_200))
    made = act(LOOP, machine(ended, knows(ended, synced=1_700), relist_phase=700), pod, now=2_700, fired=True)
    assert (made.verb, made.reason, events(made)) == ("kill-pod", "Completed", [])


def test_a_sidecar_that_ends_is_started_again_beside_the_app() -> None:
    pod = api(init=(SIDECAR,), restartPolicy="Never")
    ended = there(pod, run("proxy", "exited", role="sidecar", finished=1_200), run())
    made = act(LOOP, saw(ended), pod, now=1_700)
    assert (made.verb, made.reason) == ("start-container", "proxy, restart 1")


def test_an_init_container_that_fails_for_good_ends_the_pod() -> None:
    pod = api(init=(SETUP,), restartPolicy="Never")
    failed = there(pod, run("setup", "exited", role="init", exit_code=1))
    assert decides(LOOP, machine(failed, knows(failed, synced=1_700), relist_phase=700), pod, now=1_700) == "wait 2700"


def test_a_successor_of_the_same_name_does_not_wait_for_the_old_pod() -> None:
    old = there(api(deleted=30), run())
    host = machine(old, replace(knows(old), stage="terminating"))
    later = api(uid="uid-later")
    assert decides(LOOP, host, later) == "stop-sandbox"
    busy = with_pod(host, UID, replace(old, stop_asked=0))
    assert decides(LOOP, busy, later) == "admit"
