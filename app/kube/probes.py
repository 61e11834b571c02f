"""How the kubelet counts the results of a probe, and when it asks at all (pkg/kubelet/prober/worker.go)."""

from __future__ import annotations

from typing import NamedTuple

from app.kube.meta import whole_second
from app.kube.pods import Probe

READINESS, LIVENESS, STARTUP = "readiness", "liveness", "startup"
SUCCESS, FAILURE, UNKNOWN = "Success", "Failure", "Unknown"

BEFORE_FIRST = {READINESS: FAILURE, LIVENESS: SUCCESS, STARTUP: UNKNOWN}
"""What counts until the first result: an unready, living container that is not yet started."""


class Counting(NamedTuple):
    """What a probe's worker knows of the present container."""

    result: str
    last: str = ""
    run: int = 0
    """How many of the last answers in a row were `last`."""
    on_hold: bool = False
    """A container that failed liveness or startup is not asked again; the next one is."""


def fresh(kind: str) -> Counting:
    """For a container that has not been asked yet."""
    return Counting(BEFORE_FIRST[kind])


def counted(before: Counting, answer: str, kind: str, probe: Probe) -> Counting:
    """After one more answer: the result turns once the threshold is reached in a row."""
    if before.on_hold:
        return before
    run = before.run + 1 if before.last == answer else 1
    threshold = probe.failureThreshold if answer == FAILURE else probe.successThreshold
    if run < threshold:
        return before._replace(last=answer, run=run)
    if answer == FAILURE and kind != READINESS:
        return Counting(answer, answer, 0, on_hold=True)
    return Counting(answer, answer, run)


def asks(kind: str, probe: Probe, *, started: bool, started_at: int, now: int) -> bool:
    """Whether a tick of the worker asks a running container.

    The initial delay is compared in whole seconds; startup comes alone, and the others after it.
    """
    if (now - whole_second(started_at)) // 1000 < probe.initialDelaySeconds:
        return False
    return started != (kind == STARTUP)


def goes_on_while_terminating(kind: str) -> bool:
    """Of a pod being deleted only readiness is still asked."""
    return kind == READINESS


def container_ready(*, running: bool, started: bool, readiness: Counting | None) -> bool:
    """`readiness` is None without a readiness probe."""
    return running and started and (readiness is None or readiness.result == SUCCESS)
