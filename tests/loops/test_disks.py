"""Disks on a whole cluster: made for a claim, moved to another node, broken, and on a machine that is lost."""

from __future__ import annotations

from itertools import pairwise

from msgspec.structs import replace

from app.kube.manifests import read_manifests
from app.sim.intervention import parse
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk
from tests.loops.test_startup import MODEL, moments, state, told

NODES = "\n---\n".join(f"{{apiVersion: v1, kind: Node, metadata: {{name: node-{number}}}}}" for number in (1, 2))
CLAIM = """
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, VOLUME}
"""
VOLUME = """
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv, annotations: {WORDS}}
spec: {accessModes: [ReadWriteOnce], csi: {driver: csi.example.com, volumeHandle: vol-1}}
"""
POD = """
---
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  terminationGracePeriodSeconds: 1
  nodeName: "NODE"
  volumes: [{name: files, persistentVolumeClaim: {claimName: data}}]
  containers: [{name: app, image: "app:v1"}]
"""
UNBOUND = CLAIM.replace("VOLUME", "")


def disk(words: str = "") -> str:
    return VOLUME.replace("WORDS", words) + CLAIM.replace("VOLUME", "volumeName: pv")


def pod(name: str = "web", node: str = "") -> str:
    return POD.replace("NAME", name).replace("NODE", node)


def walk(start: str, applied: str, *script: str, until: str = "60s", later: str = "") -> Walk:
    """`applied` is applied at t = 0 to a cluster of two nodes at rest; `m:later` is at hand."""
    world = at_rest(MODEL, read_manifests(NODES + start).objects)
    texts = {"web": applied, "later": later}
    given = {name: read_manifests(text).objects for name, text in texts.items() if text}
    world = replace(world, manifests=world.manifests.update(given))
    lines = [parse(line) for line in ("0s apply m:web", *script)]
    return run(MODEL, world, lines, until=parse(f"{until} x").at or 0)


def at(found: Walk, *names: str) -> list[float]:
    return [when for when, _ in moments(found, *names)]


def test_a_disk_is_made_for_a_claim_before_its_pod_is_scheduled() -> None:
    found = walk("", UNBOUND + pod())
    names = ["volume-awaited", "volume-provisioning", "volume-provisioned", "claim-bound", "pod-bound"]
    names += ["attach-requested", "disk-attached", "volume-attached", "volumes-in-use", "volume-mounted", "pod-ready"]
    assert [name for _, name in moments(found, *names)] == names
    assert told(found, "FailedScheduling")[0] < 0.1
    reasons = ("ExternalProvisioning", "Provisioning", "ProvisioningSucceeded")
    assert [len(told(found, reason)) for reason in reasons] == [1, 1, 1]


def test_a_cluster_at_rest_has_its_disks() -> None:
    found = walk(UNBOUND + pod(node="node-1"), "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}", until="30s")
    assert moments(found, "volume-awaited", "attach-requested", "volumes-in-use") == []


def test_a_disk_moves_once_the_first_node_has_let_go_of_it() -> None:
    found = walk(disk() + pod(node="node-1"), pod("two", "node-2"), "11s delete pod/web")
    assert state(found, "two") == "Running"
    (refused,) = told(found, "FailedAttachVolume")
    unmounted, asked, free = (at(found, name)[0] for name in ("volumes-unmounted", "detach-requested", "disk-detached"))
    assert refused < 11 < unmounted < asked < free < at(found, "attach-requested")[0] < at(found, "pod-ready")[0]
    # The kubelet says so with its next report, 15 s after t = 0.
    assert 15 <= asked < 15.1


def test_a_sync_gives_up_after_two_minutes_and_the_disk_is_found_late() -> None:
    found = walk(disk("sim.loopscope.dev/attach: hangs"), pod(), "150s set persistentvolume/pv attach=2s", until="300s")
    assert at(found, "volume-wait-timed-out")[0] > 123
    assert told(found, "FailedMount") == []
    # The kubelet's own back-off is long by now.
    assert at(found, "volume-attached")[0] < 153
    assert at(found, "volume-mounted")[0] > 240
    assert state(found) == "Running"


def test_a_disk_that_cannot_be_mounted() -> None:
    broken = disk("sim.loopscope.dev/mount: fails")
    assert state(walk(broken, pod())) == "ContainerCreating"
    found = walk(broken, pod(), "20s set persistentvolume/pv mount=1s")
    tries = told(found, "FailedMount")
    # Each try takes 300 ms, and the time to the next one doubles.
    assert [round(later - earlier, 1) for earlier, later in pairwise(tries)] == [0.8, 1.3, 2.3, 4.3]
    assert state(found) == "Running"


def test_a_claim_that_is_not_there_keeps_its_pod_from_every_node() -> None:
    found = walk("", pod(), "20s apply m:later", later=disk())
    assert told(found, "FailedScheduling")[0] < 1
    assert 20 < told(found, "Scheduled")[0] < 21
    assert state(found) == "Running"


def test_and_a_pod_that_has_its_node_from_a_sandbox() -> None:
    found = walk("", pod(node="node-1"), "20s apply m:later", later=disk())
    first, second = told(found, "FailedMount")
    assert 10 < second - first < 16
    assert state(found) == "Running"


def test_a_machine_that_is_lost_keeps_its_disk() -> None:
    """Without a Lease nobody finds out that the node is down: what it says of its disks is believed."""
    start = disk() + pod(node="node-1")
    script = ("0s power-off node/node-1", "10s delete pod/web force=true")
    assert state(walk(start, pod("two", "node-2"), *script, until="200s"), "two") == "ContainerCreating"
    taint = "60s taint node/node-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"
    assert state(walk(start, pod("two", "node-2"), *script, taint, until="200s"), "two") == "Running"
