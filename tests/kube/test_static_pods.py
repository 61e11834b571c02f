"""What a kubelet makes of a manifest on its machine, and the mirror of it."""

from __future__ import annotations

import pytest

from app.kube.manifests import read_manifests
from app.kube.meta import ObjectMeta
from app.kube.nodes import Node
from app.kube.pods import Pod, Toleration
from app.kube.static_pods import as_static, forbidden, is_mirror, mirror_of, static_pod, uid_on_node

NODE = Node(ObjectMeta(name="Node-1", uid="uid-node"))


def written(spec: str = "", image: str = "etcd:3") -> Pod:
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: etcd, namespace: kube-system}}\nspec: {{{spec}"
    (found,) = read_manifests(f"{text}containers: [{{name: etcd, image: '{image}'}}]}}").objects
    assert isinstance(found, Pod)
    return found


def test_it_has_the_name_of_its_node_and_a_uid_of_its_own() -> None:
    pod = as_static(written(), "Node-1")
    assert str(pod.ref) == "pod/kube-system/etcd-node-1"
    assert pod.spec.nodeName == "Node-1"
    assert static_pod(pod)
    assert pod.spec.tolerations == (Toleration(operator="Exists", effect="NoExecute"),)
    assert (pod.spec.containers[0].imagePullPolicy, pod.spec.serviceAccountName) == ("IfNotPresent", "")
    assert pod.metadata.annotations["kubernetes.io/config.hash"] == pod.metadata.uid
    assert as_static(written(), "Node-1").metadata.uid == pod.metadata.uid
    assert as_static(written(image="etcd:4"), "Node-1").metadata.uid != pod.metadata.uid
    assert as_static(written(), "node-2").metadata.uid != pod.metadata.uid


def test_its_mirror_belongs_to_the_node_and_knows_what_it_shows() -> None:
    pod = as_static(written(), "Node-1")
    mirror = mirror_of(pod, NODE)
    assert mirror.ref == pod.ref
    assert mirror.metadata.controller is not None
    assert (mirror.metadata.controller.kind, mirror.metadata.controller.name) == ("Node", "Node-1")
    assert mirror.metadata.uid == ""
    assert (is_mirror(mirror), is_mirror(pod), uid_on_node(mirror)) == (True, False, pod.metadata.uid)
    assert as_static(mirror, "x").metadata.annotations.get("kubernetes.io/config.mirror") is None


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("", ""),
        ("volumes: [{name: a, hostPath: {path: /etc}}],", ""),
        ("serviceAccountName: x,", "static pods may not reference serviceaccounts"),
        ("volumes: [{name: a, configMap: {name: b}}],", "static pods may not reference configmaps"),
        ("volumes: [{name: a, secret: {secretName: b}}],", "static pods may not reference secrets"),
        (
            "volumes: [{name: a, persistentVolumeClaim: {claimName: b}}],",
            "static pods may not reference persistentvolumeclaims",
        ),
        (
            "initContainers: [{name: a, image: b, envFrom: [{secretRef: {name: c}}]}],",
            "static pods may not reference secrets",
        ),
    ],
)
def test_it_may_refer_to_nothing_in_the_api(spec: str, fault: str) -> None:
    assert forbidden(written(spec)) == fault
