"""API objects and machines as flat `path: value` tables, in the form of the recordings, and their differences."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from app.kube.batch import CronJob, Job
from app.kube.networking import EndpointSlice
from app.kube.nodes import Lease, Node
from app.kube.objects import Object, timestamp
from app.kube.pods import ContainerState, ContainerStatus, Pod
from app.kube.policy import PodDisruptionBudget
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from app.sim.flat_workloads import condition_text, workload
from app.sim.host import Host
from app.sim.maps import ordered

Flat = dict[str, object]

LONGEST = 160
"""Characters of a message that a recording keeps."""
SHOWN_LABELS = ("pod-template-hash", "controller-revision-hash")
SHOWN_ANNOTATIONS = "deployment.kubernetes.io/"
SCHEDULED_FOR = "batch.kubernetes.io/cronjob-scheduled-timestamp"


class Change(Struct, frozen=True):
    """One field that an act changed."""

    object: str
    path: str
    before: Any
    after: Any


def flat(obj: Object | None) -> Flat:
    """The fields of an object that a recording shows."""
    if obj is None:
        return {}
    found = _metadata(obj)
    match obj:
        case Pod():
            found |= _pod(obj)
        case Deployment() | ReplicaSet() | StatefulSet() | DaemonSet() | Job() | CronJob():
            found |= workload(obj)
        case EndpointSlice():
            found |= _endpoints(obj)
        case Node():
            found |= _node(obj)
        case PodDisruptionBudget():
            found |= _budget(obj)
        case Lease():
            found["spec.leaseTransitions"] = obj.spec.leaseTransitions
        case _:
            pass
    return {path: value for path, value in found.items() if value is not None}


def compared(before: Flat, after: Flat) -> list[tuple[str, object, object]]:
    """(path, before, after) of every path that differs, in the order of the paths' first appearance."""
    paths = dict.fromkeys((*before, *after))
    return [(path, before.get(path), after.get(path)) for path in paths if before.get(path) != after.get(path)]


def changes(before: Object | None, after: Object | None) -> list[tuple[str, object, object]]:
    """What a watcher of an object would see change."""
    return compared(flat(before), flat(after))


def _metadata(obj: Object) -> Flat:
    meta = obj.metadata
    found: Flat = {
        f"metadata.annotations.{key}": value for key, value in meta.annotations.items() if SHOWN_ANNOTATIONS in key
    }
    if SCHEDULED_FOR in meta.annotations:
        found["metadata.annotations.cronjob-scheduled-timestamp"] = meta.annotations[SCHEDULED_FOR]
    found |= {f"metadata.labels.{key}": meta.labels.get(key) for key in SHOWN_LABELS if key in meta.labels}
    if meta.finalizers:
        found["metadata.finalizers"] = ",".join(meta.finalizers)
    if meta.deletionTimestamp is not None:
        found["metadata.deletionTimestamp"] = timestamp(meta.deletionTimestamp)
        found["metadata.deletionGracePeriodSeconds"] = meta.deletionGracePeriodSeconds
    return found


def _pod(pod: Pod) -> Flat:
    spec, status = pod.spec, pod.status
    found: Flat = {
        f"spec.tolerations[{row.key}:{row.effect}]": _lasting(row.tolerationSeconds) for row in spec.tolerations
    }
    found["spec.nodeName"] = spec.nodeName or None
    found["status.phase"] = status.phase or None
    found["status.reason"] = status.reason or None
    found["status.podIP"] = status.podIP or None
    found["status.startTime"] = None if status.startTime is None else timestamp(status.startTime)
    found["status.nominatedNodeName"] = status.nominatedNodeName or None
    found |= {f"status.conditions[{row.type}]": condition_text(row) for row in status.conditions}
    for word, rows in (("init", status.initContainerStatuses), ("containers", status.containerStatuses)):
        for row in rows:
            found |= _container(f"status.{word}[{row.name}]", row)
    return found


def _lasting(seconds: int | None) -> int | str:
    return "forever" if seconds is None else seconds


def _container(path: str, row: ContainerStatus) -> Flat:
    return {
        f"{path}.state": state_text(row.state),
        f"{path}.lastState": state_text(row.lastState),
        f"{path}.ready": row.ready,
        f"{path}.restartCount": row.restartCount,
        f"{path}.started": row.started,
    }


def state_text(state: ContainerState) -> str | None:
    """`waiting REASON: MESSAGE`, `running` or `terminated REASON exit=N`; None when there is none."""
    if state.waiting is not None:
        message = f": {state.waiting.message[:LONGEST]}" if state.waiting.message else ""
        return f"waiting {state.waiting.reason}{message}".strip()
    if state.running is not None:
        return "running"
    if state.terminated is not None:
        return f"terminated {state.terminated.reason} exit={state.terminated.exitCode}"
    return None


def _endpoints(piece: EndpointSlice) -> Flat:
    return {
        f"endpoints[{row.targetRef.name if row.targetRef else row.addresses[0]}]": (
            f"ready={_word(row.conditions.ready, nil=True)} serving={_word(row.conditions.serving, nil=True)} "
            f"terminating={_word(row.conditions.terminating, nil=False)}{_on(row.nodeName)}"
        )
        for row in piece.endpoints
    }


def _on(node: str) -> str:
    return f" node={node}" if node else ""


def _word(value: bool | None, *, nil: bool) -> str:
    return str(nil if value is None else value).lower()


def _node(node: Node) -> Flat:
    found: Flat = {f"status.conditions[{row.type}]": condition_text(row) for row in node.status.conditions}
    found["spec.unschedulable"] = node.spec.unschedulable or None
    for row in node.spec.taints:
        found[f"spec.taints[{row.key}:{row.effect}]"] = (
            timestamp(row.timeAdded) if row.timeAdded is not None else "(no timeAdded)"
        )
    return found


def _budget(budget: PodDisruptionBudget) -> Flat:
    spec, status = budget.spec, budget.status
    found: Flat = {f"status.conditions[{row.type}]": condition_text(row) for row in status.conditions}
    found["spec.minAvailable"] = spec.minAvailable
    found["spec.maxUnavailable"] = spec.maxUnavailable
    found["spec.unhealthyPodEvictionPolicy"] = spec.unhealthyPodEvictionPolicy or None
    found["status.disruptedPods"] = ",".join(status.disruptedPods) or None
    for name in ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"):
        found[f"status.{name}"] = getattr(status, name)
    return found


def machine(host: Host) -> Flat:
    """A machine's pods, containers, hooks and rules."""
    found: Flat = {
        "power": host.power,
        "network": "cut off" if host.isolated else None,
        "runtime": None if host.runtime_down is None else "stopped",
        "dependencies": ", ".join(f"{name} down" for name in host.broken) or None,
    }
    for name, _ in host.evictor.memory.observed:
        found[f"pressures[{name}]"] = True
    for uid, pod in ordered(host.pods):
        name = pod.ref.name
        worker = host.workers.get(uid)
        found[f"pods[{name}].eviction"] = worker.eviction.message if worker and worker.eviction else None
        for mount in worker.mounts if worker else ():
            found[f"pods[{name}].volumes[{mount.volume}]"] = "waiting" if mount.at is None else "mounted"
        found[f"sandboxes[{name}].state"] = pod.sandbox
        found[f"sandboxes[{name}].ip"] = pod.ip or None
        for run in pod.containers:
            path = f"containers[{name}/{run.name}]"
            found[f"{path}.state"] = "stopping" if run.state == "running" and run.stop else run.state
            found[f"{path}.serving"] = run.serving
            found[f"{path}.attempt"] = run.attempt
            found[f"{path}.exitCode"] = run.exit_code
            found[f"{path}.childKilled"] = run.child_killed or None
            found[f"{path}.sigterm"] = run.stop.signalled if run.stop else None
    for service, rules in ordered(host.proxy.rules):
        found[f"rules[{service.path}]"] = ", ".join(rules.backends) or "REJECT"
    return {path: value for path, value in found.items() if value is not None}
