"""Mirror pods: every static pod of a machine has an object in the API that shows it, and that manages nothing.

As tryReconcileMirrorPods in pkg/kubelet/kubelet.go, with a key of its own: while the API server is away the pod itself
is looked after all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.static_pods import is_mirror, mirror_of, static_pod, uid_on_node
from app.loops.host_pods import changed_pods, changed_workers
from app.sim.acts import Act, Create, Delete, Wait
from app.sim.agenda import Due, decide
from app.sim.host import Host, HostPod
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key

RETRY = 10_000
HOUSEKEEPING = 2_000
SYNC = 1_000


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next write that makes the API show what runs here."""
    return decide(turn, _options(turn)) if turn.host.power else None


def _options(turn: Turn) -> Iterator[Act | Due | Wait]:
    shown = turn.read(Pod, turn.key)
    static = _running(turn)
    if shown is not None and not is_mirror(shown):
        return
    if static is None:
        if shown is not None and not _there(turn, shown):
            # Housekeeping looks for them, once nothing of the pod is left.
            tick = turn.now + (turn.host.relist_phase - turn.now) % HOUSEKEEPING
            yield Due(Bounds.at(tick), lambda: _delete(shown, "PodGone"))
    elif shown is not None and (shown.terminating or uid_on_node(shown) != static.metadata.uid):
        yield _delete(shown, "Deleted" if shown.terminating else "ManifestChanged")
    elif shown is None:
        node = turn.read(Node, Ref("Node", "", turn.node))
        # A kubelet that does not know its own Node yet looks again with a later sync.
        yield Wait(Bounds.at(turn.now + SYNC)) if node is None else _create(static, node)


def _running(turn: Turn) -> Pod | None:
    """The static pod of that name, if its worker has taken it on."""
    for uid in turn.host.uids.get(turn.key, ()):
        pod = turn.host.pods[uid].pod
        worker = turn.host.workers.get(uid)
        if static_pod(pod) and worker is not None and worker.stage == "sync":
            return pod
    return None


def _there(turn: Turn, shown: Pod) -> bool:
    return _static(turn.host, shown.ref)


def _create(static: Pod, node: Node) -> Act:
    return Act(
        "create-mirror",
        static.ref,
        reason="StaticPod",
        moment="mirror-pod-created",
        request=Create(mirror_of(static, node)),
    )


def _delete(shown: Pod, reason: str) -> Act:
    return Act(
        "delete-mirror",
        shown.ref,
        reason=reason,
        moment="mirror-pod-deleted",
        request=Delete(shown.ref, 0, shown.metadata.uid),
    )


def _on_host(old: Host, new: Host) -> list[Ref]:
    refs = {*changed_workers(old, new, attrgetter("stage")), *changed_pods(old, new, _uid)}
    return [ref for ref in sorted(refs) if any(_static(host, ref) for host in (old, new))]


def _uid(pod: HostPod) -> object:
    return pod.pod.metadata.uid


def _static(host: Host, ref: Ref) -> bool:
    return any(static_pod(host.pods[uid].pod) for uid in host.uids.get(ref, ()))


LOOP = Loop(
    name="kubelet-mirrors",
    lane="kubelet",
    reconcile=reconcile,
    process="kubelet",
    per_node=True,
    wakes={"Pod": own_key},
    reads=("Node",),
    on_host=_on_host,
    watches_mine=frozenset({"Pod", "Node"}),
    retry=(RETRY, RETRY),
)
