"""What probes of an application meet: its answers by target, over time, while what it depends on is down."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from msgspec import Struct


class Reply(NamedTuple):
    """A status, and after how many milliseconds it comes; None: never."""

    status: int
    takes: int | None = 0


class Clause(NamedTuple):
    """From `after` on the reply is this one: for a while, or for good."""

    after: int
    reply: Reply
    lasts: int | None

    def holds(self, since_start: int) -> bool:
        return self.after <= since_start and (self.lasts is None or since_start < self.after + self.lasts)


class Outage(NamedTuple):
    """While that dependency is down the reply is this one."""

    dependency: str
    reply: Reply


class Health(Struct, frozen=True):
    """What probes of one target meet: an HTTP path, `exec`, `tcp`, `grpc`, or `*` for all others.

    `startup`, `readiness` and `liveness` speak of that probe of the container, whatever it asks; `requests` of what
    clients meet.
    """

    target: str
    usual: Reply
    clauses: tuple[Clause, ...] = ()
    outages: tuple[Outage, ...] = ()
    on_sigterm: Reply | None = None


class Answer(NamedTuple):
    """What one probe meets; the code is None where nothing answers, and where the probe is not HTTP."""

    ok: bool
    code: int | None
    takes: int | None = 0
    """Milliseconds until it comes; None: never."""


NOT_LISTENING = Answer(ok=False, code=None)


def rule_for(rules: tuple[Health, ...], target: str, kind: str = "") -> Health | None:
    """What is said of the probe itself, else of what it asks, else of all others."""
    by_target = {rule.target: rule for rule in rules}
    return by_target.get(kind) or by_target.get(target) or by_target.get("*")


def answer(
    rule: Health | None, target: str, since_start: int, since_sigterm: int | None, broken: Collection[str]
) -> Answer:
    """What a listening process answers; a later clause wins over an earlier one, and SIGTERM over all."""
    if rule is None:
        return _of(target, Reply(200))
    reply = rule.usual
    for clause in rule.clauses:
        reply = clause.reply if clause.holds(since_start) else reply
    for outage in rule.outages:
        reply = outage.reply if outage.dependency in broken else reply
    if since_sigterm is not None and rule.on_sigterm is not None:
        reply = rule.on_sigterm
    return _of(target, reply)


def _of(target: str, reply: Reply) -> Answer:
    code = reply.status if target.startswith("/") else None
    return Answer(200 <= reply.status < 400, code, reply.takes)


def turning_points(rule: Health | None) -> set[int]:
    """When, after the start of the process, a clause of the rule begins or ends."""
    clauses = rule.clauses if rule is not None else ()
    ends = [clause.after + clause.lasts for clause in clauses if clause.lasts is not None]
    return {*(clause.after for clause in clauses), *ends}
