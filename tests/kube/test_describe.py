"""What `kubectl describe pod` prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from app.kube.defaults import defaulted
from app.kube.describe import EventRow, describe_pod
from app.kube.describe_containers import probe_text, rfc1123
from app.kube.manifests import read_manifests
from app.kube.meta import Condition, OwnerReference
from app.kube.pods import (
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    ExecAction,
    GRPCAction,
    HTTPGetAction,
    Pod,
    PodStatus,
    Probe,
    TCPSocketAction,
)

MANIFEST = """
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: shop
  labels: {app: web, tier: front}
  annotations: {team: payments}
spec:
  nodeName: node-1
  automountServiceAccountToken: false
  volumes:
  - {name: cache, emptyDir: {}}
  - {name: site, configMap: {name: site}}
  initContainers:
  - {name: migrate, image: "web:1", command: [migrate, --wait]}
  containers:
  - name: web
    image: registry.example/shop/web:1
    ports: [{containerPort: 8080}]
    env:
    - {name: LEVEL, value: info}
    - {name: PASSWORD, valueFrom: {secretKeyRef: {name: db, key: password}}}
    envFrom: [{configMapRef: {name: flags}}]
    resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 128Mi}}
    livenessProbe: {httpGet: {path: /healthz, port: 8080}}
    volumeMounts: [{name: site, mountPath: /site, readOnly: true}, {name: cache, mountPath: /cache, subPath: a}]
"""
PRINTED = (Path(__file__).resolve().parent.parent / "data" / "describe-pod.txt").read_text()
EVENTS = (
    EventRow(
        "Warning",
        "BackOff",
        "Back-off restarting failed container",
        "kubelet",
        20_000,
        55_000,
        3,
        "spec.containers{web}",
    ),
    EventRow("Normal", "Scheduled", "Successfully assigned shop/web-1 to node-1", "default-scheduler", 0, 0, 1),
)


def ended(code: int, reason: str, started: int, finished: int) -> ContainerState:
    return ContainerState(
        terminated=ContainerStateTerminated(exitCode=code, reason=reason, startedAt=started, finishedAt=finished)
    )


def pod(**status: object) -> Pod:
    (found,) = read_manifests(MANIFEST).objects
    made = defaulted(found)
    assert isinstance(made, Pod)
    owner = OwnerReference("ReplicaSet", "web", "uid-web")
    return replace(
        made,
        metadata=replace(made.metadata, uid="uid-web-1", ownerReferences=(owner,)),
        status=PodStatus(phase="Running", hostIP="192.168.0.1", podIP="10.244.1.2", startTime=0, **status),  # type: ignore[arg-type]
    )


RUNNING = pod(
    qosClass="Burstable",
    conditions=(Condition("PodReadyToStartContainers", "True"), Condition("Ready", "False", "ContainersNotReady")),
    initContainerStatuses=(ContainerStatus("migrate", state=ended(0, "Completed", 1_000, 3_000), ready=True),),
    containerStatuses=(
        ContainerStatus(
            "web",
            state=ContainerState(waiting=ContainerStateWaiting("CrashLoopBackOff", "back-off 10s")),
            lastState=ended(1, "Error", 4_000, 5_000),
            restartCount=2,
        ),
    ),
)


def test_the_whole() -> None:
    printed = re.sub(r"(containerd://|sha256:)[0-9a-f]{64}", r"\1ID", describe_pod(RUNNING, EVENTS, 60_000))
    assert printed.split("\n") == PRINTED.splitlines()


def test_a_pod_that_is_being_deleted_tells_how_long_it_takes() -> None:
    """The deadline lies in the future while the grace lasts."""
    deleted = replace(RUNNING.metadata, deletionTimestamp=90_000, deletionGracePeriodSeconds=30)
    going = replace(RUNNING, metadata=deleted)
    assert "Status:                    Terminating (lasts <invalid>)" in describe_pod(going, (), 70_000)
    assert "Status:                    Terminating (lasts 10s)" in describe_pod(going, (), 100_000)
    assert "Termination Grace Period:  30s" in describe_pod(going, (), 100_000)
    over = replace(going, status=replace(going.status, phase="Succeeded"))
    assert "Status:           Succeeded" in describe_pod(over, (), 100_000)


def test_a_pod_that_waits_for_a_node() -> None:
    waiting = replace(RUNNING, spec=replace(RUNNING.spec, nodeName=""), status=PodStatus(phase="Pending"))
    printed = describe_pod(waiting, (), 0)
    assert "Node:             <none>" in printed
    assert "IPs:              <none>" in printed
    assert "State:" not in printed
    assert printed.endswith("Events:  <none>")


def test_a_rejected_pod_says_why() -> None:
    status = PodStatus(phase="Failed", reason="OutOfcpu", message="Pod was rejected: Node didn't have enough resource")
    printed = describe_pod(replace(RUNNING, status=status), (), 0)
    assert "Reason:           OutOfcpu" in printed
    assert "Message:          Pod was rejected: Node didn't have enough resource" in printed


def test_the_token_that_admission_mounts() -> None:
    spec = replace(RUNNING.spec, automountServiceAccountToken=None, volumes=())
    printed = describe_pod(replace(RUNNING, spec=spec), (), 0)
    (name,) = set(re.findall(r"kube-api-access-[a-z0-9]{5}", printed))
    assert f"/var/run/secrets/kubernetes.io/serviceaccount from {name} (ro)" in printed
    assert f"  {name}:\n    Type:                    Projected" in printed
    assert "    DownwardAPI:             true" in printed


@pytest.mark.parametrize(
    ("probe", "text"),
    [
        (Probe(exec=ExecAction(("sh", "-c", "test -f /x")), periodSeconds=5), "exec [sh -c test -f /x] delay=0s"),
        (
            Probe(httpGet=HTTPGetAction("http", "/ready", "HTTPS", "example.com")),
            "http-get https://example.com:http/ready",
        ),
        (Probe(tcpSocket=TCPSocketAction(5432), initialDelaySeconds=3), "tcp-socket :5432 delay=3s"),
        (Probe(grpc=GRPCAction(9000, "live")), "grpc <pod>:9000 live delay=0s"),
    ],
)
def test_probes(probe: Probe, text: str) -> None:
    assert probe_text(probe).startswith(text)


def test_times() -> None:
    assert rfc1123(-1_767_268_800_000) == "Thu, 01 Jan 1970 00:00:00 +0000"
    assert rfc1123(None) == "Mon, 01 Jan 0001 00:00:00 +0000"


def test_a_long_annotation_is_cut() -> None:
    meta = replace(RUNNING.metadata, annotations=RUNNING.metadata.annotations.merged({"note": "x" * 200}))
    printed = describe_pod(replace(RUNNING, metadata=meta), (), 0)
    assert "Annotations:      note:\n" in printed
    assert f"                    {'x' * 138}...\n                  team: payments" in printed


def test_a_running_container() -> None:
    row = ContainerStatus("web", state=ContainerState(running=ContainerStateRunning(4_000)), ready=True)
    printed = describe_pod(replace(RUNNING, status=replace(RUNNING.status, containerStatuses=(row,))), (), 0)
    assert "    State:          Running\n      Started:      Thu, 01 Jan 2026 12:00:04 +0000\n" in printed
