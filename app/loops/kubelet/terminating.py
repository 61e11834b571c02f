"""The end of a pod: its containers, its sandbox, its volumes, and at last its API object.

As SyncTerminatingPod, SyncTerminatedPod (pkg/kubelet/kubelet.go) and the status manager's final delete.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube.grace import effective_grace
from app.kube.pods import Pod
from app.loops.host_pods import behaviour_of, with_next_pull, without_pod
from app.loops.kubelet.case import NORMAL, Case
from app.loops.kubelet.killing import killing, unfinished
from app.sim.acts import Act, Delete
from app.sim.agenda import Due
from app.sim.host import ContainerRun, HostPod, Kill


def in_flight(case: Case) -> bool:
    """Whether a call to the runtime has not come back: termination waits for it."""
    return case.pod.sandbox == "creating" or any(run.state == "created" for run in case.pod.containers)


def begin(case: Case, reason: str) -> Act:
    """Turn to termination: all running containers are told of at once, sidecars too."""
    seen = _caught_up(case)
    running = [run for run in seen if run.state == "running"]
    grace = _grace(case)
    known = {kill.container: kill for kill in case.worker.kills}
    worker = replace(
        case.worker,
        stage="terminating",
        grace=grace,
        post_start=None,
        seen=seen,
        kills=tuple(known.get(run.name) or Kill(run.name, run.attempt, case.now, grace) for run in running),
    )
    act = case.act(
        "kill-pod",
        worker=worker,
        pod=replace(case.pod, pull=None),
        reason=reason,
        moment="killing" if running else "",
        outcome=f"grace {grace} s",
        events=tuple(case.says(run.name, NORMAL, "Killing", f"Stopping container {run.name}") for run in running),
        background=not running,
    )
    return act if act.host is None or case.pod.pull is None else replace(act, host=with_next_pull(act.host, case.now))


def _caught_up(case: Case) -> tuple[ContainerRun, ...]:
    """What was seen, and containers that the kubelet itself has started since."""
    seen = {run.name: run for run in case.worker.seen}
    return tuple(
        old if (old := seen.get(run.name)) is not None and old.attempt == run.attempt else run
        for run in case.pod.containers
    )


def _grace(case: Case) -> int:
    override = case.worker.eviction.grace if case.worker.eviction is not None else None
    own, counts = case.spec.terminationGracePeriodSeconds, case.release.ends_at_once
    if case.static:
        return effective_grace(own, None, override, zero_counts=counts)
    if case.api is None:
        return effective_grace(None if counts else own, 0, override, zero_counts=counts)
    deletion = case.api.metadata.deletionGracePeriodSeconds
    return effective_grace(own, deletion, override, zero_counts=counts)


def terminating(case: Case) -> Iterator[Act | Due]:
    """Containers first, then the sandbox. A grace shortened meanwhile changes nothing (upstream issue 113606)."""
    if unfinished(case):
        yield from killing(case)
    elif case.pod.sandbox == "ready":
        if case.pod.stop_asked is None:
            pod = replace(case.pod, stop_asked=case.now)
            yield case.act("stop-sandbox", pod=pod, moment="stop-sandbox", to=case.runtime)
    else:
        # The probe workers go with the containers (RemovePod).
        worker = case.relisted(stage="terminated", seen_sandbox=case.pod.sandbox, ended=case.now, probes=(), kills=())
        yield case.act("end-pod", worker=worker, pod=_cleared(case), background=True)


def _cleared(case: Case) -> HostPod:
    """The dead containers of a pod that failed by eviction are deleted at once, not kept for their logs."""
    failed = any(run.exit_code for run in case.pod.containers)
    if case.worker.eviction is None or not failed:
        return case.pod
    return replace(case.pod, containers=tuple(replace(run, removed=True) for run in case.pod.containers))


def terminated(case: Case) -> Iterator[Act | Due]:
    """Volumes, then the final delete once the API shows a terminal phase; a pod without an object is forgotten."""
    api, worker = None if case.static else case.api, case.worker
    if api is not None and not api.finished:
        return
    since = worker.written if worker.written is not None else worker.ended or case.now
    takes = behaviour_of(case.pod, case.spec.containers[0].name).unmount
    if worker.volumes == "mounted":
        if takes is not None:
            yield Due(case.turn.lag("volume-unmount").after(since + takes), lambda: _unmount(case))
    elif api is None:
        yield replace(case.act("forget", background=True), host=without_pod(case.turn.host, case.uid))
    elif api.terminating and api.metadata.deletionGracePeriodSeconds != 0:
        bounds = case.turn.lag("final-delete").after(since).no_earlier(since + (takes or 0))
        yield Due(bounds, lambda: _delete(case, api))


def _unmount(case: Case) -> Act:
    worker = replace(case.worker, volumes="gone")
    return case.act("unmount-volumes", worker=worker, moment="volumes-unmounted")


def _delete(case: Case, api: Pod) -> Act:
    """With the uid as a precondition, so that a successor of the same name is safe."""
    return case.act("delete", request=Delete(api.ref, 0, case.uid), reason="PodTerminated", moment="final-delete")
