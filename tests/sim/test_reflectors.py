"""How long watches stay away, held against what client-go's back-off can do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sim.lags import Lag
from app.sim.reflectors import FIRST, LONGEST, Severed, after_silence, away, slowest

MANAGER, PROXY = "kube-controller-manager", "kube-proxy/node-1"


def drawn(lasted: int, lots: list[float], *, again: bool) -> int:
    """One fate of a watch by client-go's rule: pauses of 0.8 s, doubling to 30 s, each up to as long again."""
    at, pause = 0.0, float(FIRST)
    for lot in lots:
        if at >= lasted and not again:
            break
        again = again and at < lasted
        at += pause * lot
        pause = min(LONGEST, 2 * pause)
    return round(at) - lasted


@given(
    st.integers(100, 300_000), st.lists(st.floats(1, 2), min_size=40, max_size=40), st.sampled_from((MANAGER, PROXY))
)
def test_whatever_the_lots_are_the_range_holds_it(lasted: int, lots: list[float], process: str) -> None:
    found = away(Severed(0), lasted, process, "Pod")
    assert found.least <= found.usual <= found.most
    assert found.least <= drawn(lasted, lots, again=process == PROXY) <= found.most


def test_kinds_and_machines_are_not_in_step() -> None:
    names = [(f"kube-proxy/node-{n}", kind) for n in range(1, 4) for kind in ("Service", "EndpointSlice")]
    assert len({away(Severed(0), 30_000, process, kind).usual for process, kind in names}) == len(names)


def test_a_watch_that_has_never_been_there_needs_no_second_try() -> None:
    fresh = away(Severed(0, fresh=True), 30_000, PROXY, "Service")
    assert fresh.usual < away(Severed(0), 30_000, PROXY, "Service").usual


@pytest.mark.parametrize("lasted", [0, 1_000, 20_000, 45_450, 165_000])
def test_who_waits_for_all_lists_waits_for_the_slowest(lasted: int) -> None:
    found = slowest(lasted)
    assert found.least <= found.usual <= found.most
    assert found.usual >= away(Severed(0, fresh=True), lasted, MANAGER, "Pod").usual - 1_000


@pytest.mark.parametrize(
    ("lasted", "lag"),
    [
        pytest.param(8_000, Lag(0, 1, 50), id="a connection outlives eight seconds of silence"),
        pytest.param(60_000, Lag(0, 3_000, 12_000), id="but not a minute"),
    ],
)
def test_after_a_server_that_hung(lasted: int, lag: Lag) -> None:
    assert after_silence(lasted) == lag
