"""Which pods a kubelet under pressure still lets in, as Admit in pkg/kubelet/eviction/eviction_manager.go."""

from __future__ import annotations

from collections.abc import Sequence

from app.kube.critical_pods import critical
from app.kube.eviction_thresholds import MEMORY_PRESSURE
from app.kube.nodes import Taint
from app.kube.pods import Pod
from app.kube.qos import qos_class
from app.kube.taints import untolerated

REASON = "Evicted"

# The taint that the node lifecycle controller sets for each condition of a node.
TAINT_OF: dict[str, str] = {
    "MemoryPressure": "node.kubernetes.io/memory-pressure",
    "DiskPressure": "node.kubernetes.io/disk-pressure",
    "PIDPressure": "node.kubernetes.io/pid-pressure",
}
MEMORY_TAINT = Taint(TAINT_OF[MEMORY_PRESSURE], "NoSchedule")


def admits(pod: Pod, conditions: Sequence[str]) -> bool:
    """Memory alone keeps only BestEffort pods out; any other pressure all that are not critical."""
    if not conditions or critical(pod):
        return True
    if list(conditions) != [MEMORY_PRESSURE]:
        return False
    if (pod.status.qosClass or qos_class(pod.spec)) != "BestEffort":
        return True
    return untolerated([MEMORY_TAINT], pod.spec.tolerations) is None


def rejection(conditions: Sequence[str]) -> str:
    """The message of a pod that was not let in; the list is printed as Go prints one."""
    return f"The node had condition: [{' '.join(conditions)}]. "
