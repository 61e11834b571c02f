"""StatefulSet controller: pods with fixed names, made in order and one after the other, or all at once (Parallel).

A pod of the same name is only made again when the old object is gone. A changed template is rolled out from the
highest ordinal down to the partition, one pod at a time, or not at all (OnDelete). Not modelled: volume claims,
ControllerRevision objects (the revision is a hash of the template), so that a pod below the partition that has to be
made anew gets the new template, and maxUnavailable, which 1.36 leaves out unless a gate is on.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.names import template_hash
from app.kube.pods import Pod
from app.kube.replicas import available_at, is_available
from app.kube.rollout import size
from app.kube.workloads import StatefulSet, StatefulSetStatus
from app.loops.ownership import pod_from
from app.sim.acts import Act, Create, Delete, Event, Outcome, UpdateStatus, Wait
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, controller_key, own_key

SOURCE = "statefulset-controller"
POD_NAME = "statefulset.kubernetes.io/pod-name"
POD_INDEX = "apps.kubernetes.io/pod-index"
REVISION = "controller-revision-hash"
DELETIONS = {"TooManyPods": "surplus-pod-deleted", "TemplateChanged": "outdated-pod-deleted"}

Pods = Mapping[int, Pod]


class Awaiting(Struct, frozen=True):
    """Whose removal it waits for."""

    uids: tuple[str, ...] = ()


# An ordinal to create, or a pod to delete with the reason.
Write = int | tuple[Pod, str]


def reconcile(turn: Turn) -> Generator[Act | Wait, Outcome, None]:
    """One sync: the next writes to pods that the order allows, then the status."""
    owner = turn.read(StatefulSet, turn.key)
    if owner is None:
        return
    pods = _by_ordinal(owner, turn.owned(Pod, owner.metadata.uid))
    revision = f"{owner.metadata.name}-{template_hash(owner.spec.template)}"
    writes = planned(owner, pods, revision, turn.now) if owner.metadata.deletionTimestamp is None else ()
    for write in writes:
        outcome = yield _write(turn, owner, write, revision)
        if outcome.status not in ("ok", "not-found"):
            return
    yield from _withheld(turn, owner, pods)
    status = _counted(owner, list(pods.values()), revision, turn.now)
    if status != owner.status:
        wanted = replace(owner, status=status)
        yield Act("update-status", owner.ref, reason="PodsChanged", request=UpdateStatus(wanted), background=True)
    instants = [available_at(pod, owner.spec.minReadySeconds) for pod in pods.values()]
    later = min((at for at in instants if at is not None and at > turn.now), default=None)
    if later is not None:
        yield Wait(Bounds.at(later))


def _by_ordinal(owner: StatefulSet, pods: Sequence[Pod]) -> dict[int, Pod]:
    """Pods by the number in their name."""
    prefix = f"{owner.metadata.name}-"
    numbers = {pod.metadata.name.removeprefix(prefix): pod for pod in pods if pod.metadata.name.startswith(prefix)}
    return {int(number): pod for number, pod in numbers.items() if number.isascii() and number.isdigit()}


# What may be written now: pkg/controller/statefulset/stateful_set_control.go, updateStatefulSet.


def planned(owner: StatefulSet, pods: Pods, revision: str, now: int) -> tuple[Write, ...]:
    """The writes to pods of one sync."""
    ordered = owner.spec.podManagementPolicy != "Parallel"
    count = size(owner.spec.replicas)
    made, go_on = _replicas(owner, pods, count, now, ordered=ordered)
    if not go_on:
        return made
    condemned, go_on = _condemned(owner, pods, count, now, ordered=ordered)
    if not go_on:
        return made + condemned
    return made + condemned + _outdated(owner, pods, count, revision, now)


def _replicas(owner: StatefulSet, pods: Pods, count: int, now: int, *, ordered: bool) -> tuple[tuple[Write, ...], bool]:
    """Wanted ordinals upwards; in order, everything waits for the first that is not running, ready and available."""
    writes: list[Write] = []
    go_on = True
    for ordinal in range(count):
        pod = pods.get(ordinal)
        if pod is None:
            writes.append(ordinal)
        elif pod.finished:
            # Its successor is made when this object is gone.
            go_on = False
            if not pod.terminating:
                writes.append((pod, f"Pod{pod.status.phase}"))
        elif _healthy(owner, pod, now):
            continue
        if ordered:
            return tuple(writes), False
    return tuple(writes), go_on


def _condemned(
    owner: StatefulSet, pods: Pods, count: int, now: int, *, ordered: bool
) -> tuple[tuple[Write, ...], bool]:
    """Ordinals beyond the wanted ones, downwards."""
    beyond = [pods[ordinal] for ordinal in sorted(pods, reverse=True) if ordinal >= count]
    unhealthy = [pod for pod in reversed(beyond) if not _healthy(owner, pod, now)]
    writes: list[Write] = []
    for pod in beyond:
        if not pod.terminating and not (ordered and unhealthy and pod is not unhealthy[0] and pod in unhealthy):
            writes.append((pod, "TooManyPods"))
        if ordered:
            return tuple(writes), False
    return tuple(writes), True


def _outdated(owner: StatefulSet, pods: Pods, count: int, revision: str, now: int) -> tuple[Write, ...]:
    """The highest ordinal of an older revision, if all above it are healthy."""
    strategy = owner.spec.updateStrategy
    if strategy.type == "OnDelete":
        return ()
    least = strategy.rollingUpdate.partition or 0 if strategy.rollingUpdate is not None else 0
    for ordinal in reversed(range(min(least, count), count)):
        pod = pods.get(ordinal)
        if pod is not None and not pod.terminating and _revision(pod) != revision:
            return ((pod, "TemplateChanged"),)
        if pod is None or not _healthy(owner, pod, now):
            return ()
    return ()


def _healthy(owner: StatefulSet, pod: Pod, now: int) -> bool:
    return _running_and_ready(pod) and not pod.terminating and is_available(pod, owner.spec.minReadySeconds, now)


def _running_and_ready(pod: Pod) -> bool:
    return pod.status.phase == "Running" and pod.ready


def _revision(pod: Pod) -> str:
    return pod.metadata.labels.get(REVISION) or ""


# The acts.


def _withheld(turn: Turn, owner: StatefulSet, pods: Pods) -> Iterator[Act]:
    """No name is given out twice: a pod that terminates stands in the way of its successor, however long it takes."""
    leaving = [pod for at, pod in sorted(pods.items()) if at < size(owner.spec.replicas) and pod.terminating]
    known = turn.memory.uids if isinstance(turn.memory, Awaiting) else ()
    for pod in leaving:
        if pod.metadata.uid not in known:
            known = (*known, pod.metadata.uid)
            yield Act(
                "await-removal",
                pod.ref,
                reason="OnePodPerName",
                moment="replacement-withheld",
                outcome="waits",
                memory=Awaiting(known),
            )


def _write(turn: Turn, owner: StatefulSet, write: Write, revision: str) -> Act:
    if isinstance(write, int):
        return _creation(turn, owner, write, revision)
    return _deletion(turn, owner, *write)


def _creation(turn: Turn, owner: StatefulSet, ordinal: int, revision: str) -> Act:
    name = f"{owner.metadata.name}-{ordinal}"
    pod = pod_from(owner.spec.template, owner, name=name)
    labels = pod.metadata.labels.merged({POD_NAME: name, POD_INDEX: str(ordinal), REVISION: revision})
    pod = replace(pod, metadata=replace(pod.metadata, labels=labels))
    known = ordinal < owner.status.replicas
    return Act(
        "create-pod",
        pod.ref,
        reason="OldPodIsGone" if known else "TooFewPods",
        moment="replacement-created" if known else "pod-created",
        request=Create(pod),
        events=(_event(turn, owner, "Create", name),),
    )


def _deletion(turn: Turn, owner: StatefulSet, pod: Pod, reason: str) -> Act:
    return Act(
        "delete-pod",
        pod.ref,
        reason=reason,
        moment=DELETIONS.get(reason, "finished-pod-deleted"),
        request=Delete(pod.ref),
        events=(_event(turn, owner, "Delete", pod.metadata.name),),
    )


def _event(turn: Turn, owner: StatefulSet, verb: str, name: str) -> Event:
    word = verb if turn.release.title_case else verb.lower()
    message = f"{word} Pod {name} in StatefulSet {owner.metadata.name} successful"
    return Event("Normal", f"Successful{verb}", message, SOURCE, owner.ref)


def _counted(owner: StatefulSet, pods: Sequence[Pod], revision: str, now: int) -> StatefulSetStatus:
    """The next status; pods that this sync made are not counted yet."""
    current = owner.status.currentRevision or revision
    ready = [pod for pod in pods if _running_and_ready(pod)]
    staying = [_revision(pod) for pod in pods if not pod.terminating]
    status = StatefulSetStatus(
        observedGeneration=owner.metadata.generation,
        replicas=len(pods),
        readyReplicas=len(ready),
        currentReplicas=staying.count(current),
        updatedReplicas=staying.count(revision),
        availableReplicas=sum(is_available(pod, owner.spec.minReadySeconds, now) for pod in ready),
        currentRevision=current,
        updateRevision=revision,
    )
    # completeRollingUpdate: all are new and ready, so the new revision is the current one.
    rolls = owner.spec.updateStrategy.type != "OnDelete"
    if rolls and status.updatedReplicas == status.readyReplicas == status.replicas == size(owner.spec.replicas):
        return replace(status, currentRevision=revision, currentReplicas=status.updatedReplicas)
    return status


def _all(turn: Turn) -> list[Ref]:
    return [owner.ref for owner in turn.all(StatefulSet)]


LOOP = Loop(
    name="statefulset",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={"StatefulSet": own_key, "Pod": controller_key("StatefulSet")},
    on_start=_all,
    whole_sync=True,
)
