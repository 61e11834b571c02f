"""PodDisruptionBudgets: how many pods of a workload an eviction must leave."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from app.kube.meta import Condition, LabelSelector, ObjectMeta, Ref
from app.kube.stringmap import EMPTY, StringMap


class PodDisruptionBudgetSpec(Struct, frozen=True, omit_defaults=True):
    """Numbers, or percentages such as `50%`; an empty selector selects all pods of the namespace, none selects none."""

    minAvailable: int | str | None = None
    maxUnavailable: int | str | None = None
    selector: LabelSelector | None = None
    unhealthyPodEvictionPolicy: str = ""


class PodDisruptionBudgetStatus(Struct, frozen=True):
    """Counts are always on the wire, also when they are zero."""

    disruptionsAllowed: int
    currentHealthy: int
    desiredHealthy: int
    expectedPods: int
    observedGeneration: int | None = None
    disruptedPods: StringMap = EMPTY
    """Pods that the API server has let go and the controller has not yet seen going, with the time of the eviction."""
    conditions: tuple[Condition, ...] = ()


class PodDisruptionBudget(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "PodDisruptionBudget"
    apiVersion: ClassVar[str] = "policy/v1"
    metadata: ObjectMeta
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus(0, 0, 0, 0)

    @property
    def ref(self) -> Ref:
        return Ref("PodDisruptionBudget", self.metadata.namespace, self.metadata.name)
