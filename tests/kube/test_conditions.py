import pytest

from app.kube.conditions import (
    Statuses,
    containers_ready,
    initialized,
    kubelet_conditions,
    ready,
    ready_to_start_containers,
    set_condition,
)
from app.kube.meta import Condition, ObjectMeta
from app.kube.pods import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStatus,
    Pod,
    PodReadinessGate,
    PodSpec,
    PodStatus,
)

SPEC = PodSpec(
    initContainers=(Container(name="init"), Container(name="side", restartPolicy="Always")),
    containers=(Container(name="a"), Container(name="b")),
)
APPS = PodSpec(containers=SPEC.containers)
RUNNING = ContainerState(running=ContainerStateRunning())


def status(name: str, *, ready: bool = False, started: bool | None = None, running: bool = False) -> ContainerStatus:
    return ContainerStatus(name=name, ready=ready, started=started, state=RUNNING if running else ContainerState())


@pytest.mark.parametrize(
    ("statuses", "phase", "outcome", "reason", "message"),
    [
        pytest.param(None, "Running", "False", "UnknownContainerStatuses", "", id="nothing known"),
        pytest.param(
            (),
            "Running",
            "False",
            "ContainersNotReady",
            "containers with unknown status: [side a b]",
            id="sidecars come before apps, init containers do not count",
        ),
        pytest.param(
            (status("side", ready=True), status("a"), status("b")),
            "Running",
            "False",
            "ContainersNotReady",
            "containers with unready status: [a b]",
            id="unready",
        ),
        pytest.param(
            (status("side"), status("a", ready=True)),
            "Pending",
            "False",
            "ContainersNotReady",
            "containers with unknown status: [b], containers with unready status: [side]",
            id="unknown and unready",
        ),
        pytest.param(
            (status("side", ready=True), status("a", ready=True), status("b", ready=True)),
            "Running",
            "True",
            "",
            "",
            id="all ready",
        ),
        pytest.param(
            (status("side"), status("a"), status("b")), "Succeeded", "False", "PodCompleted", "", id="completed"
        ),
        pytest.param(
            (status("side"), status("a")),
            "Succeeded",
            "False",
            "ContainersNotReady",
            "containers with unknown status: [b], containers with unready status: [side a]",
            id="completed but one unknown",
        ),
        pytest.param((), "Failed", "False", "PodFailed", "", id="failed"),
    ],
)
def test_containers_ready(statuses: Statuses, phase: str, outcome: str, reason: str, message: str) -> None:
    expected = Condition(type="ContainersReady", status=outcome, reason=reason, message=message)
    assert containers_ready(SPEC, statuses, phase) == expected


@pytest.mark.parametrize(
    ("statuses", "phase", "outcome", "reason", "message"),
    [
        pytest.param(None, "Pending", "False", "UnknownContainerStatuses", "", id="nothing known"),
        pytest.param(
            (status("init"),),
            "Pending",
            "False",
            "ContainersNotInitialized",
            "containers with unknown status: [side], containers with incomplete status: [init]",
            id="unknown and incomplete",
        ),
        pytest.param(
            (status("init", ready=True), status("side", ready=True, started=False)),
            "Pending",
            "False",
            "ContainersNotInitialized",
            "containers with incomplete status: [side]",
            id="a sidecar must be started, not ready",
        ),
        pytest.param((status("init", ready=True), status("side", started=True)), "Pending", "True", "", "", id="done"),
        pytest.param((status("init"), status("side")), "Succeeded", "True", "PodCompleted", "", id="completed"),
        pytest.param(
            (status("side", started=False), status("a", running=True)), "Running", "True", "", "", id="an app ran"
        ),
    ],
)
def test_initialized(statuses: Statuses, phase: str, outcome: str, reason: str, message: str) -> None:
    expected = Condition(type="Initialized", status=outcome, reason=reason, message=message)
    assert initialized(SPEC, statuses, phase) == expected


def test_without_init_containers_a_pod_is_initialized_at_once() -> None:
    assert initialized(APPS, None, "Pending") == Condition(type="Initialized", status="True")


GATED = PodSpec(containers=(Container(name="a"),), readinessGates=(PodReadinessGate("one"), PodReadinessGate("two")))


@pytest.mark.parametrize(
    ("others", "outcome", "reason", "message"),
    [
        pytest.param(
            (Condition(type="one", status="False"),),
            "False",
            "ReadinessGatesNotReady",
            'the status of pod readiness gate "one" is not "True", but False, '
            'corresponding condition of pod readiness gate "two" does not exist.',
            id="gates",
        ),
        pytest.param(
            (Condition(type="one", status="True"), Condition(type="two", status="True")), "True", "", "", id="open"
        ),
    ],
)
def test_readiness_gates(others: tuple[Condition, ...], outcome: str, reason: str, message: str) -> None:
    expected = Condition(type="Ready", status=outcome, reason=reason, message=message)
    assert ready(GATED, others, (status("a", ready=True),), "Running") == expected


def test_ready_repeats_what_the_containers_lack() -> None:
    expected = Condition(
        type="Ready",
        status="False",
        reason="ContainersNotReady",
        message="containers with unready status: [a]",
    )
    assert ready(GATED, (), (status("a"),), "Running") == expected


@pytest.mark.parametrize(("usable", "outcome"), [(True, "True"), (False, "False")])
def test_ready_to_start_containers(usable: bool, outcome: str) -> None:
    assert ready_to_start_containers(usable=usable) == Condition(type="PodReadyToStartContainers", status=outcome)


def test_the_stored_order_and_the_times() -> None:
    """Foreign conditions first, then the kubelet's; a time moves only with the status."""
    known = (
        Condition(type="PodScheduled", status="True", lastTransitionTime=1_000),
        Condition(type="Ready", status="True", lastTransitionTime=2_000),
        Condition(type="DisruptionTarget", status="True", lastTransitionTime=3_000),
    )
    pod = Pod(metadata=ObjectMeta(name="web"), spec=APPS, status=PodStatus(conditions=known))
    statuses = (status("a", running=True), status("b", running=True))
    rows = kubelet_conditions(pod, statuses, "Running", sandbox_usable=True, now=9_876)
    assert [(row.type, row.status, row.lastTransitionTime) for row in rows] == [
        ("DisruptionTarget", "True", 3_000),
        ("PodReadyToStartContainers", "True", 9_000),
        ("Initialized", "True", 9_000),
        ("Ready", "False", 9_000),
        ("ContainersReady", "False", 9_000),
        ("PodScheduled", "True", 1_000),
    ]


def test_set_condition_keeps_its_place() -> None:
    known = (
        Condition(type="Ready", status="True", lastTransitionTime=1_000),
        Condition(type="Other", status="True", lastTransitionTime=1_000),
    )
    assert set_condition(known, Condition(type="Ready", status="True", reason="New"), 5_500) == (
        Condition(type="Ready", status="True", reason="New", lastTransitionTime=1_000),
        known[1],
    )
    assert set_condition(known, Condition(type="Ready", status="False"), 5_500) == (
        Condition(type="Ready", status="False", lastTransitionTime=5_000),
        known[1],
    )
    assert set_condition(known, Condition(type="Third", status="True"), 5_500) == (
        *known,
        Condition(type="Third", status="True", lastTransitionTime=5_000),
    )
