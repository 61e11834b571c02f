"""The table of taints that follow from conditions."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import Condition, Ref
from app.kube.nodes import Node, Taint
from app.loops.node_taints import LOOP
from app.sim.acts import Patch
from tests.loops.beliefs import decided, node, only, told, turn

KEY = Ref("Node", "", "n1")
MEMORY = Taint("node.kubernetes.io/memory-pressure", "NoSchedule")
DISK = Taint("node.kubernetes.io/disk-pressure", "NoSchedule")
OTHER = Taint("dedicated", "NoSchedule", "gpu")


def under(*conditions: str, taints: tuple[Taint, ...] = (), status: str = "True") -> Node:
    made = node("n1", *taints)
    rows = tuple(Condition(name, status) for name in conditions)
    return replace(made, status=replace(made.status, conditions=(*rows, Condition("Ready", "True"))))


@pytest.mark.parametrize(
    ("believes", "acts"),
    [
        pytest.param([], [], id="nothing is done about a node that is gone"),
        pytest.param([under()], [], id="nor about one that is at ease"),
        pytest.param([under("MemoryPressure", status="False")], [], id="and says so"),
        pytest.param(
            [under("MemoryPressure")], ["taint-node node/n1 node.kubernetes.io/memory-pressure"], id="pressure"
        ),
        pytest.param([under("MemoryPressure", taints=(MEMORY,))], [], id="that is tainted"),
        pytest.param(
            [under(taints=(MEMORY, OTHER))],
            ["untaint-node node/n1 node.kubernetes.io/memory-pressure"],
            id="and is over",
        ),
        pytest.param(
            [under("DiskPressure", taints=(MEMORY,))],
            ["taint-node node/n1 node.kubernetes.io/disk-pressure"],
            id="one for the other",
        ),
    ],
)
def test_taints_follow_from_conditions(believes: list[Node], acts: list[str]) -> None:
    assert told(decided(LOOP, turn(LOOP, KEY, *believes))) == acts


def test_other_taints_stay_and_new_ones_have_their_time() -> None:
    found = under("DiskPressure", taints=(OTHER, MEMORY, replace(MEMORY, effect="NoExecute")))
    act = only(decided(LOOP, turn(LOOP, KEY, found, now=13_755)))
    expected = (OTHER, replace(MEMORY, effect="NoExecute"), replace(DISK, timeAdded=13_000))
    assert act.request == Patch(KEY, (("spec.taints", expected),))
