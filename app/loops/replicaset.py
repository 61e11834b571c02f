"""ReplicaSet controller: keep as many active pods as wanted; one that is being deleted counts no more.

Not modelled: adoption and release of pods by label, and refusals by quota or admission (FailedCreate).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.replicas import available_at, batches, counted, is_active, is_terminating, missing, victims
from app.kube.workloads import ReplicaSet
from app.loops.ownership import pod_from
from app.sim.acts import Act, Create, Delete, Event, Outcome, UpdateStatus, Wait
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, controller_key, own_key

SOURCE = "replicaset-controller"

Writes = Generator[Act, Outcome, bool]


def reconcile(turn: Turn) -> Generator[Act | Wait, Outcome, None]:
    """One sync: create what is missing or delete what is too much, then write the status."""
    owner = turn.read(ReplicaSet, turn.key)
    if owner is None:
        return
    pods = turn.owned(Pod, owner.metadata.uid)
    active = [pod for pod in pods if is_active(pod)]
    if owner.metadata.deletionTimestamp is None and not (yield from _managed(turn, owner, pods, active)):
        return
    # Counted from the pods as they were at the start: what this sync made or deleted shows in the next one's status.
    leaving = sum(map(is_terminating, pods)) if turn.release.terminating_counted else None
    status = counted(owner, active, leaving, turn.now)
    if status != owner.status:
        wanted = replace(owner, status=status)
        yield Act("update-status", owner.ref, reason="PodsChanged", request=UpdateStatus(wanted), background=True)
    later = _next_available(owner, active, turn.now)
    if later is not None:
        yield Wait(Bounds.at(later))


def _managed(turn: Turn, owner: ReplicaSet, pods: Sequence[Pod], active: Sequence[Pod]) -> Writes:
    count = missing(owner, len(active))
    if count >= 0:
        return (yield from _created(owner, count, replaces=len(active) < len(pods)))
    for pod in victims(active, _related(turn, owner), -count, turn.now):
        outcome = yield _deletion(owner, pod)
        # A pod that is gone already is what was wanted.
        if outcome.status not in ("ok", "not-found"):
            return False
    return True


def _created(owner: ReplicaSet, count: int, *, replaces: bool) -> Writes:
    """Slow start: a batch in which one creation fails is the last of this sync."""
    for batch in batches(count):
        refused = 0
        for _ in range(batch):
            outcome = yield _creation(owner, replaces=replaces)
            refused += not outcome.ok
        if refused:
            return False
    return True


def _creation(owner: ReplicaSet, *, replaces: bool) -> Act:
    pod = pod_from(owner.spec.template, owner, prefix=f"{owner.metadata.name}-")
    return Act(
        "create-pod",
        Ref("Pod", owner.metadata.namespace, ""),
        reason="TooFewPods",
        moment="replacement-created" if replaces else "pod-created",
        request=Create(pod),
        events=(Event("Normal", "SuccessfulCreate", "Created pod: {name}", SOURCE, owner.ref),),
    )


def _deletion(owner: ReplicaSet, pod: Pod) -> Act:
    message = f"Deleted pod: {pod.metadata.name}"
    return Act(
        "delete-pod",
        pod.ref,
        reason="TooManyPods",
        moment="surplus-pod-deleted",
        request=Delete(pod.ref),
        events=(Event("Normal", "SuccessfulDelete", message, SOURCE, owner.ref),),
    )


def _related(turn: Turn, owner: ReplicaSet) -> list[Pod]:
    """The pods of all ReplicaSets of the same Deployment: a node that holds more of them loses one first."""
    above = owner.metadata.controller
    sets = turn.owned(ReplicaSet, above.uid) if above else [owner]
    return [pod for row in sets for pod in turn.owned(Pod, row.metadata.uid)]


def _next_available(owner: ReplicaSet, active: Sequence[Pod], now: int) -> int | None:
    """When the next ready pod will have been ready for minReadySeconds."""
    instants = [available_at(pod, owner.spec.minReadySeconds) for pod in active]
    return min((at for at in instants if at is not None and at > now), default=None)


def _all(turn: Turn) -> list[Ref]:
    return [owner.ref for owner in turn.all(ReplicaSet)]


LOOP = Loop(
    name="replicaset",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={"ReplicaSet": own_key, "Pod": controller_key("ReplicaSet")},
    on_start=_all,
    whole_sync=True,
)
