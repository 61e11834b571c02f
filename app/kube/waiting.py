"""What `kubectl wait` is told to wait for, by kind, and whether an object has got there."""

from __future__ import annotations

from app.kube.meta import condition
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.workloads import Deployment, ReplicaSet, StatefulSet

KINDS = ("Deployment", "StatefulSet", "ReplicaSet", "Pod")


def condition_for(kind: str, held: Object | None) -> str:
    """The value of `--for`; kinds without a fitting condition are asked for their count of ready replicas."""
    words = {"Deployment": "condition=Available", "Pod": "condition=Ready"}
    if kind in words:
        return words[kind]
    return f"jsonpath={{.status.readyReplicas}}={_wanted(held)}"


def met(obj: Object) -> bool:
    """Whether it holds; a Deployment's condition counts only once its controller has seen the newest spec."""
    match obj:
        case Deployment():
            row = condition(obj.status.conditions, "Available")
            seen = obj.status.observedGeneration >= obj.metadata.generation
            return seen and row is not None and row.status == "True"
        case StatefulSet() | ReplicaSet():
            return obj.status.readyReplicas == _wanted(obj)
        case _:
            return isinstance(obj, Pod) and obj.ready


def _wanted(held: Object | None) -> int:
    replicas = held.spec.replicas if isinstance(held, StatefulSet | ReplicaSet) else None
    return 1 if replicas is None else replicas
