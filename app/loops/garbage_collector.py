"""Garbage collector: what belonged to an object that is gone is deleted too, in the background.

Not modelled: foreground deletion, orphaning, and owners that are no controllers.
"""

from __future__ import annotations

from app.kube.batch import CronJob, Job
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice, Service
from app.kube.nodes import Lease, Node
from app.kube.objects import Object, ref_of
from app.kube.pods import Pod
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from app.sim.acts import Act, Delete
from app.sim.index import Index, owned
from app.sim.loop import Loop, Turn

DEPENDENTS: dict[str, tuple[type[ReplicaSet | Pod | EndpointSlice | Job | Lease], ...]] = {
    Deployment.kind: (ReplicaSet,),
    ReplicaSet.kind: (Pod,),
    StatefulSet.kind: (Pod,),
    DaemonSet.kind: (Pod,),
    CronJob.kind: (Job,),
    Job.kind: (Pod,),
    Service.kind: (EndpointSlice,),
    Node.kind: (Lease,),
}


def reconcile(turn: Turn) -> Act | None:
    """Delete one object whose owner is gone; the uid tells the owner from a successor of its name."""
    found = turn.get(turn.key)
    if found is None or found.metadata.deletionTimestamp is not None or not _orphaned(turn, found):
        return None
    return Act(
        "delete-dependent",
        found.ref,
        reason="OwnerGone",
        moment="dependent-deleted",
        request=Delete(found.ref, uid=found.metadata.uid),
    )


def _orphaned(turn: Turn, found: Object) -> bool:
    owner = found.metadata.controller
    if owner is None or owner.kind not in DEPENDENTS:
        return False
    held = turn.get(ref_of(owner.kind, found.metadata.namespace, owner.name))
    return held is None or held.metadata.uid != owner.uid


def _gone(view: Index, obj: Object) -> list[Ref]:
    """The dependents of an owner that has just gone."""
    held = view.get(obj.ref)
    if held is not None and held.object.metadata.uid == obj.metadata.uid:
        return []
    return [row.ref for cls in DEPENDENTS[obj.kind] for row in view.find(owned(cls.kind, obj.metadata.uid))]


def _all(turn: Turn) -> list[Ref]:
    kinds = dict.fromkeys(cls for classes in DEPENDENTS.values() for cls in classes)
    return [row.ref for cls in kinds for row in turn.all(cls) if _orphaned(turn, row)]


LOOP = Loop(
    name="garbage-collector",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes=dict.fromkeys(DEPENDENTS, _gone),
    reads=(Pod.kind, EndpointSlice.kind),
    on_start=_all,
)
