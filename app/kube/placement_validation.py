"""What the API server refuses in affinities and topology spread constraints (pkg/apis/core/validation)."""

from __future__ import annotations

from collections.abc import Iterator

from app.kube import syntax
from app.kube.affinity import NAME, attracted, repelled, required
from app.kube.label_selectors import label_selector
from app.kube.placement import NodeSelectorRequirement, NodeSelectorTerm, PodAffinityTerm, TopologySpreadConstraint
from app.kube.pods import PodSpec
from app.kube.yaml_values import Path, Problem

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def placement(spec: PodSpec, path: Path) -> Iterator[Problem]:
    """All faults of the affinity and of the spread constraints; `path` is that of the spec."""
    yield from syntax.one_of((*path, "preemptionPolicy"), spec.preemptionPolicy, ("Never", "PreemptLowerPriority"))
    terms = required(spec.affinity)
    if terms is not None:
        where = (*path, "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms")
        yield from syntax.required(where, terms.nodeSelectorTerms)
        for at, term in enumerate(terms.nodeSelectorTerms):
            yield from _node_term(term, (*where, at))
    for field, rows in (("podAffinity", attracted(spec)), ("podAntiAffinity", repelled(spec))):
        for at, row in enumerate(rows):
            yield from _pod_term(row, (*path, "affinity", field, REQUIRED, at))
    for at, constraint in enumerate(spec.topologySpreadConstraints):
        yield from _spread(constraint, (*path, "topologySpreadConstraints", at))


def _node_term(term: NodeSelectorTerm, path: Path) -> Iterator[Problem]:
    for at, row in enumerate(term.matchExpressions):
        where = (*path, "matchExpressions", at)
        yield from syntax.qualified_name((*where, "key"), row.key)
        yield from syntax.required((*where, "operator"), row.operator)
        yield from syntax.one_of((*where, "operator"), row.operator, _OPERATORS)
        yield from _values(row, where)
    for at, row in enumerate(term.matchFields):
        where = (*path, "matchFields", at)
        yield from syntax.one_of((*where, "key"), row.key, (NAME,))
        yield from syntax.one_of((*where, "operator"), row.operator, ("In", "NotIn"))
        if len(row.values) != 1:
            yield Problem((*where, "values"), f"found {len(row.values)}; allowed: exactly one value")


def _values(row: NodeSelectorRequirement, path: Path) -> Iterator[Problem]:
    count, where = len(row.values), (*path, "values")
    if row.operator in ("In", "NotIn") and not count:
        yield Problem(where, f"missing; {row.operator} needs at least one value")
    elif row.operator in ("Exists", "DoesNotExist") and count:
        yield Problem(where, f"found {count}; allowed with {row.operator}: no values")
    elif row.operator in ("Gt", "Lt") and count != 1:
        yield Problem(where, f"found {count}; allowed with {row.operator}: one whole number")


def _pod_term(term: PodAffinityTerm, path: Path) -> Iterator[Problem]:
    yield from syntax.required((*path, "topologyKey"), term.topologyKey)
    if term.topologyKey:
        yield from syntax.qualified_name((*path, "topologyKey"), term.topologyKey)
    for at, name in enumerate(term.namespaces):
        yield from syntax.label((*path, "namespaces", at), name)
    if term.labelSelector is not None:
        yield from label_selector(term.labelSelector, (*path, "labelSelector"))


def _spread(row: TopologySpreadConstraint, path: Path) -> Iterator[Problem]:
    yield from syntax.number((*path, "maxSkew"), row.maxSkew, 1)
    yield from syntax.required((*path, "topologyKey"), row.topologyKey)
    if row.topologyKey:
        yield from syntax.qualified_name((*path, "topologyKey"), row.topologyKey)
    yield from syntax.required((*path, "whenUnsatisfiable"), row.whenUnsatisfiable)
    yield from syntax.one_of((*path, "whenUnsatisfiable"), row.whenUnsatisfiable, ("DoNotSchedule", "ScheduleAnyway"))
    yield from syntax.number((*path, "minDomains"), row.minDomains, 1)
    if row.minDomains is not None and row.whenUnsatisfiable == "ScheduleAnyway":
        yield Problem((*path, "minDomains"), "allowed only where whenUnsatisfiable is DoNotSchedule")
    if row.labelSelector is not None:
        yield from label_selector(row.labelSelector, (*path, "labelSelector"))
