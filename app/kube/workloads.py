"""Deployments, ReplicaSets, StatefulSets and DaemonSets."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from app.kube.meta import Condition, LabelSelector, ObjectMeta, Ref
from app.kube.pods import PodTemplateSpec


class RollingUpdateDeployment(Struct, frozen=True, omit_defaults=True):
    """Numbers, or percentages such as `25%` (resolved by `rollout`)."""

    maxSurge: int | str | None = None
    maxUnavailable: int | str | None = None


class DeploymentStrategy(Struct, frozen=True, omit_defaults=True):
    type: str = "RollingUpdate"
    rollingUpdate: RollingUpdateDeployment | None = None


class DeploymentSpec(Struct, frozen=True, omit_defaults=True):
    selector: LabelSelector = LabelSelector()
    template: PodTemplateSpec = PodTemplateSpec()
    replicas: int | None = None
    strategy: DeploymentStrategy = DeploymentStrategy()
    minReadySeconds: int = 0
    progressDeadlineSeconds: int | None = None
    revisionHistoryLimit: int | None = None
    paused: bool = False


class DeploymentStatus(Struct, frozen=True, omit_defaults=True):
    """Zero counts are left out on the wire, as Kubernetes does (`omitempty`)."""

    observedGeneration: int = 0
    replicas: int = 0
    updatedReplicas: int = 0
    readyReplicas: int = 0
    availableReplicas: int = 0
    unavailableReplicas: int = 0
    terminatingReplicas: int | None = None
    conditions: tuple[Condition, ...] = ()


class Deployment(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "Deployment"
    apiVersion: ClassVar[str] = "apps/v1"
    metadata: ObjectMeta
    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()

    @property
    def ref(self) -> Ref:
        return Ref("Deployment", self.metadata.namespace, self.metadata.name)


class ReplicaSetSpec(Struct, frozen=True, omit_defaults=True):
    selector: LabelSelector = LabelSelector()
    template: PodTemplateSpec = PodTemplateSpec()
    replicas: int | None = None
    minReadySeconds: int = 0


class ReplicaSetStatus(Struct, frozen=True, omit_defaults=True):
    replicas: int = 0
    fullyLabeledReplicas: int = 0
    readyReplicas: int = 0
    availableReplicas: int = 0
    terminatingReplicas: int | None = None
    observedGeneration: int = 0
    conditions: tuple[Condition, ...] = ()


class ReplicaSet(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "ReplicaSet"
    apiVersion: ClassVar[str] = "apps/v1"
    metadata: ObjectMeta
    spec: ReplicaSetSpec = ReplicaSetSpec()
    status: ReplicaSetStatus = ReplicaSetStatus()

    @property
    def ref(self) -> Ref:
        return Ref("ReplicaSet", self.metadata.namespace, self.metadata.name)


class VolumeClaimTemplate(Struct, frozen=True, omit_defaults=True):
    """Only its name is read: the pods' containers mount it by that."""

    metadata: ObjectMeta = ObjectMeta()


class RollingUpdateStatefulSet(Struct, frozen=True, omit_defaults=True):
    """Pods below the partition keep their template. `maxUnavailable` is read to be told of: it is off in 1.36."""

    partition: int | None = None
    maxUnavailable: int | str | None = None


class StatefulSetUpdateStrategy(Struct, frozen=True, omit_defaults=True):
    type: str = ""
    rollingUpdate: RollingUpdateStatefulSet | None = None


class StatefulSetSpec(Struct, frozen=True, omit_defaults=True):
    selector: LabelSelector = LabelSelector()
    template: PodTemplateSpec = PodTemplateSpec()
    replicas: int | None = None
    serviceName: str = ""
    podManagementPolicy: str = ""
    minReadySeconds: int = 0
    revisionHistoryLimit: int | None = None
    volumeClaimTemplates: tuple[VolumeClaimTemplate, ...] = ()
    updateStrategy: StatefulSetUpdateStrategy = StatefulSetUpdateStrategy()


class StatefulSetStatus(Struct, frozen=True, omit_defaults=True):
    observedGeneration: int = 0
    replicas: int = 0
    readyReplicas: int = 0
    currentReplicas: int = 0
    updatedReplicas: int = 0
    availableReplicas: int = 0
    currentRevision: str = ""
    updateRevision: str = ""


class StatefulSet(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "StatefulSet"
    apiVersion: ClassVar[str] = "apps/v1"
    metadata: ObjectMeta
    spec: StatefulSetSpec = StatefulSetSpec()
    status: StatefulSetStatus = StatefulSetStatus()

    @property
    def ref(self) -> Ref:
        return Ref("StatefulSet", self.metadata.namespace, self.metadata.name)


class RollingUpdateDaemonSet(Struct, frozen=True, omit_defaults=True):
    """Numbers of nodes, or percentages; one of the two is 0."""

    maxUnavailable: int | str | None = None
    maxSurge: int | str | None = None


class DaemonSetUpdateStrategy(Struct, frozen=True, omit_defaults=True):
    type: str = "RollingUpdate"
    rollingUpdate: RollingUpdateDaemonSet | None = None


class DaemonSetSpec(Struct, frozen=True, omit_defaults=True):
    selector: LabelSelector = LabelSelector()
    template: PodTemplateSpec = PodTemplateSpec()
    updateStrategy: DaemonSetUpdateStrategy = DaemonSetUpdateStrategy()
    minReadySeconds: int = 0
    revisionHistoryLimit: int | None = None


class DaemonSetStatus(Struct, frozen=True):
    """The first four counts are always on the wire, also when they are zero."""

    currentNumberScheduled: int
    numberMisscheduled: int
    desiredNumberScheduled: int
    numberReady: int
    observedGeneration: int = 0
    updatedNumberScheduled: int = 0
    numberAvailable: int = 0
    numberUnavailable: int = 0


class DaemonSet(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "DaemonSet"
    apiVersion: ClassVar[str] = "apps/v1"
    metadata: ObjectMeta
    spec: DaemonSetSpec = DaemonSetSpec()
    status: DaemonSetStatus = DaemonSetStatus(0, 0, 0, 0)

    @property
    def ref(self) -> Ref:
        return Ref("DaemonSet", self.metadata.namespace, self.metadata.name)
