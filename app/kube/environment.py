"""What a container's environment takes from ConfigMaps and Secrets, and the words when one of them is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from app.kube.meta import Ref
from app.kube.pods import Container

Keys = Callable[[Ref], "frozenset[str] | None"]
"""The keys of a ConfigMap or Secret; None where there is no such object."""


class Need(NamedTuple):
    """One object, perhaps one key of it, that must be there."""

    kind: str
    name: str
    key: str
    optional: bool


def missing(container: Container, namespace: str, keys: Keys) -> str:
    """The error of the first thing that is missing; empty when all is there (makeEnvironmentVariables)."""
    for need in needs(container):
        if need.optional:
            continue
        held = keys(Ref(need.kind, namespace, need.name))
        if held is None:
            return f'{need.kind.lower()} "{need.name}" not found'
        if need.key and need.key not in held:
            return f"couldn't find key {need.key} in {need.kind} {namespace}/{need.name}"
    return ""


def needs(container: Container) -> Iterator[Need]:
    """Whole objects first, then single keys, as the kubelet goes through them."""
    for source in container.envFrom:
        if source.configMapRef is not None:
            yield Need("ConfigMap", source.configMapRef.name, "", source.configMapRef.optional)
        if source.secretRef is not None:
            yield Need("Secret", source.secretRef.name, "", source.secretRef.optional)
    for row in container.env:
        given = row.valueFrom
        if given is None:
            continue
        if given.configMapKeyRef is not None:
            picked = given.configMapKeyRef
            yield Need("ConfigMap", picked.name, picked.key, picked.optional)
        if given.secretKeyRef is not None:
            picked = given.secretKeyRef
            yield Need("Secret", picked.name, picked.key, picked.optional)
