"""The arithmetic of probes, by hand and against every phase that the clock can have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kube.pods import Probe
from app.kube.probe_budget import Range, outcome_of_start, startup_budget, time_to_fail, time_to_pass
from app.kube.probes import FAILURE, LIVENESS, SUCCESS, Counting, counted


def probe(delay: int, period: int, failures: int, timeout: int = 1, successes: int = 1) -> Probe:
    return Probe(
        initialDelaySeconds=delay,
        periodSeconds=period,
        failureThreshold=failures,
        timeoutSeconds=timeout,
        successThreshold=successes,
    )


@pytest.mark.parametrize(
    ("given_probe", "least", "most"),
    [
        pytest.param(probe(3, 5, 3), 13, 18, id="delay 3, period 5, threshold 3: not 15"),
        pytest.param(probe(3, 5, 6), 28, 33, id="guaranteed: the delay and five periods of six"),
        pytest.param(probe(0, 10, 30), 290, 300, id="thirty times ten is 300 s at best"),
        pytest.param(probe(0, 1, 1), 0, 1, id="a single attempt"),
        pytest.param(probe(0, 10, 18), 170, 180, id="eighteen by ten"),
    ],
)
def test_startup_budget(given_probe: Probe, least: int, most: int) -> None:
    assert startup_budget(given_probe) == Range(least * 1000, most * 1000)


@pytest.mark.parametrize(
    ("given_probe", "hangs", "least", "most"),
    [
        pytest.param(probe(0, 30, 3), False, 60, 90, id="three failures, 30 s apart"),
        pytest.param(probe(0, 10, 3), False, 20, 30, id="out of rotation"),
        pytest.param(probe(0, 30, 3), True, 61, 91, id="one that hangs is found a timeout later"),
        pytest.param(probe(0, 5, 3, timeout=10), True, 30, 35, id="attempts that outlast the period follow each other"),
        pytest.param(probe(60, 10, 1), False, 0, 10, id="the delay is long over"),
    ],
)
def test_time_to_fail(given_probe: Probe, hangs: bool, least: int, most: int) -> None:
    assert time_to_fail(given_probe, hangs=hangs) == Range(least * 1000, most * 1000)


def test_time_to_pass() -> None:
    assert time_to_pass(probe(0, 5, 3)) == Range(0, 5_000)
    assert time_to_pass(probe(0, 5, 3, successes=3)) == Range(10_000, 15_000)


@pytest.mark.parametrize(
    ("takes", "outcome"),
    [
        (10_000, "safe"),
        (13_000, "safe"),
        (13_001, "at risk"),
        (17_999, "at risk"),
        (18_000, "killed"),
        (20_000, "killed"),
    ],
)
def test_a_slow_start(takes: int, outcome: str) -> None:
    assert outcome_of_start(takes, probe(3, 5, 3)) == outcome


@given(st.integers(1, 20), st.integers(1, 6), st.integers(1, 30), st.booleans(), st.integers(0, 19_999))
def test_no_phase_of_the_clock_leaves_the_range(
    period: int, threshold: int, timeout: int, hangs: bool, phase: int
) -> None:
    """A worker that asks at every tick, and at once where a tick passed while it was asking."""
    rule = probe(0, period, threshold, timeout)
    lasts = timeout * 1000 if hangs else 0
    # The fault is at 0, the first tick after it somewhere within a period.
    begun, state = phase % (period * 1000), Counting(SUCCESS)
    while (state := counted(state, FAILURE, LIVENESS, rule)).result != FAILURE:
        begun += max(period * 1000, lasts)
    found = time_to_fail(rule, hangs=hangs)
    assert found.least <= begun + lasts < found.most
