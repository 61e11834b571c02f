"""What every API object has: references, metadata, owners and conditions."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from app.kube.stringmap import EMPTY, StringMap

DEFAULT_NAMESPACE = "default"
CLUSTER_SCOPED = frozenset({"Node", "PersistentVolume", "PriorityClass", "VolumeAttachment"})
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""kubectl's own copy of a manifest, which only repeats it."""


EPOCH = -1_767_268_800_000
"""1970-01-01T00:00:00Z, where a runtime has no time to tell."""


class Ref(NamedTuple):
    """Names one API object; written `pod/web-1`, or `pod/ns/web-1` outside the default namespace."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        if self.namespace in ("", DEFAULT_NAMESPACE):
            return f"{self.kind.lower()}/{self.name}"
        return f"{self.kind.lower()}/{self.namespace}/{self.name}"

    @property
    def path(self) -> str:
        """`ns/name`, or the bare name of a cluster-scoped object."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class OwnerReference(Struct, frozen=True, omit_defaults=True):
    kind: str
    name: str
    uid: str
    apiVersion: str = ""
    controller: bool = True
    blockOwnerDeletion: bool = True


class ObjectMeta(Struct, frozen=True, omit_defaults=True):
    """Times are whole seconds in milliseconds after t = 0, as Kubernetes keeps only seconds."""

    name: str = ""
    generateName: str = ""
    namespace: str = ""
    uid: str = ""
    labels: StringMap = EMPTY
    annotations: StringMap = EMPTY
    creationTimestamp: int | None = None
    deletionTimestamp: int | None = None
    deletionGracePeriodSeconds: int | None = None
    generation: int = 0
    finalizers: tuple[str, ...] = ()
    ownerReferences: tuple[OwnerReference, ...] = ()

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages this object, if any."""
        return next((owner for owner in self.ownerReferences if owner.controller), None)


class Condition(Struct, frozen=True, omit_defaults=True):
    """One entry of `status.conditions`, of any kind."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    lastTransitionTime: int | None = None
    lastUpdateTime: int | None = None


class LabelSelectorRequirement(Struct, frozen=True, omit_defaults=True):
    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: StringMap) -> bool:
        """One row of apimachinery's `LabelSelectorAsSelector`."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case _:
                return value is None


class LabelSelector(Struct, frozen=True, omit_defaults=True):
    matchLabels: StringMap = EMPTY
    matchExpressions: tuple[LabelSelectorRequirement, ...] = ()

    def selects(self, labels: StringMap) -> bool:
        """An empty selector selects everything."""
        return self.matchLabels.selects(labels) and all(row.matches(labels) for row in self.matchExpressions)


def condition(conditions: tuple[Condition, ...], type_: str) -> Condition | None:
    """The condition of that type, or None."""
    return next((row for row in conditions if row.type == type_), None)


def whole_second(milliseconds: int) -> int:
    """Cut to whole seconds, the precision in which API objects keep times (metav1.Time)."""
    return milliseconds // 1000 * 1000
