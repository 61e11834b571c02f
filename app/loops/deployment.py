"""Deployment controller: one ReplicaSet per template; a rollout moves replicas from the old ones to the new one.

Pods are none of its business, except that Recreate waits for the old ones to end. Not modelled: adoption of
ReplicaSets by label, rollback annotations, and the hash of a template that collides with another's.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from msgspec.structs import replace

from app.kube import proportional, rollout, rollout_status
from app.kube.meta import Condition, Ref, condition
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.rollout import Scaling, size
from app.kube.workloads import Deployment, DeploymentStatus, ReplicaSet
from app.loops import revisions
from app.sim.acts import Act, Create, Delete, Event, Outcome, Update, UpdateStatus, Wait
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, controller_key, own_key

SOURCE = "deployment-controller"

Acts = Iterator[Act | Wait]
# Acts that end with the Deployment and its new ReplicaSet as these acts leave them.
Steps = Generator[Act | Wait, None, tuple[Deployment, ReplicaSet | None]]
Sets = list[ReplicaSet]


def reconcile(turn: Turn) -> Generator[Act | Wait, Outcome, None]:
    """One sync, which ends with the first write that is refused."""
    for act in _sync(turn):
        if not (yield act).ok:
            return


def _sync(turn: Turn) -> Acts:
    deployment = turn.read(Deployment, turn.key)
    if deployment is None:
        return
    new, old = revisions.split(deployment, turn.owned(ReplicaSet, deployment.metadata.uid))
    if deployment.metadata.deletionTimestamp is not None:
        yield from _report(deployment, _counted(turn, deployment, _all(old, new), new))
        return
    deployment = yield from _pausing(deployment, turn.now)
    if deployment.spec.paused or proportional.is_scaling_event(deployment, _all(old, new)):
        yield from _scale_only(turn, deployment, new, old)
    elif rollout.rolling(deployment):
        yield from _rolling(turn, deployment, new, old)
    else:
        yield from _recreate(turn, deployment, new, old)


def _all(old: Sets, new: ReplicaSet | None) -> Sets:
    return [*old, *([new] if new else [])]


def _pausing(deployment: Deployment, now: int) -> Generator[Act | Wait, None, Deployment]:
    """checkPausedConditions: notes a pause or its end, so that the deadline does not run on."""
    row = condition(deployment.status.conditions, rollout_status.PROGRESSING)
    if not rollout_status.has_deadline(deployment) or (row and row.reason == rollout_status.TIMED_OUT):
        return deployment
    noted = row is not None and row.reason == rollout_status.paused().reason
    if deployment.spec.paused == noted:
        return deployment
    change = rollout_status.paused() if deployment.spec.paused else rollout_status.resumed()
    return (yield from _noted(deployment, change, now))


# Strategies.


def _scale_only(turn: Turn, deployment: Deployment, new: ReplicaSet | None, old: Sets) -> Acts:
    """A paused Deployment, or one whose size was changed: no template is rolled out in this sync."""
    if new is not None:
        deployment, new = yield from _known(deployment, new, old, turn.now)
    sets = _all(old, new)
    yield from _scalings(deployment, sets, proportional.scale(deployment, new, old))
    if deployment.spec.paused:
        yield from _cleanup(deployment, old)
    yield from _report(deployment, _counted(turn, deployment, sets, new))


def _rolling(turn: Turn, deployment: Deployment, new: ReplicaSet | None, old: Sets) -> Acts:
    """The new one up if there is room, else old ones down as far as availability allows."""
    deployment, new = yield from _ensured(deployment, new, old, turn.now)
    up = rollout.scale_new(deployment, new, old)
    down = () if up else rollout.scale_old(deployment, new, old)
    yield from _scalings(deployment, [*old, new], [up] if up else down)
    if not (up or down):
        yield from _cleanup_when_complete(deployment, old)
    yield from _progress(turn, deployment, new, old)


def _recreate(turn: Turn, deployment: Deployment, new: ReplicaSet | None, old: Sets) -> Acts:
    """All old pods down, and only when they have ended the new ones up."""
    if new is not None:
        deployment, new = yield from _known(deployment, new, old, turn.now)
    down = rollout.scale_old_to_zero(old)
    yield from _scalings(deployment, old, down)
    if not down and not _old_pods_run(turn, old):
        deployment, new = yield from _ensured(deployment, new, old, turn.now)
        up = rollout.scale_new(deployment, new, old)
        yield from _scalings(deployment, [new], [up] if up else [])
        yield from _cleanup_when_complete(deployment, old)
    yield from _progress(turn, deployment, new, old)


def _old_pods_run(turn: Turn, old: Sets) -> bool:
    """oldPodsRunning: terminating ones count until their phase is terminal."""
    pods = [pod for row in old for pod in turn.owned(Pod, row.metadata.uid)]
    return any(row.status.replicas for row in old) or not all(pod.finished for pod in pods)


# The new ReplicaSet.


def _ensured(
    deployment: Deployment, new: ReplicaSet | None, old: Sets, now: int
) -> Generator[Act | Wait, None, tuple[Deployment, ReplicaSet]]:
    if new is not None:
        return (yield from _known(deployment, new, old, now))
    made = revisions.created(deployment, old)
    name, count = made.metadata.name, size(made.spec.replicas)
    scaled = _event(deployment, f"Scaled up replica set {name} from 0 to {count}")
    yield Act(
        "create-replicaset",
        made.ref,
        reason="NewTemplate",
        moment="replicaset-created",
        request=Create(made),
        events=(scaled,) if count else (),
    )
    noted = rollout_status.created(name) if rollout_status.has_deadline(deployment) else None
    deployment = yield from _noted(deployment, noted, now, revisions.revision_of(made))
    return deployment, made


def _known(
    deployment: Deployment, new: ReplicaSet, old: Sets, now: int
) -> Generator[Act | Wait, None, tuple[Deployment, ReplicaSet]]:
    """Bring revision and annotations of an existing ReplicaSet up to date, or else those of the Deployment."""
    wanted = revisions.renewed(deployment, new, old)
    if wanted != new:
        yield Act("update-replicaset", new.ref, reason="NewRevision", request=Update(wanted), background=True)
        return deployment, wanted
    missing = condition(deployment.status.conditions, rollout_status.PROGRESSING) is None
    found = rollout_status.found(new.metadata.name) if missing and rollout_status.has_deadline(deployment) else None
    deployment = yield from _noted(deployment, found, now, revisions.revision_of(new))
    return deployment, new


def _noted(
    deployment: Deployment, row: Condition | None, now: int, revision: str = ""
) -> Generator[Act | Wait, None, Deployment]:
    """Write a condition and the revision at once, if either is new."""
    meta, status = deployment.metadata, deployment.status
    if revision:
        meta = replace(meta, annotations=meta.annotations.merged({rollout.REVISION: revision}))
    if row is not None:
        status = replace(status, conditions=rollout_status.set_condition(status.conditions, row, now))
    wanted = replace(deployment, metadata=meta, status=status)
    if wanted != deployment:
        reason = row.reason if row else "NewRevision"
        yield Act("update-status", deployment.ref, reason=reason, request=UpdateStatus(wanted), background=True)
    return wanted


# Writes.


def _scalings(deployment: Deployment, sets: Sets, scalings: Sequence[Scaling]) -> Acts:
    by_name = {row.metadata.name: row for row in sets}
    for scaling in scalings:
        held = by_name[scaling.name]
        annotations = held.metadata.annotations.merged(rollout.replica_annotations(deployment))
        wanted = replace(
            held,
            metadata=replace(held.metadata, annotations=annotations),
            spec=replace(held.spec, replicas=scaling.after),
        )
        if wanted != held:
            yield _scaling(deployment, wanted, scaling)


def _scaling(deployment: Deployment, wanted: ReplicaSet, scaling: Scaling) -> Act:
    changed = scaling.after != scaling.before
    up = scaling.after > scaling.before
    return Act(
        ("scale-up" if up else "scale-down") if changed else "update-replicaset",
        wanted.ref,
        reason=("RoomForMore" if up else "MoreThanNeeded") if changed else "ReplicasChanged",
        moment="replicaset-scaled" if changed else "",
        request=Update(wanted),
        events=(_event(deployment, scaling.message),) if changed else (),
        background=not changed,
    )


def _event(deployment: Deployment, message: str) -> Event:
    return Event("Normal", "ScalingReplicaSet", message, SOURCE, deployment.ref)


def _cleanup_when_complete(deployment: Deployment, old: Sets) -> Acts:
    if rollout_status.complete(deployment, deployment.status):
        yield from _cleanup(deployment, old)


def _cleanup(deployment: Deployment, old: Sets) -> Acts:
    for row in revisions.surplus(deployment, old):
        yield Act(
            "delete-replicaset",
            row.ref,
            reason="BeyondHistoryLimit",
            moment="replicaset-deleted",
            request=Delete(row.ref),
        )


def _counted(turn: Turn, deployment: Deployment, sets: Sets, new: ReplicaSet | None) -> DeploymentStatus:
    return rollout_status.counted(deployment, sets, new, turn.now, turn.release)


def _progress(turn: Turn, deployment: Deployment, new: ReplicaSet | None, old: Sets) -> Acts:
    """The status at the end of a sync, or, if it stays, a wait for the deadline."""
    status = rollout_status.rollout_status(deployment, _all(old, new), new, turn.now, turn.release)
    if status != deployment.status:
        yield from _report(deployment, status)
        return
    end = rollout_status.deadline(deployment, status.conditions)
    if end is not None and not rollout_status.complete(deployment, status):
        yield Wait(Bounds.at(max(end + 1, turn.now)))


def _report(deployment: Deployment, status: DeploymentStatus) -> Acts:
    if status == deployment.status:
        return
    before = condition(deployment.status.conditions, rollout_status.PROGRESSING)
    after = condition(status.conditions, rollout_status.PROGRESSING)
    reason = after.reason if after and (before is None or before.reason != after.reason) else "ReplicaSetsChanged"
    moment = MOMENTS.get(reason, "")
    yield Act(
        "update-status",
        deployment.ref,
        reason=reason,
        moment=moment or "deployment-status",
        request=UpdateStatus(replace(deployment, status=status)),
        background=not moment,
    )


MOMENTS = {rollout_status.NEW_AVAILABLE: "rollout-complete", rollout_status.TIMED_OUT: "progress-deadline-exceeded"}


def _recreating(view: Index, obj: Object) -> list[Ref]:
    """The Deployment of a pod, if it waits for pods to end."""
    owner = obj.metadata.controller
    held = view.get(Ref("ReplicaSet", obj.metadata.namespace, owner.name)) if owner else None
    above = held.object.metadata.controller if held else None
    if above is None or above.kind != Deployment.kind:
        return []
    found = view.get(Ref(Deployment.kind, obj.metadata.namespace, above.name))
    waits = found is not None and isinstance(found.object, Deployment) and not rollout.rolling(found.object)
    return [found.object.ref] if found is not None and waits else []


def _every(turn: Turn) -> list[Ref]:
    return [deployment.ref for deployment in turn.all(Deployment)]


LOOP = Loop(
    name="deployment",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={"Deployment": own_key, "ReplicaSet": controller_key("Deployment"), "Pod": _recreating},
    on_start=_every,
    whole_sync=True,
)
