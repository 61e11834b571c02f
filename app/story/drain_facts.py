"""How a drain went: whom it sent away, what refused it, what would let it go on."""

from __future__ import annotations

from collections.abc import Callable

from app.kube.pods import Pod
from app.sim.acts import Command
from app.sim.maps import ordered
from app.sim.walk import Record, Walk
from app.story.cordon_facts import bindings
from app.story.fact import Fact, Subject, first
from app.story.unblocking import Block, blocks, maker

DRAIN = ("Drain", "Retry")
"""The reasons of a drain's requests."""
REFUSED = "too-many-requests"


def requests(walk: Walk) -> list[Record]:
    """Every request of a drain to send a pod away, also those that the API server carried on with by itself."""
    return [row for row in walk.records if row.step.verb in ("evict", "delete") and row.step.reason in DRAIN]


def _sent(walk: Walk) -> list[Record]:
    return [row for row in requests(walk) if row.step.outcome == "ok"]


def drains(walk: Walk) -> list[Command]:
    return [command for _, command in ordered(walk.world.commands) if command.verb == "drain"]


def evicted(subject: Subject) -> Fact:
    """Pods whose eviction or deletion by a drain was accepted."""
    sent = _sent(subject.walk)
    names = ", ".join(dict.fromkeys(row.step.object.name for row in sent)) or "none"
    step = next((row.n for row in sent if row.n), None)
    return Fact(float(len(sent)), "pods", step, (("pods", names),))


def refusals(subject: Subject) -> Fact:
    """Evictions that a disruption budget refused."""
    found = [row for row in subject.walk.records if row.step.moment == "eviction-refused"]
    return Fact(float(len(found)), "refusals", found[0].n or None if found else None)


def drain_finished(subject: Subject) -> Fact:
    """When a drain had emptied its last node; never, if it failed (which is the step then) or still runs."""
    done = [row for row in subject.walk.records if row.step.moment == "node-drained"]
    over = drains(subject.walk)
    if not done or not over or over[0].exit != 0:
        return Fact(None, "s", drain_exit(subject).step)
    return Fact(done[-1].step.at / 1000, "s", done[-1].n or None, (("node", done[-1].step.object.name),))


def drain_exit(subject: Subject) -> Fact:
    """The exit code of the first drain; none while it runs."""
    command = next(iter(drains(subject.walk)), None)
    if command is None or command.exit is None:
        return Fact(None, "")
    step = first(subject.walk, lambda row: row.step.verb in ("return", "fail") and row.step.command == command.number)
    return Fact(float(command.exit), "", step.n if step else None)


def drain_refused(subject: Subject) -> Fact:
    """Whether a drain evicted nobody because of pods that it may not delete without a flag."""
    step = first(subject.walk, lambda row: row.step.moment == "drain-refused")
    return Fact(step is not None, "", step.n if step else None, (("node", step.step.object.name if step else "none"),))


def blocked_for(subject: Subject) -> Fact:
    """Seconds for which a drain that still runs at the end has been refused by budgets, nobody leaving meanwhile."""
    running = [command for command in drains(subject.walk) if command.exit is None]
    found = requests(subject.walk)
    accepted = max((at for at, row in enumerate(found) if row.step.outcome == "ok"), default=-1)
    refused = [row for row in found[accepted + 1 :] if row.step.outcome.startswith(REFUSED)]
    if not running or not refused:
        return Fact(0.0, "s", more=_words(()))
    rows = blocks(subject.walk.world, tuple(dict.fromkeys(row.step.object for row in refused)))
    return Fact((subject.end - refused[0].step.at) / 1000, "s", refused[0].n or None, _words(rows))


def _words(rows: tuple[Block, ...]) -> tuple[tuple[str, str], ...]:
    def told(texts: list[str]) -> str:
        return ", ".join(dict.fromkeys(texts)) or "none"

    return (
        ("pods", told([row.pod for row in rows])),
        ("budgets", told([row.budget for row in rows])),
        ("needs", told([str(row.needs) for row in rows])),
        ("has", told([str(row.has) for row in rows])),
        ("unblock", "; ".join(dict.fromkeys(text for row in rows for text in row.unblock)) or "none"),
    )


def waits_for(subject: Subject) -> Fact:
    """Evicted pods that are still there at the end, while a drain waits for them."""
    running = [command for command in drains(subject.walk) if command.exit is None]
    etcd = subject.walk.world.etcd
    left = [row for row in _sent(subject.walk) if running and etcd.get(row.step.object) is not None]
    names = ", ".join(row.step.object.name for row in left) or "none"
    return Fact(float(len(left)), "pods", next((row.n for row in left if row.n), None), (("pods", names),))


def refused_for_good(subject: Subject) -> Fact:
    """Evictions that failed for a reason that kubectl does not try again."""
    passing = ("ok", REFUSED, "busy", "not-found")
    found = [row for row in requests(subject.walk) if not row.step.outcome.startswith(passing)]
    return Fact(float(len(found)), "pods", found[0].n or None if found else None)


def came_back(subject: Subject) -> Fact:
    """Pods that were bound to a node after a drain had begun with it."""
    since = {ref.name: 0 for command in drains(subject.walk) for ref in command.refs}
    for row in subject.walk.records:
        if row.step.verb == "choose-pods" and since.get(row.step.object.name) == 0:
            since[row.step.object.name] = row.step.at
    found = [(row, pod) for row, pod in bindings(subject.walk) if row.step.at > since.get(pod.spec.nodeName, 10**9) > 0]
    names = ", ".join(pod.metadata.name for _, pod in found) or "none"
    return Fact(float(len(found)), "pods", found[0][0].n or None if found else None, (("pods", names),))


def fewest_ready(subject: Subject) -> Fact:
    """The smallest number of ready pods that a workload had of which a drain sent pods away."""
    low = _lowest(subject.walk)
    if low is None:
        return Fact(None, "pods", more=(("workload", "none"),))
    owner, fewest, row, _ = low
    return Fact(float(fewest), "pods", row.n or None if row else None, (("workload", owner),))


def none_ready_for(subject: Subject) -> Fact:
    """Seconds in which that workload had no ready pod."""
    low = _lowest(subject.walk)
    return Fact(low[3] / 1000 if low else 0.0, "s")


def _lowest(walk: Walk) -> tuple[str, int, Record | None, int] | None:
    """(owner, fewest ready, where, milliseconds with none) of the workload that fell lowest."""
    owners = dict.fromkeys(owner for row in _sent(walk) if (owner := _owner(row)) is not None)
    found = [(name, *_course(walk, uid)) for uid, name in owners]
    return min(found, key=lambda row: row[1]) if found else None


def _owner(row: Record) -> tuple[str, str] | None:
    """The uid of a pod's controller, and the name of what people know it by."""
    held = row.step.before.etcd.get(row.step.object)
    pod = held.object if held else None
    owner = pod.metadata.controller if pod else None
    if owner is None or not isinstance(pod, Pod):
        return None
    made = maker(row.step.before, pod)
    return owner.uid, made.metadata.name if made else owner.name


def _course(walk: Walk, uid: str) -> tuple[int, Record | None, int]:
    """How many pods of one owner were ready over time: the fewest, where, and how long none was."""
    ready = {pod.ref for pod in walk.start.etcd.find("Pod") if isinstance(pod, Pod) and _counts(pod, uid)}
    fewest, where, none, since = len(ready), None, 0, None if ready else walk.start.now
    for row in walk.records:
        for commit in row.step.commits:
            if isinstance(commit.after, Pod) and _counts(commit.after, uid):
                ready.add(commit.ref)
            else:
                ready.discard(commit.ref)
        if len(ready) < fewest:
            fewest, where = len(ready), row
        if since is None and not ready:
            since = row.step.at
        elif since is not None and ready:
            none, since = none + row.step.at - since, None
    return fewest, where, none + (walk.world.now - since if since is not None else 0)


def _counts(pod: Pod, uid: str) -> bool:
    owner = pod.metadata.controller
    return owner is not None and owner.uid == uid and pod.ready and not pod.terminating


DRAIN_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "evicted": evicted,
    "refusals": refusals,
    "drain-finished": drain_finished,
    "drain-exit": drain_exit,
    "drain-refused": drain_refused,
    "blocked-for": blocked_for,
    "waits-for": waits_for,
    "refused-for-good": refused_for_good,
    "came-back": came_back,
    "fewest-ready": fewest_ready,
    "none-ready-for": none_ready_for,
}
