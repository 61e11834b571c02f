"""Rules about PodDisruptionBudgets: those that hold up every drain, and those that protect nothing."""

from __future__ import annotations

from collections.abc import Iterator

from app.inspect.allowances import Allowance, allowances
from app.inspect.finding import Found, found
from app.inspect.spelling import names
from app.inspect.subject import Subject
from app.kube.policy import PodDisruptionBudget
from app.kube.workloads import Deployment, StatefulSet
from app.kube.yaml_values import Path


def _counted(subject: Subject) -> Iterator[Allowance]:
    """Budgets that cover pods which are there, and say how many."""
    return (row for row in allowances(subject) if row.pods and not row.fault and _says_how_many(row.budget))


def _says_how_many(budget: PodDisruptionBudget) -> bool:
    return budget.spec.minAvailable is not None or budget.spec.maxUnavailable is not None


def _field(budget: PodDisruptionBudget) -> Path:
    return ("spec", "minAvailable" if budget.spec.maxUnavailable is None else "maxUnavailable")


def _values(row: Allowance) -> dict[str, object]:
    spec = row.budget.spec
    given = spec.minAvailable if spec.maxUnavailable is None else spec.maxUnavailable
    return {
        "pods": row.pods,
        "healthy": row.healthy,
        "field": _field(row.budget)[-1],
        "given": given,
        "covered": names(made.ref for made in row.covered),
    }


def pdb_allows_nothing(subject: Subject) -> Iterator[Found]:
    """What may go is healthy pods less desiredHealthy (updatePdbStatus in pkg/controller/disruption), with
    percentages rounded up (getExpectedPodCount); at 0 the API server answers every eviction with 429.
    """
    for row in _counted(subject):
        if row.allowed == 0 and row.pods > 1:
            yield found(row.budget.ref, _field(row.budget), **_values(row))


def pdb_without_number(subject: Subject) -> Iterator[Found]:
    """With neither number set the controller expects 0 pods (getExpectedPodCount), and where it expects none it allows
    no eviction (updatePdbStatus).
    """
    for row in allowances(subject):
        if row.pods and not _says_how_many(row.budget):
            yield found(row.budget.ref, ("spec",), covered=names(made.ref for made in row.covered))


def pdb_single_replica(subject: Subject) -> Iterator[Found]:
    """One pod less one that must stay leaves none that may go (updatePdbStatus): a drain waits until somebody scales
    up or deletes the pod by hand.
    """
    for row in _counted(subject):
        if row.allowed == 0 and row.pods == 1:
            yield found(row.budget.ref, _field(row.budget), **_values(row))


def pdb_allows_everything(subject: Subject) -> Iterator[Found]:
    """Where desiredHealthy is 0 all pods may be evicted at once (updatePdbStatus): the budget promises nothing."""
    for row in _counted(subject):
        if row.healthy == 0:
            yield found(row.budget.ref, _field(row.budget), **_values(row))


def pdb_matches_nothing(subject: Subject) -> Iterator[Found]:
    """A budget covers the pods that its selector matches in its own namespace; policy/v1 takes an empty selector for
    all pods and a missing one for none (GetPodPodDisruptionBudgets).
    """
    for row in allowances(subject):
        if not row.covered and subject.shapes and not _selects_any(subject, row.budget):
            yield found(row.budget.ref, ("spec", "selector"), namespace=row.budget.metadata.namespace)


def _selects_any(subject: Subject, budget: PodDisruptionBudget) -> bool:
    """Also pods that end by themselves, and those of objects that are refused."""
    selector, namespace = budget.spec.selector, budget.metadata.namespace
    return selector is not None and any(
        place == namespace and selector.selects(labels) for place, labels in subject.shapes
    )


def pdb_overlap(subject: Subject) -> Iterator[Found]:
    """The eviction subresource answers 500 where more than one budget covers a pod, whatever they allow
    (pkg/registry/core/pod/storage/eviction.go).
    """
    for made in subject.made:
        both = [row.ref for row in subject.guarding.get(made.ref, ())]
        if len(both) > 1:
            yield found(both[1], ("spec", "selector"), budgets=names(both), covered=made.ref)


def pdb_uncountable(subject: Subject) -> Iterator[Found]:
    """maxUnavailable, and minAvailable in percent, need the scale of what made the pods (getExpectedScale); where
    that has none the controller fails safe: it allows no eviction at all.
    """
    for row in allowances(subject):
        if row.fault and row.pods:
            values = _values(row)
            yield found(row.budget.ref, _field(row.budget), **values, fault=row.fault)


def pdb_unmanaged(subject: Subject) -> Iterator[Found]:
    """Pods without a controller count for nothing where a scale is needed (getExpectedScale; event UnmanagedPods)."""
    for row in _counted(subject):
        if row.unmanaged:
            yield found(row.budget.ref, _field(row.budget), **(_values(row) | {"covered": names(row.unmanaged)}))


def pdb_holds_broken_pods(subject: Subject) -> Iterator[Found]:
    """Without AlwaysAllow a pod that runs and is not Ready counts against the budget like a healthy one
    (IfHealthyBudget, the default; pkg/registry/core/pod/storage/eviction.go): a crash loop holds up a drain.
    """
    for row in _counted(subject):
        if row.budget.spec.unhealthyPodEvictionPolicy != "AlwaysAllow" and row.healthy > 0 and row.allowed > 0:
            yield found(row.budget.ref, ("spec", "unhealthyPodEvictionPolicy"), **_values(row))


def no_pdb(subject: Subject) -> Iterator[Found]:
    """A pod that no budget covers is evicted without a question (pkg/registry/core/pod/storage/eviction.go): drains of
    several nodes at once may take all of them.
    """
    for made in subject.made:
        replicated = isinstance(made.owner, Deployment | StatefulSet) and made.pods > 1
        services = subject.services_of(made)
        if replicated and services and made.ref not in subject.guarding:
            yield found(made, ("spec", "replicas"), replicas=made.pods, services=names(row.ref for row in services))
