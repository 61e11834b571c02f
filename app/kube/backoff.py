"""How long the kubelet waits before it starts a crashed container or pulls an image again."""

from __future__ import annotations

from typing import NamedTuple

from app.kube.ages import go_duration


class Ladder(NamedTuple):
    """Doubles from `initial` to `most`, in milliseconds; forgotten after `expiry` without trouble."""

    initial: int
    most: int
    expiry: int


class Entry(NamedTuple):
    """What is remembered of one container or image: the present delay, and when it was set."""

    delay: int
    since: int


CRASH_LOOP = Ladder(10_000, 300_000, 600_000)
IMAGE_PULL = Ladder(10_000, 300_000, 600_000)

_REDUCED = Ladder(1_000, 60_000, 600_000)


def crash_loop(max_period: int | None = None, *, reduced: bool = False) -> Ladder:
    """From `crashLoopBackOff.maxContainerRestartPeriod` and the gate ReduceDefaultCrashLoopBackOffDecay."""
    ladder = _REDUCED if reduced else CRASH_LOOP
    if max_period is None:
        return ladder
    return Ladder(min(ladder.initial, max_period), max_period, ladder.expiry)


def waits_until(entry: Entry | None, event: int, ladder: Ladder) -> int:
    """From when on another attempt may follow `event`: the end of the last run, or the last failed pull."""
    if entry is None or event - entry.since > ladder.expiry:
        return event
    return event + entry.delay


def after_attempt(entry: Entry | None, event: int, now: int, ladder: Ladder) -> Entry:
    """What to remember once an attempt was made after `event` (flowcontrol.Backoff.Next)."""
    if entry is None or event - entry.since > ladder.expiry:
        return Entry(ladder.initial, now)
    return Entry(min(entry.delay * 2, ladder.most), now)


def crash_loop_message(delay: int, container: str, pod: str) -> str:
    """The waiting message; `pod` is written `name_namespace(uid)`."""
    return f"back-off {go_duration(delay)} restarting failed container={container} pod={pod}"


def crash_loop_event(container: str, pod: str) -> str:
    return f"Back-off restarting failed container {container} in pod {pod}"


def full_name(name: str, namespace: str, uid: str) -> str:
    """How the kubelet writes a pod in messages (format.Pod)."""
    return f"{name}_{namespace}({uid})"
