"""How large a reader's cluster may be: beyond that a walk takes longer than anybody waits, and teaches no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.kube.batch import CronJob, Job
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet

MOST_PODS = 1_000
MOST_NODES = 200
MOST_STEPS = 20_000
"""Numbered steps of one walk; it then ends as if its time was over."""


def faults(objects: Iterable[Object], nodes: int) -> Iterator[str]:
    """What is too large, and what is allowed; `nodes` are those that the objects run on."""
    objects = tuple(objects)
    if nodes > MOST_NODES:
        yield f"manifest: found {nodes:,} Nodes; allowed: {MOST_NODES} at most, as more of them do nothing new"
    pods = sum(_pods(obj, nodes) for obj in objects)
    if pods > MOST_PODS:
        most = max(objects, key=lambda obj: _pods(obj, nodes))
        yield (
            f"manifest: asks for {pods:,} pods, most of them {most.ref}; allowed: {MOST_PODS:,} in all: give fewer "
            "replicas, the loops do the same with them"
        )


def _pods(obj: Object, nodes: int) -> int:
    """How many pods there may be of it at a time."""
    match obj:
        case Deployment() | ReplicaSet() | StatefulSet():
            return 1 if obj.spec.replicas is None else obj.spec.replicas
        case DaemonSet():
            return nodes
        case Job():
            return _parallel(obj.spec.parallelism, obj.spec.completions)
        case CronJob():
            return _parallel(obj.spec.jobTemplate.spec.parallelism, obj.spec.jobTemplate.spec.completions)
        case Pod():
            return 1
        case _:
            return 0


def _parallel(parallelism: int | None, completions: int | None) -> int:
    asked = 1 if parallelism is None else parallelism
    return asked if completions is None else min(asked, completions)
