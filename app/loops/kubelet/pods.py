"""Pod workers: the kubelet's main loop, one key for all pods of a name, each incarnation at its own stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.static_pods import from_the_api, is_mirror, static_pod
from app.loops.host_pods import changed_pods, changed_workers, pods_named, with_pod
from app.loops.kubelet.admission import refusal, reject
from app.loops.kubelet.case import Case, cases
from app.loops.kubelet.outages import begins, knows_runtime, without_runtime
from app.loops.kubelet.sandboxes import probe_workers
from app.loops.kubelet.syncing import syncing
from app.loops.kubelet.terminating import begin, in_flight, terminated, terminating
from app.sim.acts import Act, Wait
from app.sim.agenda import Due, decide
from app.sim.host import Host, HostPod, Worker
from app.sim.loop import Loop, Turn, own_key
from app.sim.programs import programmed


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next thing that the kubelet does about the pods of one name."""
    return decide(turn, _options(turn)) if turn.host.power else None


def _options(turn: Turn) -> Iterator[Act | Due | Wait]:
    """An old pod of the same name that still terminates goes first; it does not hold up its successor."""
    there = knows_runtime(turn)
    if there:
        for case in cases(turn):
            yield from _of_stage(case)
    else:
        yield from without_runtime(turn, list(cases(turn)))
    begun = begins(turn)
    for found in _strangers(turn, runtime=there):
        yield found() if begun is None else Due(begun, found)


def _strangers(turn: Turn, *, runtime: bool) -> Iterator[Callable[[], Act]]:
    """Pods that have no worker yet: a new one, and what a kubelet finds in its runtime after its own start."""
    believed = turn.read(Pod, turn.key)
    known = turn.host.uids.get(turn.key, ())
    if (
        believed is not None
        and not believed.finished
        and not is_mirror(believed)
        and believed.metadata.uid not in known
    ):
        yield partial(_admit, turn, from_the_api(believed))
    static = next((pod for pod in turn.host.static if pod.ref == turn.key), None)
    # One of the same name must be gone before (allowPodStart).
    if static is not None and not known:
        yield partial(_admit, turn, static)
    for uid, pod in pods_named(turn.host, turn.key):
        if runtime and uid not in turn.host.workers:
            yield partial(_recover, turn, uid, pod)


def _of_stage(case: Case) -> Iterator[Act | Due]:
    match case.worker.stage:
        case "sync" if case.gone or case.worker.eviction is not None:
            if not in_flight(case):
                yield begin(case, _end(case))
        case "sync":
            yield from syncing(case)
        case "terminating":
            yield from terminating(case)
        case "terminated":
            yield from terminated(case)


def _end(case: Case) -> str:
    """Why a pod's time is over."""
    if case.worker.eviction is not None:
        return "Evicted"
    if case.static:
        return "ManifestRemoved"
    return "PodDeleted" if case.api is None else "DeletionTimestamp"


def _admit(turn: Turn, pod: Pod) -> Act:
    """A pod that is bound to this machine: from now on it has a worker, unless there is no room for it."""
    found = None if pod.terminating or static_pod(pod) else refusal(turn, pod)
    if found is not None:
        return reject(turn, pod, found)
    worker = Worker(since=turn.now, synced=turn.now, dirty_since=turn.now)
    host = with_pod(turn.host, pod.metadata.uid, HostPod(programmed(pod, turn.host.programs), since=turn.now), worker)
    return Act("admit", pod.ref, reason="BoundToThisNode", moment="pod-admitted", host=host)


def _recover(turn: Turn, uid: str, pod: HostPod) -> Act:
    """A kubelet that has been restarted finds a pod in the runtime: probes begin anew, nothing is touched."""
    over = pod.sandbox == "stopped"
    worker = Worker(
        since=turn.now,
        synced=turn.now,
        seen=pod.containers,
        seen_sandbox=pod.sandbox,
        seen_ip=pod.ip,
        stage="terminated" if over else "sync",
        ended=turn.now if over else None,
        volumes="waiting" if pod.sandbox == "none" else "mounted",
        dirty_since=turn.now,
    )
    case = Case(turn, uid, worker, pod, None)
    if pod.sandbox == "ready":
        worker = replace(worker, probes=probe_workers(case))
    return case.act("recover", worker=worker, reason="FoundInRuntime", background=True)


def _known(pod: HostPod) -> object:
    """What the kubelet's own calls tell it of, or what changes its ways."""
    return pod.pod, pod.sandbox, pod.pull, tuple((run.attempt, run.state) for run in pod.containers)


def _told(worker: Worker) -> object:
    """What the other loops of the kubelet tell this one."""
    return (
        worker.written,
        worker.eviction,
        worker.mounts,
        tuple((row.attempt, row.counting.result) for row in worker.probes),
    )


def _on_host(old: Host, new: Host) -> list[Ref]:
    if old.runtime_down != new.runtime_down:
        return sorted(new.uids)
    files = {pod.ref for pod in {*old.static} ^ {*new.static}} if old.static is not new.static else set()
    return sorted({*files, *changed_workers(old, new, _told), *changed_pods(old, new, _known)})


def _on_start(turn: Turn) -> list[Ref]:
    files = (pod.ref for pod in turn.host.static)
    return sorted({*(pod.ref for pod in turn.pods_on(turn.node)), *files, *turn.host.uids})


def _from_disk(turn: Turn) -> bool:
    """Static pods stand in manifests on this machine, so they need no list from the API server."""
    return any(pod.ref == turn.key for pod in turn.host.static)


LOOP = Loop(
    name="kubelet-pods",
    lane="kubelet",
    reconcile=reconcile,
    process="kubelet",
    per_node=True,
    wakes={"Pod": own_key},
    reads=("ConfigMap", "Node", "PersistentVolume", "PersistentVolumeClaim", "Secret"),
    on_host=_on_host,
    on_start=_on_start,
    alone=_from_disk,
    watches_mine=frozenset({"Pod", "Node"}),
    retry=(10_000, 10_000),
)
