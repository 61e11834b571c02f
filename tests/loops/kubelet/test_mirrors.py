"""The table of mirror pods: when the API's picture of a static pod is made, replaced and taken away."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.objects import Object
from app.kube.pods import Container, Pod, PodSpec
from app.kube.static_pods import as_static, mirror_of
from app.loops.kubelet.mirrors import LOOP
from app.sim.acts import Act, Create, Delete
from app.sim.host import Host, Worker
from tests.loops.beliefs import decided, pod, requested, told, turn
from tests.loops.machines import MACHINE, NODE, machine, off, there

WRITTEN = Pod(ObjectMeta(name="etcd", namespace="default"), PodSpec((Container("etcd", "etcd:3"),)))
STATIC = as_static(WRITTEN, NODE)
NEWER = as_static(replace(WRITTEN, spec=PodSpec((Container("etcd", "etcd:4"),))), NODE)
KEY = Ref("Pod", "default", "etcd-n1")


def runs(static: Pod = STATIC, stage: str = "sync") -> Host:
    return machine(there(static), Worker(since=0, stage=stage))


def shown(static: Pod = STATIC, *, deleted: bool = False) -> Pod:
    made = mirror_of(static, MACHINE)
    return replace(made, metadata=replace(made.metadata, uid="uid-mirror", deletionTimestamp=0 if deleted else None))


ORDINARY = replace(pod("etcd-n1"), metadata=replace(pod("etcd-n1").metadata, labels=WRITTEN.metadata.labels))
CREATED = ["create-mirror pod/etcd-n1 StaticPod"]


@pytest.mark.parametrize(
    ("host", "believes", "decisions"),
    [
        pytest.param(runs(), [MACHINE], CREATED, id="what runs is shown"),
        pytest.param(runs(), [], ["wait 1500"], id="by a kubelet that knows its own Node"),
        pytest.param(runs(), [MACHINE, shown()], [], id="once"),
        pytest.param(
            runs(),
            [MACHINE, shown(deleted=True)],
            ["delete-mirror pod/etcd-n1 Deleted"],
            id="who deletes it changes nothing",
        ),
        pytest.param(
            runs(NEWER), [MACHINE, shown()], ["delete-mirror pod/etcd-n1 ManifestChanged"], id="another manifest"
        ),
        pytest.param(runs(stage="terminating"), [MACHINE], [], id="not shown again while it ends"),
        pytest.param(runs(stage="terminating"), [MACHINE, shown()], [], id="but as long as anything of it is left"),
        pytest.param(Host(NODE), [MACHINE, shown()], ["wait 2000"], id="the next housekeeping"),
        pytest.param(Host(NODE), [MACHINE, ORDINARY], [], id="other pods are not its business"),
        pytest.param(off(runs()), [MACHINE], [], id="nor anything on a machine without power"),
    ],
)
def test_a_mirror(host: Host, believes: list[Object], decisions: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes, now=500, node=NODE, host=host))) == decisions


def test_housekeeping_takes_away_what_is_left() -> None:
    (act,) = decided(LOOP, turn(LOOP, KEY, MACHINE, shown(), now=2_000, node=NODE, host=Host(NODE)))
    assert isinstance(act, Act)
    # At once, and this very one.
    assert act.request == Delete(KEY, 0, "uid-mirror")


def test_what_the_mirror_says() -> None:
    (act,) = decided(LOOP, turn(LOOP, KEY, MACHINE, node=NODE, host=runs()))
    assert isinstance(act, Act)
    assert isinstance(act.request, Create)
    meta = requested(act).metadata
    assert meta.annotations.get("kubernetes.io/config.mirror") == STATIC.metadata.uid
    assert meta.annotations.get("kubernetes.io/config.source") == "file"
    assert [(row.kind, row.name) for row in meta.ownerReferences] == [("Node", NODE)]
