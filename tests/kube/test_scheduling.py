from collections.abc import Sequence

import pytest

from app.kube.meta import ObjectMeta, OwnerReference
from app.kube.nodes import Node, NodeSpec, NodeStatus, Taint
from app.kube.pods import (
    Container,
    ContainerPort,
    Pod,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    Toleration,
)
from app.kube.scheduling import (
    Load,
    Refusal,
    cut,
    failed_scheduling,
    fit,
    fit_error,
    least_allocated,
    load,
    place,
    refusal,
    taint_score,
)
from app.kube.stringmap import EMPTY, StringMap

UNREACHABLE = Taint("node.kubernetes.io/unreachable", "NoSchedule")
CORDONED = Taint("node.kubernetes.io/unschedulable", "NoSchedule")


def node(name: str = "n1", *, cordoned: bool = False, taints: Sequence[Taint] = (), cpu: str = "4") -> Node:
    return Node(
        metadata=ObjectMeta(name=name, labels=StringMap({"disk": "hdd"})),
        spec=NodeSpec(unschedulable=cordoned, taints=tuple(taints)),
        status=NodeStatus(allocatable=StringMap({"cpu": cpu, "memory": "8Gi"})),
    )


def pod(
    name: str = "web",
    cpu: str = "100m",
    *,
    memory: str = "64Mi",
    selector: StringMap = EMPTY,
    tolerations: Sequence[Toleration] = (),
    port: int | None = None,
    owner: str = "",
    phase: str = "",
    deleted: int | None = None,
) -> Pod:
    ports = (ContainerPort(80, hostPort=port),)
    requests = StringMap({"cpu": cpu, "memory": memory})
    container = Container(name="web", ports=ports, resources=ResourceRequirements(requests=requests))
    owners = (OwnerReference("ReplicaSet", owner, owner),) if owner else ()
    return Pod(
        metadata=ObjectMeta(name=name, ownerReferences=owners, deletionTimestamp=deleted),
        spec=PodSpec(containers=(container,), nodeSelector=selector, tolerations=tuple(tolerations)),
        status=PodStatus(phase=phase),
    )


@pytest.mark.parametrize(
    ("given", "onto", "reason", "unresolvable"),
    [
        pytest.param(pod(), node(cordoned=True, taints=[CORDONED]), "node(s) were unschedulable", True, id="cordoned"),
        pytest.param(
            pod(), node(taints=[CORDONED]), "node(s) had untolerated taint(s)", True, id="uncordoned, taint still there"
        ),
        pytest.param(pod(), node(taints=[UNREACHABLE]), "node(s) had untolerated taint(s)", True, id="tainted"),
        pytest.param(
            pod(selector=StringMap({"disk": "ssd"})),
            node(),
            "node(s) didn't match Pod's node affinity/selector",
            True,
            id="selector",
        ),
        pytest.param(pod(cpu="2"), node(cpu="1"), "Insufficient cpu", True, id="more than the node has"),
        pytest.param(
            pod(port=80), node(), "node(s) didn't have free ports for the requested pod ports", False, id="host port"
        ),
        pytest.param(pod(cpu="3.9"), node(), "Insufficient cpu", False, id="more than is left"),
    ],
)
def test_refusals(given: Pod, onto: Node, reason: str, unresolvable: bool) -> None:
    taken = load([pod("other", cpu="500m", port=80)])
    assert refusal(given, onto, taken) == Refusal((reason,), unresolvable)


@pytest.mark.parametrize(
    ("given", "onto"),
    [
        pytest.param(pod(), node(), id="nothing against it"),
        pytest.param(
            pod(tolerations=[Toleration(CORDONED.key, "Exists", "", "NoSchedule")]),
            node(cordoned=True, taints=[CORDONED]),
            id="tolerates the cordon, as daemons do",
        ),
        pytest.param(pod(), node(taints=[Taint("soft", "PreferNoSchedule")]), id="soft taints refuse nobody"),
        pytest.param(pod(selector=StringMap({"disk": "hdd"})), node(), id="selector matches"),
    ],
)
def test_acceptance(given: Pod, onto: Node) -> None:
    assert refusal(given, onto, load([])) is None


def test_finished_pods_take_up_nothing_and_terminating_ones_all() -> None:
    taken = load([pod("a", phase="Succeeded", owner="u"), pod("b", deleted=30_000, owner="u"), pod("c", owner="u")])
    assert taken == Load(
        requests={"cpu": 200, "memory": 128 * 1024 * 1024},
        assumed={"cpu": 200, "memory": 128 * 1024 * 1024},
        pods=2,
        host_ports=frozenset(),
        owners={"u": 1},
        lowest=0,
    )


def test_fit_names_all_that_is_short() -> None:
    room = {"pods": 1, "cpu": 10, "memory": 10, "example.com/a": 5, "example.com/b": 5}
    wanted = {"cpu": 11, "memory": 5, "example.com/b": 6, "example.com/a": 6, "example.com/c": 0}
    assert fit(wanted, room, {"memory": 6}, 1) == Refusal(
        (
            "Too many pods",
            "Insufficient cpu",
            "Insufficient memory",
            "Insufficient example.com/a",
            "Insufficient example.com/b",
        ),
        unresolvable=True,
    )
    assert fit({"memory": 5}, room, {"memory": 6}, 0) == Refusal(("Insufficient memory",), unresolvable=False)
    assert fit({"cpu": 10}, room, {}, 0) is None


NODES = [node("n1"), node("n2"), node("n3")]


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        pytest.param({}, "n1", id="all equal: by name"),
        pytest.param({"n1": [pod("a")], "n3": [pod("b")]}, "n2", id="the emptiest"),
        pytest.param(
            {"n1": [pod("a", owner="u")], "n2": [pod("b")], "n3": [pod("c", owner="u")]}, "n2", id="away from siblings"
        ),
        pytest.param(
            {"n1": [pod("a", owner="u")], "n2": [pod("b", owner="u", deleted=1)], "n3": [pod("c", owner="u")]},
            "n2",
            id="terminating siblings do not count",
        ),
    ],
)
def test_place(there: dict[str, list[Pod]], expected: str) -> None:
    assert place(pod(owner="u"), NODES, {name: load(pods) for name, pods in there.items()}) == expected


def test_soft_taints_are_avoided() -> None:
    soft = node("n1", taints=[Taint("soft", "PreferNoSchedule")])
    assert place(pod(), [soft, node("n2")], {"n2": load([pod("a")])}) == "n2"


def test_without_a_place_the_reasons_come_back() -> None:
    refusals = place(pod(), [node("n1", cordoned=True), node("n2", taints=[UNREACHABLE])], {})
    assert refusals == (
        Refusal(("node(s) were unschedulable",), unresolvable=True),
        Refusal(("node(s) had untolerated taint(s)",), unresolvable=True),
    )


def test_least_allocated() -> None:
    room = {"cpu": 4000, "memory": 10000}
    assert least_allocated({}, room, {}) == 100
    assert least_allocated({"cpu": 3000, "memory": 5000}, room, {}) == 37
    assert least_allocated({"cpu": 3000}, room, {"cpu": 3000}) == 50
    assert least_allocated({"cpu": 3000}, {}, {}) == 0
    assert least_allocated({"cpu": 1000}, room, {}, {"cpu": 3, "memory": 1}) == 81


def test_taint_score() -> None:
    soft = [Taint(key, "PreferNoSchedule", "x") for key in ("a", "b")]
    rows = {"n1": [], "n2": soft[:1], "n3": soft}
    assert taint_score(rows, []) == {"n1": 100, "n2": 50, "n3": 0}
    assert taint_score(rows, [Toleration("", "Exists")]) == {"n1": 100, "n2": 100, "n3": 100}


CPU = Refusal(("Insufficient cpu",), unresolvable=False)
CORDON = Refusal(("node(s) were unschedulable",), unresolvable=True)


@pytest.mark.parametrize(
    ("refusals", "message"),
    [
        pytest.param(
            [CPU] * 4,
            "0/4 nodes are available: 4 Insufficient cpu. no new claims to deallocate, preemption: "
            "0/4 nodes are available: 4 No preemption victims found for incoming pod.",
            id="as recorded, full",
        ),
        pytest.param(
            [CORDON] * 4,
            "0/4 nodes are available: 4 node(s) were unschedulable. no new claims to deallocate, preemption: "
            "0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
            id="as recorded, cordoned",
        ),
        pytest.param(
            [CORDON] * 10 + [CPU, CPU],
            "0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient cpu. "
            "no new claims to deallocate, preemption: 0/12 nodes are available: "
            "10 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
            id="sorted as text",
        ),
        pytest.param([], "no nodes available to schedule pods", id="no nodes"),
    ],
)
def test_failed_scheduling(refusals: list[Refusal], message: str) -> None:
    assert failed_scheduling(refusals) == message


def test_fit_error_counts_reasons() -> None:
    assert fit_error([["A"], ["A", "B"], ["B"]]) == "0/3 nodes are available: 2 A, 2 B."
    assert fit_error([["A"]], "more") == "0/1 nodes are available: 1 A. more"


def test_long_messages_are_cut() -> None:
    assert cut("x" * 1024) == "x" * 1024
    assert cut("x" * 1025) == "x" * 1020 + " ..."
