"""Which nodes a pod's selector and node affinity allow."""

from __future__ import annotations

import re

from app.kube.nodes import Node
from app.kube.placement import Affinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinityTerm
from app.kube.pods import PodSpec
from app.kube.stringmap import StringMap

NAME = "metadata.name"

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


def allows(spec: PodSpec, node: Node) -> bool:
    """GetRequiredNodeAffinity: the selector, and one of the terms of the affinity."""
    if not spec.nodeSelector.selects(node.metadata.labels):
        return False
    terms = required(spec.affinity)
    return terms is None or any(_matches(term, node) for term in terms.nodeSelectorTerms)


def required(affinity: Affinity | None) -> NodeSelector | None:
    """The terms that a node must match."""
    if affinity is None or affinity.nodeAffinity is None:
        return None
    return affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution


def attracted(spec: PodSpec) -> tuple[PodAffinityTerm, ...]:
    """Whom the pod must have near it."""
    near = spec.affinity.podAffinity if spec.affinity is not None else None
    return near.requiredDuringSchedulingIgnoredDuringExecution if near is not None else ()


def repelled(spec: PodSpec) -> tuple[PodAffinityTerm, ...]:
    """Whom it must not have near it."""
    far = spec.affinity.podAntiAffinity if spec.affinity is not None else None
    return far.requiredDuringSchedulingIgnoredDuringExecution if far is not None else ()


def _matches(term: NodeSelectorTerm, node: Node) -> bool:
    labels, fields = node.metadata.labels, StringMap({NAME: node.metadata.name})
    rows = [(row, labels) for row in term.matchExpressions] + [(row, fields) for row in term.matchFields]
    return bool(rows) and all(_meets(row, values) for row, values in rows)


def _meets(row: NodeSelectorRequirement, labels: StringMap) -> bool:
    value = labels.get(row.key)
    match row.operator:
        case "In":
            return value in row.values
        case "NotIn":
            return value not in row.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return _compares(row, value)
        case _:
            return False


def _compares(row: NodeSelectorRequirement, value: str | None) -> bool:
    bound = row.values[0] if len(row.values) == 1 else ""
    if value is None or not _INTEGER.fullmatch(value) or not _INTEGER.fullmatch(bound):
        return False
    return int(value) > int(bound) if row.operator == "Gt" else int(value) < int(bound)
