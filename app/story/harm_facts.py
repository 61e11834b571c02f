"""What probes did not see, and what they ended although it was only slow."""

from __future__ import annotations

from collections.abc import Callable

from app.kube.meta import Ref
from app.kube.probes import LIVENESS
from app.sim.ledger import requests
from app.sim.maps import ordered
from app.sim.step import Step
from app.story.fact import Fact, Subject, first

TIMED_OUT = ("context deadline exceeded", "command timed out", "i/o timeout", "did not complete within")
"""What the kubelet says of an attempt that got no answer in time."""
BADLY = ("error", "unanswered")
NOBODY = ("refused", "unanswered")


def timeout_kills(subject: Subject) -> Fact:
    """Containers that liveness ended although their program had only not answered in time."""
    slow: dict[Ref, bool] = {}
    found = []
    for row in subject.walk.records:
        if row.step.verb == "probe" and row.step.reason.startswith(LIVENESS):
            slow[row.step.object] = _timed_out(row.step)
        elif row.step.moment == "liveness-kill" and slow.get(row.step.object):
            found.append(row)
    return Fact(float(len(found)), "kills", found[0].n or None if found else None)


def _timed_out(step: Step) -> bool:
    return any(text in event.message for event in step.events for text in TIMED_OUT)


def answered_badly(subject: Subject) -> Fact:
    """Requests that the rules led to a program which answered with an error, or to one that did not answer."""
    return _met(subject, BADLY)


def met_nobody(subject: Subject) -> Fact:
    """Requests that the rules led to an address where nothing listens any more."""
    return _met(subject, NOBODY)


def _met(subject: Subject, kinds: tuple[str, ...]) -> Fact:
    world = subject.walk.world
    spent = world.ledger.exposure(world.now)
    for tally, _ in ordered(spent):
        if tally.kind not in kinds:
            spent = spent.delete(tally)
    total = float(round(requests(spent, world.load, len(world.nodes)), 3))
    step = first(subject.walk, lambda row: row.step.moment in [f"request-{kind}" for kind in kinds])
    return Fact(total, "requests", step.n if step and total else None)


HARM_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "timeout-kills": timeout_kills,
    "answered-badly": answered_badly,
    "met-nobody": met_nobody,
}
