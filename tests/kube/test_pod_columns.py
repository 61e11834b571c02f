from typing import Any

import pytest

from app.kube.meta import Condition, ObjectMeta
from app.kube.pod_columns import PodColumns, pod_columns, pod_status
from app.kube.pods import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    Pod,
    PodReadinessGate,
    PodSpec,
    PodStatus,
)

RUNNING = ContainerState(running=ContainerStateRunning())
NOW = 600_000


def waiting(reason: str = "") -> ContainerState:
    return ContainerState(waiting=ContainerStateWaiting(reason=reason))


def ended(code: int, reason: str = "", signal: int = 0, at: int | None = None) -> ContainerState:
    return ContainerState(
        terminated=ContainerStateTerminated(exitCode=code, reason=reason, signal=signal, finishedAt=at)
    )


def row(state: ContainerState, *, ready: bool = False, restarts: int = 0, last: int | None = None) -> ContainerStatus:
    before = ContainerState() if last is None else ended(1, at=last)
    return ContainerStatus(name="", state=state, lastState=before, ready=ready, restartCount=restarts)


def pod(
    *apps: ContainerStatus,
    init: tuple[ContainerStatus, ...] = (),
    sidecars: tuple[int, ...] = (),
    deleted: int | None = None,
    gates: tuple[str, ...] = (),
    **status: Any,
) -> Pod:
    """Names are a0, a1... and i0, i1..., in order; `sidecars` are the numbers of those among the latter."""
    spec = PodSpec(
        containers=tuple(Container(name=f"a{n}") for n in range(len(apps))),
        initContainers=tuple(
            Container(name=f"i{n}", restartPolicy="Always" if n in sidecars else "") for n in range(len(init))
        ),
        readinessGates=tuple(map(PodReadinessGate, gates)),
    )
    return Pod(
        metadata=ObjectMeta(name="web", deletionTimestamp=deleted),
        spec=spec,
        status=PodStatus(
            containerStatuses=tuple(_named(f"a{n}", app) for n, app in enumerate(apps)),
            initContainerStatuses=tuple(_named(f"i{n}", one) for n, one in enumerate(init)),
            **status,
        ),
    )


def _named(name: str, status: ContainerStatus) -> ContainerStatus:
    return ContainerStatus(
        name=name,
        state=status.state,
        lastState=status.lastState,
        ready=status.ready,
        restartCount=status.restartCount,
        started=status.started,
    )


def side(state: ContainerState, *, started: bool, ready: bool = False, restarts: int = 0) -> ContainerStatus:
    return ContainerStatus(name="", state=state, started=started, ready=ready, restartCount=restarts)


READY = (Condition("Ready", "True"),)
INITIALIZED = (Condition("Initialized", "True"),)
GATED = (Condition("PodScheduled", "False", "SchedulingGated"),)
UP = row(RUNNING, ready=True)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(pod(row(waiting()), phase="Pending"), "Pending", id="the phase"),
        pytest.param(pod(UP, phase="Failed", reason="Evicted"), "Evicted", id="the pod's reason"),
        pytest.param(pod(phase="Pending", reason="X", conditions=GATED), "SchedulingGated", id="scheduling gates"),
        pytest.param(
            pod(row(waiting("ContainerCreating")), phase="Pending"),
            "ContainerCreating",
            id="what a container waits for",
        ),
        pytest.param(
            pod(row(waiting("A")), row(waiting("B")), phase="Running"), "A", id="the first container has the last word"
        ),
        pytest.param(
            pod(UP, row(waiting("CrashLoopBackOff")), phase="Running"),
            "CrashLoopBackOff",
            id="a running one says nothing",
        ),
        pytest.param(pod(row(ended(1, "Error")), phase="Running"), "Error", id="how it ended"),
        pytest.param(pod(row(ended(9, signal=9)), phase="Running"), "Signal:9", id="by which signal"),
        pytest.param(pod(row(ended(3)), phase="Running"), "ExitCode:3", id="with which code"),
        pytest.param(
            pod(row(ended(0, "Completed")), UP, phase="Running", conditions=READY),
            "Running",
            id="completed beside ready",
        ),
        pytest.param(pod(row(ended(0, "Completed")), UP, phase="Running"), "NotReady", id="completed beside running"),
        pytest.param(
            pod(row(ended(0, "Completed")), row(ended(1, "Error")), phase="Failed"),
            "Error",
            id="completed beside failed",
        ),
        pytest.param(pod(row(ended(0, "Completed")), phase="Succeeded"), "Completed", id="completed"),
    ],
)
def test_status_of_app_containers(given: Pod, status: str) -> None:
    assert pod_status(given) == status


@pytest.mark.parametrize(
    ("phase", "reason", "status"),
    [
        ("Running", "", "Terminating"),
        ("Pending", "", "Terminating"),
        ("Succeeded", "", "Completed"),
        ("Running", "NodeLost", "Unknown"),
    ],
)
def test_status_of_a_deleted_pod(phase: str, reason: str, status: str) -> None:
    state = ended(0, "Completed") if phase == "Succeeded" else RUNNING
    assert pod_status(pod(row(state), phase=phase, reason=reason, deleted=30_000)) == status


CREATING = row(waiting("PodInitializing"))


@pytest.mark.parametrize(
    ("init", "status"),
    [
        pytest.param((row(RUNNING), row(waiting())), "Init:0/2", id="the first runs"),
        pytest.param((row(ended(0)), row(waiting("PodInitializing"))), "Init:1/2", id="one is done"),
        pytest.param((row(waiting("CrashLoopBackOff")), row(waiting())), "Init:CrashLoopBackOff", id="waits for"),
        pytest.param((row(ended(1, "Error")), row(waiting())), "Init:Error", id="failed with a reason"),
        pytest.param((row(ended(1, signal=9)), row(waiting())), "Init:Signal:9", id="by a signal"),
        pytest.param((row(ended(2)), row(waiting())), "Init:ExitCode:2", id="with a code"),
        pytest.param((row(ended(0)), row(ended(0))), "PodInitializing", id="all done: the apps speak"),
    ],
)
def test_status_while_initializing(init: tuple[ContainerStatus, ...], status: str) -> None:
    assert pod_status(pod(CREATING, init=init, phase="Pending")) == status


def test_sidecars_count_among_the_containers() -> None:
    sidecars = (side(RUNNING, started=True, ready=True), side(RUNNING, started=False))
    columns = pod_columns(pod(CREATING, init=sidecars, sidecars=(0, 1), phase="Pending"), NOW)
    assert (columns.ready, columns.status) == ("1/3", "Init:1/2")


def test_a_sidecar_that_restarts_in_an_initialized_pod() -> None:
    sidecars = (side(waiting("CrashLoopBackOff"), started=False, restarts=2),)
    columns = pod_columns(pod(UP, init=sidecars, sidecars=(0,), phase="Running", conditions=INITIALIZED), NOW)
    assert (columns.ready, columns.status, columns.restarts) == ("1/2", "Init:CrashLoopBackOff", "2")


@pytest.mark.parametrize(
    ("given", "restarts"),
    [
        pytest.param(pod(UP), "0", id="none"),
        pytest.param(pod(row(RUNNING, restarts=3), row(RUNNING, restarts=3)), "6", id="of all containers"),
        pytest.param(
            pod(row(RUNNING, restarts=3, last=300_000), row(RUNNING, restarts=1, last=590_000)),
            "4 (10s ago)",
            id="when",
        ),
        pytest.param(
            pod(CREATING, init=(row(ended(0), restarts=2, last=0), row(RUNNING, restarts=3, last=590_000))),
            "5 (10s ago)",
            id="of init containers while they run",
        ),
        pytest.param(pod(UP, init=(row(ended(0), restarts=2, last=0),)), "0", id="forgotten afterwards"),
        pytest.param(
            pod(UP, init=(side(RUNNING, started=True, restarts=2),), sidecars=(0,)), "2", id="but for sidecars"
        ),
    ],
)
def test_restarts(given: Pod, restarts: str) -> None:
    assert pod_columns(given, NOW).restarts == restarts


def test_all_columns() -> None:
    given = Pod(
        metadata=ObjectMeta(name="web", creationTimestamp=0),
        spec=PodSpec(
            nodeName="node-1",
            containers=(Container(name="a0"),),
            readinessGates=(PodReadinessGate("a"), PodReadinessGate("b")),
        ),
        status=PodStatus(
            phase="Pending", podIP="10.0.0.1", nominatedNodeName="node-2", conditions=(Condition("b", "True"),)
        ),
    )
    assert pod_columns(given, NOW) == PodColumns(
        "web", "0/1", "Pending", "0", "10m", "10.0.0.1", "node-1", "node-2", "1/2"
    )
    assert pod_columns(pod(UP), NOW)[4:] == ("<unknown>", "<none>", "<none>", "<none>", "<none>")
