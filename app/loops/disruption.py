"""Disruption controller: counts for every PodDisruptionBudget how many pods may go, and takes back stale marks of pods.

Of several budgets that cover a pod only one is counted anew when the pod changes; the first by name stands for the
real controller's arbitrary choice. Not modelled: controllers of kinds that the model does not know count as kinds
without a scale, which all but ReplicationControllers and custom resources are.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from msgspec.structs import replace

from app.kube import pdb
from app.kube.conditions import set_condition
from app.kube.eviction_api import TARGET
from app.kube.meta import Condition, OwnerReference, Ref, condition
from app.kube.objects import Object, instant, resource_of
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget, PodDisruptionBudgetStatus
from app.kube.rollout import size
from app.kube.workloads import Deployment, ReplicaSet, StatefulSet
from app.sim.acts import Act, Event, Outcome, UpdateStatus, Wait
from app.sim.index import Index, in_namespace
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

SOURCE = "controllermanager"
STALE = 120_000
"""stalePodDisruptionTimeout: a pod that is marked and does not go is taken for kept after this time."""
RECHECK = 1
"""A granted eviction is overdue only after its time, not at it."""

Turns = Generator[Act | Wait, Outcome, None]


def reconcile(turn: Turn) -> Turns | Act | Wait | None:
    """One budget, or one pod that carries a mark."""
    if turn.key.kind == Pod.kind:
        return _stale(turn)
    budget = turn.read(PodDisruptionBudget, turn.key)
    return None if budget is None else _synced(turn, budget)


def _synced(turn: Turn, budget: PodDisruptionBudget) -> Turns:
    pods = _covered(turn, budget)
    events = [] if pods else [_event("Normal", "NoPods", "No matching pods found")]
    try:
        wanted = pdb.expected(budget, pods, lambda owner, namespace: _scale(turn, owner, namespace))
    except pdb.NoScale as error:
        text = f"Failed to calculate the number of expected pods: {error}"
        events.append(_event("Warning", "CalculateExpectedPodCountFailed", text))
        yield from _write(budget, pdb.failed(budget, str(error), turn.now), events)
        return
    if wanted.unmanaged:
        events.append(_event("Warning", "UnmanagedPods", _unmanaged(budget)))
    disrupted = pdb.still_disrupted(budget, pods, turn.now)
    status = pdb.counted(budget, wanted, pdb.healthy(pods, disrupted, turn.now), disrupted, turn.now)
    events += [_late(budget, ref) for ref in pdb.overdue(budget, pods, turn.now)]
    events += [_several(turn, budget, pod) for pod in pods if len(_budgets(turn, pod)) > 1]
    yield from _write(budget, status, events)
    if disrupted:
        yield Wait(Bounds.at(min(instant(at) for _, at in disrupted.items()) + pdb.TIMEOUT + RECHECK))


def _write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus, events: Sequence[Event]) -> Turns:
    if status == budget.status:
        return
    before, after = budget.status.disruptionsAllowed, status.disruptionsAllowed
    moment = "budget-restored" if after > before else "budget-exhausted" if after < before else "budget-counted"
    yield Act(
        "update-budget",
        budget.ref,
        reason=next((row.reason for row in status.conditions if row.type == pdb.ALLOWED), ""),
        moment=moment if (before > 0) != (after > 0) else "budget-counted",
        request=UpdateStatus(replace(budget, status=status)),
        outcome=f"{after} allowed",
        events=tuple(events),
        background=after == before,
    )


def _scale(turn: Turn, owner: OwnerReference, namespace: str) -> pdb.Scale | None:
    """The replicas of the top controller of a pod; None where it is gone. Raises NoScale for kinds without a scale."""
    found = turn.get(Ref(owner.kind, namespace, owner.name))
    if owner.kind not in (ReplicaSet.kind, StatefulSet.kind, Deployment.kind):
        raise pdb.NoScale(
            f"{resource_of(owner.kind, owner.apiVersion.rpartition('/')[0])} does not implement the scale subresource"
        )
    if not isinstance(found, Deployment | ReplicaSet | StatefulSet) or found.metadata.uid != owner.uid:
        return None
    above = found.metadata.controller
    if isinstance(found, ReplicaSet) and above is not None and above.kind == Deployment.kind:
        return _scale(turn, above, namespace)
    return found.metadata.uid, size(found.spec.replicas)


# A pod that was marked by an eviction which then did not happen.


def _stale(turn: Turn) -> Act | Wait | None:
    pod = turn.read(Pod, turn.key)
    row = condition(pod.status.conditions, TARGET) if pod is not None else None
    if pod is None or row is None or row.status != "True" or pod.terminating or pod.finished:
        return None
    due = (row.lastTransitionTime or 0) + STALE
    if turn.now < due:
        return Wait(Bounds.at(due))
    rows = set_condition(pod.status.conditions, Condition(TARGET, "False"), turn.now)
    return Act(
        "clear-target",
        pod.ref,
        reason="StaleDisruption",
        moment="disruption-target-cleared",
        request=UpdateStatus(replace(pod, status=replace(pod.status, conditions=rows))),
    )


# What goes with what.


def _covered(turn: Turn, budget: PodDisruptionBudget) -> list[Pod]:
    selector = budget.spec.selector
    if selector is None:
        return []
    namespace = budget.metadata.namespace
    if selector.matchLabels:
        rows = turn.selected(Pod, namespace, selector.matchLabels)
        return [pod for pod in rows if pdb.covers(budget, pod)]
    return [pod for pod in turn.all(Pod, namespace) if pdb.covers(budget, pod)]


def _budgets(turn: Turn, pod: Pod) -> list[PodDisruptionBudget]:
    return [row for row in turn.all(PodDisruptionBudget, pod.metadata.namespace) if pdb.covers(row, pod)]


def _event(type_: str, reason: str, message: str) -> Event:
    return Event(type_, reason, message, SOURCE)


def _late(budget: PodDisruptionBudget, pod: Ref) -> Event:
    # Upstream prints the namespace twice.
    where = f"{budget.metadata.namespace}/{budget.metadata.namespace}"
    return Event("Warning", "NotDeleted", f"Pod was expected by PDB {where} to be deleted but it wasn't", SOURCE, pod)


def _several(turn: Turn, budget: PodDisruptionBudget, pod: Pod) -> Event:
    chosen = _budgets(turn, pod)[0].metadata.name
    name = f'"{budget.metadata.namespace}"/"{pod.metadata.name}"'
    text = f'Pod {name} matches multiple PodDisruptionBudgets.  Chose "{chosen}" arbitrarily.'
    return Event("Warning", "MultiplePodDisruptionBudgets", text, SOURCE, pod.ref)


def _unmanaged(budget: PodDisruptionBudget) -> str:
    selector = budget.spec.selector
    labels = " ".join(f"{key}: {value}," for key, value in selector.matchLabels.items()) if selector else ""
    return (
        "Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{"
        f"{labels}}},MatchExpressions:[]LabelSelectorRequirement{{}},}}) were found to be unmanaged. As a result, the "
        "status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for "
        'these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
    )


def _own(_: Index, obj: Object) -> list[Ref]:
    return [obj.ref]


def _pod(view: Index, obj: Object) -> list[Ref]:
    """The one budget that is counted for a pod; and the pod itself, while it carries a mark."""
    if not isinstance(obj, Pod):
        return []
    rows = view.find(in_namespace(PodDisruptionBudget.kind, obj.metadata.namespace))
    budgets = [row.ref for row in rows if isinstance(row, PodDisruptionBudget) and pdb.covers(row, obj)]
    row = condition(obj.status.conditions, TARGET)
    marked = [obj.ref] if row is not None and row.status == "True" and not obj.terminating else []
    return budgets[:1] + marked


def _all(turn: Turn) -> list[Ref]:
    marked = [pod.ref for pod in turn.all(Pod) if condition(pod.status.conditions, TARGET) is not None]
    return [budget.ref for budget in turn.all(PodDisruptionBudget)] + marked


LOOP = Loop(
    name="disruption",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={PodDisruptionBudget.kind: _own, Pod.kind: _pod},
    reads=(ReplicaSet.kind, Deployment.kind, StatefulSet.kind),
    on_start=_all,
)
