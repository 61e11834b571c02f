"""What the API server fills in when an object is created: defaulting, and the admission plugins that are on."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.batch import CronJob, Job, JobSpec
from app.kube.config import Secret
from app.kube.images import default_pull_policy
from app.kube.meta import CLUSTER_SCOPED, DEFAULT_NAMESPACE, Condition, condition
from app.kube.networking import EndpointSlice, Service, ServicePort, ServiceSpec
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import (
    Container,
    ContainerPort,
    HTTPGetAction,
    Lifecycle,
    LifecycleHandler,
    Pod,
    PodSpec,
    PodTemplateSpec,
    Probe,
    Toleration,
)
from app.kube.stringmap import EMPTY
from app.kube.workloads import (
    DaemonSet,
    DaemonSetUpdateStrategy,
    Deployment,
    DeploymentStrategy,
    ReplicaSet,
    RollingUpdateDaemonSet,
    RollingUpdateDeployment,
    RollingUpdateStatefulSet,
    StatefulSet,
    StatefulSetUpdateStrategy,
)

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
TOLERATED_SECONDS = 300
GATED = Condition("PodScheduled", "False", "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates")

SYSTEM_PRIORITIES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}


def defaulted(obj: Object) -> Object:
    """The object as the API server would store it; defaulting twice changes nothing."""
    obj = _namespaced(obj)
    match obj:
        case Pod():
            return defaulted_pod(obj)
        case Deployment():
            return _deployment(obj)
        case ReplicaSet():
            spec = replace(obj.spec, replicas=_or(obj.spec.replicas, 1), template=_template(obj.spec.template))
            return replace(obj, spec=spec)
        case StatefulSet():
            return _stateful_set(obj)
        case DaemonSet():
            return _daemon_set(obj)
        case Job():
            return replace(obj, spec=_job_spec(obj.spec))
        case CronJob():
            return _cron_job(obj)
        case Service():
            return replace(obj, spec=_service_spec(obj.spec))
        case EndpointSlice():
            ports = tuple(replace(port, protocol=port.protocol or "TCP") for port in obj.ports)
            return replace(obj, ports=ports) if ports != obj.ports else obj
        case Secret():
            merged = obj.data.merged(obj.stringData)
            return replace(obj, data=merged, stringData=EMPTY, type=obj.type or "Opaque")
        case Node():
            allocatable = obj.status.allocatable or obj.status.capacity
            return replace(obj, status=replace(obj.status, allocatable=allocatable))
        case _:
            return obj


def defaulted_pod(pod: Pod) -> Pod:
    """A pod as it is stored, whose namespace is set."""
    return replace(_gated(pod), spec=_admitted(_requests_from_limits(_host_ports(_pod_spec(pod.spec)))))


def _gated(pod: Pod) -> Pod:
    """The scheduler never sees such a pod, so the API server says it (applySchedulingGatedCondition)."""
    if not pod.spec.schedulingGates or condition(pod.status.conditions, GATED.type) is not None:
        return pod
    return replace(pod, status=replace(pod.status, conditions=(*pod.status.conditions, GATED)))


def _namespaced(obj: Object) -> Object:
    namespace = "" if obj.kind in CLUSTER_SCOPED else obj.metadata.namespace or DEFAULT_NAMESPACE
    if namespace == obj.metadata.namespace:
        return obj
    return replace(obj, metadata=replace(obj.metadata, namespace=namespace))


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


# Pods and templates, as in pkg/apis/core/v1/defaults.go.


def _template(template: PodTemplateSpec) -> PodTemplateSpec:
    return replace(template, spec=_pod_spec(template.spec))


def _pod_spec(spec: PodSpec) -> PodSpec:
    return replace(
        spec,
        containers=tuple(_container(row) for row in spec.containers),
        initContainers=tuple(_container(row) for row in spec.initContainers),
        restartPolicy=spec.restartPolicy or "Always",
        terminationGracePeriodSeconds=_or(spec.terminationGracePeriodSeconds, 30),
        schedulerName=spec.schedulerName or "default-scheduler",
    )


def _container(container: Container) -> Container:
    return replace(
        container,
        imagePullPolicy=container.imagePullPolicy or default_pull_policy(container.image),
        ports=tuple(_container_port(port) for port in container.ports),
        livenessProbe=probe(container.livenessProbe),
        readinessProbe=probe(container.readinessProbe),
        startupProbe=probe(container.startupProbe),
        lifecycle=_lifecycle(container.lifecycle),
    )


def _container_port(port: ContainerPort) -> ContainerPort:
    return port if port.protocol else replace(port, protocol="TCP")


def probe(given: Probe | None) -> Probe | None:
    """A probe with every number set: zero means unset, except for the initial delay."""
    if given is None:
        return None
    return replace(
        given,
        httpGet=_http_get(given.httpGet),
        timeoutSeconds=given.timeoutSeconds or 1,
        periodSeconds=given.periodSeconds or 10,
        successThreshold=given.successThreshold or 1,
        failureThreshold=given.failureThreshold or 3,
    )


def _http_get(action: HTTPGetAction | None) -> HTTPGetAction | None:
    if action is None:
        return None
    return replace(action, path=action.path or "/", scheme=action.scheme or "HTTP")


def _lifecycle(given: Lifecycle | None) -> Lifecycle | None:
    if given is None:
        return None
    return Lifecycle(postStart=_handler(given.postStart), preStop=_handler(given.preStop))


def _handler(given: LifecycleHandler | None) -> LifecycleHandler | None:
    return None if given is None else replace(given, httpGet=_http_get(given.httpGet))


def _host_ports(spec: PodSpec) -> PodSpec:
    """defaultHostNetworkPorts: on the host's network a port of a container is one of the host. For pods only, too."""
    if not spec.hostNetwork:
        return spec
    return replace(
        spec,
        containers=tuple(_on_host(row) for row in spec.containers),
        initContainers=tuple(_on_host(row) for row in spec.initContainers),
    )


def _on_host(container: Container) -> Container:
    ports = tuple(replace(port, hostPort=port.hostPort or port.containerPort) for port in container.ports)
    return replace(container, ports=ports)


def _requests_from_limits(spec: PodSpec) -> PodSpec:
    # Done for pods, not for templates (SetDefaults_Pod).
    return replace(
        spec,
        containers=tuple(_with_requests(row) for row in spec.containers),
        initContainers=tuple(_with_requests(row) for row in spec.initContainers),
    )


def _with_requests(container: Container) -> Container:
    resources = container.resources
    if not resources.limits:
        return container
    requests = resources.limits.merged(resources.requests)
    return replace(container, resources=replace(resources, requests=requests))


def _admitted(spec: PodSpec) -> PodSpec:
    """DefaultTolerationSeconds, Priority and ServiceAccount, the plugins that change every pod."""
    missing = tuple(
        Toleration(key=key, operator="Exists", effect="NoExecute", tolerationSeconds=TOLERATED_SECONDS)
        for key in (NOT_READY, UNREACHABLE)
        if not any(row.key in (key, "") and row.effect in ("NoExecute", "") for row in spec.tolerations)
    )
    return replace(
        spec,
        tolerations=spec.tolerations + missing,
        priority=_or(spec.priority, SYSTEM_PRIORITIES.get(spec.priorityClassName, 0)),
        serviceAccountName=spec.serviceAccountName or "default",
    )


# Workloads, as in pkg/apis/apps/v1/defaults.go.


def _deployment(obj: Deployment) -> Deployment:
    spec = replace(
        obj.spec,
        replicas=_or(obj.spec.replicas, 1),
        template=_template(obj.spec.template),
        strategy=_strategy(obj.spec.strategy),
        revisionHistoryLimit=_or(obj.spec.revisionHistoryLimit, 10),
        progressDeadlineSeconds=_or(obj.spec.progressDeadlineSeconds, 600),
    )
    return replace(obj, spec=spec)


def _strategy(given: DeploymentStrategy) -> DeploymentStrategy:
    type_ = given.type or "RollingUpdate"
    if type_ != "RollingUpdate":
        return given
    rolling = given.rollingUpdate or RollingUpdateDeployment()
    return DeploymentStrategy(
        type=type_,
        rollingUpdate=RollingUpdateDeployment(
            maxSurge="25%" if rolling.maxSurge is None else rolling.maxSurge,
            maxUnavailable="25%" if rolling.maxUnavailable is None else rolling.maxUnavailable,
        ),
    )


def _stateful_set(obj: StatefulSet) -> StatefulSet:
    spec = replace(
        obj.spec,
        replicas=_or(obj.spec.replicas, 1),
        template=_template(obj.spec.template),
        podManagementPolicy=obj.spec.podManagementPolicy or "OrderedReady",
        updateStrategy=_stateful_strategy(obj.spec.updateStrategy),
        revisionHistoryLimit=_or(obj.spec.revisionHistoryLimit, 10),
    )
    return replace(obj, spec=spec)


def _stateful_strategy(given: StatefulSetUpdateStrategy) -> StatefulSetUpdateStrategy:
    """Where only the type is written no partition is filled in, which kubectl rollout status tells apart."""
    rolling = given.rollingUpdate
    if not given.type:
        rolling = rolling or RollingUpdateStatefulSet()
    if rolling is not None and given.type in ("", "RollingUpdate"):
        rolling = replace(rolling, partition=_or(rolling.partition, 0))
    return StatefulSetUpdateStrategy(given.type or "RollingUpdate", rolling)


def _daemon_set(obj: DaemonSet) -> DaemonSet:
    strategy = obj.spec.updateStrategy
    if strategy.type in ("", "RollingUpdate"):
        given = strategy.rollingUpdate or RollingUpdateDaemonSet()
        missing = 1 if given.maxUnavailable is None else given.maxUnavailable
        rolling = RollingUpdateDaemonSet(missing, 0 if given.maxSurge is None else given.maxSurge)
        strategy = DaemonSetUpdateStrategy("RollingUpdate", rolling)
    spec = replace(
        obj.spec,
        template=_template(obj.spec.template),
        updateStrategy=strategy,
        revisionHistoryLimit=_or(obj.spec.revisionHistoryLimit, 10),
    )
    return replace(obj, spec=spec)


# Jobs, as in pkg/apis/batch/v1/defaults.go.


def _job_spec(spec: JobSpec) -> JobSpec:
    neither = spec.completions is None and spec.parallelism is None
    return replace(
        spec,
        template=_template(spec.template),
        completions=1 if neither else spec.completions,
        parallelism=_or(spec.parallelism, 1),
        backoffLimit=_or(spec.backoffLimit, 6),
        podReplacementPolicy=spec.podReplacementPolicy or "TerminatingOrFailed",
    )


def _cron_job(obj: CronJob) -> CronJob:
    made = obj.spec.jobTemplate
    spec = replace(
        obj.spec,
        jobTemplate=replace(made, spec=replace(made.spec, template=_template(made.spec.template))),
        concurrencyPolicy=obj.spec.concurrencyPolicy or "Allow",
        successfulJobsHistoryLimit=_or(obj.spec.successfulJobsHistoryLimit, 3),
        failedJobsHistoryLimit=_or(obj.spec.failedJobsHistoryLimit, 1),
    )
    return replace(obj, spec=spec)


# Services.


def _service_spec(spec: ServiceSpec) -> ServiceSpec:
    type_ = spec.type or "ClusterIP"
    internal = "Cluster" if type_ in ("ClusterIP", "NodePort", "LoadBalancer") else ""
    external = "Cluster" if type_ in ("NodePort", "LoadBalancer") else ""
    return replace(
        spec,
        type=type_,
        ports=tuple(_service_port(port) for port in spec.ports),
        internalTrafficPolicy=spec.internalTrafficPolicy or internal,
        externalTrafficPolicy=spec.externalTrafficPolicy or external,
    )


def _service_port(given: ServicePort) -> ServicePort:
    target = given.port if given.targetPort in (None, 0, "") else given.targetPort
    return replace(given, protocol=given.protocol or "TCP", targetPort=target)
