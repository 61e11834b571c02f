"""The manifests under inspection: the objects as the API server would store them, and the pods that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from app.kube.batch import CronJob, Job
from app.kube.manifests import Refusal
from app.kube.members import Member
from app.kube.meta import Ref
from app.kube.networking import Service
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Container, ContainerPort, Pod, PodTemplateSpec
from app.kube.policy import PodDisruptionBudget
from app.kube.quantity import value
from app.kube.release_fields import Dropped
from app.kube.releases import Release
from app.kube.stringmap import StringMap
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from app.kube.yaml_values import Path

T = TypeVar("T")

ASSUMED_NODES = 3
ASSUMED_CAPACITY = StringMap({"cpu": "4", "memory": "8Gi", "pods": "110"})
"""Of a node that nobody described: what the machines of Loopscope's own flows have."""

CONTAINER, INIT, SIDECAR = "container", "init", "sidecar"


class Part(NamedTuple):
    """One container of a pod: what it is, and its path in the object that makes the pod."""

    row: Container
    kind: str
    path: Path


@dataclass(frozen=True, eq=False)
class Made:
    """Pods that are all alike: what makes them, one of them, where it stands there, and how many there will be."""

    owner: Object
    pod: Pod
    path: Path
    pods: int

    @property
    def ref(self) -> Ref:
        return self.owner.ref

    def at(self, *steps: str | int) -> Path:
        """The path of a field of the pod's spec."""
        return (*self.path, "spec", *steps)

    @property
    def qos(self) -> str:
        return self.pod.status.qosClass

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Init containers first, as they are written."""
        spec = self.pod.spec
        return (
            *(
                Part(row, SIDECAR if row.sidecar else INIT, self.at("initContainers", at))
                for at, row in enumerate(spec.initContainers)
            ),
            *(Part(row, CONTAINER, self.at("containers", at)) for at, row in enumerate(spec.containers)),
        )

    @cached_property
    def lasting(self) -> tuple[Part, ...]:
        """Those that run for as long as the pod does."""
        return tuple(part for part in self.parts if part.kind != INIT)

    @cached_property
    def ports(self) -> tuple[ContainerPort, ...]:
        """What its containers say that they listen on."""
        return tuple(port for part in self.lasting for port in part.row.ports)

    @property
    def endless(self) -> bool:
        """Whether these are to run for ever: pods of Jobs, and those that are run for a task, end by themselves."""
        return not isinstance(self.owner, Job | CronJob) and self.pod.spec.restartPolicy == "Always"


@dataclass(frozen=True, eq=False)
class Subject:
    """Everything that the rules may look at. What the API server would refuse makes no pods."""

    release: Release
    """The Kubernetes that they are meant for."""
    objects: tuple[Object, ...]
    refused: tuple[tuple[Object, Refusal], ...]
    dropped: tuple[tuple[Ref, Dropped], ...]
    """Fields that the Kubernetes they are meant for does not know, and drops."""
    members: Mapping[Ref, Member]
    made: tuple[Made, ...]
    shapes: tuple[tuple[str, StringMap], ...]
    """Namespace and labels of all pods, those of refused objects too."""
    selected: Mapping[Ref, tuple[Made, ...]]
    """The pods that a Service sends to, by the Service."""
    serving: Mapping[Ref, tuple[Service, ...]]
    """The other way round, by what makes the pods."""
    covered: Mapping[Ref, tuple[Made, ...]]
    """The pods that a PodDisruptionBudget speaks of, by the budget; those that end by themselves are left out."""
    guarding: Mapping[Ref, tuple[PodDisruptionBudget, ...]]
    """The other way round."""

    def of(self, cls: type[T]) -> list[T]:
        return [obj for obj in self.objects if isinstance(obj, cls)]

    def selected_by(self, service: Service) -> tuple[Made, ...]:
        return self.selected.get(service.ref, ())

    def services_of(self, made: Made) -> list[Service]:
        """The Services that send to these pods."""
        return list(self.serving.get(made.ref, ()))

    @property
    def capacity(self) -> StringMap:
        """Of the smallest node, by memory, that is given; else of the one that is assumed."""
        given = [row.status.capacity for row in self.of(Node) if _memory(row.status.capacity)]
        return min(given, key=_memory) if given else ASSUMED_CAPACITY


def _memory(capacity: StringMap) -> int:
    return value(capacity.get("memory") or "0")


def template_of(obj: Object) -> PodTemplateSpec | None:
    """What its pods are made from; of a Pod, its own labels and spec."""
    match obj:
        case Pod():
            return PodTemplateSpec(obj.metadata, obj.spec)
        case Deployment() | ReplicaSet() | StatefulSet() | DaemonSet() | Job():
            return obj.spec.template
        case CronJob():
            return obj.spec.jobTemplate.spec.template
        case _:
            return None
