"""Starting worlds: machines as their kubelets registered them, and why a cluster finds no rest."""

import pytest

from app.kube.manifests import read_manifests
from app.kube.meta import ObjectMeta
from app.kube.nodes import Node
from app.kube.stringmap import StringMap
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.start import at_rest, ready

POD = """
apiVersion: v1
kind: Pod
metadata: {name: a, annotations: {ANNOTATIONS}}
spec: {NODE containers: [{name: a, image: b}]}
"""


def pod(annotations: str = "", node: str = "") -> str:
    return POD.replace("ANNOTATIONS", annotations).replace("NODE", node)


def test_a_kubelet_labels_its_node_with_name_and_platform() -> None:
    assert ready(Node(ObjectMeta(name="n"))).metadata.labels.items() == (
        ("kubernetes.io/arch", "amd64"),
        ("kubernetes.io/hostname", "n"),
        ("kubernetes.io/os", "linux"),
    )


def test_a_manifest_says_what_else_the_platform_is() -> None:
    labels = StringMap({"kubernetes.io/arch": "arm64", "zone": "a"})
    assert ready(Node(ObjectMeta(name="n", labels=labels))).metadata.labels["kubernetes.io/arch"] == "arm64"


def test_a_pod_that_asks_for_linux_finds_a_node() -> None:
    objects = read_manifests(pod(node="nodeSelector: {kubernetes.io/os: linux},")).objects
    world = at_rest(Model(LOOPS), (Node(ObjectMeta(name="n")), *objects))
    [held] = world.etcd.find("Pod")
    assert held.ready  # type: ignore[union-attr]


def test_what_crashes_again_and_again_is_named_with_what_it_says() -> None:
    objects = read_manifests(pod("sim.loopscope.dev/exit: after 1s code 1")).objects
    with pytest.raises(RuntimeError) as refused:
        at_rest(Model(LOOPS), (Node(ObjectMeta(name="n")), *objects))
    text = str(refused.value)
    assert text.startswith(
        "the starting cluster does not come to rest within ten minutes; pod/a is not ready (CrashLoop"
    )
