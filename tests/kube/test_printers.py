from typing import Any

import pytest

from app.kube.meta import Condition, ObjectMeta, Ref
from app.kube.networking import Endpoint, EndpointPort, EndpointSlice, Service, ServicePort, ServiceSpec
from app.kube.nodes import Node, NodeAddress, NodeSpec, NodeStatus, NodeSystemInfo
from app.kube.pods import Container, Pod, PodSpec, PodStatus
from app.kube.printers import (
    EventLine,
    get_deployments,
    get_endpoint_slices,
    get_events,
    get_nodes,
    get_pods,
    get_replica_sets,
    get_services,
    get_stateful_sets,
    node_roles,
    node_status,
)
from app.kube.stringmap import EMPTY, StringMap
from app.kube.workloads import (
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
    StatefulSet,
    StatefulSetSpec,
    StatefulSetStatus,
)

META = ObjectMeta(name="web", creationTimestamp=0)


def lines(*rows: str) -> str:
    return "\n".join(rows)


def pod(name: str, phase: str, node: str = "") -> Pod:
    return Pod(
        metadata=ObjectMeta(name=name, creationTimestamp=0),
        spec=PodSpec(nodeName=node, containers=(Container(name="web"),)),
        status=PodStatus(phase=phase),
    )


def test_pods() -> None:
    assert get_pods([pod("web-77c554bd64-jfvnm", "Running"), pod("db", "Pending")], 65_000) == lines(
        "NAME                   READY   STATUS    RESTARTS   AGE",
        "web-77c554bd64-jfvnm   0/1     Running   0          65s",
        "db                     0/1     Pending   0          65s",
    )


def test_pods_wide() -> None:
    assert get_pods([pod("db", "Pending", "node-1")], 0, wide=True) == lines(
        "NAME   READY   STATUS    RESTARTS   AGE   IP       NODE     NOMINATED NODE   READINESS GATES",
        "db     0/1     Pending   0          0s    <none>   node-1   <none>           <none>",
    )


def test_nothing_found() -> None:
    assert get_pods([], 0) == "No resources found in default namespace."
    assert get_nodes([], 0) == "No resources found"


def node(ready: str | None, *, cordoned: bool = False, labels: StringMap = EMPTY) -> Node:
    conditions = () if ready is None else (Condition("Ready", ready),)
    return Node(
        metadata=ObjectMeta(name="node-1", creationTimestamp=0, labels=labels),
        spec=NodeSpec(unschedulable=cordoned),
        status=NodeStatus(conditions=conditions),
    )


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (node("True"), "Ready"),
        (node("False"), "NotReady"),
        (node("Unknown"), "NotReady"),
        (node(None), "Unknown"),
        (node("True", cordoned=True), "Ready,SchedulingDisabled"),
        (node(None, cordoned=True), "Unknown,SchedulingDisabled"),
    ],
)
def test_node_status(given: Node, status: str) -> None:
    assert node_status(given) == status


def test_node_roles() -> None:
    labels = {
        "node-role.kubernetes.io/worker": "",
        "node-role.kubernetes.io/control-plane": "",
        "node-role.kubernetes.io/": "x",
        "kubernetes.io/role": "master",
    }
    assert node_roles(node("True", labels=StringMap(labels))) == ["control-plane", "master", "worker"]


def test_nodes() -> None:
    status = NodeStatus(
        conditions=(Condition("Ready", "True"),),
        addresses=(NodeAddress("Hostname", "node-1"), NodeAddress("InternalIP", "10.0.0.1")),
        nodeInfo=NodeSystemInfo(kubeletVersion="v1.36.2", kernelVersion="6.12.0", architecture="amd64"),
    )
    given = Node(metadata=ObjectMeta(name="node-1", creationTimestamp=0), status=status)
    assert get_nodes([given], 600_000) == lines(
        "NAME     STATUS   ROLES    AGE   VERSION",
        "node-1   Ready    <none>   10m   v1.36.2",
    )
    assert get_nodes([given], 600_000, wide=True).splitlines()[1] == (
        "node-1   Ready    <none>   10m   v1.36.2   10.0.0.1      <none>        <unknown>   6.12.0 (amd64)   <unknown>"
    )


def test_workloads() -> None:
    deployment = Deployment(
        META, DeploymentSpec(replicas=3), DeploymentStatus(readyReplicas=2, updatedReplicas=3, availableReplicas=1)
    )
    assert get_deployments([deployment], 5_000) == lines(
        "NAME   READY   UP-TO-DATE   AVAILABLE   AGE",
        "web    2/3     3            1           5s",
    )
    replica_set = ReplicaSet(META, ReplicaSetSpec(replicas=3), ReplicaSetStatus(replicas=2, readyReplicas=1))
    assert get_replica_sets([replica_set], 5_000) == lines(
        "NAME   DESIRED   CURRENT   READY   AGE",
        "web    3         2         1       5s",
    )
    stateful_set = StatefulSet(META, StatefulSetSpec(), StatefulSetStatus(readyReplicas=1))
    assert get_stateful_sets([stateful_set], 5_000) == lines(
        "NAME   READY   AGE",
        "web    1/1     5s",
    )


def test_services() -> None:
    ports: Any = (ServicePort(port=80, nodePort=30080), ServicePort(port=53, protocol="UDP"))
    given = [
        Service(META, ServiceSpec(type="LoadBalancer", clusterIP="10.96.0.10", ports=ports)),
        Service(ObjectMeta(name="db"), ServiceSpec(type="ClusterIP", clusterIP="None")),
    ]
    assert get_services(given, 5_000) == lines(
        "NAME   TYPE           CLUSTER-IP   EXTERNAL-IP   PORT(S)               AGE",
        "web    LoadBalancer   10.96.0.10   <pending>     80:30080/TCP,53/UDP   5s",
        "db     ClusterIP      None         <none>        <none>                <unknown>",
    )


def test_endpoint_slices() -> None:
    endpoints = tuple(Endpoint(addresses=(f"10.0.0.{number}",)) for number in range(5))
    given = [
        EndpointSlice(META, endpoints=endpoints, ports=(EndpointPort(port=8080), EndpointPort())),
        EndpointSlice(META),
    ]
    assert get_endpoint_slices(given, 5_000) == lines(
        "NAME   ADDRESSTYPE   PORTS     ENDPOINTS                                AGE",
        "web    IPv4          8080,*    10.0.0.0,10.0.0.1,10.0.0.2 + 2 more...   5s",
        "web    IPv4          <unset>   <unset>                                  5s",
    )


def test_events() -> None:
    given = [
        EventLine(1_000, "Normal", "Killing", Ref("Pod", "default", "web-1"), "Stopping container web"),
        EventLine(59_000, "Warning", "Evicted", Ref("Pod", "default", "web-1"), "The node was low. "),
    ]
    assert get_events(given, 61_000) == lines(
        "LAST SEEN   TYPE      REASON    OBJECT      MESSAGE",
        "60s         Normal    Killing   pod/web-1   Stopping container web",
        "2s          Warning   Evicted   pod/web-1   The node was low.",
    )
