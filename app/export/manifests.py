"""What a walk ran on, object by object: name and a few words, never a value of a Secret or a ConfigMap."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from app.kube.manifests import read_files
from app.kube.objects import Object, to_wire
from app.story.play import Play

COUNTS = ("replicas", "minAvailable", "maxUnavailable", "completions", "schedule", "type", "clusterIP")
NAMES_ONLY = ("Secret", "ConfigMap")


class Brought(Struct, frozen=True):
    """One object."""

    kind: str
    name: str
    """With its namespace, where that is not the default one."""
    says: str


def brought(played: Play) -> tuple[Brought, ...]:
    """The reader's own objects, or those of the flow's cluster."""
    given = played.request.manifests
    objects = read_files(dict(given)).objects if given is not None else (*played.setup.objects, *played.setup.later)
    return tuple(_brought(obj) for obj in objects)


def _brought(obj: Object) -> Brought:
    ref = obj.ref
    return Brought(ref.kind, ref.path, "" if ref.kind in NAMES_ONLY else _said(to_wire(obj)))


def _said(wire: dict[str, Any]) -> str:
    """`replicas 3; image nginx:1.29`."""
    spec = wire.get("spec") or {}
    parts = [f"{name} {spec[name]}" for name in COUNTS if name in spec]
    pod = spec.get("jobTemplate", {}).get("spec", spec).get("template", {}).get("spec", spec)
    images = [row.get("image", "") for key in ("initContainers", "containers") for row in pod.get(key, ())]
    parts += [f"image {name}" for name in dict.fromkeys(images) if name]
    return "; ".join(parts)
