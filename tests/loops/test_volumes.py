"""Volumes from the claim to the mount: what three loops do in turn, and where a pod waits when one of them does not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.storage import VolumeAttachment
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Record, Walk

MODEL = Model(LOOPS)
CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: n1}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv, annotations: {sim.loopscope.dev/attach: ATTACH}}
spec: {accessModes: [MODE], csi: {driver: csi.example.com, volumeHandle: vol-1}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [MODE], volumeName: pv}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  nodeName: %s
  automountServiceAccountToken: false
  containers: [{name: app, image: "app:1"}]
  volumes: [{name: v, %s}]
"""
CLAIM = "persistentVolumeClaim: {claimName: data}"
TLS = "{apiVersion: v1, kind: Secret, metadata: {name: tls}}"


def walk(*script: str, attach: str = "1s", mode: str = "ReadWriteOnce", until: str = "60s", **pods: str) -> Walk:
    """Each of `pods` is applied by that name: `a="n1 CLAIM"` is a pod on n1 with a volume."""
    text = CLUSTER.replace("ATTACH", attach).replace("MODE", mode)
    world = at_rest(MODEL, read_manifests(text).objects, images=("app:1",))
    made = {name: read_manifests(POD % (name, *said.split(" ", 1))).objects for name, said in pods.items()}
    made["tls"] = read_manifests(TLS).objects
    world = replace(world, manifests=world.manifests.update(made))
    return run(MODEL, world, [parse(line) for line in script], until=parse(f"{until} x").at or 0)


def of(found: Walk, moment: str) -> list[Record]:
    return [row for row in found.records if row.step.moment == moment]


def told(found: Walk, reason: str) -> list[str]:
    return [event.message for row in found.records for event in row.step.events if event.reason == reason]


def instants(found: Walk, *moments: str) -> list[int]:
    return [of(found, moment)[0].step.at for moment in moments]


def test_the_control_plane_attaches_before_the_node_mounts_before_there_is_a_sandbox() -> None:
    found = walk("0s apply m:a", a=f"n1 {CLAIM}")
    order = ("attach-requested", "disk-attached", "volume-attached", "volumes-in-use", "volume-mounted", "run-sandbox")
    assert instants(found, *order) == sorted(instants(found, *order))
    attached, said, mounted = instants(found, "disk-attached", "volumes-in-use", "volume-mounted")
    assert attached == pytest.approx(1_000, abs=50)
    # The kubelet reports its node every ten seconds, and mounts nothing that it has not said it needs.
    assert said == 5_000
    assert mounted == pytest.approx(said + 300, abs=30)
    assert told(found, "SuccessfulAttachVolume") == ['AttachVolume.Attach succeeded for volume "pv"']
    node = found.world.etcd.get(Ref("Node", "", "n1"))
    assert node is not None
    assert isinstance(node.object, Node)
    assert [row.name for row in node.object.status.volumesAttached] == ["kubernetes.io/csi/csi.example.com^vol-1"]


def test_the_wait_for_volumes_looks_every_300_ms() -> None:
    found = walk("0s apply m:a", a=f"n1 {CLAIM}")
    admitted, mounted, sandbox = instants(found, "pod-admitted", "volume-mounted", "run-sandbox")
    assert (sandbox - admitted) % 300 == 0
    assert 0 <= sandbox - mounted < 300


def test_a_disk_that_another_node_has_is_waited_for_and_complained_of_once() -> None:
    found = walk("0s apply m:a", "5s apply m:b", "20s delete pod/a", a=f"n1 {CLAIM}", b=f"n2 {CLAIM}")
    (refused,) = of(found, "multi-attach")
    assert refused.step.at == pytest.approx(5_000, abs=20)
    assert told(found, "FailedAttachVolume") == [
        'Multi-Attach error for volume "pv" Volume is already used by pod(s) a'
    ]
    gone, let_go, detached = instants(found, "object-removed", "detach-requested", "disk-detached")
    second = of(found, "attach-requested")[1].step.at
    assert 20_000 < gone < let_go < detached < second
    assert of(found, "sandbox-ready")[1].step.object.name == "b"
    left = [row for row in found.world.etcd.find("VolumeAttachment") if isinstance(row, VolumeAttachment)]
    assert [row.spec.nodeName for row in left] == ["n2"]


def test_a_shared_volume_is_on_both_nodes_at_once() -> None:
    found = walk("0s apply m:a", "5s apply m:b", mode="ReadWriteMany", a=f"n1 {CLAIM}", b=f"n2 {CLAIM}")
    assert not of(found, "multi-attach")
    assert len(of(found, "sandbox-ready")) == 2


def test_two_pods_of_one_node_share_its_disk() -> None:
    found = walk("0s apply m:a", "5s apply m:b", a=f"n1 {CLAIM}", b=f"n1 {CLAIM}")
    assert len(of(found, "attach-requested")) == 1
    assert len(of(found, "sandbox-ready")) == 2


def test_a_driver_that_does_not_answer_is_told_of_every_two_minutes() -> None:
    found = walk("0s apply m:a", attach="hangs", until="5m", a=f"n1 {CLAIM}")
    asked = instants(found, "attach-requested")[0]
    assert [row.step.at - asked for row in of(found, "attach-timed-out")] == [120_000, 240_500]
    assert told(found, "FailedAttachVolume")[0] == (
        'AttachVolume.Attach failed for volume "pv" : '
        "timed out waiting for external-attacher of csi.example.com CSI driver to attach volume vol-1"
    )
    assert not of(found, "run-sandbox")


def test_what_a_volume_is_made_of_is_looked_for_ever_more_rarely() -> None:
    found = walk("0s apply m:a", until="5m", a="n1 secret: {secretName: tls}")
    failed = [row.step.at for row in of(found, "mount-failed")]
    assert [late - early for early, late in pairwise(failed)] == [
        500,
        1_000,
        2_000,
        4_000,
        8_000,
        16_000,
        32_000,
        64_000,
        122_000,
    ]
    assert set(told(found, "FailedMount")) == {'MountVolume.SetUp failed for volume "v" : secret "tls" not found'}
    assert not of(found, "run-sandbox")


def test_what_was_missing_is_found_by_the_next_try() -> None:
    found = walk("0s apply m:a", "2s apply m:tls", a="n1 secret: {secretName: tls}")
    tries = [row.step.at for row in of(found, "mount-failed")]
    assert of(found, "files-mounted")[0].step.at - tries[-1] == 2_000
    assert of(found, "sandbox-ready")


@pytest.mark.parametrize("volume", ["secret: {secretName: tls, optional: true}", "emptyDir: {}", "hostPath: {path: /}"])
def test_other_volumes_hold_up_nobody(volume: str) -> None:
    found = walk("0s apply m:a", a=f"n1 {volume}")
    admitted, sandbox = instants(found, "pod-admitted", "run-sandbox")
    assert sandbox - admitted == 300


def test_a_controller_that_was_away_attaches_when_it_is_back() -> None:
    found = walk("0s stop kube-controller-manager", "0s apply m:a", "9s start kube-controller-manager", a=f"n1 {CLAIM}")
    assert instants(found, "attach-requested")[0] >= 9_000
    assert of(found, "sandbox-ready")


def test_at_rest_nothing_is_left_to_do_about_disks() -> None:
    found = walk("0s apply m:a", "9s delete pod/a", a=f"n1 {CLAIM}")
    assert found.stopped == "quiet"
    assert not found.world.etcd.find("VolumeAttachment")
    node = found.world.etcd.get(Ref("Node", "", "n1"))
    assert node is not None
    assert not node.object.status.volumesAttached  # type: ignore[union-attr]
