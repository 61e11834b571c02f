"""Areas about what a kubelet makes of the containers of a pod."""

from typing import Any

from app.kube.conditions import containers_ready, initialized, ready, ready_to_start_containers
from app.kube.meta import Condition, ObjectMeta
from app.kube.phase import CONFIG_SOURCE, get_phase
from app.kube.pods import (
    Container,
    ContainerRestartRule,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    Pod,
    PodReadinessGate,
    PodSpec,
)
from app.kube.stringmap import EMPTY, StringMap
from tests.conformance.building import build
from tests.conformance.cases import Actual, Given, unknown

_NO_STATUS = ("missing", "unknown", "absent", "none", None)


def pod_phase(given: Given) -> Actual:
    init = [_container(given.part(row)) for row in given.take("initContainers", [])]
    apps = [_container(given.part(row)) for row in given.take("containers", [])]
    static = given.first("staticPod", "static", default=False)
    pod = Pod(
        metadata=ObjectMeta(name="web", annotations=StringMap({CONFIG_SOURCE: "file"}) if static else EMPTY),
        spec=PodSpec(
            restartPolicy=given.take("podRestartPolicy", "Always"),
            initContainers=tuple(container for container, _ in init),
            containers=tuple(container for container, _ in apps),
        ),
    )
    statuses = tuple(status for _, status in (*apps, *init) if status is not None)
    phase = get_phase(
        pod,
        statuses,
        terminal=given.take("podFullyTerminated", default=False),
        initialized=given.take("anyAppContainerActiveInCurrentSandbox", default=False),
    )
    return {"phase": phase}


def _container(given: Given) -> tuple[Container, ContainerStatus | None]:
    rules = given.first("restartPolicyRules", "containerRestartPolicyRules", default=[])
    container = Container(
        name=given.name,
        restartPolicy=given.first("restartPolicy", "containerRestartPolicy", default="") or "",
        restartPolicyRules=tuple(build(ContainerRestartRule, rule) for rule in rules),
    )
    word, started, is_ready = given.take("state"), given.take("started"), given.take("ready", default=False)
    exit_code, reason = given.take("exitCode", 0), given.take("reason", "")
    last_code, ever_ran = given.take("lastExitCode"), given.take("everRan", default=False)
    last_reason = given.take("lastReason", "")
    given.done()
    if word in _NO_STATUS:
        return container, None
    ran = ever_ran or last_code is not None
    last = ContainerStateTerminated(exitCode=last_code or 0, reason=last_reason) if word == "waiting" and ran else None
    return container, ContainerStatus(
        name=container.name,
        state=_state(word, exit_code, reason),
        lastState=ContainerState(terminated=last),
        started=started,
        ready=is_ready,
    )


def _state(word: Any, exit_code: int = 0, reason: str = "") -> ContainerState:
    if isinstance(word, dict):
        return build(ContainerState, word)
    if word == "running":
        return ContainerState(running=ContainerStateRunning())
    if word == "waiting":
        return ContainerState(waiting=ContainerStateWaiting(reason=reason))
    if word != "terminated":
        unknown(f"the state {word!r}")
    return ContainerState(terminated=ContainerStateTerminated(exitCode=exit_code, reason=reason))


def pod_conditions(given: Given) -> Actual:
    type_, phase = given.take("type"), given.take("phase", "")
    gates = tuple(PodReadinessGate(name) for name in given.take("readinessGates", []))
    sidecars = tuple(Container(name=name, restartPolicy="Always") for name in given.take("sidecars", []))
    spec = PodSpec(
        initContainers=(*_named(given.take("initContainers", [])), *sidecars),
        containers=_named(given.take("containers", [])),
        readinessGates=gates,
        hostNetwork=given.take("hostNetwork", default=False),
    )
    known = given.take("statuses")
    statuses = None if known is None else tuple(_status(given.part(row), name) for name, row in known.items())
    others = given.take("otherConditions", None) or {}
    conditions = tuple(Condition(name, status) for name, status in others.items())
    match type_:
        case "ContainersReady":
            row = containers_ready(spec, statuses, phase)
        case "Ready":
            row = ready(spec, conditions, statuses, phase)
        case "Initialized":
            row = initialized(spec, statuses, phase)
        case "PodReadyToStartContainers":
            row = ready_to_start_containers(usable=_sandbox_usable(given, spec))
        case _:
            unknown(f"the condition {type_!r}")
    return {"type": row.type, "status": row.status, "reason": row.reason, "message": row.message}


def _named(names: list[Any]) -> tuple[Container, ...]:
    return tuple(Container(name=row if isinstance(row, str) else row["name"]) for row in names)


def _status(given: Given, name: str) -> ContainerStatus:
    word = given.take("state")
    status = ContainerStatus(
        name=name,
        ready=given.take("ready", default=False),
        started=given.take("started"),
        state=ContainerState() if word is None else _state(word, given.take("exitCode", 0), given.take("reason", "")),
    )
    given.done()
    return status


def _sandbox_usable(given: Given, spec: PodSpec) -> bool:
    """One ready sandbox, with an address unless the pod uses the host's (PodSandboxChanged)."""
    sandboxes = given.take("sandboxes")
    if sandboxes is None:
        state = given.first("sandbox", "sandboxState")
        is_ready = given.first("sandboxReady", default=state in ("READY", "Ready", "ready"))
        address = given.first("sandboxIP", "ip", "podIP", "hasIP", "sandboxHasIP", default=False)
        return bool(is_ready) and (bool(address) or spec.hostNetwork)
    up = [row for row in sandboxes if row["state"] == "READY"]
    return len(up) == 1 and sandboxes[0] == up[0] and bool(up[0].get("ip") or spec.hostNetwork)
