"""Pods whose one container is probed, and the kubelet's probe workers for it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from app.kube.pods import ExecAction, GRPCAction, HTTPGetAction, Probe, TCPSocketAction
from app.kube.probes import BEFORE_FIRST, Counting
from app.sim.host import ContainerRun, Host, HostPod, ProbeState
from tests.loops.machines import APP, api, knows, machine, run, there

HTTP = Probe(httpGet=HTTPGetAction("http", "/ready"), periodSeconds=10, timeoutSeconds=1, successThreshold=1)
EXEC = replace(HTTP, httpGet=None, exec=ExecAction(("check",)))
TCP = replace(HTTP, httpGet=None, tcpSocket=TCPSocketAction(8080))
GRPC = replace(HTTP, httpGet=None, grpc=GRPCAction(8080))
FAILING = {"health": "*: fail"}
REFUSED = "dial tcp 10.244.1.2:8080: connect: connection refused"


def pod(kind: str, probe: Probe = HTTP, *runs: ContainerRun, **more: Any) -> HostPod:
    container = replace(APP, **{f"{kind}Probe": probe})
    return there(api(container, **more), *(runs or (run(),)))


def state(kind: str, result: str = "", **more: Any) -> ProbeState:
    """A probe worker whose clock began at 0.3 s."""
    given = {"base": 300, "attempt": 0, "counting": Counting(result or BEFORE_FIRST[kind])}
    return ProbeState("app", kind, **{**given, **more})


def host(found: HostPod, *states: ProbeState, **worker: Any) -> Host:
    return machine(found, knows(found, **{"probes": states, **worker}))


READY, LIVING = state("readiness", "Success"), state("liveness")
