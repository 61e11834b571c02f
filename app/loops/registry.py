"""The one list of loops. Of keys that wait at the same instant, those of the loop that stands first go first."""

from __future__ import annotations

from app.loops import (
    app_process,
    clients,
    deployment,
    endpointslice,
    kube_proxy,
    kubectl,
    replicaset,
    runtime,
    scheduler,
    statefulset,
)
from app.loops.kubelet import pods, probes, status
from app.sim.loop import Loop

LOOPS: tuple[Loop, ...] = (
    kubectl.LOOP,
    deployment.LOOP,
    replicaset.LOOP,
    statefulset.LOOP,
    scheduler.LOOP,
    endpointslice.LOOP,
    pods.LOOP,
    probes.LOOP,
    status.LOOP,
    runtime.LOOP,
    app_process.LOOP,
    kube_proxy.LOOP,
    clients.LOOP,
)
