"""Whose log is shown, and what stands there when its kubelet cannot be asked."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.manifests import read_manifests
from app.kube.meta import ObjectMeta, Ref
from app.kube.pods import Pod
from app.loops.registry import LOOPS
from app.sim.dialling import unreachable
from app.sim.engine import Model
from app.sim.intervention import parse
from app.sim.schedule import run
from app.sim.start import at_rest
from app.sim.world import World
from app.story.events import Recorded
from app.story.play import play, request
from app.story.terminal import described, kubectl, log_views

MODEL = Model(LOOPS)
PODS = """
apiVersion: v1
kind: Pod
metadata:
  name: crash
  annotations: {sim.loopscope.dev/exit: after 1s code 1, sim.loopscope.dev/log: "no such table"}
spec: {containers: [{name: app, image: "app:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: quiet}
spec: {containers: [{name: app, image: "app:1"}]}
"""
NODE = "{apiVersion: v1, kind: Node, metadata: {name: node-1}}"
NOBODY = Ref("", "", "")


def world(*script: str, until: int = 5_000) -> World:
    start = at_rest(MODEL, read_manifests(NODE, "node").objects)
    start = replace(start, manifests=start.manifests.set("x", read_manifests(PODS, "pods").objects))
    return run(MODEL, start, [parse(line) for line in ("0s apply m:x", *script)], until=until).world


def views(found: World, target: Ref = NOBODY) -> dict[str, str]:
    return log_views(found, [obj for obj in found.etcd.find("Pod") if isinstance(obj, Pod)], target)


def test_a_pod_that_crashes_tells_why_also_of_the_run_before() -> None:
    assert views(world()) == {"logs crash": "no such table", "logs crash --previous": "no such table"}
    assert views(world(until=1_000), Ref("Pod", "default", "crash")) == {"logs crash": "no such table"}


@pytest.mark.parametrize("target", [NOBODY, Ref("Pod", "default", "quiet")])
def test_of_a_pod_without_restarts_and_without_words_nothing_is_shown(target: Ref) -> None:
    assert views(world(until=1_000), target) == {}


@pytest.mark.parametrize(
    ("script", "why"),
    [("4s stop kubelet/node-1", "connection refused"), ("4s power-off node/node-1", "no route to host")],
)
def test_without_its_kubelet_no_log_can_be_read(script: str, why: str) -> None:
    found = world(script)
    assert unreachable(found, "node-1") == why
    assert views(found)["logs crash"].startswith('Error from server: Get "https://192.168.0.')
    assert views(found)["logs crash"].endswith(f"connect: {why}")


def played(found: World, name: str) -> dict[str, str]:
    pods = [obj for obj in found.etcd.find("Pod") if isinstance(obj, Pod)]
    return described(found, pods, (), Ref("Pod", "default", name))


def test_a_description_is_of_the_pod_that_is_asked_for() -> None:
    (words,) = played(world(), "quiet")
    assert words == "describe pod quiet"
    assert played(world(), "quiet")[words].startswith("Name:             quiet\n")
    assert played(world(), "gone") == {"describe pod gone": 'Error from server (NotFound): pods "gone" not found'}
    assert list(described(world(), [], (), Ref("Pod", "shop", "web"))) == ["describe pod web -n shop"]
    assert described(world(), [], (), None) == {}


def test_a_pod_made_anew_under_its_name_has_events_of_its_own() -> None:
    pods = [
        replace(pod, metadata=replace(pod.metadata, uid="new"))
        for pod in [Pod(ObjectMeta("db-0", namespace="default"))]
    ]
    rows = [
        Recorded(at, at, "Normal", "Started", pods[0].ref, "kubelet", "Container started", 1, uid=uid)
        for at, uid in ((1_000, "old"), (9_000, "new"))
    ]
    (text,) = described(World(now=10_000), pods, rows, pods[0].ref).values()
    assert [line.split() for line in text.splitlines() if "Started" in line] == [
        ["Normal", "Started", "1s", "kubelet", "Container", "started"]
    ]


@pytest.mark.parametrize(
    ("scene", "error"),
    [
        ("", "The connection to the server was refused - did you specify the right host or port?"),
        ("frozen", "Unable to connect to the server: net/http: TLS handshake timeout"),
    ],
)
def test_while_no_api_server_answers_no_command_shows_anything_else(scene: str, error: str) -> None:
    played = play(request("api-outage", scene=scene))
    gone = next(row.n for row in played.steps if row.step.verb in ("stop", "freeze"))
    assert set(kubectl(played, gone).values()) == {error}
    assert error not in kubectl(played, len(played.steps)).values()
    assert error not in kubectl(played, 0).values()
