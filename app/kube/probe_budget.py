"""What a probe's numbers add up to: the time to start in, and the time until a change of health counts.

A worker asks once a period on a clock that is the pod's own, so what happens to a container meets that clock anywhere:
each answer is a range, from the luckiest phase of the clock to the unluckiest. All in milliseconds.
"""

from __future__ import annotations

from typing import NamedTuple

from app.kube.pods import Probe

SAFE, AT_RISK, KILLED = "safe", "at risk", "killed"


class Range(NamedTuple):
    """`most` is never quite reached."""

    least: int
    most: int

    def later(self, by: int) -> Range:
        return Range(self.least + by, self.most + by)


def startup_budget(probe: Probe, *, hangs: bool = False) -> Range:
    """From the start of a container to its being killed by a startup (or liveness) probe that it never answers well.

    `least` is what is guaranteed: the delay, and one period less than there are attempts. With a delay it may be up to
    a second less, as the kubelet keeps the start in whole seconds.
    """
    return time_to_fail(probe, hangs=hangs).later(probe.initialDelaySeconds * 1000)


def time_to_fail(probe: Probe, *, hangs: bool = False) -> Range:
    """From the moment at which a container ceases to answer well to the result that counts.

    Of liveness that is the kill, of readiness the way out of rotation. A container that hangs is found later: each
    attempt lasts until its timeout, and the next one does not begin before.
    """
    return _of_threshold(probe, probe.failureThreshold, probe.timeoutSeconds * 1000 if hangs else 0)


def time_to_pass(probe: Probe) -> Range:
    """From the moment at which a container answers well, at once, to the result that counts: ready, or started."""
    return _of_threshold(probe, probe.successThreshold, 0)


def _of_threshold(probe: Probe, threshold: int, lasts: int) -> Range:
    """The first attempt comes within a period, the others a period (or a whole attempt) apart."""
    period = probe.periodSeconds * 1000
    rest = max(period, lasts) * (threshold - 1) + lasts
    return Range(rest, rest + period)


def outcome_of_start(takes: int, probe: Probe) -> str:
    """What a startup probe does to a program that answers well from that time on after its start."""
    budget = startup_budget(probe)
    if takes <= budget.least:
        return SAFE
    return KILLED if takes >= budget.most else AT_RISK
