from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.daemons import (
    REVISION,
    Plan,
    ShouldRun,
    by_node,
    counted,
    daemon_spec,
    managed,
    max_unavailable,
    outdated,
    should_run,
    surging,
    target_node,
)
from app.kube.defaults import defaulted
from app.kube.meta import Condition, ObjectMeta
from app.kube.nodes import Node, NodeSpec, Taint
from app.kube.placement import Affinity, NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from app.kube.pods import Container, Pod, PodSpec, PodStatus, PodTemplateSpec, Toleration
from app.kube.stringmap import StringMap
from app.kube.workloads import DaemonSet, DaemonSetSpec, DaemonSetUpdateStrategy, RollingUpdateDaemonSet


def node(name: str, *taints: Taint, **labels: str) -> Node:
    return Node(ObjectMeta(name=name, labels=StringMap(labels)), NodeSpec(taints=taints))


def daemons(unavailable: int | str = 1, min_ready: int = 0, surge: int | str = 0, **spec: Any) -> DaemonSet:
    template = PodTemplateSpec(spec=PodSpec((Container("app", "app:1"),), **spec))
    strategy = DaemonSetUpdateStrategy(rollingUpdate=RollingUpdateDaemonSet(unavailable, surge))
    meta = ObjectMeta(name="agent", generation=3)
    return DaemonSet(meta, DaemonSetSpec(template=template, updateStrategy=strategy, minReadySeconds=min_ready))


def pod(
    name: str,
    on: str,
    *,
    ready: int | None = 0,
    phase: str = "Running",
    gone: bool = False,
    old: bool = False,
    born: int = 0,
) -> Pod:
    rows = (Condition("Ready", "True", lastTransitionTime=ready),) if ready is not None else ()
    meta = ObjectMeta(
        name=name,
        labels=StringMap({REVISION: "old" if old else "new"}),
        creationTimestamp=born,
        deletionTimestamp=30_000 if gone else None,
    )
    return Pod(meta, PodSpec(nodeName=on), PodStatus(phase=phase, conditions=rows))


NODES = [node("n1"), node("n2"), node("n3")]


# Tolerations and affinity.


def test_daemon_pods_tolerate_what_ails_a_node() -> None:
    rows = [
        (row.key.removeprefix("node.kubernetes.io/"), row.effect) for row in daemon_spec(PodSpec(), "n1").tolerations
    ]
    assert rows == [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    ]
    assert daemon_spec(PodSpec(hostNetwork=True), "n1").tolerations[-1].key == "node.kubernetes.io/network-unavailable"


def test_tolerations_of_its_own_stay_and_are_not_doubled() -> None:
    own = Toleration("gpu", "Exists")
    known = Toleration("node.kubernetes.io/not-ready", "Exists", effect="NoExecute", tolerationSeconds=20)
    rows = daemon_spec(PodSpec(tolerations=(own, known)), "n1").tolerations
    assert rows[0] == own
    assert [row.tolerationSeconds for row in rows if row.key == known.key] == [None]


def test_no_seconds_are_added_to_what_is_tolerated_for_ever() -> None:
    stored = defaulted(Pod(ObjectMeta(name="a"), daemon_spec(PodSpec(), "n1")))
    assert isinstance(stored, Pod)
    assert all(row.tolerationSeconds is None for row in stored.spec.tolerations)


def test_every_term_of_an_affinity_is_narrowed_to_the_node() -> None:
    ssd = NodeSelectorTerm((NodeSelectorRequirement("disk", "In", ("ssd",)),))
    given = PodSpec(affinity=Affinity(nodeAffinity=NodeAffinity(NodeSelector((ssd,)))))
    made = Pod(ObjectMeta(name="a"), daemon_spec(given, "n1"))
    field = NodeSelectorRequirement("metadata.name", "In", ("n1",))
    assert made.spec.affinity == Affinity(
        nodeAffinity=NodeAffinity(NodeSelector((replace(ssd, matchFields=(field,)),)))
    )
    assert target_node(made) == "n1"
    assert target_node(pod("b", "n2")) == "n2"


# Which nodes.


@pytest.mark.parametrize(
    ("owner", "onto", "run", "stay"),
    [
        pytest.param(daemons(), node("n1"), True, True, id="a plain node"),
        pytest.param(
            daemons(),
            node("n1", Taint("node.kubernetes.io/unschedulable", "NoSchedule")),
            True,
            True,
            id="a cordoned one",
        ),
        pytest.param(
            daemons(), node("n1", Taint("gpu", "NoSchedule")), False, True, id="NoSchedule keeps what is there"
        ),
        pytest.param(daemons(), node("n1", Taint("gpu", "NoExecute")), False, False, id="NoExecute does not"),
        pytest.param(
            daemons(),
            node("n1", Taint("node.kubernetes.io/unreachable", "NoExecute")),
            True,
            True,
            id="unreachable:NoExecute is tolerated",
        ),
        pytest.param(
            daemons(),
            node("n1", Taint("node.kubernetes.io/unreachable", "NoSchedule")),
            False,
            True,
            id="unreachable:NoSchedule is not, as recorded of a lost node",
        ),
        pytest.param(
            daemons(nodeSelector=StringMap({"disk": "ssd"})), node("n1", disk="hdd"), False, False, id="another disk"
        ),
        pytest.param(
            daemons(nodeSelector=StringMap({"disk": "ssd"})), node("n1", disk="ssd"), True, True, id="its disk"
        ),
        pytest.param(daemons(nodeName="n2"), node("n1"), False, False, id="a named node"),
    ],
)
def test_should_run(owner: DaemonSet, onto: Node, run: bool, stay: bool) -> None:
    assert should_run(owner, onto) == ShouldRun(run=run, stay=stay)


@pytest.mark.parametrize(
    ("nodes", "pods", "create", "delete"),
    [
        pytest.param(NODES, [], "n1 n2 n3", {}, id="every node gets one"),
        pytest.param(NODES, [pod("a", "n1"), pod("b", "n2"), pod("c", "n3")], "", {}, id="and then no more"),
        pytest.param(NODES[:1], [pod("a", "n1", gone=True)], "", {}, id="one that ends holds its place"),
        pytest.param(
            NODES[:1], [pod("a", "n1", gone=True, phase="Succeeded")], "n1", {}, id="until it has ended, as recorded"
        ),
        pytest.param(NODES[:1], [pod("a", "n1", phase="Failed")], "", {"a": "PodFailed"}, id="a failed one goes"),
        pytest.param(
            NODES[:1], [pod("a", "n1", phase="Succeeded")], "", {"a": "PodSucceeded"}, id="and a finished one"
        ),
        pytest.param(
            NODES[:1],
            [pod("a", "n1", born=2_000), pod("b", "n1", born=1_000)],
            "",
            {"a": "TooManyPods"},
            id="of two the older stays",
        ),
        pytest.param(
            [node("n1", Taint("gpu", "NoExecute"))], [pod("a", "n1")], "", {"a": "NodeNotSuitable"}, id="driven off"
        ),
        pytest.param([node("n1", Taint("gpu", "NoSchedule"))], [pod("a", "n1")], "", {}, id="left alone"),
        pytest.param([], [pod("a", "n9")], "", {}, id="a bound pod of a lost node is not its business"),
    ],
)
def test_managed(nodes: list[Node], pods: list[Pod], create: str, delete: dict[str, str]) -> None:
    found = managed(daemons(), nodes, by_node(pods), "new", 0)
    assert (" ".join(found.create), {row.metadata.name: why for row, why in found.delete}) == (create, delete)


def test_a_pod_that_waits_for_a_node_that_is_gone_goes() -> None:
    waiting = replace(pod("a", ""), spec=daemon_spec(PodSpec(), "n9"))
    assert managed(daemons(), NODES[:0], by_node([waiting]), "new", 0) == Plan((), ((waiting, "NodeIsGone"),))


# Rollouts.


OLD = [pod("a", "n1", old=True), pod("b", "n2", old=True), pod("c", "n3", old=True)]


@pytest.mark.parametrize(
    ("unavailable", "pods", "gone"),
    [
        pytest.param(1, OLD, "a", id="one node at a time"),
        pytest.param(2, OLD, "a b", id="or two"),
        pytest.param("50%", OLD, "a b", id="half of three is two: percentages round up"),
        pytest.param(1, [pod("a", "n1", gone=True, old=True), *OLD[1:]], "", id="while one ends, no other"),
        pytest.param(1, OLD[1:], "", id="nor while a node has none"),
        pytest.param(1, [pod("a", "n1", ready=None), *OLD[1:]], "", id="nor while the new one is not ready"),
        pytest.param(1, [pod("a", "n1"), *OLD[1:]], "b", id="when it is ready, the next"),
        pytest.param(1, [OLD[0], pod("b", "n2", old=True, ready=None), OLD[2]], "b a", id="unready old ones are free"),
        pytest.param(1, [pod("a", "n1"), pod("b", "n2"), pod("c", "n3")], "", id="all are new"),
    ],
)
def test_outdated(unavailable: int | str, pods: list[Pod], gone: str) -> None:
    found = outdated(daemons(unavailable), NODES, by_node(pods), "new", 0)
    assert " ".join(row.metadata.name for row in found) == gone


def test_available_after_min_ready_seconds() -> None:
    pods = [pod("a", "n1", ready=10_000), *OLD[1:]]
    assert outdated(daemons(min_ready=5), NODES, by_node(pods), "new", 14_999) == ()
    assert [row.metadata.name for row in outdated(daemons(min_ready=5), NODES, by_node(pods), "new", 15_000)] == ["b"]


@pytest.mark.parametrize(("value", "desired", "most"), [(1, 4, 1), ("10%", 4, 1), ("30%", 10, 3), (0, 4, 1), (1, 0, 1)])
def test_max_unavailable(value: int | str, desired: int, most: int) -> None:
    assert max_unavailable(daemons(value), desired) == most


# A surge: the new pod first.

UNREADY = pod("a2", "n1", ready=None)


@pytest.mark.parametrize(
    ("surge", "pods", "create", "gone"),
    [
        pytest.param(1, OLD, "n1", "", id="one node at a time gets a second pod"),
        pytest.param("50%", OLD, "n1 n2", "", id="half of three is two: percentages round up"),
        pytest.param(1, [*OLD, UNREADY], "", "", id="while it is not available, no other"),
        pytest.param(2, [*OLD, UNREADY], "n2", "", id="unless two may be under way"),
        pytest.param(1, [*OLD, pod("a2", "n1")], "n2", "a", id="then its old pod goes and the next begins"),
        pytest.param(
            1, [pod("a", "n1", old=True, gone=True), pod("a2", "n1"), *OLD[1:]], "n2", "", id="one that ends is no pod"
        ),
        pytest.param(1, [*OLD[:2], pod("c", "n3", old=True, ready=None)], "n3 n1", "", id="an unready old one is free"),
        pytest.param(1, [pod("a", "n1"), pod("b", "n2"), pod("c", "n3")], "", "", id="all are new"),
    ],
)
def test_surging(surge: int | str, pods: list[Pod], create: str, gone: str) -> None:
    found = surging(daemons(0, surge=surge), NODES, by_node(pods), "new", 0)
    assert (" ".join(found.create), " ".join(row.metadata.name for row in found.delete)) == (create, gone)


@pytest.mark.parametrize(
    ("pods", "delete"),
    [
        pytest.param([OLD[0], UNREADY], {}, id="an old and a new one may stand side by side"),
        pytest.param([OLD[0], pod("a2", "n1")], {"a": "TemplateChanged"}, id="until the new one is available"),
        pytest.param(
            [pod("a", "n1", old=True, ready=None), UNREADY], {"a": "TemplateChanged"}, id="or the old one is not ready"
        ),
        pytest.param([UNREADY, pod("a3", "n1", born=1)], {"a3": "TooManyPods"}, id="two new ones never"),
        pytest.param(
            [pod("a", "n1", old=True, phase="Failed"), UNREADY], {"a": "PodFailed"}, id="one that has failed goes"
        ),
    ],
)
def test_managed_with_a_surge(pods: list[Pod], delete: dict[str, str]) -> None:
    found = managed(daemons(0, surge=1), NODES[:1], by_node(pods), "new", 0)
    assert found.create == ()
    assert {row.metadata.name: reason for row, reason in found.delete} == delete


def test_status() -> None:
    nodes = [*NODES, node("n4", Taint("gpu", "NoSchedule"))]
    pods = [pod("a", "n1"), pod("b", "n2", old=True, ready=None), pod("d", "n4")]
    found = counted(daemons(), nodes, by_node(pods), "new", 0)
    assert (found.desiredNumberScheduled, found.currentNumberScheduled, found.numberMisscheduled) == (3, 2, 1)
    assert (found.numberReady, found.numberAvailable, found.numberUnavailable) == (1, 1, 2)
    assert (found.updatedNumberScheduled, found.observedGeneration) == (1, 3)
