"""What pods need that stands in other objects: ConfigMaps and Secrets, and stand-ins for those nobody wrote down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.kube.config import ConfigMap, Secret
from app.kube.environment import Need, needs
from app.kube.meta import ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.pods import Pod, PodSpec
from app.kube.stringmap import StringMap
from app.kube.workloads import Deployment, ReplicaSet, StatefulSet


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
    return tuple(_stand_in(ref, StringMap((key, "") for key in sorted(keys[ref]))) for ref in sorted(keys))


def _stand_in(ref: Ref, keys: StringMap) -> Object:
    meta = ObjectMeta(name=ref.name, namespace=ref.namespace)
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
        if volume.configMap is not None:
            yield Need("ConfigMap", volume.configMap.name, "", volume.configMap.optional)
        if volume.secret is not None:
            yield Need("Secret", volume.secret.secretName, "", volume.secret.optional)


def _spec(obj: Object) -> PodSpec | None:
    match obj:
        case Pod():
            return obj.spec
        case Deployment() | ReplicaSet() | StatefulSet():
            return obj.spec.template.spec
        case _:
            return None
