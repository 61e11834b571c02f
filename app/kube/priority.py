"""PriorityClasses: how important pods are, by name."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from app.kube.meta import ObjectMeta, Ref


class PriorityClass(Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str] = "PriorityClass"
    apiVersion: ClassVar[str] = "scheduling.k8s.io/v1"
    metadata: ObjectMeta
    value: int = 0
    globalDefault: bool = False
    preemptionPolicy: str = ""
    description: str = ""

    @property
    def ref(self) -> Ref:
        return Ref("PriorityClass", "", self.metadata.name)
