"""Static pods: what a kubelet makes of a manifest on its machine, and the mirror that it shows of it in the API."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from msgspec.structs import replace

from app.kube.defaults import defaulted
from app.kube.environment import needs
from app.kube.meta import OwnerReference
from app.kube.nodes import Node
from app.kube.phase import CONFIG_SOURCE, static_pod
from app.kube.pods import Pod, PodSpec, Toleration

CONFIG_HASH = "kubernetes.io/config.hash"
CONFIG_MIRROR = "kubernetes.io/config.mirror"
EVERYTHING = Toleration(operator="Exists", effect="NoExecute")


def as_static(written: Pod, node: str) -> Pod:
    """The pod as the kubelet of that node runs it (applyDefaults in pkg/kubelet/config/common.go)."""
    meta = replace(written.metadata, name=f"{written.metadata.name}-{node.lower()}", finalizers=(), ownerReferences=())
    uid = hashlib.sha256(f"{node}/{meta.namespace}/{meta.name} {written.spec!r}".encode()).hexdigest()[:32]
    notes = meta.annotations.without(CONFIG_MIRROR).merged({CONFIG_HASH: uid, CONFIG_SOURCE: "file"})
    pod = defaulted(replace(written, metadata=replace(meta, uid=uid, annotations=notes)))
    assert isinstance(pod, Pod)  # noqa: S101 - defaulting keeps the kind
    # Admission plugins see only its mirror.
    spec = replace(pod.spec, nodeName=node, serviceAccountName="", tolerations=(*written.spec.tolerations, EVERYTHING))
    return replace(pod, spec=spec)


def on_disk(obj: Pod, nodes: Sequence[str]) -> Pod:
    """A pod of a file with its node, the first unless it names one, and under the name of its mirror."""
    node = obj.spec.nodeName if obj.spec.nodeName in nodes else nodes[0]
    meta, end = obj.metadata, f"-{node.lower()}"
    name = meta.name if meta.name.endswith(end) else meta.name + end
    return replace(obj, metadata=replace(meta, name=name), spec=replace(obj.spec, nodeName=node))


def mirror_of(static: Pod, node: Node) -> Pod:
    """What it creates in the API, so that others can see the pod (pkg/kubelet/pod/mirror_client.go)."""
    meta, uid = static.metadata, static.metadata.uid
    owner = OwnerReference(Node.kind, node.metadata.name, node.metadata.uid, Node.apiVersion, blockOwnerDeletion=False)
    notes = meta.annotations.merged({CONFIG_MIRROR: uid})
    return Pod(metadata=replace(meta, uid="", annotations=notes, ownerReferences=(owner,)), spec=static.spec)


def is_mirror(pod: Pod) -> bool:
    return CONFIG_MIRROR in pod.metadata.annotations


def from_the_api(pod: Pod) -> Pod:
    """A kubelet itself notes where it has a pod from, whatever the pod says (applyDefaults in pkg/kubelet/config)."""
    if not static_pod(pod):
        return pod
    notes = pod.metadata.annotations.merged({CONFIG_SOURCE: "api"})
    return replace(pod, metadata=replace(pod.metadata, annotations=notes))


def from_a_file(pod: Pod) -> bool:
    """A mirror, too, is there only for as long as its kubelet runs the file that it shows."""
    return static_pod(pod) or is_mirror(pod)


def uid_on_node(pod: Pod) -> str:
    """The uid under which the kubelet runs what this API object shows."""
    return pod.metadata.annotations.get(CONFIG_MIRROR) or pod.metadata.uid


def forbidden(pod: Pod) -> str:
    """What a static pod may not refer to, in the kubelet's words; empty when it refers to nothing in the API."""
    kinds = _referred(pod.spec)
    return f"static pods may not reference {kinds[0]}" if kinds else ""


def _referred(spec: PodSpec) -> list[str]:
    plural = {"ConfigMap": "configmaps", "Secret": "secrets"}
    found = ["serviceaccounts"] if spec.serviceAccountName else []
    found += [plural[need.kind] for row in (*spec.initContainers, *spec.containers) for need in needs(row)]
    for volume in spec.volumes:
        found += ["configmaps"] if volume.configMap is not None else []
        found += ["secrets"] if volume.secret is not None else []
        found += ["persistentvolumeclaims"] if volume.persistentVolumeClaim is not None else []
    return found


__all__ = [
    "as_static",
    "forbidden",
    "from_a_file",
    "from_the_api",
    "is_mirror",
    "mirror_of",
    "on_disk",
    "static_pod",
    "uid_on_node",
]
