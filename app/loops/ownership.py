"""What a controller gives to the objects that it makes: an owner, and for pods the template's content."""

from __future__ import annotations

from app.kube.meta import ObjectMeta, OwnerReference
from app.kube.objects import Object
from app.kube.pods import Pod, PodTemplateSpec


def owned_by(owner: Object) -> OwnerReference:
    """The reference that makes `owner` the one controller of an object."""
    meta = owner.metadata
    return OwnerReference(kind=owner.kind, name=meta.name, uid=meta.uid, apiVersion=owner.apiVersion)


def pod_from(template: PodTemplateSpec, owner: Object, *, name: str = "", prefix: str = "") -> Pod:
    """A pod of that owner, named so or with a name that the API server completes (GetPodFromTemplate)."""
    meta = template.metadata
    return Pod(
        metadata=ObjectMeta(
            name=name,
            generateName=prefix,
            namespace=owner.metadata.namespace,
            labels=meta.labels,
            annotations=meta.annotations,
            finalizers=meta.finalizers,
            ownerReferences=(owned_by(owner),),
        ),
        spec=template.spec,
    )
