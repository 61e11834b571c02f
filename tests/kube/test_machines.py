"""What a Node's annotations say of its machine and its kubelet."""

from typing import Any

import pytest

from app.errors import BadInput
from app.kube import machines
from app.kube.annotations import PREFIX
from app.kube.behaviour import Point
from app.kube.eviction_thresholds import ALLOCATABLE_MEMORY, MEMORY, NODEFS, Amount, Threshold
from app.kube.machines import Machine, machine
from app.kube.meta import ObjectMeta
from app.kube.nodes import Node, NodeStatus
from app.kube.stringmap import StringMap

GI, MI = 2**30, 2**20


def node(capacity: dict[str, str] | None = None, allocatable: dict[str, str] | None = None, **words: str) -> Node:
    told = {PREFIX + name.replace("_", "-"): text for name, text in words.items()}
    status = NodeStatus(capacity=StringMap(capacity or {}), allocatable=StringMap(allocatable or {}))
    return Node(ObjectMeta(name="n1", annotations=StringMap(told)), status=status)


def test_a_node_that_says_nothing_is_a_usual_one() -> None:
    found = machine(node())
    assert (found.memory, found.disk, found.image_disk, found.reserved) == (8 * GI, 100 * GI, None, 0)
    assert [row.signal for row in found.thresholds] == [
        MEMORY,
        NODEFS,
        "nodefs.inodesFree",
        "imagefs.available",
        "imagefs.inodesFree",
        ALLOCATABLE_MEMORY,
    ]
    assert (found.transition, found.longest_grace, found.single_kill) == (300_000, 0, False)


def test_everything_that_can_be_told() -> None:
    found = machine(
        node(
            {"memory": "16Gi"},
            memory="0s=1Gi,60s=2Gi",
            disk="5Gi",
            imagefs="50Gi",
            images="app:v1=300Mi, registry.example:5000/db:2=1Gi",
            system_reserved="512Mi",
            eviction_hard="memory.available<500Mi, nodefs.available<10%",
            eviction_soft="memory.available<1Gi",
            eviction_soft_grace_period="memory.available=90s",
            eviction_minimum_reclaim="memory.available=200Mi",
            eviction_pressure_transition_period="1m",
            eviction_max_pod_grace_period="60s",
            enforce_node_allocatable="none",
            single_process_oom_kill="true",
            eviction_tick="3s",
            node_status_tick="1s500ms",
            lease_age="9s700ms",
        )
    )
    reclaim = Amount("200Mi")
    assert found == Machine(
        memory=16 * GI,
        image_disk=50 * GI,
        system_memory=(Point(0, GI), Point(60_000, 2 * GI)),
        system_disk=(Point(0, 5 * GI),),
        images=(("app:v1", 300 * MI), ("registry.example:5000/db:2", GI)),
        reserved=512 * MI,
        single_kill=True,
        thresholds=(
            Threshold(MEMORY, Amount("500Mi"), 0, reclaim),
            Threshold(NODEFS, Amount(part=0.1)),
            Threshold(MEMORY, Amount("1Gi"), 90_000, reclaim),
        ),
        transition=60_000,
        longest_grace=60,
        eviction_tick=3_000,
        status_tick=1_500,
        lease_age=9_700,
    )
    assert (found.image_size("app:v1"), found.image_size("other")) == (300 * MI, 0)


def test_no_threshold_at_all_and_a_transition_of_nothing() -> None:
    found = machine(node(eviction_hard="none", eviction_pressure_transition_period="0s"))
    assert (found.thresholds, found.transition) == ((), 300_000)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(node(), {"memory": "8092Mi", "ephemeral-storage": "96636764000"}, id="the default thresholds"),
        pytest.param(
            node(eviction_hard="memory.available<1Gi", system_reserved="1Gi"),
            {"memory": "6Gi", "ephemeral-storage": "100Gi"},
            id="what is reserved, too",
        ),
        pytest.param(
            node({"memory": "24684092Ki"}, eviction_hard="memory.available<19818Mi"),
            {"memory": "4390460Ki", "ephemeral-storage": "100Gi"},
            id="as recorded",
        ),
    ],
)
def test_what_is_left_to_pods(given: Node, expected: dict[str, str]) -> None:
    assert machines.allocatable(machine(given)) == expected


def test_a_node_that_leaves_pods_less_has_reserved_it() -> None:
    assert machine(node({"memory": "8Gi"}, {"memory": "7068Mi"})).reserved == GI
    assert machine(node({"memory": "8Gi"}, {"memory": "8Gi"})).reserved == 0


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ({"memroy": "1Gi"}, "memroy: no such annotation of a Node; allowed after sim.loopscope.dev/: memory, disk,"),
        ({"memory": "lots"}, 'memory: found "lots"; allowed: times in order'),
        ({"images": "app:v1"}, 'images: found "app:v1"; allowed: images with their sizes'),
        ({"eviction_hard": "memory.available"}, "eviction-hard: found"),
        ({"eviction_hard": "memory.available<1Gi,memory.available<2Gi"}, "allowed: each signal once"),
        ({"eviction_hard": "mem.available<1Gi"}, 'eviction-hard: no eviction signal "mem.available"'),
        ({"eviction_soft": "memory.available<1Gi"}, "has no grace period"),
        ({"eviction_max_pod_grace_period": "1500ms"}, "allowed: whole seconds"),
        ({"eviction_tick": "10s"}, "allowed: less than 10s"),
        ({"single_process_oom_kill": "yes"}, "allowed: true, false"),
    ],
)
def test_faults_name_the_annotation_and_what_is_allowed(words: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadInput) as refused:
        machine(node(**words))
    [told] = refused.value.problems
    assert fault in told
    assert told.startswith(PREFIX)


def test_what_uses_a_machine_can_change() -> None:
    found = machines.changed(machine(node()), {"memory": "3Gi", "disk": "1Gi"})
    assert (found.system_memory, found.system_disk) == ((Point(0, 3 * GI),), (Point(0, GI),))


def test_annotations_of_others_are_nobodys_business() -> None:
    assert machines.check(StringMap({"example.com/memory": "lots"})) == []
