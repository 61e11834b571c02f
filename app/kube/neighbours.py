"""What the pods that are there mean for the place of a new one: affinity between pods, and topology spread.

As the plugins PodTopologySpread and InterPodAffinity filter. Not modelled: preferred terms, namespace selectors,
matchLabelKeys, and the inclusion policies of spread constraints (nodes that the pod's node affinity rules out are not
counted, tainted ones are, which is the default).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from app.kube.affinity import allows, attracted, repelled
from app.kube.meta import LabelSelector
from app.kube.nodes import Node
from app.kube.placement import PodAffinityTerm, TopologySpreadConstraint
from app.kube.pods import Pod

AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
OTHERS_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"
SPREAD = "node(s) didn't match pod topology spread constraints"
SPREAD_LABEL = f"{SPREAD} (missing required label)"

Domain = tuple[str, str]
"""A label of nodes: all nodes that have it are one domain."""
Selecting = Callable[[str, LabelSelector], Iterable[Pod]]
"""The bound pods of a namespace that a selector selects."""


class Spread(NamedTuple):
    """One constraint, with how many pods it counts in each domain."""

    key: str
    counts: Mapping[str, int]
    lowest: int
    skew: int
    itself: int
    """1 if the new pod counts too."""
    hard: bool


class Neighbours(NamedTuple):
    """All that one pod needs to know of the others."""

    forbidden: frozenset[Domain] = frozenset()
    """By the anti-affinity of pods that are there."""
    avoided: frozenset[Domain] = frozenset()
    """By its own."""
    wanted: tuple[tuple[str, frozenset[str] | None], ...] = ()
    """By its affinity: each term's key with the values that have such a pod; None allows any."""
    spreads: tuple[Spread, ...] = ()


NOBODY = Neighbours()


def neighbours(
    pod: Pod, nodes: Mapping[str, Node], selecting: Selecting, averse: Iterable[Pod], spread_over: Sequence[Node]
) -> Neighbours:
    """What is there; `averse` are the bound pods that have an anti-affinity of their own."""
    spec = pod.spec

    def domains(term: PodAffinityTerm) -> frozenset[Domain]:
        found = [row for name in _namespaces(term, pod) for row in _selected(term.labelSelector, name, selecting)]
        return _domains(term.topologyKey, found, nodes)

    return Neighbours(
        forbidden=frozenset(
            domain
            for other in averse
            for term in repelled(other.spec)
            if _means(term, other, pod)
            for domain in _domains(term.topologyKey, [other], nodes)
        ),
        avoided=frozenset(domain for term in repelled(spec) for domain in domains(term)),
        wanted=_wanted(pod, {term: domains(term) for term in attracted(spec)}),
        spreads=tuple(_spread(pod, row, selecting, spread_over) for row in spec.topologySpreadConstraints),
    )


def _wanted(
    pod: Pod, found: Mapping[PodAffinityTerm, frozenset[Domain]]
) -> tuple[tuple[str, frozenset[str] | None], ...]:
    """The first of a group that wants to be together may go anywhere."""
    first = not any(found.values()) and all(_means(term, pod, pod) for term in found)
    rows = ((term.topologyKey, frozenset(value for _, value in rows)) for term, rows in found.items())
    return tuple((key, None if first else values) for key, values in rows)


def _means(term: PodAffinityTerm, owner: Pod, other: Pod) -> bool:
    """Whether one pod's term speaks of the other."""
    here = other.metadata.namespace in _namespaces(term, owner)
    return here and term.labelSelector is not None and term.labelSelector.selects(other.metadata.labels)


def _namespaces(term: PodAffinityTerm, pod: Pod) -> tuple[str, ...]:
    return term.namespaces or (pod.metadata.namespace,)


def _selected(selector: LabelSelector | None, namespace: str, selecting: Selecting) -> list[Pod]:
    if selector is None:
        return []
    return [pod for pod in selecting(namespace, selector) if not pod.finished]


def _domains(key: str, pods: Iterable[Pod], nodes: Mapping[str, Node]) -> frozenset[Domain]:
    held = (nodes.get(pod.spec.nodeName) for pod in pods)
    values = (node.metadata.labels.get(key) for node in held if node is not None)
    return frozenset((key, value) for value in values if value is not None)


def _spread(pod: Pod, row: TopologySpreadConstraint, selecting: Selecting, nodes: Sequence[Node]) -> Spread:
    alike = [other for other in pod.spec.topologySpreadConstraints if other.whenUnsatisfiable == row.whenUnsatisfiable]
    keys = [other.topologyKey for other in alike]
    eligible = [node for node in nodes if allows(pod.spec, node) and all(key in node.metadata.labels for key in keys)]
    values = {node.metadata.name: node.metadata.labels.get(row.topologyKey) or "" for node in eligible}
    found = _selected(row.labelSelector, pod.metadata.namespace, selecting)
    # Terminating pods do not count (countPodsMatchSelector).
    staying = [other for other in found if not other.terminating]
    held = Counter(values[other.spec.nodeName] for other in staying if other.spec.nodeName in values)
    counts = {value: held[value] for value in sorted(set(values.values()))}
    few = row.minDomains is not None and len(counts) < row.minDomains
    itself = row.labelSelector is not None and row.labelSelector.selects(pod.metadata.labels)
    lowest = 0 if few else min(counts.values(), default=0)
    return Spread(row.topologyKey, counts, lowest, row.maxSkew, int(itself), row.whenUnsatisfiable == "DoNotSchedule")


def refused(found: Neighbours, node: Node) -> tuple[str, bool] | None:
    """The reason against a node, and whether it would stand if all its pods were gone."""
    labels = node.metadata.labels
    for spread in found.spreads:
        value = labels.get(spread.key)
        if not spread.hard:
            continue
        if value is None:
            return SPREAD_LABEL, True
        if spread.counts.get(value, 0) + spread.itself - spread.lowest > spread.skew:
            return SPREAD, False
    if any(key not in labels or (values is not None and labels.get(key) not in values) for key, values in found.wanted):
        return AFFINITY, True
    if any(labels.get(key) == value for key, value in found.avoided):
        return ANTI_AFFINITY, False
    if any(labels.get(key) == value for key, value in found.forbidden):
        return OTHERS_ANTI_AFFINITY, False
    return None


def crowding(found: Neighbours, node: Node) -> int:
    """How many pods stand in the node's domains of the constraints that only rank."""
    labels = node.metadata.labels
    return sum(spread.counts.get(labels.get(spread.key) or "", 0) for spread in found.spreads if not spread.hard)
