"""The conditions of a node as its kubelet has them, with the events of their turns: pkg/kubelet/nodestatus."""

from __future__ import annotations

from typing import NamedTuple

from app.kube.eviction_thresholds import DISK_PRESSURE, MEMORY_PRESSURE, PID_PRESSURE
from app.kube.meta import Condition, condition
from app.kube.nodes import Node
from app.sim.host import Host

READY = "Ready"
RUNTIME_GRACE = 30_000
"""How long a runtime may be silent before the kubelet says so (runtimeState's baseRuntimeSyncThreshold)."""


class Said(NamedTuple):
    """One status of a condition: its reason, message and event."""

    reason: str
    message: str
    event: str


CONDITIONS: dict[str, dict[bool, Said]] = {
    MEMORY_PRESSURE: {
        True: Said(
            "KubeletHasInsufficientMemory", "kubelet has insufficient memory available", "NodeHasInsufficientMemory"
        ),
        False: Said("KubeletHasSufficientMemory", "kubelet has sufficient memory available", "NodeHasSufficientMemory"),
    },
    DISK_PRESSURE: {
        True: Said("KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure"),
        False: Said("KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"),
    },
    PID_PRESSURE: {
        True: Said("KubeletHasInsufficientPID", "kubelet has insufficient PID available", "NodeHasInsufficientPID"),
        False: Said("KubeletHasSufficientPID", "kubelet has sufficient PID available", "NodeHasSufficientPID"),
    },
    READY: {
        True: Said("KubeletReady", "kubelet is posting ready status", "NodeReady"),
        False: Said("KubeletNotReady", "container runtime is down", "NodeNotReady"),
    },
}
PRESSURES = (MEMORY_PRESSURE, DISK_PRESSURE, PID_PRESSURE)


def holds(host: Host, name: str, now: int) -> bool:
    """Pressure as the eviction manager has it since its last look; Ready while the runtime answers."""
    if name != READY:
        return name in dict(host.evictor.memory.observed)
    return host.runtime_down is None or now - host.runtime_down < RUNTIME_GRACE


def turned(host: Host, node: Node, now: int) -> list[str]:
    """The conditions of which the node's object says something else; what nobody has written differs too."""
    return [name for name in CONDITIONS if _status(node, name) != str(holds(host, name, now))]


def _status(node: Node, name: str) -> str:
    row = condition(node.status.conditions, name)
    # Objects of tests and of people have no conditions of pressure: that is none.
    return row.status if row is not None else "False" if name != READY else "True"


def told(host: Host, name: str, now: int) -> Condition:
    """The condition as it is written."""
    status = holds(host, name, now)
    said = CONDITIONS[name][status]
    return Condition(name, str(status), said.reason, said.message)


def event_of(host: Host, name: str, now: int) -> str:
    """The reason of the event that goes with it."""
    return CONDITIONS[name][holds(host, name, now)].event
