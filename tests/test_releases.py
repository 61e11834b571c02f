"""What a walk shows just before a behaviour came, and from its release on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from app.catalog.reading import flows
from app.kube.pods import Pod
from app.kube.releases import BEHAVIOURS, release
from app.kube.workloads import Deployment
from app.story.events import newest
from app.story.play import Play, output, play, request
from app.story.terminal import kubectl

POD = """
apiVersion: v1
kind: Pod
metadata: {name: %s, labels: {app: web}, annotations: {sim.loopscope.dev/image-pull: %s}}
spec:
  terminationGracePeriodSeconds: 20
  containers: [{name: main, image: "web:1"}]
"""
NODES = """
apiVersion: v1
kind: Node
metadata: {name: node-1}
%s
---
"""
TAINTED = NODES % "spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}"
CORDONED = NODES % "spec: {unschedulable: true}"
PENDING = TAINTED + POD % ("web-1", "1s")
SET = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: "db:1"}]}
"""
SERVED = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {sim.loopscope.dev/image-pull: 3s}}
    spec: {containers: [{name: main, image: "web:1"}]}
"""


@cache
def walk(
    version: str,
    flow: str = "sandbox",
    manifest: str = "",
    *,
    do: tuple[str, ...] = (),
    until: str = "",
) -> Play:
    asked = request(
        flow,
        settings=[("kubernetes", version)],
        manifest=manifest or None,
        choices=[("do", line) for line in do],
        until=until,
    )
    return play(asked)


def moment_at(played: Play, moment: str) -> float | None:
    return next((row.step.at / 1000 for row in played.steps if row.step.moment == moment), None)


def message(played: Play, reason: str) -> str:
    """Of the last Event of that reason."""
    return [row.message for row in newest(played.walk) if row.reason == reason][-1]


def printed(played: Play) -> str:
    return "\n".join(line.text for _, _, line in output(played, len(played.steps)))


def outcome(played: Play, moment: str) -> str:
    return next(row.step.outcome for row in played.walk.records if row.step.moment == moment)


def started(version: str) -> Play:
    return walk(version, manifest=SERVED, until="20s")


def waiting(played: Play) -> str:
    pods = [row for row in played.walk.world.etcd.find("Pod") if isinstance(row, Pod)]
    state = pods[0].status.containerStatuses[0].state.waiting
    assert state is not None
    return state.message


def status_after_end(played: Play) -> str:
    """The STATUS column while the object of a pod that has ended is still there."""
    ended = next(row.n for row in played.steps if row.step.moment == "pod-terminal")
    return kubectl(played, ended)["get pods -o wide"]


def described(played: Play) -> str:
    views = kubectl(played, len(played.steps))
    return next(text for words, text in views.items() if words.startswith("describe pod"))


def terminating(played: Play) -> object:
    row = played.walk.world.etcd.find("Deployment")[0]
    assert isinstance(row, Deployment)
    return row.status.terminatingReplicas


def generation(played: Play) -> int:
    return played.walk.world.etcd.find("Pod")[0].metadata.generation


def between(played: Play, first: str, second: str) -> float:
    start, end = moment_at(played, first), moment_at(played, second)
    assert start is not None
    assert end is not None
    return round(end - start, 3)


def deleted(version: str) -> Play:
    return walk(version, "termination")


def drained(version: str) -> Play:
    return walk(
        version, manifest=CORDONED.replace("true", "false") + POD % ("lone", "1s"), do=("5s drain node/node-1",)
    )


def pending(version: str) -> Play:
    return walk(version, manifest=PENDING, until="20s")


def lost(version: str) -> Play:
    return walk(version, "node-loss", until="2m")


def uncordoned(version: str) -> Play:
    """The try at 1.3 s comes before the taint is gone; the one that follows would bind the pod."""
    return walk(version, manifest=CORDONED + POD % ("web-1", "1s"), do=("1300ms uncordon node/node-1",), until="30s")


def forced(version: str) -> Play:
    return walk(version, manifest=POD % ("web-1", "1s"), do=("5s delete pod/web-1 force=true",), until="2m")


Shown = Callable[[str], object]

TABLE: dict[str, tuple[Shown, object, object]] = {
    "image_size": (
        lambda v: message(started(v), "Pulled"),
        'Successfully pulled image "web:1" in 3s (3s including waiting)',
        'Successfully pulled image "web:1" in 3s (3s including waiting). Image size: 0 bytes.',
    ),
    "drain_grammar": (
        lambda v: printed(drained(v)).partition("due to error: ")[2].partition(" (use")[0],
        "cannot delete Pods declare no controller",
        "cannot delete cannot delete Pods that declare no controller",
    ),
    "ends_at_once": (
        lambda v: (outcome(forced(v), "killing"), outcome(walk(v, "eviction-oom", until="3m"), "pod-evicted")),
        ("grace 20 s", "grace 30 s"),
        ("grace 1 s", "grace 1 s"),
    ),
    "terminal_shown": (
        lambda v: [word for word in ("Terminating", "Completed", "Error") if word in status_after_end(deleted(v))],
        ["Terminating"],
        ["Completed"],
    ),
    "long_node_grace": (lambda v: moment_at(lost(v), "node-unknown"), 41.032, 51.04),
    "pull_error_kept": (
        lambda v: waiting(walk(v, manifest=POD % ("web-1", "not-found"), until="20s")),
        'Back-off pulling image "web:1"',
        (
            'Back-off pulling image "web:1": ErrImagePull: failed to pull and unpack image "web:1": failed to resolve '
            'reference "web:1": web:1: not found'
        ),
    ),
    "created_colon": (
        lambda v: message(started(v), "Created"),
        "Created container main",
        "Created container: main",
    ),
    "back_off_cut": (lambda v: moment_at(uncordoned(v), "pod-bound"), 3.304, 1.309),
    "pod_generation": (lambda v: generation(started(v)), 0, 1),
    "executes_at_once": (lambda v: between(lost(v), "node-unknown", "no-execute-added"), 5.085, 0.085),
    "claims_told": (
        lambda v: message(pending(v), "FailedScheduling").partition(". ")[2],
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
        "no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ),
    "namespace_told": (
        lambda v: printed(deleted(v)).partition('" ')[2],
        "deleted",
        "deleted from default namespace",
    ),
    "taints_unnamed": (
        lambda v: message(pending(v), "FailedScheduling").partition(". ")[0],
        "0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}",
        "0/1 nodes are available: 1 node(s) had untolerated taint(s)",
    ),
    "title_case": (
        lambda v: message(walk(v, manifest=SET, until="20s"), "SuccessfulCreate"),
        "create Pod db-0 in StatefulSet db successful",
        "Create Pod db-0 in StatefulSet db successful",
    ),
    "container_unnamed": (
        lambda v: (message(started(v), "Created"), message(started(v), "Started")),
        ("Created container: main", "Started container main"),
        ("Container created", "Container started"),
    ),
    "access_told": (
        lambda v: message(walk(v, "rollout", until="1m"), "Pulled").partition(" already ")[2],
        "present on machine",
        "present on machine and can be accessed by the pod",
    ),
    "part_told": (
        lambda v: "spec.containers{main}: " in described(started(v)),
        False,
        True,
    ),
    "terminating_counted": (lambda v: terminating(started(v)), None, 0),
    "sandbox_told": (lambda v: moment_at(started(v), "ready-to-start"), None, 0.348),
    "relists_on_demand": (lambda v: between(started(v), "container-started", "pod-ready"), 0.026, 0.008),
    "lease_asked": (lambda v: moment_at(lost(v), "lease-asked"), None, 51.04),
}
REFUSED = ("sleep_hook", "single_kill", "zero_sleep", "pod_resources", "restart_rules", "digit_first")
"""Held against manifests in tests/kube/test_release_fields.py."""


def test_every_behaviour_is_held_against_a_walk_or_manifests() -> None:
    assert {*TABLE, *REFUSED} == {*BEHAVIOURS}


@pytest.mark.parametrize("name", TABLE)
def test_a_walk_shows_what_was_before_and_what_is_since(name: str) -> None:
    shown, before, since = TABLE[name]
    minor = BEHAVIOURS[name].minor
    assert (shown(f"1.{minor - 1}"), shown(f"1.{minor}")) == (before, since)


@pytest.mark.parametrize("version", ["1.29", "1.37"])
@pytest.mark.parametrize("flow", sorted(flows()))
def test_every_flow_goes_its_way_on_the_oldest_and_the_newest(flow: str, version: str) -> None:
    played, usual = walk(version, flow), walk("1.36", flow)
    assert played.walk.stopped == usual.walk.stopped
    assert played.walk.world.release is release(version)
