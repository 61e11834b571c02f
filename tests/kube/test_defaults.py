from typing import Any

import pytest
from msgspec import convert

from app.kube.defaults import defaulted
from app.kube.meta import ObjectMeta
from app.kube.networking import EndpointSlice, Service, ServicePort, ServiceSpec
from app.kube.nodes import Node, NodeStatus
from app.kube.objects import Object
from app.kube.pods import (
    Container,
    ContainerPort,
    HTTPGetAction,
    Lifecycle,
    LifecycleHandler,
    Pod,
    PodSchedulingGate,
    PodSpec,
    PodTemplateSpec,
    Probe,
    ResourceRequirements,
    Toleration,
)
from app.kube.stringmap import StringMap
from app.kube.workloads import (
    Deployment,
    DeploymentSpec,
    DeploymentStrategy,
    ReplicaSet,
    RollingUpdateDeployment,
    StatefulSet,
)

META = ObjectMeta(name="web")
NOT_READY = Toleration(key="node.kubernetes.io/not-ready", operator="Exists", effect="NoExecute", tolerationSeconds=300)
UNREACHABLE = Toleration(
    key="node.kubernetes.io/unreachable", operator="Exists", effect="NoExecute", tolerationSeconds=300
)


def pod(**spec: Any) -> PodSpec:
    stored = defaulted(Pod(metadata=META, spec=PodSpec(**spec)))
    assert isinstance(stored, Pod)
    return stored.spec


def container(**fields: Any) -> Container:
    return pod(containers=(Container(name="web", **fields),)).containers[0]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("restartPolicy", "Always"),
        ("terminationGracePeriodSeconds", 30),
        ("schedulerName", "default-scheduler"),
        ("serviceAccountName", "default"),
        ("priority", 0),
        ("tolerations", (NOT_READY, UNREACHABLE)),
    ],
)
def test_an_empty_pod_gets(field: str, value: Any) -> None:
    assert getattr(pod(), field) == value


def test_a_grace_of_zero_is_kept() -> None:
    assert pod(terminationGracePeriodSeconds=0).terminationGracePeriodSeconds == 0


@pytest.mark.parametrize(
    ("given", "added"),
    [
        pytest.param(Toleration(operator="Exists"), (), id="tolerating everything adds nothing"),
        pytest.param(
            Toleration(key=NOT_READY.key, operator="Exists", effect="NoExecute", tolerationSeconds=5),
            (UNREACHABLE,),
            id="an own not-ready toleration stays",
        ),
        pytest.param(Toleration(key=NOT_READY.key, operator="Exists"), (UNREACHABLE,), id="no effect covers NoExecute"),
        pytest.param(
            Toleration(key=NOT_READY.key, operator="Exists", effect="NoSchedule"),
            (NOT_READY, UNREACHABLE),
            id="another effect does not count",
        ),
    ],
)
def test_default_toleration_seconds(given: Toleration, added: tuple[Toleration, ...]) -> None:
    assert pod(tolerations=(given,)).tolerations == (given, *added)


def test_critical_priority_classes_have_their_numbers() -> None:
    assert pod(priorityClassName="system-node-critical").priority == 2_000_001_000


def test_zero_in_a_probe_means_unset() -> None:
    given = Probe(
        httpGet=HTTPGetAction(port=80, path="", scheme=""),
        timeoutSeconds=0,
        periodSeconds=0,
        successThreshold=0,
        failureThreshold=0,
    )
    assert container(readinessProbe=given).readinessProbe == Probe(httpGet=HTTPGetAction(port=80))


def test_hooks_get_the_path_of_http_get() -> None:
    hook = LifecycleHandler(httpGet=HTTPGetAction(port=80, path=""))
    lifecycle = container(lifecycle=Lifecycle(preStop=hook)).lifecycle
    assert lifecycle == Lifecycle(preStop=LifecycleHandler(httpGet=HTTPGetAction(port=80, path="/")))


def test_requests_follow_limits_where_they_are_unset() -> None:
    given = ResourceRequirements(requests=StringMap({"cpu": "0"}), limits=StringMap({"cpu": "1", "memory": "1Gi"}))
    assert container(resources=given).resources.requests == StringMap({"cpu": "0", "memory": "1Gi"})


def test_templates_keep_their_requests_and_tolerations() -> None:
    limits = ResourceRequirements(limits=StringMap({"cpu": "1"}))
    template = PodTemplateSpec(spec=PodSpec(containers=(Container(name="web", image="web:1", resources=limits),)))
    stored = defaulted(Deployment(metadata=META, spec=DeploymentSpec(template=template)))
    assert isinstance(stored, Deployment)
    spec = stored.spec.template.spec
    assert spec.tolerations == ()
    assert spec.containers[0].resources == limits
    assert spec.containers[0].imagePullPolicy == "IfNotPresent"
    assert spec.terminationGracePeriodSeconds == 30


def test_a_deployment() -> None:
    stored = defaulted(Deployment(metadata=META))
    assert isinstance(stored, Deployment)
    assert stored.spec.replicas == 1
    assert stored.spec.revisionHistoryLimit == 10
    assert stored.spec.progressDeadlineSeconds == 600
    assert stored.spec.strategy == DeploymentStrategy(
        type="RollingUpdate", rollingUpdate=RollingUpdateDeployment(maxSurge="25%", maxUnavailable="25%")
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(DeploymentStrategy(type="Recreate"), DeploymentStrategy(type="Recreate"), id="Recreate"),
        pytest.param(
            DeploymentStrategy(rollingUpdate=RollingUpdateDeployment(maxSurge=0)),
            DeploymentStrategy(rollingUpdate=RollingUpdateDeployment(maxSurge=0, maxUnavailable="25%")),
            id="a surge of zero is set",
        ),
    ],
)
def test_strategies(given: DeploymentStrategy, expected: DeploymentStrategy) -> None:
    stored = defaulted(Deployment(metadata=META, spec=DeploymentSpec(strategy=given)))
    assert isinstance(stored, Deployment)
    assert stored.spec.strategy == expected


def test_replica_sets_and_stateful_sets() -> None:
    replica_set, stateful_set = defaulted(ReplicaSet(metadata=META)), defaulted(StatefulSet(metadata=META))
    assert isinstance(replica_set, ReplicaSet)
    assert isinstance(stateful_set, StatefulSet)
    assert replica_set.spec.replicas == stateful_set.spec.replicas == 1
    assert stateful_set.spec.podManagementPolicy == "OrderedReady"
    assert stateful_set.spec.revisionHistoryLimit == 10


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(ServiceSpec(), ServiceSpec(type="ClusterIP", internalTrafficPolicy="Cluster"), id="ClusterIP"),
        pytest.param(
            ServiceSpec(type="NodePort"),
            ServiceSpec(type="NodePort", internalTrafficPolicy="Cluster", externalTrafficPolicy="Cluster"),
            id="NodePort has an external policy too",
        ),
        pytest.param(
            ServiceSpec(type="ExternalName"), ServiceSpec(type="ExternalName"), id="ExternalName has no policies"
        ),
        pytest.param(
            ServiceSpec(internalTrafficPolicy="Local", ports=(ServicePort(port=80),)),
            ServiceSpec(type="ClusterIP", internalTrafficPolicy="Local", ports=(ServicePort(port=80, targetPort=80),)),
            id="targetPort is the port",
        ),
        pytest.param(
            ServiceSpec(ports=(ServicePort(port=80, targetPort="http", protocol=""),)),
            ServiceSpec(
                type="ClusterIP",
                internalTrafficPolicy="Cluster",
                ports=(ServicePort(port=80, targetPort="http", protocol="TCP"),),
            ),
            id="a named targetPort stays",
        ),
    ],
)
def test_services(given: ServiceSpec, expected: ServiceSpec) -> None:
    stored = defaulted(Service(metadata=META, spec=given))
    assert isinstance(stored, Service)
    assert stored.spec == expected


def test_allocatable_is_the_capacity_where_unset() -> None:
    capacity = StringMap({"cpu": "4"})
    stored = defaulted(Node(metadata=META, status=NodeStatus(capacity=capacity)))
    assert isinstance(stored, Node)
    assert stored.status.allocatable == capacity
    assert stored.metadata.namespace == ""


@pytest.mark.parametrize("kind", [Pod, Deployment, ReplicaSet, StatefulSet, Service, EndpointSlice])
def test_the_namespace_is_default_and_defaulting_twice_changes_nothing(kind: type[Object]) -> None:
    stored = defaulted(convert({"metadata": {"name": "web"}}, kind, dec_hook=lambda _type, value: value))
    assert stored.metadata.namespace == "default"
    assert defaulted(stored) == stored


def test_a_gated_pod_says_so_from_the_start() -> None:
    gated = Pod(
        ObjectMeta(name="a"), PodSpec((Container("a"),), schedulingGates=(PodSchedulingGate("example.com/wait"),))
    )
    once = defaulted(gated)
    assert isinstance(once, Pod)
    (row,) = once.status.conditions
    assert (row.type, row.status, row.reason) == ("PodScheduled", "False", "SchedulingGated")
    assert row.message == "Scheduling is blocked due to non-empty scheduling gates"
    assert defaulted(once) == once


def test_on_the_hosts_network_ports_are_the_hosts() -> None:
    row = Container("a", ports=(ContainerPort(80), ContainerPort(81, hostPort=81)))
    pod = defaulted(Pod(ObjectMeta(name="a"), PodSpec((row,), hostNetwork=True)))
    assert isinstance(pod, Pod)
    assert [port.hostPort for port in pod.spec.containers[0].ports] == [80, 81]
    apart = defaulted(Pod(ObjectMeta(name="a"), PodSpec((row,))))
    assert isinstance(apart, Pod)
    assert [port.hostPort for port in apart.spec.containers[0].ports] == [None, 81]
