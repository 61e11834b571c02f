"""Static pods and their mirrors on a whole node."""

from __future__ import annotations

from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.static_pods import is_mirror
from app.sim.walk import Walk
from tests.loops.test_startup import moments, state, told, walk

ETCD = """
apiVersion: v1
kind: Pod
metadata: {name: etcd}
spec: {terminationGracePeriodSeconds: 5, containers: [{name: etcd, image: "etcd:3"}]}
"""
FILES = f"{ETCD}---later{ETCD.replace('etcd:3', 'etcd:4')}"
WRITE = "0s write-manifest node/node-1 m:web"
MIRROR = "etcd-node-1"


def of_node(*script: str, until: str = "30s", start: str = "") -> Walk:
    """Nothing is applied: what is called `m:web` lies on the machine."""
    return walk(FILES, *script, until=until, start=start, applies=False)


def mirror(found: Walk) -> Pod | None:
    held = found.world.etcd.get(Ref("Pod", "default", MIRROR))
    return held.object if held is not None and isinstance(held.object, Pod) else None


def runs(found: Walk) -> list[tuple[str, str, int]]:
    """The image of each pod on the machine, the state of its container, and how often it was started."""
    host = found.world.hosts["node-1"]
    pods = [host.pods[uid] for uids in host.uids.values() for uid in uids]
    return [(pod.pod.spec.containers[0].image, run.state, run.attempt) for pod in pods for run in pod.containers]


def test_a_manifest_on_the_machine_becomes_a_pod_that_the_api_only_mirrors() -> None:
    found = of_node(WRITE)
    shown = mirror(found)
    assert shown is not None
    assert is_mirror(shown)
    assert (state(found, MIRROR), runs(found)) == ("Running", [("etcd:3", "running", 0)])
    assert shown.metadata.uid not in found.world.hosts["node-1"].pods
    assert told(found, "Scheduled") == []


def test_it_runs_without_the_api_server_and_is_mirrored_when_that_is_back() -> None:
    away = of_node("0s stop kube-apiserver", WRITE)
    assert (mirror(away), runs(away)) == (None, [("etcd:3", "running", 0)])
    back = of_node("0s stop kube-apiserver", WRITE, "20s start kube-apiserver", until="120s")
    assert state(back, MIRROR) == "Running"
    assert 20 <= moments(back, "mirror-pod-created")[-1][0] <= 40


def test_deleting_the_mirror_changes_nothing_on_the_machine() -> None:
    before = of_node(WRITE, until="10s")
    found = of_node(WRITE, f"10s delete pod/{MIRROR}")
    first, second = mirror(before), mirror(found)
    assert first is not None
    assert second is not None
    assert second.metadata.uid != first.metadata.uid
    assert (state(found, MIRROR), runs(found)) == ("Running", [("etcd:3", "running", 0)])
    assert told(found, "Killing") == []


def test_taking_the_manifest_away_ends_the_pod_with_its_grace_and_then_the_mirror() -> None:
    found = of_node(WRITE, "10s remove-manifest node/node-1 etcd")
    assert (mirror(found), runs(found)) == (None, [])
    assert told(found, "Killing") == [10.0]
    (ended,) = [at for at, _ in moments(found, "sandbox-stopped")]
    (gone,) = [at for at, _ in moments(found, "mirror-pod-deleted")]
    assert 10 < ended < 10.5
    assert ended < gone < ended + 3


def test_a_changed_manifest_starts_only_when_the_old_pod_has_ended() -> None:
    found = of_node(WRITE, "10s write-manifest node/node-1 m:later")
    assert (state(found, MIRROR), runs(found)) == ("Running", [("etcd:4", "running", 0)])
    starts = told(found, "Started")
    (ended, *_) = [at for at, _ in moments(found, "sandbox-stopped")]
    assert starts[0] < 10 < ended < starts[1]


def test_a_pod_that_says_that_it_comes_from_a_file_is_there_from_the_start() -> None:
    note = 'annotations: {kubernetes.io/config.source: file, kubernetes.io/config.mirror: "0"}'
    start = ETCD.replace("name: etcd}", f"name: {MIRROR}, {note}}}")
    found = of_node(start=start)
    assert (state(found, MIRROR), runs(found)) == ("Running", [("etcd:3", "running", 0)])


def test_what_refers_to_the_api_is_not_run() -> None:
    needs = ETCD.replace("spec: {", "spec: {serviceAccountName: etcd, ")
    found = walk(needs, WRITE, applies=False)
    assert [row.step.outcome for row in found.records if row.step.loop == "you"] == [
        "static pods may not reference serviceaccounts"
    ]
    assert runs(found) == []
