"""What a recording shows of workloads: their counts and conditions, and what Jobs and CronJobs keep."""

from __future__ import annotations

from typing import Any

from app.kube.batch import CronJob, Job
from app.kube.meta import Condition
from app.kube.objects import timestamp
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet

Flat = dict[str, object]

# Counts that Kubernetes writes also when they are zero.
ALWAYS = {
    "ReplicaSet": ("replicas",),
    "StatefulSet": ("replicas", "availableReplicas"),
    "DaemonSet": ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"),
}
UNSHOWN = ("observedGeneration", "fullyLabeledReplicas", "uncountedTerminatedPods")
TIMES = ("startTime", "completionTime", "lastScheduleTime", "lastSuccessfulTime")
NULLABLE = ("terminatingReplicas", "terminating", "ready")


def workload(obj: Deployment | ReplicaSet | StatefulSet | DaemonSet | Job | CronJob) -> Flat:
    """Spec and status as a recording shows them."""
    found: Flat = {}
    match obj:
        case Deployment() | ReplicaSet() | StatefulSet():
            found["spec.replicas"] = obj.spec.replicas
        case Job():
            for name in ("parallelism", "completions", "backoffLimit", "suspend"):
                found[f"spec.{name}"] = getattr(obj.spec, name)
        case _:
            pass
    return found | _status(obj)


def _status(obj: Deployment | ReplicaSet | StatefulSet | DaemonSet | Job | CronJob) -> Flat:
    status: Any = obj.status
    found: Flat = {}
    for name in status.__struct_fields__:
        value = getattr(status, name)
        if name in UNSHOWN:
            continue
        if name == "conditions":
            found |= {f"status.conditions[{row.type}]": condition_text(row) for row in value}
        elif name in TIMES:
            found[f"status.{name}"] = None if value is None else timestamp(value)
        elif isinstance(value, tuple):
            found[f"status.{name}"] = ",".join(row.name for row in value) or None
        elif name in NULLABLE or value or name in ALWAYS.get(obj.kind, ()):
            found[f"status.{name}"] = value if value != "" else None
    return found


def condition_text(row: Condition) -> str:
    """`STATUS REASON: MESSAGE`, without what is empty."""
    reason = f" {row.reason}" if row.reason else ""
    return f"{row.status}{reason}{f': {row.message}' if row.message else ''}"
