"""Pods that a kubelet never evicts: those that the node itself, or the cluster, cannot do without."""

from __future__ import annotations

from app.kube.phase import static_pod
from app.kube.pods import Pod

# HighestUserDefinablePriority is half of it: only system priorities reach so far.
SYSTEM_CRITICAL = 2_000_000_000
NODE_CRITICAL_CLASS = "system-node-critical"
_MIRROR = "kubernetes.io/config.mirror"


def critical(pod: Pod) -> bool:
    """IsCriticalPod in pkg/kubelet/types/pod_update.go."""
    mirror = _MIRROR in pod.metadata.annotations
    return static_pod(pod) or mirror or (pod.spec.priority or 0) >= SYSTEM_CRITICAL


def node_critical(pod: Pod) -> bool:
    """IsNodeCriticalPod: what keeps its processes from the kernel's choice, too."""
    return pod.spec.priorityClassName == NODE_CRITICAL_CLASS
