"""The DaemonSet controller's table."""

from __future__ import annotations

from typing import Any

import pytest

from app.kube.daemons import REVISION, target_node
from app.kube.meta import ObjectMeta, Ref
from app.kube.names import template_hash
from app.kube.nodes import Taint
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.workloads import DaemonSet, DaemonSetSpec, DaemonSetStatus, DaemonSetUpdateStrategy
from app.loops.daemonset import LOOP, _alike
from app.sim.acts import Act, Delete
from tests.loops.beliefs import SELECTOR, TEMPLATE, decided, node, pod, requested, told, turn

KEY = Ref("DaemonSet", "default", "agent")
NEW = template_hash(TEMPLATE)
N1, N2 = node("n1"), node("n2")


def agent(strategy: str = "RollingUpdate", **status: int) -> DaemonSet:
    counts = {"currentNumberScheduled": 2, "desiredNumberScheduled": 2, "numberReady": 2, "updatedNumberScheduled": 2}
    given = {"numberMisscheduled": 0, "numberAvailable": 2, "observedGeneration": 1} | counts | status
    return DaemonSet(
        ObjectMeta(name="agent", namespace="default", uid="uid-agent", generation=1),
        DaemonSetSpec(SELECTOR, TEMPLATE, DaemonSetUpdateStrategy(strategy)),
        DaemonSetStatus(**given),
    )


AGENT = agent()


def daemon(on: str, *, revision: str = NEW, ready: int | None = 0, **more: Any) -> Pod:
    return pod(f"agent-{on}", AGENT, ready=ready, node=on, labels={REVISION: revision}, **more)


STATUS = "update-status daemonset/agent PodsChanged"


@pytest.mark.parametrize(
    ("believes", "acts"),
    [
        pytest.param([N1], [], id="nothing is done about a set that is gone"),
        pytest.param([AGENT, N1, N2, daemon("n1"), daemon("n2")], [], id="one on every node is rest"),
        pytest.param([AGENT, N1, N2, daemon("n1")], ["create-pod pod/ For n2", STATUS], id="one is missing"),
        pytest.param(
            [AGENT, N1, N2, daemon("n1"), daemon("n2", ready=None, phase="Failed")],
            ["delete-pod pod/agent-n2 PodFailed", STATUS],
            id="one has failed",
        ),
        pytest.param(
            [AGENT, N1, N2, daemon("n1", revision="old"), daemon("n2", revision="old")],
            ["delete-pod pod/agent-n1 TemplateChanged", STATUS],
            id="a new template: one node begins",
        ),
        pytest.param(
            [AGENT, N1, N2, daemon("n1", revision="old", deleted=True), daemon("n2", revision="old")],
            [STATUS],
            id="and the next waits",
        ),
        pytest.param(
            [
                agent("OnDelete", updatedNumberScheduled=0),
                N1,
                N2,
                daemon("n1", revision="old"),
                daemon("n2", revision="old"),
            ],
            [],
            id="OnDelete waits for somebody's hand",
        ),
        pytest.param(
            [AGENT, N1, node("n2", Taint("gpu", "NoExecute")), daemon("n1"), daemon("n2")],
            ["delete-pod pod/agent-n2 NodeNotSuitable", STATUS],
            id="a node that it must leave",
        ),
    ],
)
def test_turn(believes: list[Object], acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes))) == acts


def test_a_daemon_pod_is_made_for_its_node_and_bound_by_the_scheduler() -> None:
    act = decided(LOOP, turn(LOOP, KEY, AGENT, N1, N2, daemon("n1")))[0]
    made = requested(act)
    assert (made.metadata.generateName, made.metadata.labels[REVISION]) == ("agent-", NEW)
    assert (made.spec.nodeName, target_node(made)) == ("", "n2")
    assert isinstance(act, Act)
    assert act.events[0].message == "Created pod: {name}"


def test_a_pod_that_ended_by_itself_is_told_of() -> None:
    act = decided(LOOP, turn(LOOP, KEY, AGENT, N1, N2, daemon("n1"), daemon("n2", phase="Succeeded")))[0]
    assert isinstance(act, Act)
    assert act.request == Delete(Ref("Pod", "default", "agent-n2"))
    assert [(row.reason, row.message) for row in act.events] == [
        ("SucceededDaemonPod", "Found succeeded daemon pod default/agent-n2 on node n2, will try to delete it"),
        ("SuccessfulDelete", "Deleted pod: agent-n2"),
    ]


def test_the_sync_ends_with_the_batch_in_which_a_request_is_refused() -> None:
    nodes = [node(f"n{number}") for number in range(1, 8)]
    acts = told(decided(LOOP, turn(LOOP, KEY, AGENT, *nodes), refuse=[2]))
    assert acts == [f"create-pod pod/ For n{number}" for number in (1, 2, 3)]


def test_heartbeats_of_nodes_concern_nobody() -> None:
    assert _alike(N1, node("n1", cpu="8"))
    assert not _alike(N1, node("n1", Taint("gpu", "NoSchedule")))
    assert not _alike(N1, node("n1", disk="ssd"))
