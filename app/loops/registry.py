"""The one list of loops. Of keys that wait at the same instant, those of the loop that stands first go first."""

from __future__ import annotations

from app.loops import (
    app_process,
    clients,
    cronjob,
    daemonset,
    deployment,
    disruption,
    endpointslice,
    garbage_collector,
    job,
    kernel,
    kube_proxy,
    kubectl,
    node_lifecycle,
    node_taints,
    pod_gc,
    replicaset,
    runtime,
    scheduler,
    statefulset,
    taint_eviction,
)
from app.loops.kubelet import config_files, eviction, lease, mirrors, node_status, oom_watcher, pods, probes, status
from app.sim.loop import Loop

LOOPS: tuple[Loop, ...] = (
    kubectl.LOOP,
    # Makers of pods before makers of ReplicaSets: a Deployment's next write comes after what its last one set off.
    replicaset.LOOP,
    statefulset.LOOP,
    daemonset.LOOP,
    job.LOOP,
    cronjob.LOOP,
    deployment.LOOP,
    disruption.LOOP,
    scheduler.LOOP,
    endpointslice.LOOP,
    garbage_collector.LOOP,
    node_taints.LOOP,
    node_lifecycle.LOOP,
    taint_eviction.LOOP,
    pod_gc.LOOP,
    pods.LOOP,
    probes.LOOP,
    config_files.LOOP,
    status.LOOP,
    mirrors.LOOP,
    eviction.LOOP,
    lease.LOOP,
    node_status.LOOP,
    oom_watcher.LOOP,
    runtime.LOOP,
    app_process.LOOP,
    kernel.LOOP,
    kube_proxy.LOOP,
    clients.LOOP,
)
