"""Which ReplicaSet belongs to a Deployment's present template, how it is made, and which old ones are kept."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from app.kube.meta import LabelSelector, ObjectMeta
from app.kube.names import template_hash
from app.kube.pods import PodTemplateSpec
from app.kube.rollout import DESIRED_REPLICAS, MAX_REPLICAS, REVISION, by_age, new_replicas, replica_annotations, size
from app.kube.stringmap import StringMap
from app.kube.workloads import Deployment, ReplicaSet, ReplicaSetSpec
from app.loops.ownership import owned_by

HASH = "pod-template-hash"
HISTORY = "deployment.kubernetes.io/revision-history"

# Annotations of a Deployment that its ReplicaSets do not take over.
_KEPT_BACK = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    REVISION,
    HISTORY,
    DESIRED_REPLICAS,
    MAX_REPLICAS,
)


def split(deployment: Deployment, sets: Sequence[ReplicaSet]) -> tuple[ReplicaSet | None, list[ReplicaSet]]:
    """The oldest ReplicaSet with the Deployment's template, if any, and all others."""
    new = next((row for row in by_age(sets) if _same(row.spec.template, deployment.spec.template)), None)
    return new, [row for row in sets if row is not new]


def _same(held: PodTemplateSpec, wanted: PodTemplateSpec) -> bool:
    """EqualIgnoreHash."""
    return replace(held, metadata=replace(held.metadata, labels=held.metadata.labels.without(HASH))) == wanted


def created(deployment: Deployment, old: Sequence[ReplicaSet]) -> ReplicaSet:
    """The ReplicaSet to make for the present template, in the size that the strategy allows."""
    meta, template = deployment.metadata, deployment.spec.template
    digest = {HASH: template_hash(template)}
    labels = template.metadata.labels.merged(digest)
    selector = deployment.spec.selector
    notes = {REVISION: str(_next_revision(old)), **replica_annotations(deployment)}
    return ReplicaSet(
        metadata=ObjectMeta(
            name=f"{meta.name}-{digest[HASH]}",
            namespace=meta.namespace,
            labels=labels,
            annotations=_taken_over(deployment).merged(notes),
            ownerReferences=(owned_by(deployment),),
        ),
        spec=ReplicaSetSpec(
            selector=LabelSelector(selector.matchLabels.merged(digest), selector.matchExpressions),
            template=replace(template, metadata=replace(template.metadata, labels=labels)),
            replicas=new_replicas(deployment, old, 0),
            minReadySeconds=deployment.spec.minReadySeconds,
        ),
    )


def renewed(deployment: Deployment, new: ReplicaSet, old: Sequence[ReplicaSet]) -> ReplicaSet:
    """The new ReplicaSet as it should be noted: a template that comes back gets the next revision."""
    before, after = _revision(new), _next_revision(old)
    notes: dict[str, str] = {}
    if before < after:
        notes[REVISION] = str(after)
        if before:
            known = new.metadata.annotations.get(HISTORY)
            notes[HISTORY] = f"{known},{before}" if known else str(before)
    annotations = new.metadata.annotations.merged(_taken_over(deployment)).merged(notes)
    return replace(
        new,
        metadata=replace(new.metadata, annotations=annotations),
        spec=replace(new.spec, minReadySeconds=deployment.spec.minReadySeconds),
    )


def revision_of(new: ReplicaSet) -> str:
    return new.metadata.annotations.get(REVISION) or ""


def surplus(deployment: Deployment, old: Sequence[ReplicaSet]) -> list[ReplicaSet]:
    """Old ReplicaSets beyond `revisionHistoryLimit`, lowest revision first; one that still has pods stays."""
    limit = deployment.spec.revisionHistoryLimit
    alive = [row for row in old if row.metadata.deletionTimestamp is None]
    if limit is None or len(alive) <= limit:
        return []
    candidates = sorted(alive, key=lambda row: (_revision(row), row.metadata.name))[: len(alive) - limit]
    return [row for row in candidates if _empty(row)]


def _empty(row: ReplicaSet) -> bool:
    seen = row.status.observedGeneration >= row.metadata.generation
    return seen and row.status.replicas == 0 and size(row.spec.replicas) == 0


def _taken_over(deployment: Deployment) -> StringMap:
    return deployment.metadata.annotations.without(*_KEPT_BACK)


def _next_revision(old: Sequence[ReplicaSet]) -> int:
    return max((_revision(row) for row in old), default=0) + 1


def _revision(row: ReplicaSet) -> int:
    text = revision_of(row)
    return int(text) if text.isascii() and text.isdigit() else 0
