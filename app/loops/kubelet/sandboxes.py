"""A pod's sandbox as the kubelet meets it: network that is not ready, one that could not be made, one that is dead.

Not modelled: a machine whose network is not ready holds up pods only until they have a sandbox.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube.pod_requeue import nap
from app.kube.pods import Probe
from app.kube.probes import LIVENESS, READINESS, STARTUP
from app.loops.kubelet.backoff import again
from app.loops.kubelet.case import NORMAL, WARNING, Case, containers, event, probe_of
from app.loops.kubelet.pulling import unknown_secrets
from app.loops.kubelet.volume_wait import resumed, waiting
from app.sim.acts import Act
from app.sim.agenda import Due
from app.sim.host import ProbeState
from app.sim.lags import Lag

KINDS = (LIVENESS, READINESS, STARTUP)
NOT_READY = (
    "network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized"
)


def making(case: Case) -> Iterator[Act | Due]:
    """What comes next for a pod that has no sandbox."""
    if case.pod.sandbox == "failed":
        yield _note(case)
    elif case.worker.resync is not None:
        yield Due(case.worker.resync, lambda: _network_not_ready(case) if _cut_off(case) else resumed(case, _run))
    elif _cut_off(case):
        yield _network_not_ready(case)
    else:
        yield from waiting(case, _run)


def _cut_off(case: Case) -> bool:
    """A sync looks at the network first, and then at volumes."""
    return case.turn.host.machine.cni == "not-ready" and not case.spec.hostNetwork


def _network_not_ready(case: Case) -> Act:
    least, below = nap(network=True)
    worker = replace(case.worker, resync=Lag(least, (least + below) // 2, below).after(case.now))
    return case.act(
        "back-off",
        worker=worker,
        reason="NetworkNotReady",
        moment="network-not-ready",
        events=(event(WARNING, "NetworkNotReady", NOT_READY),),
    )


def _run(case: Case) -> Act:
    """Volumes are there; probe workers begin now, before there is anything to probe."""
    pod = replace(case.pod, sandbox="creating", sandbox_since=case.now, sandbox_tries=case.pod.sandbox_tries + 1)
    worker = replace(case.worker, volumes="mounted", resync=None, waits_since=None)
    if not worker.probes:
        worker = replace(worker, probes=probe_workers(case))
    return case.act(
        "run-sandbox", worker=worker, pod=pod, moment="run-sandbox", to=case.runtime, events=unknown_secrets(case)
    )


def probe_workers(case: Case) -> tuple[ProbeState, ...]:
    """One for each probe; their clock is the pod's, and outlives restarts of the container."""
    return tuple(
        _probe_worker(case, row.name, kind, probe)
        for row in containers(case.spec)
        for kind in KINDS
        if (probe := probe_of(row, kind)) is not None
    )


def _probe_worker(case: Case, container: str, kind: str, probe: Probe) -> ProbeState:
    """If the kubelet itself has not run for a period yet, its workers sleep a part of one first, drawn by lot."""
    period, since = probe.periodSeconds * 1000, case.turn.host.kubelet_since
    if since is None or case.now - since >= period:
        return ProbeState(container, kind, base=case.now, passed=case.now)
    begins = case.now + period * case.turn.lag("first-probe").usual // 1000
    return ProbeState(container, kind, base=begins - period, passed=begins)


def _note(case: Case) -> Act:
    """A sandbox that could not be made: its containers stay ContainerCreating, whatever is wrong."""
    worker = replace(case.worker, resync=again(case), naps=case.worker.naps + 1)
    text = f"Failed to create pod sandbox: {case.pod.sandbox_error}"
    return case.act(
        "note-sandbox",
        worker=worker,
        pod=replace(case.pod, sandbox="none"),
        reason="FailedCreatePodSandBox",
        moment="sandbox-failed",
        outcome=case.pod.sandbox_error,
        events=(event(WARNING, "FailedCreatePodSandBox", text),),
    )


def changed(case: Case) -> Act:
    """A sandbox that has died, and its containers with it: the pod starts over, init containers too."""
    worker = case.dirty(
        seen=case.pod.containers, seen_sandbox="none", seen_ip="", kills=(), post_start=None, resync=None
    )
    return case.act(
        "kill-sandbox",
        worker=worker,
        pod=replace(case.pod, sandbox="none", ip="", pull=None),
        reason="SandboxChanged",
        moment="sandbox-changed",
        events=(event(NORMAL, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created."),),
    )
