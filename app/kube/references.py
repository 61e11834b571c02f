"""What pods need that stands in other objects: ConfigMaps, Secrets and claims, and stand-ins for those not given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.kube.batch import CronJob, Job
from app.kube.config import ConfigMap, Secret
from app.kube.environment import Need, needs
from app.kube.meta import ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.pods import Pod, PodSpec
from app.kube.storage import (
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeSpec,
)
from app.kube.stringmap import StringMap
from app.kube.volume_rules import needs as needs_of_volume
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet

MODES = ("ReadWriteMany",)
"""Of volumes that nobody wrote down: they need no attaching, and keep no pod waiting for another."""


def assumed(objects: Iterable[Object]) -> tuple[Object, ...]:
    """What the pods of these objects refer to and none of them is, with the keys that are asked for.

    Manifests that people paste rarely bring along all that their pods refer to.
    """
    given = tuple(objects)
    held = {obj.ref for obj in given}
    keys: dict[Ref, set[str]] = {}
    for obj in given:
        for need in _wanted(obj):
            ref = Ref(need.kind, obj.metadata.namespace, need.name)
            if need.name and ref not in held and not need.optional:
                keys.setdefault(ref, set()).update({need.key} - {""})
    made = [_stand_in(ref, StringMap((key, "") for key in sorted(keys[ref]))) for ref in sorted(keys)]
    claims = [obj for obj in (*given, *made) if isinstance(obj, PersistentVolumeClaim)]
    names = sorted({obj.spec.volumeName for obj in claims} - {""})
    volumes = [PersistentVolume(ObjectMeta(name=name), PersistentVolumeSpec(MODES)) for name in names]
    return (*made, *(volume for volume in volumes if volume.ref not in held))


def _stand_in(ref: Ref, keys: StringMap) -> Object:
    meta = ObjectMeta(name=ref.name, namespace=ref.namespace)
    if ref.kind == PersistentVolumeClaim.kind:
        return PersistentVolumeClaim(meta, PersistentVolumeClaimSpec(MODES, volumeName=f"{ref.namespace}-{ref.name}"))
    return ConfigMap(meta, data=keys) if ref.kind == "ConfigMap" else Secret(meta, data=keys)


def _wanted(obj: Object) -> Iterator[Need]:
    spec = _spec(obj)
    if spec is None:
        return
    for container in (*spec.initContainers, *spec.containers):
        yield from needs(container)
    for row in spec.imagePullSecrets:
        yield Need("Secret", row.name, "", optional=False)
    for volume in spec.volumes:
        yield from needs_of_volume(volume)


def _spec(obj: Object) -> PodSpec | None:
    match obj:
        case Pod():
            return obj.spec
        case Deployment() | ReplicaSet() | StatefulSet() | DaemonSet() | Job():
            return obj.spec.template.spec
        case CronJob():
            return obj.spec.jobTemplate.spec.template.spec
        case _:
            return None
