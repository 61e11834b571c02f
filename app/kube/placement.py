"""Where a pod may go, as its spec says: node affinity, affinity between pods, and topology spread."""

from __future__ import annotations

from msgspec import Struct

from app.kube.meta import LabelSelector


class NodeSelectorRequirement(Struct, frozen=True, omit_defaults=True):
    key: str
    operator: str
    values: tuple[str, ...] = ()


class NodeSelectorTerm(Struct, frozen=True, omit_defaults=True):
    """All of its requirements together; one without any matches no node."""

    matchExpressions: tuple[NodeSelectorRequirement, ...] = ()
    matchFields: tuple[NodeSelectorRequirement, ...] = ()
    """Only `metadata.name` is a field here."""


class NodeSelector(Struct, frozen=True, omit_defaults=True):
    nodeSelectorTerms: tuple[NodeSelectorTerm, ...] = ()
    """Any one of them is enough."""


class NodeAffinity(Struct, frozen=True, omit_defaults=True):
    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector | None = None


class PodAffinityTerm(Struct, frozen=True, omit_defaults=True):
    """A label key of nodes, and the pods that are looked for on nodes of one value."""

    topologyKey: str
    labelSelector: LabelSelector | None = None
    """None selects nothing."""
    namespaces: tuple[str, ...] = ()
    """None means the pod's own."""


class PodAffinity(Struct, frozen=True, omit_defaults=True):
    requiredDuringSchedulingIgnoredDuringExecution: tuple[PodAffinityTerm, ...] = ()


class PodAntiAffinity(Struct, frozen=True, omit_defaults=True):
    requiredDuringSchedulingIgnoredDuringExecution: tuple[PodAffinityTerm, ...] = ()


class Affinity(Struct, frozen=True, omit_defaults=True):
    nodeAffinity: NodeAffinity | None = None
    podAffinity: PodAffinity | None = None
    podAntiAffinity: PodAntiAffinity | None = None


class TopologySpreadConstraint(Struct, frozen=True, omit_defaults=True):
    maxSkew: int
    topologyKey: str
    whenUnsatisfiable: str
    """DoNotSchedule filters nodes, ScheduleAnyway only ranks them."""
    labelSelector: LabelSelector | None = None
    minDomains: int | None = None
