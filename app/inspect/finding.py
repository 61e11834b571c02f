"""One thing in the manifests that will cause trouble, before it is put into words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from app.inspect.subject import Made, Subject
from app.kube.meta import Ref
from app.kube.yaml_values import Path

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)
"""The worst first; they are SARIF's levels."""


class Found(NamedTuple):
    """Where it stands, and what the sentence about it is filled with."""

    ref: Ref
    path: Path
    values: Mapping[str, str]


Rule = Callable[[Subject], Iterator[Found]]


def found(at: Made | Ref, path: Path, **values: object) -> Found:
    """A finding of an object, or of the pods that it makes."""
    ref = at.ref if isinstance(at, Made) else at
    return Found(ref, path, {name: str(value) for name, value in values.items()})
