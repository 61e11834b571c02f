"""The phase of a pod, from the states of its containers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from app.kube.pods import Container, ContainerState, ContainerStatus, Pod, PodSpec
from app.kube.restart import should_restart

CONFIG_SOURCE = "kubernetes.io/config.source"

_RESTARTING_ALL = "RestartingAllContainers"


def static_pod(pod: Pod) -> bool:
    """Whether the pod comes from a file or URL of its node."""
    return pod.metadata.annotations.get(CONFIG_SOURCE, "api") != "api"


def get_phase(pod: Pod, statuses: tuple[ContainerStatus, ...], *, terminal: bool, initialized: bool) -> str:
    """As getPhase in pkg/kubelet/kubelet_pods.go; `statuses` holds those of init containers too.

    `terminal`: all containers are down for good, as after a kill. `initialized`: an app container of the present
    sandbox has been started.
    """
    by_name = {status.name: status for status in statuses}
    init = _regular_init(pod.spec, by_name)
    if init["failed for good"]:
        return "Failed"
    counts = _sidecars(pod.spec, by_name) + _apps(pod.spec, by_name)

    if init["pending"] or (counts["sidecars pending"] and not initialized) or counts["waiting"]:
        return "Pending"
    if counts["unknown"]:
        return "Pending"
    if counts["running"]:
        return "Running"
    if not counts["stopped"]:
        return "Pending"
    # A kill is final, except that static pods get no terminal phase from it (upstream issue 116484).
    if counts["restarting"] and not (terminal and not static_pod(pod)):
        return "Running"
    return "Succeeded" if counts["succeeded"] == counts["stopped"] else "Failed"


def never_left(phase: str, known: str) -> str:
    """The phase to report: a terminal one that was `known` before stays."""
    return known if known in ("Succeeded", "Failed") else phase


def _regular_init(spec: PodSpec, statuses: Mapping[str, ContainerStatus]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for container in spec.initContainers:
        if container.sidecar:
            continue
        status = statuses.get(container.name)
        exited = _last_exit(status)
        if status is None or exited is None:
            counts["pending"] += 1
        elif exited != 0 and not _may_restart(container, spec, status, exited):
            counts["failed for good"] += 1
    return counts


def _sidecars(spec: PodSpec, statuses: Mapping[str, ContainerStatus]) -> Counter[str]:
    """Sidecars that have stopped do not count at all."""
    counts: Counter[str] = Counter()
    for container in spec.initContainers:
        if not container.sidecar:
            continue
        status = statuses.get(container.name)
        kind = _kind(status)
        if status is None or kind == "stopped":
            counts["unknown"] += status is None
            continue
        counts["sidecars pending"] += not (kind == "running" and status.started is True)
        counts[kind] += 1
    return counts


def _apps(spec: PodSpec, statuses: Mapping[str, ContainerStatus]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for container in spec.containers:
        status = statuses.get(container.name)
        counts[_kind(status)] += 1
        exited = _last_exit(status)
        if status is None or exited is None:
            continue
        # Only a present end counts as a success, not the one before a restart that is due.
        counts["succeeded"] += exited == 0 and status.state.terminated is not None
        counts["restarting"] += _may_restart(container, spec, status, exited)
    return counts


def _kind(status: ContainerStatus | None) -> str:
    if status is None:
        return "unknown"
    if status.state.running is not None:
        return "running"
    if _last_exit(status) is not None:
        return "stopped"
    return "unknown" if status.state.waiting is None else "waiting"


def _ended(status: ContainerStatus) -> ContainerState | None:
    """The state that tells how a container which does not run has ended, if it ever ran."""
    if status.state.running is not None:
        return None
    if status.state.terminated is not None:
        return status.state
    return status.lastState if status.state.waiting is not None and status.lastState.terminated is not None else None


def _last_exit(status: ContainerStatus | None) -> int | None:
    state = None if status is None else _ended(status)
    return None if state is None or state.terminated is None else state.terminated.exitCode


def _may_restart(container: Container, spec: PodSpec, status: ContainerStatus, exit_code: int) -> bool:
    state = _ended(status)
    restarting_all = state is not None and state.terminated is not None and state.terminated.reason == _RESTARTING_ALL
    return restarting_all or should_restart(container, spec, exit_code)
