"""What the API server refuses in a label selector."""

from __future__ import annotations

from collections.abc import Iterator

from app.kube import syntax
from app.kube.meta import LabelSelector
from app.kube.yaml_values import Path, Problem

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def label_selector(selector: LabelSelector, path: Path) -> Iterator[Problem]:
    """All its faults; an empty one has none."""
    yield from syntax.labels((*path, "matchLabels"), selector.matchLabels)
    for at, row in enumerate(selector.matchExpressions):
        where = (*path, "matchExpressions", at)
        yield from syntax.qualified_name((*where, "key"), row.key)
        yield from syntax.required((*where, "operator"), row.operator)
        yield from syntax.one_of((*where, "operator"), row.operator, OPERATORS)
        if row.operator in OPERATORS and (row.operator in ("In", "NotIn")) != bool(row.values):
            allowed = "no values" if row.values else "at least one value"
            yield Problem((*where, "values"), f"found {len(row.values)}; allowed with {row.operator}: {allowed}")
