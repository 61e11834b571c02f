"""Pods: spec, probes, lifecycle hooks and status."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from app.kube.meta import Condition, ObjectMeta, Ref, condition
from app.kube.placement import Affinity, TopologySpreadConstraint
from app.kube.stringmap import EMPTY, StringMap


class ContainerPort(Struct, frozen=True, omit_defaults=True):
    containerPort: int
    name: str = ""
    protocol: str = "TCP"
    hostPort: int | None = None


class ExecAction(Struct, frozen=True, omit_defaults=True):
    command: tuple[str, ...] = ()


class HTTPGetAction(Struct, frozen=True, omit_defaults=True):
    port: int | str
    path: str = "/"
    scheme: str = "HTTP"
    host: str = ""


class TCPSocketAction(Struct, frozen=True, omit_defaults=True):
    port: int | str
    host: str = ""


class GRPCAction(Struct, frozen=True, omit_defaults=True):
    port: int
    service: str = ""


class SleepAction(Struct, frozen=True, omit_defaults=True):
    seconds: int


class Probe(Struct, frozen=True, omit_defaults=True):
    """Unset numbers are filled by `defaults` as the API server does (pkg/apis/core/v1/defaults.go)."""

    exec: ExecAction | None = None
    httpGet: HTTPGetAction | None = None
    tcpSocket: TCPSocketAction | None = None
    grpc: GRPCAction | None = None
    initialDelaySeconds: int = 0
    timeoutSeconds: int = 1
    periodSeconds: int = 10
    successThreshold: int = 1
    failureThreshold: int = 3
    terminationGracePeriodSeconds: int | None = None


class LifecycleHandler(Struct, frozen=True, omit_defaults=True):
    exec: ExecAction | None = None
    httpGet: HTTPGetAction | None = None
    tcpSocket: TCPSocketAction | None = None
    sleep: SleepAction | None = None


class Lifecycle(Struct, frozen=True, omit_defaults=True):
    postStart: LifecycleHandler | None = None
    preStop: LifecycleHandler | None = None


class ResourceRequirements(Struct, frozen=True, omit_defaults=True):
    """Quantities stay strings, as written; `quantity.parse` reads them."""

    requests: StringMap = EMPTY
    limits: StringMap = EMPTY


class VolumeMount(Struct, frozen=True, omit_defaults=True):
    name: str
    mountPath: str = ""
    subPath: str = ""
    readOnly: bool = False


class ContainerRestartRuleOnExitCodes(Struct, frozen=True, omit_defaults=True):
    operator: str
    values: tuple[int, ...] = ()


class ContainerRestartRule(Struct, frozen=True, omit_defaults=True):
    action: str
    exitCodes: ContainerRestartRuleOnExitCodes | None = None


class KeySelector(Struct, frozen=True, omit_defaults=True):
    """One key of a ConfigMap or Secret in the pod's namespace."""

    key: str
    name: str = ""
    optional: bool = False


class EnvVarSource(Struct, frozen=True, omit_defaults=True):
    configMapKeyRef: KeySelector | None = None
    secretKeyRef: KeySelector | None = None


class EnvVar(Struct, frozen=True, omit_defaults=True):
    name: str
    value: str = ""
    valueFrom: EnvVarSource | None = None


class EnvSource(Struct, frozen=True, omit_defaults=True):
    """All keys of a ConfigMap or Secret."""

    name: str = ""
    optional: bool = False


class EnvFromSource(Struct, frozen=True, omit_defaults=True):
    prefix: str = ""
    configMapRef: EnvSource | None = None
    secretRef: EnvSource | None = None


class Container(Struct, frozen=True, omit_defaults=True):
    """`restartPolicy: Always` on an init container makes it a native sidecar."""

    name: str
    image: str = ""
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    env: tuple[EnvVar, ...] = ()
    envFrom: tuple[EnvFromSource, ...] = ()
    ports: tuple[ContainerPort, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    volumeMounts: tuple[VolumeMount, ...] = ()
    livenessProbe: Probe | None = None
    readinessProbe: Probe | None = None
    startupProbe: Probe | None = None
    lifecycle: Lifecycle | None = None
    imagePullPolicy: str = ""
    restartPolicy: str = ""
    restartPolicyRules: tuple[ContainerRestartRule, ...] = ()

    @property
    def sidecar(self) -> bool:
        """Only meaningful for init containers."""
        return self.restartPolicy == "Always"


class Toleration(Struct, frozen=True, omit_defaults=True):
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    tolerationSeconds: int | None = None


class LocalObjectReference(Struct, frozen=True, omit_defaults=True):
    name: str = ""


class PodReadinessGate(Struct, frozen=True, omit_defaults=True):
    conditionType: str


class PodSchedulingGate(Struct, frozen=True, omit_defaults=True):
    name: str


class EmptyDirVolumeSource(Struct, frozen=True, omit_defaults=True):
    medium: str = ""
    sizeLimit: str = ""


class KeyToPath(Struct, frozen=True, omit_defaults=True):
    key: str
    path: str = ""


class ConfigMapVolumeSource(Struct, frozen=True, omit_defaults=True):
    name: str = ""
    items: tuple[KeyToPath, ...] = ()
    optional: bool = False


class SecretVolumeSource(Struct, frozen=True, omit_defaults=True):
    secretName: str = ""
    items: tuple[KeyToPath, ...] = ()
    optional: bool = False


class ProjectedKeys(Struct, frozen=True, omit_defaults=True):
    """A ConfigMap or Secret among the sources of a projected volume."""

    name: str = ""
    items: tuple[KeyToPath, ...] = ()
    optional: bool = False


class VolumeProjection(Struct, frozen=True, omit_defaults=True):
    configMap: ProjectedKeys | None = None
    secret: ProjectedKeys | None = None


class ProjectedVolumeSource(Struct, frozen=True, omit_defaults=True):
    sources: tuple[VolumeProjection, ...] = ()


class PersistentVolumeClaimVolumeSource(Struct, frozen=True, omit_defaults=True):
    claimName: str
    readOnly: bool = False


class HostPathVolumeSource(Struct, frozen=True, omit_defaults=True):
    path: str
    type: str = ""


class Volume(Struct, frozen=True, omit_defaults=True):
    name: str
    emptyDir: EmptyDirVolumeSource | None = None
    configMap: ConfigMapVolumeSource | None = None
    secret: SecretVolumeSource | None = None
    projected: ProjectedVolumeSource | None = None
    persistentVolumeClaim: PersistentVolumeClaimVolumeSource | None = None
    hostPath: HostPathVolumeSource | None = None


class PodSpec(Struct, frozen=True, omit_defaults=True):
    containers: tuple[Container, ...] = ()
    initContainers: tuple[Container, ...] = ()
    volumes: tuple[Volume, ...] = ()
    nodeName: str = ""
    restartPolicy: str = "Always"
    terminationGracePeriodSeconds: int | None = None
    resources: ResourceRequirements = ResourceRequirements()
    overhead: StringMap = EMPTY
    tolerations: tuple[Toleration, ...] = ()
    nodeSelector: StringMap = EMPTY
    affinity: Affinity | None = None
    topologySpreadConstraints: tuple[TopologySpreadConstraint, ...] = ()
    priority: int | None = None
    priorityClassName: str = ""
    preemptionPolicy: str = ""
    hostNetwork: bool = False
    readinessGates: tuple[PodReadinessGate, ...] = ()
    schedulingGates: tuple[PodSchedulingGate, ...] = ()
    activeDeadlineSeconds: int | None = None
    schedulerName: str = ""
    serviceAccountName: str = ""
    automountServiceAccountToken: bool | None = None
    imagePullSecrets: tuple[LocalObjectReference, ...] = ()


class ContainerStateWaiting(Struct, frozen=True, omit_defaults=True):
    reason: str = ""
    message: str = ""


class ContainerStateRunning(Struct, frozen=True, omit_defaults=True):
    startedAt: int | None = None


class ContainerStateTerminated(Struct, frozen=True, omit_defaults=True):
    exitCode: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    startedAt: int | None = None
    finishedAt: int | None = None


class ContainerState(Struct, frozen=True, omit_defaults=True):
    waiting: ContainerStateWaiting | None = None
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(Struct, frozen=True):
    name: str
    state: ContainerState = ContainerState()
    lastState: ContainerState = ContainerState()
    ready: bool = False
    restartCount: int = 0
    started: bool | None = None
    image: str = ""


class PodStatus(Struct, frozen=True, omit_defaults=True):
    phase: str = ""
    reason: str = ""
    message: str = ""
    hostIP: str = ""
    podIP: str = ""
    startTime: int | None = None
    conditions: tuple[Condition, ...] = ()
    initContainerStatuses: tuple[ContainerStatus, ...] = ()
    containerStatuses: tuple[ContainerStatus, ...] = ()
    qosClass: str = ""
    nominatedNodeName: str = ""


class Pod(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "Pod"
    apiVersion: ClassVar[str] = "v1"
    metadata: ObjectMeta
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def ref(self) -> Ref:
        return Ref("Pod", self.metadata.namespace, self.metadata.name)

    @property
    def terminating(self) -> bool:
        return self.metadata.deletionTimestamp is not None

    @property
    def finished(self) -> bool:
        """Whether the phase is terminal: it is never left again."""
        return self.status.phase in ("Succeeded", "Failed")

    @property
    def ready(self) -> bool:
        """Whether the Ready condition is True."""
        row = condition(self.status.conditions, "Ready")
        return row is not None and row.status == "True"


class PodTemplateSpec(Struct, frozen=True, omit_defaults=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
