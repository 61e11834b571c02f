"""ConfigMaps and Secrets, by the names of their keys: what stands under a key is read past and kept nowhere."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from app.kube.meta import ObjectMeta, Ref
from app.kube.stringmap import EMPTY, StringMap


class ConfigMap(Struct, frozen=True, omit_defaults=True):
    """`data` and `binaryData` map every key to the empty string."""

    kind: ClassVar[str] = "ConfigMap"
    apiVersion: ClassVar[str] = "v1"
    metadata: ObjectMeta
    data: StringMap = EMPTY
    binaryData: StringMap = EMPTY
    immutable: bool = False

    @property
    def ref(self) -> Ref:
        return Ref("ConfigMap", self.metadata.namespace, self.metadata.name)

    @property
    def keys(self) -> frozenset[str]:
        return frozenset((*self.data, *self.binaryData))


class Secret(Struct, frozen=True, omit_defaults=True):
    """`data` and `stringData` map every key to the empty string."""

    kind: ClassVar[str] = "Secret"
    apiVersion: ClassVar[str] = "v1"
    metadata: ObjectMeta
    data: StringMap = EMPTY
    stringData: StringMap = EMPTY
    type: str = ""
    immutable: bool = False

    @property
    def ref(self) -> Ref:
        return Ref("Secret", self.metadata.namespace, self.metadata.name)

    @property
    def keys(self) -> frozenset[str]:
        return frozenset((*self.data, *self.stringData))
