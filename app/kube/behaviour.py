"""How an application behaves: what its annotations say, as one value, and what follows for probes, hooks and memory."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from app.kube.health import NOT_LISTENING, Answer, Health, answer, rule_for, turning_points
from app.kube.pods import LifecycleHandler


class OnSigterm(Struct, frozen=True):
    """`exit`: it serves no more, and is gone after that time; `drain`: it serves until then; `ignore`: it goes on."""

    act: str = "exit"
    after: int = 0


class Hook(Struct, frozen=True):
    """`returns` after that time, `never-returns`, or `fails` at once."""

    outcome: str = "returns"
    after: int = 0


class ImagePull(Struct, frozen=True):
    """`pulled` in that time (None: the usual time), or the error: `not-found`, `denied`, `registry-down`.

    `private`: pulled by a pod that names a pull secret which is there, denied to others.
    """

    outcome: str = "pulled"
    takes: int | None = None


class Exit(Struct, frozen=True):
    """The process ends by itself so long after its start; or the runtime cannot even start it."""

    after: int
    code: int
    starts: bool = True


class Point(NamedTuple):
    """So many bytes, so long after the start of the process, or after t = 0 if it started before.

    Straight lines lie between points. That growth waits for t = 0 is what lets a cluster be at rest until then.
    """

    at: int
    amount: int


class Leads(Struct, frozen=True):
    """A program that leads by a Lease, and ends itself when it cannot; in milliseconds."""

    renew: int
    """How long it tries to renew the Lease when the API server does not answer."""
    start: int
    """How long it tries to reach the API server at its start."""


class Behaviour(Struct, frozen=True):
    """One container's application. Durations are milliseconds; they count from the start of the process."""

    startup: int = 0
    on_sigterm: OnSigterm = OnSigterm()
    exit_code_on_sigterm: int = 0
    pre_stop: Hook | None = None
    post_start: Hook | None = None
    memory: tuple[Point, ...] = ()
    child_memory: tuple[Point, ...] = ()
    """Of a process that the first one starts, and does not start again."""
    disk: tuple[Point, ...] = ()
    health: tuple[Health, ...] = ()
    image_pull: ImagePull = ImagePull()
    exit: Exit | None = None
    leader_election: Leads | None = None
    depends_on: tuple[str, ...] = ()
    """While one of these is down, requests are answered with errors."""
    placement: tuple[str, ...] = ()
    """Nodes that the scheduler prefers to all others on which the pod fits; of the whole pod."""
    log: tuple[str, ...] = ()
    """The last lines that it prints."""
    # None: the volumes are never unmounted.
    unmount: int | None = 0


REQUESTS = "requests"
"""The target of `health` that stands for clients."""

_SLEEP = re.compile(
    r"\s*(?:exec\s+)?(?:(?:/usr)?/bin/)?sleep\s+([0-9]{1,6}(?:\.[0-9]{1,3})?)([smh]?)\s*(?:(?:;|&&).*)?",
    re.DOTALL | re.ASCII,
)
_SHELLS = re.compile(r"(?:(?:/usr)?/bin/)?(?:ba|da|a)?sh")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def healthy(
    behaviour: Behaviour,
    target: str,
    since_start_ms: int,
    since_sigterm_ms: int | None = None,
    *,
    broken: Collection[str] = (),
    kind: str = "",
) -> Answer:
    """What a probe of `target` meets so long after the start of the process and, if it came, after SIGTERM."""
    if since_start_ms < behaviour.startup:
        return NOT_LISTENING
    return answer(rule_for(behaviour.health, target, kind), target, since_start_ms, since_sigterm_ms, broken)


def next_change(
    behaviour: Behaviour, target: str, since_start_ms: int, *, broken: Collection[str] = (), kind: str = ""
) -> int | None:
    """When, after the start of the process, the answer next becomes another one if nothing else happens."""

    def met(since: int) -> Answer:
        return healthy(behaviour, target, since, broken=broken, kind=kind)

    times = {behaviour.startup, *turning_points(rule_for(behaviour.health, target, kind))}
    now = met(since_start_ms)
    return next((time for time in sorted(times) if time > since_start_ms and met(time) != now), None)


def fares(behaviour: Behaviour, since_start_ms: int, *, broken: Collection[str] = ()) -> str:
    """How clients fare that are served so long after the start: error, unanswered, or well (empty)."""
    if all(rule.target != REQUESTS for rule in behaviour.health):
        return ""
    met = healthy(behaviour, REQUESTS, since_start_ms, broken=broken)
    return "unanswered" if met.takes is None else "" if met.ok else "error"


def hook(annotated: Hook | None, handler: LifecycleHandler) -> Hook:
    """How a hook ends: as its annotation says, else as a sleep that can be read off it, else at once."""
    if handler.sleep is not None:
        return Hook(after=handler.sleep.seconds * 1000)
    if annotated is not None:
        return annotated
    return Hook(after=slept(handler.exec.command) if handler.exec is not None else 0)


def slept(command: tuple[str, ...]) -> int:
    """Milliseconds of `sleep 15`, bare or as the first thing that a shell is told."""
    line = " ".join(command)
    if len(command) == 3 and command[1] == "-c" and _SHELLS.fullmatch(command[0]):
        line = command[2]
    match = _SLEEP.fullmatch(line)
    return round(float(match[1]) * 1000) * _SECONDS[match[2]] if match else 0


def amount_at(curve: tuple[Point, ...], since_start_ms: int) -> int:
    """Bytes in use; before the first point and after the last the curve is flat."""
    amount = curve[0].amount if curve else 0
    for left, right in pairwise(curve):
        if right.at <= since_start_ms:
            amount = right.amount
        elif left.at <= since_start_ms:
            return left.amount + (right.amount - left.amount) * (since_start_ms - left.at) // (right.at - left.at)
    return amount
