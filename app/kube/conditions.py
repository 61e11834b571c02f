"""The conditions of a pod that its kubelet writes, and how any condition is set."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.meta import Condition, condition, whole_second
from app.kube.pods import Container, ContainerStatus, Pod, PodSpec

READY_TO_START = "PodReadyToStartContainers"
INITIALIZED = "Initialized"
READY = "Ready"
CONTAINERS_READY = "ContainersReady"
SCHEDULED = "PodScheduled"

# In this order they are stored, and printed by kubectl describe, after all conditions of others.
BY_KUBELET = (READY_TO_START, INITIALIZED, READY, CONTAINERS_READY, SCHEDULED)

Statuses = tuple[ContainerStatus, ...] | None


def kubelet_conditions(
    pod: Pod, statuses: Statuses, phase: str, *, sandbox_usable: bool, now: int
) -> tuple[Condition, ...]:
    """All conditions of the pod's next status; `statuses` holds those of init containers too."""
    known = pod.status.conditions
    foreign = tuple(row for row in known if row.type not in BY_KUBELET)
    own = (
        ready_to_start_containers(usable=sandbox_usable),
        initialized(pod.spec, statuses, phase),
        ready(pod.spec, foreign, statuses, phase),
        containers_ready(pod.spec, statuses, phase),
        Condition(type=SCHEDULED, status="True"),
    )
    return foreign + tuple(_timed(condition(known, row.type), row, now) for row in own)


def set_condition(conditions: tuple[Condition, ...], new: Condition, now: int) -> tuple[Condition, ...]:
    """Replace the condition of that type where it stands, or append it."""
    before = condition(conditions, new.type)
    timed = _timed(before, new, now)
    if before is None:
        return (*conditions, timed)
    return tuple(timed if row.type == new.type else row for row in conditions)


def ready_to_start_containers(*, usable: bool) -> Condition:
    """Whether a sandbox with network exists."""
    return Condition(type=READY_TO_START, status="True" if usable else "False")


def initialized(spec: PodSpec, statuses: Statuses, phase: str) -> Condition:
    """GeneratePodInitializedCondition in pkg/kubelet/status/generate.go."""
    if statuses is None and spec.initContainers:
        return Condition(type=INITIALIZED, status="False", reason="UnknownContainerStatuses")
    by_name = {status.name: status for status in statuses or ()}
    unknown = [row.name for row in spec.initContainers if row.name not in by_name]
    incomplete = [
        row.name for row in spec.initContainers if row.name in by_name and not _init_done(row, by_name[row.name])
    ]
    if phase == "Succeeded" and not unknown:
        return Condition(type=INITIALIZED, status="True", reason="PodCompleted")
    # Once an app container has run, sidecars that restart take nothing back.
    if any(_started(by_name.get(row.name)) for row in spec.containers):
        return Condition(type=INITIALIZED, status="True")
    return _complaint(INITIALIZED, "ContainersNotInitialized", unknown, "incomplete", incomplete)


def containers_ready(spec: PodSpec, statuses: Statuses, phase: str) -> Condition:
    """GenerateContainersReadyCondition in pkg/kubelet/status/generate.go."""
    if statuses is None:
        return Condition(type=CONTAINERS_READY, status="False", reason="UnknownContainerStatuses")
    by_name = {status.name: status for status in statuses}
    names = [row.name for row in (*(row for row in spec.initContainers if row.sidecar), *spec.containers)]
    unknown = [name for name in names if name not in by_name]
    unready = [name for name in names if name in by_name and not by_name[name].ready]
    if phase == "Succeeded" and not unknown:
        return Condition(type=CONTAINERS_READY, status="False", reason="PodCompleted")
    if phase == "Failed":
        return Condition(type=CONTAINERS_READY, status="False", reason="PodFailed")
    return _complaint(CONTAINERS_READY, "ContainersNotReady", unknown, "unready", unready)


def ready(spec: PodSpec, others: tuple[Condition, ...], statuses: Statuses, phase: str) -> Condition:
    """GeneratePodReadyCondition: all containers, and every readiness gate among the `others`."""
    containers = containers_ready(spec, statuses, phase)
    if containers.status != "True":
        return replace(containers, type=READY)
    messages = []
    for gate in spec.readinessGates:
        row = condition(others, gate.conditionType)
        if row is None:
            messages.append(f'corresponding condition of pod readiness gate "{gate.conditionType}" does not exist.')
        elif row.status != "True":
            messages.append(f'the status of pod readiness gate "{gate.conditionType}" is not "True", but {row.status}')
    if messages:
        return Condition(type=READY, status="False", reason="ReadinessGatesNotReady", message=", ".join(messages))
    return Condition(type=READY, status="True")


def _timed(before: Condition | None, new: Condition, now: int) -> Condition:
    """With the time of the last change of status."""
    kept = before is not None and before.status == new.status
    return replace(new, lastTransitionTime=before.lastTransitionTime if before and kept else whole_second(now))


def _init_done(container: Container, status: ContainerStatus) -> bool:
    return status.started is True if container.sidecar else status.ready


def _started(status: ContainerStatus | None) -> bool:
    return status is not None and (status.state.running is not None or status.state.terminated is not None)


def _complaint(type_: str, reason: str, unknown: list[str], word: str, others: list[str]) -> Condition:
    messages = [
        f"containers with {adjective} status: [{' '.join(names)}]"
        for adjective, names in (("unknown", unknown), (word, others))
        if names
    ]
    if not messages:
        return Condition(type=type_, status="True")
    return Condition(type=type_, status="False", reason=reason, message=", ".join(messages))
