"""The one list of kinds that the model knows, and their form on the wire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

from app.kube.batch import CronJob, Job
from app.kube.config import ConfigMap, Secret
from app.kube.meta import CLUSTER_SCOPED, Ref
from app.kube.networking import EndpointSlice, Service
from app.kube.nodes import Lease, Node
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.kube.priority import PriorityClass
from app.kube.storage import PersistentVolume, PersistentVolumeClaim, VolumeAttachment
from app.kube.stringmap import StringMap
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet

Object = (
    Pod
    | Node
    | Lease
    | ConfigMap
    | Secret
    | Service
    | EndpointSlice
    | Deployment
    | ReplicaSet
    | StatefulSet
    | DaemonSet
    | Job
    | CronJob
    | PodDisruptionBudget
    | PriorityClass
    | PersistentVolume
    | PersistentVolumeClaim
    | VolumeAttachment
)

_TYPES: tuple[type[Object], ...] = (
    Node,
    Lease,
    ConfigMap,
    Secret,
    PriorityClass,
    PersistentVolume,
    PersistentVolumeClaim,
    VolumeAttachment,
    Service,
    EndpointSlice,
    Deployment,
    ReplicaSet,
    StatefulSet,
    DaemonSet,
    CronJob,
    Job,
    Pod,
    PodDisruptionBudget,
)
KINDS: dict[str, type[Object]] = {cls.kind: cls for cls in _TYPES}
SHORT_NAMES = {
    "cj": "CronJob", "cm": "ConfigMap", "deploy": "Deployment", "ds": "DaemonSet", "no": "Node", "pc": "PriorityClass",
    "pdb": "PodDisruptionBudget", "po": "Pod", "pv": "PersistentVolume", "pvc": "PersistentVolumeClaim",
    "rs": "ReplicaSet", "sts": "StatefulSet", "svc": "Service",
}  # fmt: skip
"""As kubectl knows them."""
KIND_BY_WORD: dict[str, str] = {kind.lower(): kind for kind in KINDS} | SHORT_NAMES


def group_of(kind: str) -> str:
    """The API group of a kind; empty for the core group."""
    known = KINDS.get(kind)
    return known.apiVersion.rpartition("/")[0] if known else ""


def resource_of(kind: str, group: str | None = None) -> str:
    """The resource of a kind with its API group, as the API server's errors name it: `deployments.apps`, `pods`.

    `group` is that of a kind of others, which is not known here.
    """
    plural = kind.lower() + ("es" if kind.endswith("s") else "s")
    return ".".join(part for part in (plural, group_of(kind) if group is None else group) if part)


# t = 0 of every walk, a fixed instant: nothing in a walk depends on the day it is run.
ZERO = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)

TIMES = frozenset(
    {
        "creationTimestamp",
        "deletionTimestamp",
        "lastTransitionTime",
        "lastUpdateTime",
        "startTime",
        "completionTime",
        "lastScheduleTime",
        "lastSuccessfulTime",
        "startedAt",
        "finishedAt",
        "renewTime",
        "timeAdded",
    }
)

_FIELDS: dict[type, tuple[FieldInfo, ...]] = {}


def timestamp(milliseconds: int) -> str:
    """RFC 3339 in whole seconds, as metav1.Time prints it."""
    return (ZERO + timedelta(seconds=milliseconds // 1000)).strftime("%Y-%m-%dT%H:%M:%SZ")


def instant(text: str) -> int:
    """The milliseconds that `timestamp` printed."""
    return round((datetime.fromisoformat(text) - ZERO).total_seconds() * 1000)


def to_wire(value: Any) -> dict[str, Any]:
    """An API object as the JSON that Kubernetes would send, without resourceVersion."""
    body = wire(value)
    return {"apiVersion": value.apiVersion, "kind": value.kind, **body}


def wire(value: Any) -> Any:
    """Any part of an object as JSON values: unset fields left out, times spelled out."""
    if isinstance(value, Struct):
        return {
            field.name: timestamp(item) if field.name in TIMES else wire(item)
            for field in struct_fields(type(value))
            if not _left_out(field, item := getattr(value, field.name))
        }
    if isinstance(value, StringMap):
        return dict(value.items())
    if isinstance(value, tuple):
        return [wire(item) for item in value]
    return value


def _left_out(field: FieldInfo, value: Any) -> bool:
    if value is None or (field.default is not NODEFAULT and value == field.default):
        # The few fields that Kubernetes always writes, also when they are zero.
        return not (value is not None and field.name in ("ready", "restartCount", "serving", "terminating"))
    return False


def struct_fields(cls: type) -> tuple[FieldInfo, ...]:
    """The fields of a struct type, looked up once."""
    known = _FIELDS.get(cls)
    if known is None:
        known = _FIELDS[cls] = fields(cls)
    return known


def ref_of(kind: str, namespace: str, name: str) -> Ref:
    """A reference with the namespace rule of the kind applied."""
    return Ref(kind, "" if kind in CLUSTER_SCOPED else namespace or "default", name)
