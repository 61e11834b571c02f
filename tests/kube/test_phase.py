import pytest

from app.kube.meta import ObjectMeta
from app.kube.phase import get_phase, never_left
from app.kube.pods import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    Pod,
    PodSpec,
)
from app.kube.stringmap import StringMap

RUNNING = ContainerState(running=ContainerStateRunning())
WAITING = ContainerState(waiting=ContainerStateWaiting())
NOTHING = ContainerState()


def ended(exit_code: int, reason: str = "") -> ContainerState:
    return ContainerState(terminated=ContainerStateTerminated(exitCode=exit_code, reason=reason))


def status(
    name: str, state: ContainerState, last: ContainerState = NOTHING, *, started: bool | None = None
) -> ContainerStatus:
    return ContainerStatus(name=name, state=state, lastState=last, started=started)


def pod(policy: str = "Always", *, init: bool = False, sidecar: bool = False, static: bool = False) -> Pod:
    annotations = StringMap({"kubernetes.io/config.source": "file"}) if static else StringMap()
    first = (Container(name="init"),) if init else ()
    beside = (Container(name="side", restartPolicy="Always"),) if sidecar else ()
    spec = PodSpec(
        restartPolicy=policy, initContainers=first + beside, containers=(Container(name="a"), Container(name="b"))
    )
    return Pod(metadata=ObjectMeta(name="web", annotations=annotations), spec=spec)


def phase(given: Pod, *statuses: ContainerStatus, a: ContainerState, b: ContainerState, terminal: bool = False) -> str:
    return get_phase(given, (status("a", a), status("b", b), *statuses), terminal=terminal, initialized=False)


@pytest.mark.parametrize(
    ("policy", "a", "b", "expected"),
    [
        pytest.param("Always", WAITING, WAITING, "Pending", id="none has run"),
        pytest.param("Always", RUNNING, RUNNING, "Running", id="all run"),
        pytest.param("Always", RUNNING, WAITING, "Pending", id="one runs, one has never run"),
        pytest.param("Always", RUNNING, NOTHING, "Pending", id="one runs, one is unknown"),
        pytest.param("Always", RUNNING, ended(1), "Running", id="one runs, one failed"),
        pytest.param("Always", ended(0), ended(0), "Running", id="Always starts them again"),
        pytest.param("OnFailure", ended(0), ended(0), "Succeeded", id="OnFailure, all well"),
        pytest.param("OnFailure", ended(0), ended(1), "Running", id="OnFailure starts the failed one again"),
        pytest.param("Never", ended(0), ended(0), "Succeeded", id="Never, all well"),
        pytest.param("Never", ended(0), ended(1), "Failed", id="Never, one failed"),
        pytest.param("Never", ended(1, "RestartingAllContainers"), ended(1), "Running", id="restarting all"),
    ],
)
def test_apps(policy: str, a: ContainerState, b: ContainerState, expected: str) -> None:
    assert phase(pod(policy), a=a, b=b) == expected


def test_a_missing_status_keeps_the_pod_pending() -> None:
    assert get_phase(pod(), (status("a", RUNNING),), terminal=False, initialized=False) == "Pending"


def test_a_container_in_back_off_counts_as_stopped() -> None:
    statuses = (status("a", WAITING, ended(1)), status("b", ended(0)))
    assert get_phase(pod(), statuses, terminal=False, initialized=False) == "Running"
    assert get_phase(pod("Never"), statuses, terminal=False, initialized=False) == "Failed"


def test_waiting_after_a_success_is_no_success() -> None:
    statuses = (status("a", WAITING, ended(0)), status("b", ended(0)))
    assert get_phase(pod("Never"), statuses, terminal=False, initialized=False) == "Failed"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        pytest.param(ended(0), ended(0), "Succeeded", id="all well"),
        pytest.param(ended(0), ended(137), "Failed", id="one killed"),
        pytest.param(ended(0), RUNNING, "Running", id="one still runs"),
    ],
)
def test_a_killed_pod_ends_whatever_its_policy(a: ContainerState, b: ContainerState, expected: str) -> None:
    assert phase(pod("Always"), a=a, b=b, terminal=True) == expected


def test_a_killed_static_pod_is_judged_by_its_policy() -> None:
    assert phase(pod("Always", static=True), a=ended(0), b=ended(0), terminal=True) == "Running"
    assert phase(pod("Never", static=True), a=ended(0), b=ended(0), terminal=True) == "Succeeded"


@pytest.mark.parametrize(
    ("policy", "init", "expected"),
    [
        pytest.param("Always", (RUNNING,), "Pending", id="running"),
        pytest.param("Always", (WAITING,), "Pending", id="never run"),
        pytest.param("Always", (NOTHING,), "Pending", id="unknown"),
        pytest.param("Always", (ended(0),), "Running", id="done"),
        pytest.param("Never", (ended(1),), "Failed", id="failed for good"),
        pytest.param("Never", (WAITING, ended(1)), "Failed", id="failed for good before"),
        pytest.param("Never", (WAITING, ended(0)), "Running", id="done before"),
        pytest.param("OnFailure", (ended(1),), "Running", id="failed, to be restarted"),
        pytest.param("Never", (ended(1, "RestartingAllContainers"),), "Running", id="restarting all"),
    ],
)
def test_an_init_container(policy: str, init: tuple[ContainerState, ...], expected: str) -> None:
    assert phase(pod(policy, init=True), status("init", *init), a=RUNNING, b=RUNNING) == expected


def test_an_init_container_without_status_is_pending() -> None:
    assert phase(pod(init=True), a=RUNNING, b=RUNNING) == "Pending"


@pytest.mark.parametrize(
    ("side", "initialized", "expected"),
    [
        pytest.param(status("side", RUNNING, started=True), False, "Running", id="started"),
        pytest.param(status("side", RUNNING, started=False), False, "Pending", id="not started"),
        pytest.param(status("side", RUNNING), True, "Running", id="starting again in a pod that ran"),
        pytest.param(status("side", WAITING), True, "Pending", id="never run"),
        pytest.param(status("side", WAITING, ended(1)), False, "Running", id="in back-off"),
        pytest.param(status("side", ended(1)), False, "Running", id="ended"),
        pytest.param(status("side", NOTHING), True, "Pending", id="unknown"),
    ],
)
def test_a_sidecar(side: ContainerStatus, initialized: bool, expected: str) -> None:
    statuses = (status("a", RUNNING), status("b", RUNNING), side)
    assert get_phase(pod(sidecar=True), statuses, terminal=False, initialized=initialized) == expected


def test_the_exit_of_a_sidecar_does_not_decide() -> None:
    statuses = (status("a", ended(0)), status("b", ended(0)), status("side", ended(137)))
    assert get_phase(pod(sidecar=True), statuses, terminal=True, initialized=True) == "Succeeded"


@pytest.mark.parametrize(
    ("new", "known", "expected"),
    [("Running", "Failed", "Failed"), ("Failed", "Succeeded", "Succeeded"), ("Running", "Pending", "Running")],
)
def test_a_terminal_phase_is_never_left(new: str, known: str, expected: str) -> None:
    assert never_left(new, known) == expected
