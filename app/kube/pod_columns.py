"""The columns of `kubectl get pods`: READY, STATUS and RESTARTS, by printPod's precedence."""

from __future__ import annotations

from typing import NamedTuple

from app.kube.ages import age, human_duration
from app.kube.meta import condition
from app.kube.pods import ContainerStateTerminated, ContainerStatus, Pod
from app.kube.releases import CURRENT, Release

NONE = "<none>"


class PodColumns(NamedTuple):
    name: str
    ready: str
    status: str
    restarts: str
    age: str
    ip: str
    node: str
    nominated_node: str
    readiness_gates: str


class _Restarts(NamedTuple):
    total: int = 0
    last: int | None = None

    def and_of(self, status: ContainerStatus) -> _Restarts:
        ended = status.lastState.terminated
        at = ended.finishedAt if ended else None
        last = self.last if at is None or (self.last is not None and self.last >= at) else at
        return _Restarts(self.total + status.restartCount, last)


class _Seen(NamedTuple):
    """What a walk over container statuses found; no status means that they decide nothing."""

    status: str | None
    ready: int
    restarts: _Restarts


def pod_columns(pod: Pod, now: int, release: Release = CURRENT) -> PodColumns:
    """One row of printPod in pkg/printers/internalversion/printers.go."""
    sidecars = frozenset(row.name for row in pod.spec.initContainers if row.sidecar)
    status = _first_word(pod)
    init = _init_containers(pod, sidecars)
    status, ready, restarts = init.status or status, init.ready, init.restarts
    if init.status is None or _true(pod, "Initialized"):
        beside = _Restarts()
        for row in _walked(pod, sidecars):
            beside = beside.and_of(row) if row.name in sidecars else beside
        apps = _app_containers(pod, status, beside)
        status, ready, restarts = apps.status or status, ready + apps.ready, apps.restarts

    return PodColumns(
        name=pod.metadata.name,
        ready=f"{ready}/{len(pod.spec.containers) + len(sidecars)}",
        status=_deletion(pod, release) or status,
        restarts=_restarts(restarts, now),
        age=age(pod.metadata.creationTimestamp, now),
        ip=pod.status.podIP or NONE,
        node=pod.spec.nodeName or NONE,
        nominated_node=pod.status.nominatedNodeName or NONE,
        readiness_gates=_gates(pod),
    )


def pod_status(pod: Pod) -> str:
    """The STATUS column alone."""
    return pod_columns(pod, 0).status


def _first_word(pod: Pod) -> str:
    if any(row.type == "PodScheduled" and row.reason == "SchedulingGated" for row in pod.status.conditions):
        return "SchedulingGated"
    return pod.status.reason or pod.status.phase


def _walked(pod: Pod, sidecars: frozenset[str]) -> tuple[ContainerStatus, ...]:
    """Init container statuses up to and with the first that is not done."""
    rows = pod.status.initContainerStatuses
    pending = next((number for number, row in enumerate(rows) if not _init_done(row, sidecars)), len(rows))
    return rows[: pending + 1]


def _init_done(status: ContainerStatus, sidecars: frozenset[str]) -> bool:
    ended = status.state.terminated
    return (ended is not None and ended.exitCode == 0) or (status.name in sidecars and status.started is True)


def _init_containers(pod: Pod, sidecars: frozenset[str]) -> _Seen:
    ready, restarts, word = 0, _Restarts(), None
    for number, row in enumerate(_walked(pod, sidecars)):
        restarts = restarts.and_of(row)
        ended, waiting = row.state.terminated, row.state.waiting
        if _init_done(row, sidecars):
            exited = ended is not None and ended.exitCode == 0
            ready += row.ready and not exited
        elif ended is not None:
            word = f"Init:{_end(ended)}"
        elif waiting is not None and waiting.reason not in ("", "PodInitializing"):
            word = f"Init:{waiting.reason}"
        else:
            word = f"Init:{number}/{len(pod.spec.initContainers)}"
    return _Seen(word, ready, restarts)


def _app_containers(pod: Pod, before: str, restarts: _Restarts) -> _Seen:
    """From the last to the first, each overwriting: the first container has the last word."""
    word, failure, ready = before, "", 0
    for row in reversed(pod.status.containerStatuses):
        restarts = restarts.and_of(row)
        ended, waiting = row.state.terminated, row.state.waiting
        if waiting is not None and waiting.reason:
            word = waiting.reason
        elif ended is not None:
            word = _end(ended)
            failure = word if ended.exitCode else failure
        elif row.ready and row.state.running is not None:
            ready += 1
    if word == "Completed":
        word = _beside_completed(pod, failure, running=ready > 0)
    return _Seen(word, ready, restarts)


def _beside_completed(pod: Pod, failure: str, *, running: bool) -> str:
    """What a pod is called whose first container has completed."""
    if running and _true(pod, "Ready"):
        return "Running"
    return failure or ("NotReady" if running else "Completed")


def _end(ended: ContainerStateTerminated) -> str:
    return ended.reason or (f"Signal:{ended.signal}" if ended.signal else f"ExitCode:{ended.exitCode}")


def _deletion(pod: Pod, release: Release) -> str:
    if not pod.terminating:
        return ""
    if pod.status.reason == "NodeLost":
        return "Unknown"
    return "" if pod.finished and release.terminal_shown else "Terminating"


def _restarts(restarts: _Restarts, now: int) -> str:
    if restarts.total == 0 or restarts.last is None:
        return str(restarts.total)
    return f"{restarts.total} ({human_duration(now - restarts.last)} ago)"


def _gates(pod: Pod) -> str:
    gates = pod.spec.readinessGates
    return f"{sum(_true(pod, gate.conditionType) for gate in gates)}/{len(gates)}" if gates else NONE


def _true(pod: Pod, type_: str) -> bool:
    row = condition(pod.status.conditions, type_)
    return row is not None and row.status == "True"
