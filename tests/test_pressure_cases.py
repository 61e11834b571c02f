"""Public cases of nodes that ran short, each run from its own manifests with its right values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.kube.manifests import read_manifests
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod, PodStatus
from app.loops.registry import LOOPS
from app.sim.engine import Model
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.step import Step
from app.sim.usage import disk_use, volume_parts
from app.sim.walk import Walk
from app.sim.world import World
from app.story.ranking import ranked

CASES: dict[str, dict[str, Any]] = {
    row["id"]: row for row in json.loads((Path(__file__).parent / "data" / "real-cases.json").read_text())
}
MODEL = Model(LOOPS)
PREFIX = "sim.loopscope.dev/"
MINUTE = 60_000


def node(name: str = "n1", capacity: Mapping[str, str] | None = None, **words: str) -> str:
    told = {PREFIX + key.replace("_", "-"): text for key, text in words.items()}
    meta = {"name": name, "annotations": told}
    return json.dumps({"apiVersion": "v1", "kind": "Node", "metadata": meta, "status": {"capacity": capacity or {}}})


def with_words(manifest: str, behaviour: Mapping[str, Mapping[str, str]]) -> str:
    """The manifests with what their programs do."""
    for name, words in behaviour.items():
        told = ", ".join(f'{PREFIX}{key}: "{text}"' for key, text in words.items())
        manifest = manifest.replace(
            f"metadata: {{name: {name}}}", f"metadata: {{name: {name}, annotations: {{{told}}}}}"
        )
    return manifest


def walked(*texts: str, until: int = 60 * MINUTE) -> Walk:
    objects = read_manifests("\n---\n".join(texts)).objects
    return run(MODEL, at_rest(MODEL, objects, images=("registry.example/app:1",)), until=until)


def steps(walk: Walk, moment: str) -> list[Step]:
    return [row.step for row in walk.records if row.step.moment == moment]


def evicted(walk: Walk) -> list[str]:
    return [step.object.name for step in steps(walk, "pod-evicted")]


def held(world: World, ref: Ref) -> Object:
    stored = world.etcd.get(ref)
    assert stored is not None
    return stored.object


def status(walk: Walk, name: str) -> PodStatus:
    found = held(walk.world, Ref("Pod", "default", name))
    assert isinstance(found, Pod)
    return found.status


def taints(world: World) -> list[str]:
    found = held(world, Ref("Node", "", "n1"))
    assert isinstance(found, Node)
    return [f"{row.key}:{row.effect}" for row in found.spec.taints]


def order(walk: Walk, moment: str = "eviction-threshold-met") -> list[str]:
    """Who would go first, as the ranking stood when the kubelet looked."""
    world = steps(walk, moment)[0].before
    return [row.pod.removeprefix("pod/") for row in ranked(world, "n1").evictees]


# press-01: kubernetes/kubernetes#78561.

KILLED = {"exit-code-on-sigterm": "143"}
SLOW, FAST = "0s=1Gi,3000s=7024Mi", "0s=1Gi,13s=7524Mi"


def press_01(priorities: Mapping[str, int] | None = None, burst: str = SLOW) -> Walk:
    manifest = CASES["press-01"]["manifests"]
    for name, priority in (priorities or {}).items():
        manifest = manifest.replace(
            f"metadata: {{name: {name}}}\nspec:\n", f"metadata: {{name: {name}}}\nspec:\n  priority: {priority}\n"
        )
    used = {"burst": burst, "best-effort": "500Mi", "guaranteed": "2900Mi"}
    behaviour = {name: KILLED | {"memory": memory} for name, memory in used.items()}
    return walked(node(memory="700Mi", eviction_hard="memory.available<100Mi"), with_words(manifest, behaviour))


def test_the_pod_furthest_above_its_request_goes_before_best_effort() -> None:
    walk = press_01()
    assert (order(walk), evicted(walk)) == (["burst", "best-effort", "guaranteed"], ["burst"])


def test_what_is_written_of_it() -> None:
    walk = press_01()
    found = status(walk, "burst")
    assert (found.phase, found.reason) == ("Failed", "Evicted")
    assert "The node was low on resource: memory" in found.message
    assert steps(walk, "pod-evicted")[0].outcome == "grace 1 s"
    assert [pod.metadata.name for pod in walk.world.etcd.find("Pod") if isinstance(pod, Pod) and pod.ready] == [
        "best-effort",
        "guaranteed",
    ]


def test_the_condition_and_its_taint_outlive_the_relief() -> None:
    walk = press_01()
    [told], [gone] = steps(walk, "node-tainted"), steps(walk, "node-untainted")
    assert taints(told.world) == ["node.kubernetes.io/memory-pressure:NoSchedule"]
    assert [step.reason for step in steps(walk, "pressure-reported")] == ["MemoryPressure=True"]
    relief = steps(walk, "signal-recovered")[0].at
    assert 295_000 <= gone.at - relief <= 330_000
    assert taints(walk.world) == []


@pytest.mark.parametrize(
    ("priorities", "expected"),
    [
        ({"burst": 1000, "best-effort": 0}, ["best-effort", "burst", "guaranteed"]),
        ({"guaranteed": -10}, ["burst", "best-effort", "guaranteed"]),
    ],
)
def test_priority_counts_among_those_above_their_requests(priorities: dict[str, int], expected: list[str]) -> None:
    assert order(press_01(priorities)) == expected


def test_a_spike_is_the_kernels() -> None:
    walk = press_01(burst=FAST)
    [first] = steps(walk, "node-oom")[:1]
    assert (first.object.name, evicted(walk)) == ("burst", [])


# press-03: a k3s node without a threshold for memory.

K3S = {"memory": "800Mi", "eviction_hard": "imagefs.available<5%,nodefs.available<5%"}
GROWS, SPIKES = "0s=4000Mi,175s=4350Mi", "0s=1Gi,4s=4350Mi"


def press_03(hog: str = GROWS, *, alone: bool = False, **words: str) -> Walk:
    parts = [part for part in CASES["press-03"]["manifests"].split("---\n") if not alone or "name: hog" in part]
    behaviour = {"hog": {"memory": hog}, "api": {"memory": "950Mi"}, "exporter": {"memory": "60Mi"}}
    manifest = with_words("---\n".join(parts), {} if alone else behaviour)
    manifest = with_words(manifest, {"hog": {"memory": hog}}) if alone else manifest
    return walked(node(capacity={"memory": "6Gi"}, **(K3S | words)), manifest, until=10 * MINUTE)


def test_without_a_threshold_the_kernel_chooses_and_knows_no_priority() -> None:
    walk = press_03()
    [first] = steps(walk, "node-oom")[:1]
    assert first.object.name == "api"
    assert (evicted(walk), steps(walk, "pressure-reported")) == ([], [])
    found = status(walk, "api")
    [container] = found.containerStatuses
    ended = container.lastState.terminated or container.state.terminated
    assert ended is not None
    assert (found.phase, ended.reason, ended.exitCode, container.restartCount >= 1) == (
        "Running",
        "OOMKilled",
        137,
        True,
    )
    told = [event.message for row in walk.records for event in row.step.events if event.reason == "SystemOOM"]
    assert told[0].startswith("System OOM encountered, victim process: main, pid: ")


def test_the_scores_of_the_case() -> None:
    walk = press_03()
    found = {row.pod: row.score_adj for row in ranked(walk.start, "n1").killed}
    expected = CASES["press-03"]["expect"]["checks"][2]["assert"]["oom_score_adj"]
    assert {f"pod/{name}" for name in expected} == set(found)
    assert all(abs(found[f"pod/{name}"] - score) <= 5 for name, score in expected.items())


def test_with_a_threshold_the_kubelet_acts_first_by_priority() -> None:
    walk = press_03(eviction_hard="memory.available<100Mi")
    assert (order(walk), evicted(walk)[0], steps(walk, "node-oom")) == (["exporter", "api", "hog"], "exporter", [])


def test_a_spike_between_two_looks_is_the_kernels_even_so() -> None:
    walk = press_03(SPIKES, eviction_hard="memory.available<100Mi", eviction_tick="1s")
    assert steps(walk, "node-oom")
    assert evicted(walk) == []


def test_its_own_limit_ends_the_hog_alone() -> None:
    walk = press_03("0s=4000Mi,60s=4500Mi", alone=True)
    assert {step.object.name for step in steps(walk, "oom-killed")} == {"hog"}
    assert (steps(walk, "node-oom"), evicted(walk)) == ([], [])


# press-05: a spool that outgrows its pod.


def press_05(
    spool: str = "0s=0,154s=3Gi",
    limits: str = "{ephemeral-storage: 1Gi, memory: 512Mi}",
    volume: str = "{sizeLimit: 10Gi}",
) -> Walk:
    manifest = CASES["press-05"]["manifests"]
    manifest = manifest.replace("{ephemeral-storage: 1Gi, memory: 512Mi}", limits)
    manifest = manifest.replace("{sizeLimit: 10Gi}", volume)
    words = f'annotations: {{{PREFIX}spool.volume: "{spool}", {PREFIX}exit-code-on-sigterm: "143"}}'
    manifest = manifest.replace(
        "metadata: {labels: {app: backend}}", f"metadata: {{labels: {{app: backend}}, {words}}}"
    )
    nodes = [node(name, {"ephemeral-storage": "220Gi"}) for name in ("n1", "n2")]
    return walked(*nodes, manifest, until=2 * MINUTE)


def test_a_spool_that_outgrows_the_containers_limits_ends_the_pod_not_the_container() -> None:
    walk = press_05()
    [act] = steps(walk, "pod-evicted")[:1]
    old = held(walk.world, act.object)
    assert isinstance(old, Pod)
    assert 51_000 <= act.at <= 130_000
    assert (old.status.phase, old.status.reason, act.outcome) == ("Failed", "Evicted", "grace 1 s")
    assert old.status.message == "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. "
    assert [row.type for row in old.status.conditions if row.type == "DisruptionTarget"] == []
    assert [row.restartCount for row in old.status.containerStatuses] == [0]
    assert steps(walk, "oom-killed") == steps(walk, "pressure-reported") == []
    others = [pod for pod in walk.world.etcd.find("Pod") if isinstance(pod, Pod) and pod.ref != act.object]
    assert [pod.ready for pod in others if not pod.finished] == [True]


def test_what_was_spooled_is_lost_and_its_program_ended_before_the_upload_was_done() -> None:
    walk = press_05()
    [act] = steps(walk, "pod-evicted")[:1]
    [ended] = [step for step in steps(walk, "process-exited") if step.object == act.object]
    # 3Gi at 20Mi a second take 154 s.
    assert ended.at < 154_000
    old = act.before.hosts[act.node].uids[act.object][0]
    after = walk.world.hosts[act.node]
    assert old not in after.pods or not list(volume_parts(after, old, after.pods[old]))
    [new] = [pod for pod in walk.world.etcd.find("Pod") if isinstance(pod, Pod) and not pod.finished]
    host = walk.world.hosts[new.spec.nodeName]
    spooled = disk_use(host, new.metadata.uid, walk.world.now).volumes["spool"]
    assert spooled <= (walk.world.now - ended.at) * 20 * 2**20 / 1000


def test_a_volumes_own_limit_is_another_reason() -> None:
    walk = press_05(limits="{memory: 512Mi}", volume="{sizeLimit: 1Gi}")
    old = held(walk.world, steps(walk, "pod-evicted")[0].object)
    assert isinstance(old, Pod)
    assert (old.status.phase, old.status.reason) == ("Failed", "Evicted")
    assert old.status.message == 'Usage of EmptyDir volume "spool" exceeds the limit "1Gi". '


def test_a_volume_in_memory_is_the_containers_memory() -> None:
    walk = press_05(limits="{memory: 512Mi}", volume="{medium: Memory}")
    [first] = steps(walk, "oom-killed")[:1]
    assert (first.reason, evicted(walk)) == ("limit of backend: 512Mi", [])


def test_a_small_file_harms_nobody() -> None:
    assert evicted(press_05("0s=0,45s=900Mi")) == []


# Which test holds which check.

HELD: dict[str, dict[str, Callable[..., None]]] = {
    "press-01": {
        "order": test_the_pod_furthest_above_its_request_goes_before_best_effort,
        "status": test_what_is_written_of_it,
        "node": test_the_condition_and_its_taint_outlive_the_relief,
        "priority-beats-excess": test_priority_counts_among_those_above_their_requests,
        "under-request-last": test_priority_counts_among_those_above_their_requests,
        "spike": test_a_spike_is_the_kernels,
    },
    "press-03": {
        "kernel": test_without_a_threshold_the_kernel_chooses_and_knows_no_priority,
        "no-pressure": test_without_a_threshold_the_kernel_chooses_and_knows_no_priority,
        "scores": test_the_scores_of_the_case,
        "with-threshold": test_with_a_threshold_the_kubelet_acts_first_by_priority,
        "spike": test_a_spike_between_two_looks_is_the_kernels_even_so,
        "own-limit": test_its_own_limit_ends_the_hog_alone,
    },
    "press-05": {
        "evicted": test_a_spool_that_outgrows_the_containers_limits_ends_the_pod_not_the_container,
        "not-oom": test_a_spool_that_outgrows_the_containers_limits_ends_the_pod_not_the_container,
        "replaced": test_what_was_spooled_is_lost_and_its_program_ended_before_the_upload_was_done,
        "emptydir-limit": test_a_volumes_own_limit_is_another_reason,
        "tmpfs": test_a_volume_in_memory_is_the_containers_memory,
        "small-file": test_a_small_file_harms_nobody,
    },
}


def test_every_check_of_these_cases_is_held() -> None:
    known = {
        name: {row["id"] for row in CASES[name]["expect"]["checks"]} for name in CASES if name.startswith("press-")
    }
    assert {name: set(checks) for name, checks in HELD.items()} == known
