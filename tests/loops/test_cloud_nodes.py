"""The table of the cloud node lifecycle controller."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import Condition, Ref
from app.kube.nodes import Node, NodeSpec, Taint
from app.loops.cloud_nodes import LOOP, SHUTDOWN
from app.sim.acts import Act, Delete, Patch, Work
from app.sim.host import Host
from app.sim.loop import Turn
from app.sim.maps import Map
from app.sim.world import World
from tests.loops.beliefs import decided, node, seen, told

KEY = Ref("Node", "", "n1")
LOOK = 52_300
"""It looks 2.3 s after every whole five seconds."""
STOPPED = Taint(SHUTDOWN, "NoSchedule")


def rented(ready: str, *taints: Taint, provider: str = "cloud:///i-1") -> Node:
    plain = node("n1", *taints)
    status = replace(plain.status, conditions=(Condition("Ready", ready, ""),))
    return replace(plain, spec=NodeSpec(taints=taints, providerID=provider), status=status)


def made(known: Node | None, machine: Host, now: int = LOOK) -> list[str]:
    return told(decided(LOOP, _turn(known, machine, now)))


def _turn(known: Node | None, machine: Host, now: int = LOOK) -> Turn:
    views = Map({"cloud-controller-manager": seen(*([known] if known else []))})
    return Turn(World(now=now, nodes=("n1",), hosts=Map({"n1": machine}), views=views), LOOP, "", KEY)


ON, OFF, GONE = Host("n1"), Host("n1", power=False), Host("n1", power=False, deleted=True)


@pytest.mark.parametrize(
    ("known", "machine", "decisions"),
    [
        pytest.param(None, GONE, [], id="a Node that is gone is nobody's affair"),
        pytest.param(rented("True"), GONE, [], id="it asks about nodes only that are not ready"),
        pytest.param(rented("Unknown", provider=""), GONE, [], id="and only of a cloud"),
        pytest.param(rented("Unknown"), GONE, ["delete-node node/n1 InstanceGone"], id="no machine: no Node"),
        pytest.param(rented("False"), GONE, ["delete-node node/n1 InstanceGone"], id="whoever says that it is not"),
        pytest.param(rented("Unknown"), ON, ["wait 57300"], id="one that runs is left alone"),
        pytest.param(rented("Unknown"), OFF, [f"taint-node node/n1 {SHUTDOWN}"], id="one that is off is tainted"),
        pytest.param(rented("Unknown", STOPPED), OFF, ["wait 57300"], id="once"),
        pytest.param(rented("Unknown", STOPPED), GONE, ["delete-node node/n1 InstanceGone"], id="and deleted with it"),
        pytest.param(
            rented("True", STOPPED), ON, [f"untaint-node node/n1 {SHUTDOWN}"], id="the taint goes when it is back"
        ),
    ],
)
def test_a_look(known: Node | None, machine: Host, decisions: list[str]) -> None:
    assert made(known, machine) == decisions


def test_between_two_looks_it_waits() -> None:
    assert made(rented("Unknown"), GONE, now=LOOK + 1) == ["wait 57300"]


def test_what_it_writes() -> None:
    (act,) = decided(LOOP, _turn(rented("Unknown"), GONE))
    assert isinstance(act, Act)
    assert act.request == Delete(KEY)
    (event,) = act.events
    assert (event.type, event.reason, event.source) == ("Normal", "DeletingNode", "cloud-node-lifecycle-controller")
    assert event.message == "Deleting node n1 because it does not exist in the cloud provider"
    other = Taint("own", "NoExecute")
    (act,) = decided(LOOP, _turn(rented("Unknown", other), OFF))
    assert isinstance(act, Act)
    assert act.request == Patch(KEY, (("spec.taints", (other, STOPPED)),))


@pytest.mark.parametrize(("machine", "rests"), [(ON, True), (OFF, False), (GONE, False)])
def test_it_rests_as_long_as_it_would_find_nothing(machine: Host, rests: bool) -> None:
    world = World(nodes=("n1",), hosts=Map({"n1": machine}), etcd=seen(rented("Unknown")))
    assert LOOP.idle is not None
    assert LOOP.idle(world, Work(LOOP.name, "", KEY)) is rests
