"""From `kubectl apply` to a running pod on a whole cluster, and what stands in its way."""

from __future__ import annotations

from itertools import pairwise

from msgspec.structs import replace

from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.kube.pod_columns import pod_status
from app.kube.pods import Pod
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.walk import Walk
from app.story.events import recorded

MODEL = Model(LOOPS)
NODE = "{apiVersion: v1, kind: Node, metadata: {name: node-1, annotations: {ANNOTATIONS}}, spec: {podCIDR: BLOCK}}"
POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, annotations: {ANNOTATIONS}}
spec: {SPEC containers: [{name: app, image: "app:v1", CONTAINER}]}
"""


def pod(name: str = "web", annotations: str = "", spec: str = "", container: str = "") -> str:
    found = POD.replace("NAME", name).replace("SPEC", f"{spec}," if spec else "")
    return found.replace("ANNOTATIONS", annotations).replace("CONTAINER", container)


def walk(
    manifest: str,
    *script: str,
    until: str = "60s",
    node: str = "",
    block: str = '""',
    start: str = "",
    applies: bool = True,
) -> Walk:
    """The manifest is applied at once to an idle cluster of one node; `m:later` names what `---later` parts off."""
    first, _, later = manifest.partition("---later")
    machine = NODE.replace("ANNOTATIONS", node).replace("BLOCK", block)
    world = at_rest(MODEL, read_manifests(f"{machine}\n---\n{start}" if start else machine).objects)
    texts = {"web": first, "later": later}
    world = replace(
        world,
        manifests=world.manifests.update({name: read_manifests(text).objects for name, text in texts.items() if text}),
    )
    lines = [*(["0s apply m:web"] if applies else []), *script]
    return run(MODEL, world, [parse(text) for text in lines], until=parse(f"{until} x").at or 0)


def state(found: Walk, name: str = "web") -> str:
    """The STATUS column."""
    held = found.world.etcd.get(Ref("Pod", "default", name))
    assert held is not None
    assert isinstance(held.object, Pod)
    return pod_status(held.object)


def told(found: Walk, *reasons: str) -> list[float]:
    """When Events of these reasons were written, in seconds."""
    return [row.at / 1000 for _, row in recorded(found) if row.reason in reasons]


def moments(found: Walk, *names: str) -> list[tuple[float, str]]:
    """When these moments come, in seconds."""
    return [(row.step.at / 1000, row.step.moment) for row in found.records if row.step.moment in names]


def test_a_pod_that_is_bound_already_needs_no_scheduler() -> None:
    found = walk(pod(spec="nodeName: node-1"), "0s stop kube-scheduler")
    assert state(found) == "Running"
    assert told(found, "Scheduled") == []
    held = found.world.etcd.get(Ref("Pod", "default", "web"))
    assert held is not None
    assert isinstance(held.object, Pod)
    assert [row.type for row in held.object.status.conditions if row.status == "True"] == [
        "PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled",
    ]  # fmt: skip


def test_a_pod_for_which_there_is_no_room_is_rejected_by_its_node() -> None:
    large = 'resources: {requests: {cpu: "3"}}'
    found = walk(pod(spec="nodeName: node-1", container=large) + "---" + pod("other", "", "nodeName: node-1", large))
    assert [state(found), state(found, "other")] == ["Running", "OutOfcpu"]


def test_a_broken_network_plugin_holds_pods_up_until_it_is_mended() -> None:
    found = walk(pod(), "30s set node/node-1 cni=ok", node="sim.loopscope.dev/cni: failing")
    tries = told(found, "FailedCreatePodSandBox")
    assert len(tries) in (2, 3)
    assert all(10 <= later - earlier <= 16 for earlier, later in pairwise(tries))
    assert state(found) == "Running"
    assert state(walk(pod(), node="sim.loopscope.dev/cni: failing")) == "ContainerCreating"


def test_addresses_run_out_and_come_back() -> None:
    """A block of eight addresses has room for five pods: the sixth waits until another one has gone."""
    many = "---".join(pod(f"web-{number}", spec="terminationGracePeriodSeconds: 1") for number in range(1, 7))
    full = walk(many, until="20s", block="10.9.0.0/29")
    assert [state(full, f"web-{number}") for number in range(1, 7)].count("ContainerCreating") == 1
    freed = walk(many, "20s delete pod/web-1", block="10.9.0.0/29")
    assert [state(freed, f"web-{number}") for number in range(2, 7)] == ["Running"] * 5


def test_a_private_image_comes_once_its_secret_is_there() -> None:
    private = pod(annotations="sim.loopscope.dev/image-pull: private", spec="imagePullSecrets: [{name: registry}]")
    registry = "---later\n{apiVersion: v1, kind: Secret, metadata: {name: registry}}"
    assert state(walk(private)) in ("ErrImagePull", "ImagePullBackOff")
    found = walk(private + registry, "20s apply m:later", until="2m")
    assert state(found) == "Running"
    assert told(found, "FailedToRetrieveImagePullSecret")[-1] < 20


def test_missing_configuration_is_found_by_a_later_sync() -> None:
    needs = pod(container="envFrom: [{configMapRef: {name: flags}}]")
    config = "---later\n{apiVersion: v1, kind: ConfigMap, metadata: {name: flags}, data: {dark: 'yes'}}"
    assert state(walk(needs)) == "CreateContainerConfigError"
    found = walk(needs + config, "20s apply m:later")
    assert state(found) == "Running"
    (started,) = told(found, "Started")
    assert 20 < started < 37


def test_init_containers_come_first_and_end_by_themselves() -> None:
    init = "initContainers: [{name: migrate, image: 'app:v1'}, {name: proxy, image: 'app:v1', restartPolicy: Always}]"
    found = walk(pod(annotations="sim.loopscope.dev/migrate.startup: 3s", spec=init))
    assert state(found) == "Running"
    starts = told(found, "Started")
    # The relist that sees the end comes within a second.
    assert 3 < starts[1] - starts[0] < 4.1
    assert starts[2] - starts[1] < 0.1


def test_a_hook_after_the_start_keeps_the_next_container_waiting() -> None:
    hook = "lifecycle: {postStart: {exec: {command: [register]}}}}, {name: other, image: 'app:v1'"
    found = walk(pod(annotations="sim.loopscope.dev/app.post-start: 5s", container=hook))
    first, second = told(found, "Started")
    assert 5 < second - first < 5.1
    assert state(found) == "Running"
    failing = walk(pod(annotations="sim.loopscope.dev/app.post-start: fails", container=hook))
    assert told(failing, "FailedPostStartHook") != []
    assert state(failing) in ("PostStartHookError", "CrashLoopBackOff")
    assert told(failing, "Killing") == told(failing, "FailedPostStartHook")
