"""The status manager's table: what it writes, when, and what a reader would call it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.meta import Condition, condition
from app.kube.pods import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    PodStatus,
    Probe,
    TCPSocketAction,
)
from app.kube.probes import Counting
from app.loops.kubelet.case import Case
from app.loops.kubelet.pod_status import pod_status
from app.loops.kubelet.status import LOOP
from app.sim.acts import PatchStatus
from app.sim.host import Crash, HostPod, ProbeState, Worker
from tests.loops.machines import (
    APP,
    UID,
    act,
    api,
    at,
    decides,
    knows,
    machine,
    run,
    there,
    worker_after,
)

PROBE = Probe(tcpSocket=TCPSocketAction(8080))
PROBED = replace(APP, readinessProbe=PROBE)
SETUP, SIDECAR = Container("setup", "app:v1"), Container("proxy", "app:v1", restartPolicy="Always")
BOUND = PodStatus(phase="Pending", conditions=(Condition("PodScheduled", "True"),), qosClass="Burstable")
NEW = HostPod(api(status=BOUND))
UNREADY = "ContainersNotReady: containers with unready status: [app]"


def wanted(pod: HostPod, worker: Worker | None = None, now: int = 0) -> PodStatus:
    host = machine(pod, worker or knows(pod))
    return pod_status(Case(at(LOOP, host, pod.pod, now=now), UID, host.workers[UID], pod, pod.pod), pod.pod)


def conditions(status: PodStatus) -> dict[str, str]:
    return {
        row.type: f"{row.status} {row.reason}{': ' if row.message else ''}{row.message}".strip()
        for row in status.conditions
    }


def passed(kind: str, name: str = "app") -> ProbeState:
    return ProbeState(name, kind, base=0, attempt=0, counting=Counting("Success"))


def test_the_first_status_of_a_pod() -> None:
    status = wanted(NEW, Worker(since=1_234), now=1_234)
    assert conditions(status) == {
        "PodReadyToStartContainers": "False",
        "Initialized": "True",
        "Ready": f"False {UNREADY}",
        "ContainersReady": f"False {UNREADY}",
        "PodScheduled": "True",
    }
    (app,) = status.containerStatuses
    assert (app.state, app.ready, app.started, app.restartCount) == (
        ContainerState(waiting=ContainerStateWaiting("ContainerCreating")),
        False,
        False,
        0,
    )
    assert (status.phase, status.podIP, status.hostIP, status.startTime) == ("Pending", "", "192.168.0.1", 1_000)
    assert status.qosClass == "Burstable"


def test_with_init_containers_all_containers_wait_for_them() -> None:
    status = wanted(HostPod(api(init=(SETUP, SIDECAR), status=BOUND)), Worker(since=0))
    rows = (*status.initContainerStatuses, *status.containerStatuses)
    assert {row.state.waiting.reason for row in rows if row.state.waiting} == {"PodInitializing"}
    initialized = condition(status.conditions, "Initialized")
    assert initialized is not None
    assert initialized.message == "containers with incomplete status: [setup proxy]"


READY_TO_START = there(NEW.pod)


@pytest.mark.parametrize(
    ("pod", "worker", "phase", "ready", "facts"),
    [
        pytest.param(READY_TO_START, {"seen_ip": ""}, "Pending", "False", ("", False, False), id="a sandbox alone"),
        pytest.param(
            there(NEW.pod, run()), {}, "Running", "True", ("10.244.1.2", True, True), id="an app without probes"
        ),
        pytest.param(
            there(api(PROBED, status=BOUND), run()), {}, "Running", "False", ("10.244.1.2", True, False), id="not ready"
        ),
        pytest.param(
            there(api(PROBED, status=BOUND), run()),
            {"probes": (passed("readiness"),)},
            "Running",
            "True",
            ("10.244.1.2", True, True),
            id="readiness has passed",
        ),
        pytest.param(
            there(api(replace(PROBED, startupProbe=PROBE), status=BOUND), run()),
            {"probes": (passed("readiness"),)},
            "Running",
            "False",
            ("10.244.1.2", False, False),
            id="not started",
        ),
        pytest.param(
            there(api(PROBED, status=BOUND), run(attempt=1)),
            {"probes": (passed("readiness"),)},
            "Running",
            "False",
            ("10.244.1.2", True, False),
            id="what the attempt before had passed is worth nothing",
        ),
        pytest.param(
            there(api(hostNetwork=True, status=BOUND), run(), ip=""),
            {},
            "Running",
            "True",
            ("192.168.0.1", True, True),
            id="on the host network the address is the node's",
        ),
    ],
)
def test_a_pod_that_starts(
    pod: HostPod, worker: dict[str, Any], phase: str, ready: str, facts: tuple[str, bool, bool]
) -> None:
    status = wanted(pod, knows(pod, **worker))
    (app,) = status.containerStatuses
    assert (status.phase, conditions(status)["Ready"][: len(ready)]) == (phase, ready)
    assert (status.podIP, app.started, app.ready) == facts
    assert conditions(status)["PodReadyToStartContainers"] == "True"


@pytest.mark.parametrize(
    ("seen", "crash", "state", "last"),
    [
        pytest.param(
            run(started=1_500),
            None,
            ContainerState(running=ContainerStateRunning(1_000)),
            ContainerState(),
            id="times are whole seconds",
        ),
        pytest.param(
            run(state="exited", finished=2_900, exit_code=1),
            None,
            ContainerState(terminated=ContainerStateTerminated(1, reason="Error", startedAt=0, finishedAt=2_000)),
            ContainerState(),
            id="an end",
        ),
        pytest.param(
            run(state="exited", finished=2_900, exit_code=1),
            Crash("app", failing="CrashLoopBackOff", message="back-off 10s"),
            ContainerState(terminated=ContainerStateTerminated(1, reason="Error", startedAt=0, finishedAt=2_000)),
            ContainerState(),
            id="a back-off that no pass has shown yet",
        ),
        pytest.param(
            run(state="exited", finished=2_900, exit_code=1),
            Crash("app", shown="CrashLoopBackOff", told="back-off 10s"),
            ContainerState(waiting=ContainerStateWaiting("CrashLoopBackOff", "back-off 10s")),
            ContainerState(terminated=ContainerStateTerminated(1, reason="Error", startedAt=0, finishedAt=2_000)),
            id="one that was",
        ),
        pytest.param(
            run(attempt=1, started=3_000, last=run(state="exited", finished=2_900, exit_code=1)),
            None,
            ContainerState(running=ContainerStateRunning(3_000)),
            ContainerState(terminated=ContainerStateTerminated(1, reason="Error", startedAt=0, finishedAt=2_000)),
            id="a restart keeps the end before",
        ),
    ],
)
def test_states(seen: Any, crash: Crash | None, state: ContainerState, last: ContainerState) -> None:
    pod = there(NEW.pod, seen)
    (app,) = wanted(pod, knows(pod, crashes=(crash,) if crash else ())).containerStatuses
    assert (app.state, app.lastState, app.restartCount) == (state, last, seen.attempt)


ENDED = there(api(deleted=30), run(state="exited"), sandbox="stopped")


@pytest.mark.parametrize(
    ("pod", "phase", "reason"),
    [
        pytest.param(ENDED, "Succeeded", "False PodCompleted", id="exit 0"),
        pytest.param(
            there(api(deleted=30), run(state="exited", exit_code=137), sandbox="stopped"),
            "Failed",
            "False PodFailed",
            id="exit 137",
        ),
        pytest.param(there(api(deleted=30), sandbox="stopped"), "Failed", "False PodFailed", id="never started"),
    ],
)
def test_a_pod_that_is_over(pod: HostPod, phase: str, reason: str) -> None:
    status = wanted(pod, knows(pod, stage="terminated"))
    assert (status.phase, conditions(status)["Ready"]) == (phase, reason)
    assert conditions(status)["PodReadyToStartContainers"] == "False"


def test_a_container_that_never_was_is_lost_when_its_pod_is_over() -> None:
    pod = there(api(init=(SETUP,), deleted=30), sandbox="stopped")
    status = wanted(pod, knows(pod, stage="terminated"))
    (lost,) = status.containerStatuses
    assert lost.state.terminated is not None
    assert (lost.state.terminated.exitCode, lost.state.terminated.reason) == (137, "ContainerStatusUnknown")
    # What was never initialized has not lost its init containers.
    assert status.initContainerStatuses[0].state.waiting is not None


def test_a_terminal_phase_is_held_back_while_the_pod_may_run_its_conditions_are_not() -> None:
    pod = there(api(restartPolicy="Never"), run(state="exited"))
    status = wanted(pod)
    assert (status.phase, conditions(status)["Ready"]) == ("Running", "False PodCompleted")


def test_a_terminal_phase_is_never_left() -> None:
    pod = there(api(status=PodStatus(phase="Failed")), run())
    assert wanted(pod).phase == "Failed"


RUNS = there(api(status=BOUND), run())


def test_it_counts_its_lag_from_the_first_change() -> None:
    host = machine(RUNS, knows(RUNS, dirty_since=100))
    assert decides(LOOP, host, RUNS.pod, now=104) == "wait 108"
    assert decides(LOOP, host, RUNS.pod, now=108, fired=True) == "patch-status"
    assert decides(LOOP, host, now=108, fired=True) == ""
    assert decides(LOOP, replace(host, power=False), RUNS.pod, now=108, fired=True) == ""


def test_a_patch_carries_what_it_believed_and_what_it_wants() -> None:
    made = act(LOOP, machine(RUNS, knows(RUNS, dirty_since=100)), RUNS.pod, now=108, fired=True)
    assert isinstance(made.request, PatchStatus)
    assert (made.request.believed, made.request.object.ref) == (RUNS.pod, RUNS.ref)
    assert worker_after(made) == knows(RUNS)


def test_what_others_wrote_is_noticed_and_what_needs_no_patch_is_let_go() -> None:
    settled = replace(RUNS.pod, status=wanted(RUNS))
    assert decides(LOOP, machine(RUNS, knows(RUNS)), settled) == ""
    # By the batch of every ten seconds, whose phase is the machine's own; at the end of a pod at once.
    assert decides(LOOP, machine(RUNS, knows(RUNS)), RUNS.pod, now=50) == "wait 3600"
    changed = act(LOOP, machine(RUNS, knows(RUNS)), RUNS.pod, now=3_600)
    assert (changed.background, worker_after(changed).dirty_since) == (True, 3_600)
    ending = act(LOOP, machine(RUNS, knows(RUNS, stage="terminating")), RUNS.pod, now=50)
    assert (ending.background, worker_after(ending).dirty_since) == (True, 50)
    quiet = act(LOOP, machine(RUNS, knows(RUNS, dirty_since=40)), settled, now=50)
    assert (quiet.background, worker_after(quiet)) == (True, knows(RUNS))


def after(pod: HostPod, **worker: Any) -> PodStatus:
    return wanted(pod, knows(pod, **worker))


UNPROBED = there(api(PROBED, status=BOUND), run())


@pytest.mark.parametrize(
    ("before", "pod", "worker", "moment"),
    [
        pytest.param(BOUND, NEW, Worker(since=0), "status-pending", id="the first one"),
        pytest.param(wanted(NEW, Worker(since=0)), READY_TO_START, None, "ready-to-start", id="a sandbox"),
        pytest.param(wanted(UNPROBED, knows(there(UNPROBED.pod))), UNPROBED, None, "pod-running", id="it runs"),
        pytest.param(wanted(READY_TO_START), RUNS, None, "pod-ready", id="it runs and is ready"),
        pytest.param(after(UNPROBED, probes=(passed("readiness"),)), UNPROBED, None, "pod-unready", id="ready no more"),
        pytest.param(wanted(RUNS), ENDED, knows(ENDED, stage="terminated"), "pod-terminal", id="over"),
    ],
)
def test_moments(before: PodStatus, pod: HostPod, worker: Worker | None, moment: str) -> None:
    known = replace(worker or knows(pod), dirty_since=0)
    shown = replace(pod.pod, status=before)
    made = act(LOOP, machine(pod, known), shown, now=50)
    assert made.moment == moment
    assert worker_after(made).written == (50 if moment == "pod-terminal" else None)
