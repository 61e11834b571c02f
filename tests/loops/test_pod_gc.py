"""The table of the pod garbage collector: whom nobody else will remove, and when it does."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import Condition, Ref
from app.kube.nodes import Node, Taint
from app.kube.objects import Object
from app.kube.pod_gc import Clock
from app.loops.pod_gc import CLOCK, LOOP, Missed
from app.sim.acts import Act, Delete, Get, Outcome, PatchStatus, Wait
from tests.loops.beliefs import decided, node, pod, requested, told, turn

KEY = Ref("Pod", "default", "web-1")
LOOK = 107_000
"""It looks now, 7 s after t = 0 and every 20 s from then on."""
OUT = Taint("node.kubernetes.io/out-of-service", "NoExecute", "nodeshutdown")


def machine(ready: str, *taints: Taint) -> Node:
    made = node("n1", *taints)
    return replace(made, status=replace(made.status, conditions=(Condition("Ready", ready),)))


def turned(*believes: Object, missed: int | None = None, now: int = LOOK) -> list[Act | Wait]:
    """What it decides, where the API server knows no node either."""
    kept = {CLOCK: Clock(7_000), **({KEY: Missed(missed)} if missed is not None else {})}
    decision = LOOP.reconcile(turn(LOOP, KEY, *believes, now=now, memory=kept))
    if decision is None or isinstance(decision, Act | Wait):
        return [decision] if decision else []
    made: list[Act | Wait] = [next(decision)]
    try:
        while True:
            asked = isinstance(made[-1], Act) and isinstance(made[-1].request, Get)
            made.append(decision.send(Outcome("not-found" if asked else "ok")))
    except StopIteration:
        return made


GONE = ["get node/n1 ", "fail-pod pod/web-1 NodeGone", "delete-pod pod/web-1 NodeGone"]


@pytest.mark.parametrize(
    ("believes", "missed", "decisions"),
    [
        pytest.param([machine("True"), pod("web-1")], None, [], id="a pod at work"),
        pytest.param([machine("True"), pod("web-1", deleted=True)], None, [], id="one that its kubelet ends"),
        pytest.param(
            [machine("Unknown"), pod("web-1", deleted=True)], None, [], id="one whose kubelet is silent is left to it"
        ),
        pytest.param(
            [machine("Unknown", OUT), pod("web-1", deleted=True)],
            None,
            ["fail-pod pod/web-1 OutOfService", "delete-pod pod/web-1 OutOfService"],
            id="unless somebody says that the machine is off",
        ),
        pytest.param(
            [machine("True", OUT), pod("web-1", deleted=True)], None, [], id="which counts for lost nodes only"
        ),
        pytest.param([machine("Unknown", OUT), pod("web-1")], None, [], id="and for pods that are being deleted"),
        pytest.param(
            [pod("web-1", node="", deleted=True)],
            None,
            ["fail-pod pod/web-1 Unscheduled", "delete-pod pod/web-1 Unscheduled"],
            id="one that never had a node",
        ),
        pytest.param([pod("web-1", node="")], None, [], id="one that waits for a node"),
        pytest.param([pod("web-1")], None, ["wait 147000"], id="a node that is missed may come back for 40 s"),
        pytest.param([pod("web-1")], 87_000, ["wait 127000"], id="20 s later it still may"),
        pytest.param([pod("web-1")], 67_000, GONE, id="then its pods go"),
        pytest.param(
            [pod("web-1", phase="Succeeded")], 67_000, [GONE[0], GONE[2]], id="one that has ended need not fail"
        ),
        pytest.param([machine("True"), pod("web-1")], 67_000, ["wait None"], id="the node is back"),
    ],
)
def test_a_look(believes: list[Object], missed: int | None, decisions: list[str]) -> None:
    assert told(turned(*believes, missed=missed)) == decisions


def test_between_looks_nothing_is_done() -> None:
    assert told(turned(pod("web-1", node="", deleted=True), now=LOOK + 1)) == ["wait 127000"]


def test_what_is_written_and_asked_for() -> None:
    _, failed, deleted = turned(pod("web-1"), missed=67_000)
    assert isinstance(failed, Act)
    assert isinstance(failed.request, PatchStatus)
    status = requested(failed).status
    assert status.phase == "Failed"
    assert [(row.type, row.reason, row.message) for row in status.conditions] == [
        ("DisruptionTarget", "DeletionByPodGC", "PodGC: node no longer exists")
    ]
    assert isinstance(deleted, Act)
    assert deleted.request == Delete(KEY, 0, "uid-web-1")


def test_a_node_that_the_server_still_has_saves_its_pods() -> None:
    """The live look past the cache is answered: nothing is done in this turn."""
    kept = {CLOCK: Clock(7_000), KEY: Missed(0)}
    assert told(decided(LOOP, turn(LOOP, KEY, pod("web-1"), now=LOOK, memory=kept))) == GONE[:1]


def test_it_looks_every_20_s_from_its_start() -> None:
    (wait,) = decided(LOOP, turn(LOOP, CLOCK, now=33_000))
    assert isinstance(wait, Wait)
    assert wait.memory == Clock(13_000)
