"""What `kubectl rollout status` says: kubectl's StatusViewers (pkg/polymorphichelpers/rollout_status.go)."""

from __future__ import annotations

from typing import NamedTuple

from app.kube.meta import condition
from app.kube.rollout_status import PROGRESSING, TIMED_OUT
from app.kube.workloads import DaemonSet, Deployment, StatefulSet

Rolled = Deployment | DaemonSet | StatefulSet


class Report(NamedTuple):
    """One line, and whether the command ends with it."""

    text: str
    over: bool = False
    failed: bool = False


def report(held: Rolled) -> Report:
    """Where the rollout stands, by what the controller has written of the newest spec."""
    match held:
        case Deployment():
            return _deployment(held)
        case DaemonSet():
            return _daemon_set(held)
        case StatefulSet():
            return _stateful_set(held)


_OTHERWISE = Report("error: rollout status is only available for RollingUpdate strategy type", over=True, failed=True)


def _daemon_set(held: DaemonSet) -> Report:
    name, status = held.metadata.name, held.status
    if held.spec.updateStrategy.type != "RollingUpdate":
        return _OTHERWISE
    if status.observedGeneration < held.metadata.generation:
        return Report("Waiting for daemon set spec update to be observed...")
    waits, desired = f'Waiting for daemon set "{name}" rollout to finish:', status.desiredNumberScheduled
    if status.updatedNumberScheduled < desired:
        return Report(f"{waits} {status.updatedNumberScheduled} out of {desired} new pods have been updated...")
    if status.numberAvailable < desired:
        return Report(f"{waits} {status.numberAvailable} of {desired} updated pods are available...")
    return Report(f'daemon set "{name}" successfully rolled out', over=True)


def _stateful_set(held: StatefulSet) -> Report:
    status, wanted, strategy = held.status, held.spec.replicas or 0, held.spec.updateStrategy
    if strategy.type != "RollingUpdate":
        return _OTHERWISE
    if not status.observedGeneration or status.observedGeneration < held.metadata.generation:
        return Report("Waiting for statefulset spec update to be observed...")
    if status.readyReplicas < wanted:
        return Report(f"Waiting for {wanted - status.readyReplicas} pods to be ready...")
    updated = status.updatedReplicas
    if strategy.rollingUpdate is not None:
        beyond = wanted - (strategy.rollingUpdate.partition or 0)
        if updated < beyond:
            waits = "Waiting for partitioned roll out to finish:"
            return Report(f"{waits} {updated} out of {beyond} new pods have been updated...")
        return Report(f"partitioned roll out complete: {updated} new pods have been updated...", over=True)
    if status.updateRevision != status.currentRevision:
        text = (
            f"waiting for statefulset rolling update to complete {updated} pods at revision {status.updateRevision}..."
        )
        return Report(text)
    text = f"statefulset rolling update complete {status.currentReplicas} pods at revision {status.currentRevision}..."
    return Report(text, over=True)


def _deployment(deployment: Deployment) -> Report:
    name, status, spec = deployment.metadata.name, deployment.status, deployment.spec
    if status.observedGeneration < deployment.metadata.generation:
        return Report("Waiting for deployment spec update to be observed...")
    row = condition(status.conditions, PROGRESSING)
    if row is not None and row.reason == TIMED_OUT:
        return Report(f'error: deployment "{name}" exceeded its progress deadline', over=True, failed=True)
    waits = f'Waiting for deployment "{name}" rollout to finish:'
    if spec.replicas is not None and status.updatedReplicas < spec.replicas:
        return Report(f"{waits} {status.updatedReplicas} out of {spec.replicas} new replicas have been updated...")
    if status.replicas > status.updatedReplicas:
        return Report(f"{waits} {status.replicas - status.updatedReplicas} old replicas are pending termination...")
    updated, available = status.updatedReplicas, status.availableReplicas
    if available < updated:
        return Report(f"{waits} {available} of {updated} updated replicas are available...")
    return Report(f'deployment "{name}" successfully rolled out', over=True)
