"""What `kubectl rollout status` says of a Deployment: kubectl's DeploymentStatusViewer."""

from __future__ import annotations

from typing import NamedTuple

from app.kube.meta import condition
from app.kube.rollout_status import PROGRESSING, TIMED_OUT
from app.kube.workloads import Deployment


class Report(NamedTuple):
    """One line, and whether the command ends with it."""

    text: str
    over: bool = False
    failed: bool = False


def report(deployment: Deployment) -> Report:
    """Where the rollout stands, by what the controller has written of the newest spec."""
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
