"""Machines lose their power and get it back: what was in memory is gone, what was on the disk is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim.draft import Draft, set_timer
from app.sim.host import ContainerRun, Host, HostPod
from app.sim.intervention import Intervention
from app.sim.machines import start_process, stop_process
from app.sim.maps import EMPTY, Map, ordered
from app.sim.proxy_rules import Proxy
from app.sim.references import parse_ref

if TYPE_CHECKING:
    from app.sim.engine import Model

LOCAL = ("kubelet", "kube-proxy")
"""What a machine starts when it boots."""
LOST = 255
"""The exit code of a container whose end nobody has seen."""


def power_off(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    ref = parse_ref(intervention.args[0])
    host = draft.hosts.get(ref.name)
    if host is None or not host.power:
        return ref, "not found" if host is None else "off already"
    for process in LOCAL:
        stop_process(model, draft, f"{process}/{ref.name}")
    for table in (draft.queued, draft.timers):
        for work in [work for work in table if work.node == ref.name]:
            draft.queued = draft.queued.delete(work) if work in draft.queued else draft.queued
            set_timer(draft, work, None)
    model.change_host(draft, replace(draft.hosts[ref.name], power=False))
    for work in [work for work in draft.queued if work.node == ref.name]:
        draft.queued = draft.queued.delete(work)
    return ref, "off"


def power_on(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """The machine boots; with `disk=new` it finds neither containers nor images."""
    ref = parse_ref(intervention.args[0])
    host = draft.hosts.get(ref.name)
    if host is None or host.power:
        return ref, "not found" if host is None else "on already"
    model.change_host(draft, _booted(host, draft.now, empty=intervention.option("disk") == "new"))
    for process in LOCAL:
        start_process(model, draft, f"{process}/{ref.name}")
    return ref, "on"


def _booted(host: Host, now: int, *, empty: bool) -> Host:
    """No process has survived, and no rule; addresses are given out anew."""
    pods: Map[str, HostPod] = EMPTY
    if not empty:
        pods = Map({uid: _dead(pod, now) for uid, pod in ordered(host.pods)})
    return replace(
        host,
        power=True,
        pods=pods,
        uids=EMPTY if empty else host.uids,
        images=() if empty else host.images,
        proxy=Proxy(),
    )


def _dead(pod: HostPod, now: int) -> HostPod:
    """Its containers have ended without a witness, and its sandbox has no network any more."""
    stopped = pod.sandbox == "stopped"
    return replace(
        pod,
        sandbox="stopped" if stopped else "none",
        ip="" if not stopped else pod.ip,
        stop_asked=None,
        pull=None,
        containers=tuple(_ended(run, now) for run in pod.containers),
    )


def _ended(run: ContainerRun, now: int) -> ContainerRun:
    if run.state == "exited":
        return run
    return replace(
        run, state="exited", finished=now, exit_code=LOST, reason="Unknown", serving=False, closing="", stop=None
    )
