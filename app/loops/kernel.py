"""The kernel of each machine: it ends processes when a cgroup, or the whole machine, is out of memory.

On cgroup v2 a container dies as a whole (memory.oom.group), unless its kubelet was told otherwise. Not modelled:
reclaim and the slowness before an OOM, swap, memory.high, victims among the machine's own processes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from zlib import crc32

from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.quantity import in_bytes
from app.loops.app_process import exited
from app.loops.host_pods import any_changed, container_spec, process_lane, with_pod, with_run
from app.sim.acts import Act, Wait
from app.sim.agenda import Due, decide
from app.sim.host import ContainerRun, Host, HostPod
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.memory_limits import Cgroup, Task, cgroups, chosen
from app.sim.shortage import SystemOom
from app.sim.usage import pod_memory

KILLED = 137
"""128 + SIGKILL."""


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next kill, at the millisecond in which there is too little."""
    return decide(turn, _options(turn)) if turn.host.power else None


def _options(turn: Turn) -> Iterator[Due]:
    for cgroup in cgroups(turn.host):
        at = cgroup.breached(turn.now)
        task = None if at is None else chosen(turn.host, cgroup, at)
        if at is not None and task is not None:
            yield Due(Bounds.at(at), partial(_kill, turn, cgroup, task))


def _kill(turn: Turn, cgroup: Cgroup, task: Task) -> Act:
    uid, pod, run = task.owner
    alone = turn.host.machine.single_kill and task.child
    after = replace(run, child_killed=True) if alone else oom_killed(run, turn.now)
    host = with_pod(turn.host, uid, with_run(pod, after))
    if not cgroup.name:
        host = replace(host, ooms=(*host.ooms, SystemOom(turn.now, _command(task), _pid(task))))
    return Act(
        "oom-kill",
        pod.ref,
        reason=f"{cgroup.name or 'memory of the machine'}: {in_bytes(cgroup.limit)}",
        moment="child-oom-killed" if alone else "oom-killed" if cgroup.name else "node-oom",
        outcome=f"a child of {run.name}" if alone else f"{run.name}, exit {KILLED}",
        to=process_lane(pod),
        host=host,
    )


def oom_killed(run: ContainerRun, now: int) -> ContainerRun:
    """The container after all its processes were killed; the runtime names the reason."""
    return replace(exited(run, KILLED, now), reason="OOMKilled")


def _command(task: Task) -> str:
    """What the kernel calls the process: the file's name, cut to 15 characters."""
    row = container_spec(task.owner.pod, task.owner.run.name)
    words = (*row.command, *row.args)
    return (words[0].rpartition("/")[2] if words else row.name)[:15]


def _pid(task: Task) -> int:
    """Some number that stays the same; the model counts no processes."""
    return 1000 + crc32(f"{task.rated.name} {task.owner.run.attempt}".encode()) % 30_000


def _hungry(pod: HostPod) -> object:
    """Its containers that run, and how they use memory, if any does."""
    runs = tuple((run.name, run.attempt, run.child_killed) for run in pod.containers if run.state == "running")
    return (pod.pod.metadata.annotations, runs) if pod_memory(pod) else None


def _on_host(old: Host, new: Host) -> list[Ref]:
    changed = old.machine is not new.machine or old.power != new.power or any_changed(old, new, _hungry)
    return [Ref("Node", "", new.node)] if changed else []


LOOP = Loop(name="kernel", lane="kernel", reconcile=reconcile, per_node=True, on_host=_on_host, foresees=True)
