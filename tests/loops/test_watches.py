"""The tables of what lets broken watches come back, and an API server serve."""

from __future__ import annotations

import pytest
from msgspec import Struct

from app.kube.meta import Ref
from app.loops import api_server
from app.loops.watches import LOOPS
from app.sim.acts import Work
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.maps import Map
from app.sim.processes import Starting
from app.sim.world import World
from tests.loops.beliefs import decided, told

KUBELET = next(loop for loop in LOOPS if loop.process == "kubelet")
PODS = Ref("Watch", "", "Pod")
SERVER = Ref("Process", "", "kube-apiserver")
DUE = Bounds(1_000, 5_000, 9_000)


def at(now: int, loop: Loop, key: Ref, memory: Struct | None, *, down: str = "", fired: bool = False) -> Turn:
    node = "n1" if loop.per_node else ""
    known = Map({Work(loop.name, node, key): memory} if memory else {})
    return Turn(World(now=now, memory=known, down=Map({down: 0} if down else {})), loop, node, key, fired=fired)


@pytest.mark.parametrize(
    ("now", "memory", "down", "acts"),
    [
        pytest.param(5_000, None, "", [], id="a watch that is not broken"),
        pytest.param(1, DUE, "", ["wait 5000"], id="in its pause"),
        pytest.param(5_000, DUE, "", ["relist watch/Pod WatchBack", "wait None"], id="its pause is over"),
        pytest.param(5_000, DUE, "kube-apiserver", ["wait None"], id="but the API server is away again"),
    ],
)
def test_watches(now: int, memory: Struct | None, down: str, acts: list[str]) -> None:
    assert told(decided(KUBELET, at(now, KUBELET, PODS, memory, down=down, fired=True))) == acts


def test_a_kind_is_listed() -> None:
    first, second = decided(KUBELET, at(5_000, KUBELET, PODS, DUE, fired=True))
    assert (getattr(first, "lists", ""), getattr(second, "forget", False)) == ("Pod", True)


@pytest.mark.parametrize(
    ("now", "memory", "acts"),
    [
        pytest.param(5, None, [], id="nobody has started it"),
        pytest.param(5, Starting(0), ["wait 2000"], id="it starts"),
        pytest.param(2_000, Starting(0), ["serve process/kube-apiserver Ready", "wait None"], id="it serves"),
    ],
)
def test_an_api_server(now: int, memory: Struct | None, acts: list[str]) -> None:
    assert told(decided(api_server.LOOP, at(now, api_server.LOOP, SERVER, memory, fired=True))) == acts
