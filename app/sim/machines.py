"""What happens to processes and machines when people interfere: they stop and start, and behave otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube.annotations import PREFIX
from app.kube.machines import changed
from app.kube.meta import Ref
from app.kube.storage import PersistentVolume
from app.sim import dependencies, programs
from app.sim.draft import Draft, set_timer
from app.sim.intervention import Intervention
from app.sim.links import hang_up, listed, sever, wake
from app.sim.loop import SERVER
from app.sim.maps import EMPTY, ordered
from app.sim.proxy_rules import Proxy
from app.sim.references import resolve
from app.sim.shortage import Evictor

if TYPE_CHECKING:
    from app.sim.engine import Model

RUNTIME = "containerd"
LANES = {RUNTIME: "runtime", "api-server": "API server"}
"""Processes whose lane has another name."""


def stop_process(model: Model, draft: Draft, process: str) -> None:
    if process in draft.down:
        return
    draft.down = draft.down.set(process, draft.now)
    base, _, node = process.partition("/")
    names = {loop.name for loop in model.routes.processes.get(base, ())}
    _forget(draft, names, node)
    for watch in [watch for watch in draft.severed if watch[0] == process]:
        draft.severed = draft.severed.delete(watch)
    hang_up(draft, process)
    if base == "kube-proxy" and node in draft.hosts:
        # The kernel's rules outlive the process; what it remembered does not.
        host = draft.hosts[node]
        draft.hosts = draft.hosts.set(node, replace(host, proxy=Proxy(rules=host.proxy.rules)))
    if base == "kubelet" and node in draft.hosts:
        # So do its containers, and so forgets it: it keeps nothing of its pods on disk.
        draft.hosts = draft.hosts.set(node, replace(draft.hosts[node], workers=EMPTY, evictor=Evictor()))
    if base == RUNTIME and node in draft.hosts:
        # And containers outlive the runtime, under their shims.
        model.change_host(draft, replace(draft.hosts[node], runtime_down=draft.now))


def _forget(draft: Draft, names: set[str], node: str) -> None:
    """What the loops of a process were about to do and had in mind is gone with it."""
    for work in [work for work in draft.queued if work.loop in names and work.node == node]:
        draft.queued = draft.queued.delete(work)
    for work in [work for work in draft.timers if work.loop in names and work.node == node]:
        set_timer(draft, work, None)
        draft.busy = draft.busy.delete(work) if work in draft.busy else draft.busy
    for work in [work for work in draft.memory if work.loop in names and work.node == node]:
        draft.memory = draft.memory.delete(work)
    for work in [work for work in draft.retries if work.loop in names and work.node == node]:
        draft.retries = draft.retries.delete(work)


def start_process(model: Model, draft: Draft, process: str) -> bool:
    if process not in draft.down:
        return False
    draft.down = draft.down.delete(process)
    if process in draft.cut or SERVER in draft.down:
        # It knows nothing until it can list.
        draft.views = draft.views.delete(process) if process in draft.views else draft.views
        sever(model, draft, process, fresh=True)
    else:
        draft.views = draft.views.set(process, listed(model, draft, process))
    base, _, node = process.partition("/")
    if base == "kubelet" and node in draft.hosts:
        draft.hosts = draft.hosts.set(node, replace(draft.hosts[node], kubelet_since=draft.now))
    if base == RUNTIME and node in draft.hosts:
        model.change_host(draft, replace(draft.hosts[node], runtime_down=None, runtime_since=draft.now))
    wake(model, draft, process)
    return True


def behave(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    if dependencies.is_meant(intervention):
        return dependencies.switch(model, draft, intervention)
    if programs.is_meant(intervention):
        return programs.change(model, draft, intervention)
    ref = resolve(draft, intervention.args[0])
    if ref.kind == "Node":
        return _use(model, draft, ref, intervention)
    if ref.kind == PersistentVolume.kind:
        return _store(model, draft, ref, intervention)
    for node in draft.nodes:
        host = draft.hosts[node]
        for uid, found in ordered(host.pods):
            if found.ref != ref:
                continue
            meta = found.pod.metadata
            changes = {f"{PREFIX}{name}": value for name, value in intervention.options}
            pod = replace(found.pod, metadata=replace(meta, annotations=meta.annotations.merged(changes)))
            model.change_host(draft, replace(host, pods=host.pods.set(uid, replace(found, pod=pod))))
            return ref, "set"
    return ref, "not found"


def _store(model: Model, draft: Draft, ref: Ref, intervention: Intervention) -> tuple[Ref, str]:
    """How a disk behaves."""
    held = draft.etcd.get(ref)
    if held is None or not isinstance(held.object, PersistentVolume):
        return ref, "not found"
    meta = held.object.metadata
    changes = {f"{PREFIX}{name}": value for name, value in intervention.options}
    disk = replace(held.object, metadata=replace(meta, annotations=meta.annotations.merged(changes)))
    model.api.commit(draft, "", ref, disk, "")
    return ref, "set"


def _use(model: Model, draft: Draft, ref: Ref, intervention: Intervention) -> tuple[Ref, str]:
    """What uses a machine besides its pods."""
    host = draft.hosts.get(ref.name)
    if host is None:
        return ref, "not found"
    model.change_host(draft, replace(host, machine=changed(host.machine, dict(intervention.options))))
    return ref, "set"
