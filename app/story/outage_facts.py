"""The API server's absence and its return: who was without it, who gave up, and when each was back."""

from __future__ import annotations

from collections.abc import Callable

from app.sim.loop import SERVER
from app.sim.walk import Record, Walk
from app.sim.world import World
from app.story.fact import Fact, Subject, at, first

LEADERS = ("controller-manager", "scheduler")


def _missed_by(world: World) -> tuple[str, ...]:
    """Who cannot reach the API server."""
    return ("everybody",) if SERVER in world.down else tuple(sorted(world.cut))


def gone(walk: Walk) -> Record | None:
    """The first act after which somebody is without the API server."""
    return next((row for row in walk.records if _missed_by(row.step.world)), None)


def back(walk: Walk) -> Record | None:
    """The act after which everybody can reach it again, for good."""
    found: Record | None = None
    for row in walk.records:
        if _missed_by(row.step.world):
            found = None
        elif found is None and _missed_by(row.step.before):
            found = row
    return found


def api_away(subject: Subject) -> Fact:
    """For how long somebody could not reach the API server."""
    walk = subject.walk
    began, total = gone(walk), _lasted(walk, lambda world: bool(_missed_by(world)))
    who = sorted({name for row in walk.records for name in _missed_by(row.step.world)})
    more = (("who", ", ".join(who) or "nobody"), ("from", at(began)))
    return Fact(total / 1000, "s", began.n or None if began else None, more)


def kubectl_away(subject: Subject) -> Fact:
    """For how long kubectl could not reach it, because nobody could."""
    began = first(subject.walk, lambda row: SERVER in row.step.world.down)
    total = _lasted(subject.walk, lambda world: SERVER in world.down)
    return Fact(total / 1000, "s", began.n if began is not None else None)


def _lasted(walk: Walk, test: Callable[[World], bool]) -> int:
    """Milliseconds in which it was so."""
    total, since = 0, None
    for row in walk.records:
        holds = test(row.step.world)
        if holds and since is None:
            since = row.step.at
        elif not holds and since is not None:
            total, since = total + row.step.at - since, None
    return total + (walk.world.now - since if since is not None else 0)


def leaders_lost(subject: Subject) -> Fact:
    """Processes that exited because they could not renew their Lease."""
    found = [row for row in subject.walk.records if row.step.moment == "leader-lost"]
    more = (
        ("at", at(found[0] if found else None)),
        ("who", ", ".join(row.step.object.name for row in found) or "none"),
    )
    return Fact(float(len(found)), "exits", found[0].n or None if found else None, more)


def controllers_back(subject: Subject) -> Fact:
    """From the API server's return until kube-controller-manager leads again; 0 if it never ceased to."""
    return _leads_again(subject, "controller-manager")


def scheduler_back(subject: Subject) -> Fact:
    """The same of kube-scheduler."""
    return _leads_again(subject, "scheduler")


def _leads_again(subject: Subject, lane: str) -> Fact:
    lost = first(subject.walk, lambda row: row.step.loop == f"{lane}-election" and row.step.verb == "exit")
    if lost is None:
        return Fact(0.0, "s")
    returned, leads = (
        back(subject.walk),
        first(subject.walk, lambda row: row.step.id.startswith(f"{lane}-election.acq")),
    )
    if leads is None or returned is None:
        return Fact(None, "s", lost.n or None)
    return Fact((leads.step.at - returned.step.at) / 1000, "s", leads.n or None, (("at", at(leads)),))


def watches_back(subject: Subject) -> Fact:
    """From the API server's return until the last watch has come back; None while one is still missing."""
    walk = subject.walk
    returned = back(walk)
    found = [row for row in walk.records if row.step.verb == "relist" and row.step.loop.endswith("-watches")]
    if gone(walk) is None or (returned is not None and not found and not walk.world.severed):
        return Fact(0.0, "s")
    if returned is None or walk.world.severed or not found:
        return Fact(None, "s")
    last = found[-1]
    return Fact((last.step.at - returned.step.at) / 1000, "s", last.n or None, (("who", last.step.sender),))


def local_restarts(subject: Subject) -> Fact:
    """Containers that kubelets started again while they could not reach the API server."""
    found = [
        row
        for row in subject.walk.records
        if row.step.moment == "start-container" and "restart" in row.step.reason and _alone(row)
    ]
    pods = ", ".join(dict.fromkeys(row.step.object.name for row in found)) or "none"
    return Fact(float(len(found)), "restarts", found[0].n or None if found else None, (("pods", pods),))


def _alone(row: Record) -> bool:
    world = row.step.before
    return SERVER in world.down or f"kubelet/{row.step.node}" in world.cut


def nodes_unknown(subject: Subject) -> Fact:
    """Nodes that the controller gave up on, and when the first of them."""
    found = [row for row in subject.walk.records if row.step.moment == "node-unknown" and row.step.outcome == "ok"]
    names = ", ".join(dict.fromkeys(row.step.object.name for row in found)) or "none"
    count = len({row.step.object for row in found})
    more = (("nodes", names), ("at", at(found[0] if found else None)))
    return Fact(float(count), "nodes", found[0].n or None if found else None, more)


def taint_evictions(subject: Subject) -> Fact:
    """Pods that were deleted because of a NoExecute taint."""
    found = [row for row in subject.walk.records if row.step.loop == "taint-eviction" and row.step.verb == "delete-pod"]
    pods = ", ".join(row.step.object.name for row in found) or "none"
    return Fact(float(len(found)), "pods", found[0].n or None if found else None, (("pods", pods),))


OUTAGE_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "api-away": api_away,
    "kubectl-away": kubectl_away,
    "leaders-lost": leaders_lost,
    "controllers-back": controllers_back,
    "scheduler-back": scheduler_back,
    "watches-back": watches_back,
    "local-restarts": local_restarts,
    "nodes-unknown": nodes_unknown,
    "taint-evictions": taint_evictions,
}
