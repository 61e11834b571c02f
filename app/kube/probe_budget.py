"""What a probe's numbers add up to: the time to start in, the time until a fault is noticed, and until it is over.

A worker ticks every period on a clock that is the pod's own, so what happens to a container meets that clock anywhere:
each answer is a range from the luckiest phase to the unluckiest. All in milliseconds.
"""

from __future__ import annotations

from typing import NamedTuple

from app.kube.pods import Probe


class Range(NamedTuple):
    """From the luckiest phase of the probe's clock to the unluckiest."""

    least: int
    most: int


def startup_budget(probe: Probe) -> Range:
    """From the start of a container to the failure of its startup (or liveness) probe, if it never answers.

    `least` is what is guaranteed: the delay, then one period less than there are attempts. Where there is a delay it
    is up to a second less, because the start is kept in whole seconds. An attempt that hangs lasts until its timeout.
    """
    delay, period = probe.initialDelaySeconds * 1000, probe.periodSeconds * 1000
    between = period * (probe.failureThreshold - 1)
    return Range(delay + between, delay + between + period)


def time_to_fail(probe: Probe, *, hangs: bool = False) -> Range:
    """From the moment at which a container no longer answers well to the result that counts.

    For liveness that is the kill, for readiness the container's way out of rotation. A container that hangs is found
    later: each attempt lasts until its timeout, and the next one does not begin before.
    """
    return _of_threshold(probe, probe.failureThreshold, hangs=hangs)


def time_to_pass(probe: Probe) -> Range:
    """From the moment at which a container answers well to the result that counts: ready, or started."""
    return _of_threshold(probe, probe.successThreshold, hangs=False)


def _of_threshold(probe: Probe, threshold: int, *, hangs: bool) -> Range:
    period, timeout = probe.periodSeconds * 1000, probe.timeoutSeconds * 1000
    lasts = timeout if hangs else 0
    every = max(period, lasts)
    least = every * (threshold - 1) + lasts
    return Range(least, least + period)


def latest_success(probe: Probe) -> int:
    """How late, after its start, a program may answer for the first time without any risk of being restarted."""
    return startup_budget(probe).least


def earliest_ready(probe: Probe | None) -> int:
    """The soonest that a container can be ready after its start, if it answers well from the first attempt on."""
    if probe is None:
        return 0
    return probe.initialDelaySeconds * 1000 + probe.periodSeconds * 1000 * (probe.successThreshold - 1)
