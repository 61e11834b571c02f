"""The kubelet's watch on the kernel's log: it tells of the times when the whole machine was out of memory."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.meta import Ref
from app.loops.kubelet.case import WARNING, event
from app.sim.acts import Act
from app.sim.host import Host
from app.sim.loop import Loop, Turn


def reconcile(turn: Turn) -> Act | None:
    """One Event for each line; kills for a cgroup's limit are told by nobody but the container's status."""
    host = turn.host
    if not host.power or not host.ooms:
        return None
    found, *left = host.ooms
    text = f"System OOM encountered, victim process: {found.process}, pid: {found.pid}"
    return Act(
        "report-oom",
        turn.key,
        reason="KernelLog",
        moment="system-oom-reported",
        events=(event(WARNING, "SystemOOM", text),),
        host=replace(host, ooms=tuple(left)),
    )


def _on_host(old: Host, new: Host) -> list[Ref]:
    return [Ref("Node", "", new.node)] if old.ooms is not new.ooms else []


LOOP = Loop(
    name="kubelet-oom-watcher",
    lane="kubelet",
    reconcile=reconcile,
    process="kubelet",
    per_node=True,
    on_host=_on_host,
    on_start=lambda turn: [Ref("Node", "", turn.node)],
)
