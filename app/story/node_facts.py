"""How the loss of a machine went: when it was noticed, what was replaced, and what had two owners meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from app.kube.meta import Ref
from app.kube.node_health import GRACE_FLAG
from app.kube.node_monitor import NOTHING, PERIOD, RENEW
from app.kube.pods import Pod
from app.sim.lags import lag
from app.sim.walk import Record, Walk
from app.story.fact import Fact, Subject, first

LOSSES = ("power-off", "partition", "stop-kubelet", "terminate")
"""What a reader does to a machine so that its signs of life end."""

GONE_WITH_NODE = ("taint-eviction", "pod-collected")


class Loss(NamedTuple):
    """The first machine that is lost, and when."""

    node: str
    at: int
    step: int


def lost(walk: Walk) -> Loss | None:
    row = first(walk, lambda row: row.step.loop == "you" and row.step.verb in LOSSES)
    return Loss(row.step.object.name, row.step.at, row.n) if row else None


def unknown_after(subject: Subject) -> Fact:
    """Seconds from the loss until Ready turned Unknown, and the range of it."""
    loss = lost(subject.walk)
    row = _moment(subject.walk, "node-unknown")
    if loss is None or row is None:
        return Fact(None, "s")
    least, most = window(subject.walk)
    seconds = (row.step.at - loss.at) / 1000
    return Fact(seconds, "s", row.n, (("range", _range(least, most)),), least / 1000, most / 1000)


def window(walk: Walk) -> tuple[int, int]:
    """The earliest and the latest that a machine's loss can be noticed, in milliseconds after it.

    The controller saw the last renewal in a pass, and writes the node off in the first pass more than a grace period
    later. The machine died at most one renewal after its last, and that pass came at most one period after that.
    """
    grace, pass_every = lag(walk.start.lags, GRACE_FLAG).usual, PERIOD + NOTHING
    passes = grace // pass_every + 1
    return max(passes * pass_every - RENEW, 0), (passes + 1) * pass_every


def _range(least: int, most: int) -> str:
    return f"{least / 1000:.0f} to {most / 1000:.0f} s"


def failover(subject: Subject) -> Fact:
    """Seconds from the loss until the last replacement that a ReplicaSet made is Ready, and the range of it."""
    walk, loss = subject.walk, lost(subject.walk)
    if loss is None:
        return Fact(None, "s", more=tuple((name, "never") for name in ("range", "noticed", "waited", "rest")))
    rows = [row for row in walk.records if row.step.at >= loss.at and _replacement_ready(row)]
    ready = rows[-1] if rows else None
    noticed, tainted, evicted = (_moment(walk, name) for name in ("node-unknown", "no-execute-added", "taint-eviction"))
    words = (
        ("noticed", _between(loss.at, noticed)),
        ("waited", _between(tainted.step.at if tainted else 0, evicted if tainted else None)),
        ("rest", _between(evicted.step.at if evicted else 0, ready if evicted else None)),
    )
    if ready is None:
        return Fact(None, "s", more=(*words, ("range", "never")))
    total = least = most = ready.step.at - loss.at
    if noticed is not None:
        least, most = (part + ready.step.at - noticed.step.at for part in window(walk))
    more = (*words, ("range", _range(least, most)))
    return Fact(total / 1000, "s", ready.n or None, more, least / 1000, most / 1000)


def _between(start: int, end: Record | None) -> str:
    return f"{(end.step.at - start) / 1000:.1f} s" if end is not None else "never"


def _replacement_ready(row: Record) -> bool:
    for commit in row.step.commits:
        pod, was = commit.after, commit.before
        if isinstance(pod, Pod) and isinstance(was, Pod) and pod.ready and not was.ready:
            owner = pod.metadata.controller
            born = pod.metadata.creationTimestamp
            return owner is not None and owner.kind == "ReplicaSet" and born is not None and born >= 0
    return False


def missing_for(subject: Subject) -> Fact:
    """Seconds from the loss until a pod of the target's name is Ready again; to the end, if none is."""
    loss = lost(subject.walk)
    if loss is None:
        return Fact(0.0, "s")
    gone: int | None = None
    total, step = 0, None
    for row in subject.walk.records:
        for commit in row.step.commits:
            if commit.ref != subject.target:
                continue
            ready = isinstance(commit.after, Pod) and commit.after.ready and not commit.after.terminating
            if not ready and gone is None:
                gone = loss.at
            elif ready and gone is not None:
                total, gone, step = row.step.at - gone, None, row.n or None
    if gone is not None:
        total = subject.end - gone
    return Fact(total / 1000, "s", step)


def replaced(subject: Subject) -> Fact:
    """Whether a new pod of the target's name has been made."""
    row = first(
        subject.walk,
        lambda row: any(commit.ref == subject.target and commit.before is None for commit in row.step.commits),
    )
    return Fact(
        row is not None, "", row.n if row else None, (("at", f"{row.step.at / 1000:.1f} s" if row else "never"),)
    )


def unconfirmed_for(subject: Subject) -> Fact:
    """The longest that a pod of a lost machine was Terminating without its kubelet's word."""
    longest, step, left = _longest(
        subject,
        lambda row: row.step.moment == "taint-eviction",
        lambda row: row.step.verb == "remove",
    )
    return Fact(longest / 1000, "s", step, (("left", str(left)),))


def never_confirmed(subject: Subject) -> Fact:
    """Pods that the taint manager has deleted and that are Terminating still at the end."""
    found = [row for row in _moments(subject.walk, "taint-eviction") if _still(subject, row)]
    names = ", ".join(row.step.object.name for row in found) or "none"
    return Fact(float(len(found)), "pods", found[0].n if found else None, (("pods", names),))


def _still(subject: Subject, row: Record) -> bool:
    held, before = subject.walk.world.etcd.get(row.step.object), row.step.before.etcd.get(row.step.object)
    return held is not None and before is not None and held.object.metadata.uid == before.object.metadata.uid


def evicted_alive(subject: Subject) -> Fact:
    """Pods that were deleted for a NoExecute taint while their program ran."""
    found = [row for row in _moments(subject.walk, "taint-eviction") if _runs(row)]
    names = ", ".join(row.step.object.name for row in found) or "none"
    return Fact(float(len(found)), "pods", found[0].n if found else None, (("pods", names),))


def _runs(row: Record) -> bool:
    held = row.step.before.etcd.get(row.step.object)
    pod = held.object if held else None
    host = row.step.before.hosts.get(pod.spec.nodeName) if isinstance(pod, Pod) else None
    there = host.pods.get(pod.metadata.uid) if host is not None and isinstance(pod, Pod) else None
    return bool(host and host.power and there and any(run.state == "running" for run in there.containers))


def bare_lost(subject: Subject) -> Fact:
    """Pods without a controller that went with their machine, and are not there at the end: nobody makes them anew."""
    lost_ones = [row for row in subject.walk.records if row.step.moment in GONE_WITH_NODE and _bare(row)]
    refs = dict.fromkeys(row.step.object for row in lost_ones if subject.walk.world.etcd.get(row.step.object) is None)
    removed = first(subject.walk, lambda row: row.step.verb == "remove" and row.step.object in refs)
    names = ", ".join(ref.name for ref in refs) or "none"
    return Fact(float(len(refs)), "pods", removed.n if removed else None, (("pods", names),))


def _bare(row: Record) -> bool:
    held = row.step.before.etcd.get(row.step.object)
    return held is not None and isinstance(held.object, Pod) and held.object.metadata.controller is None


def nodes_executed(subject: Subject) -> Fact:
    """Nodes that got a NoExecute taint."""
    return _nodes(subject, "no-execute-added")


def timers_cancelled(subject: Subject) -> Fact:
    """Deletions that were given up in time."""
    found = _moments(subject.walk, "taint-eviction-cancelled")
    return Fact(float(len(found)), "pods", found[0].n if found else None)


def multi_attach_for(subject: Subject) -> Fact:
    """The longest that a pod had to wait for a disk which another node had."""
    longest, step, _ = _longest(
        subject,
        lambda row: row.step.moment == "multi-attach",
        lambda row: row.step.moment == "volume-mounted",
    )
    return Fact(longest / 1000, "s", step)


def _longest(
    subject: Subject, begins: Callable[[Record], bool], ends: Callable[[Record], bool]
) -> tuple[int, int | None, int]:
    """The longest time from a beginning to the same object's end, or to the walk's; its step; how many have no end."""
    since: dict[Ref, tuple[int, int]] = {}
    spans: list[tuple[int, int]] = []
    for row in subject.walk.records:
        if begins(row):
            since.setdefault(row.step.object, (row.step.at, row.n))
        elif ends(row) and row.step.object in since:
            at, n = since.pop(row.step.object)
            spans.append((row.step.at - at, n))
    spans += [(subject.end - at, n) for at, n in since.values()]
    longest, step = max(spans, key=lambda span: span[0], default=(0, None))
    return (longest, step, len(since)) if longest else (0, None, len(since))


def _nodes(subject: Subject, moment: str) -> Fact:
    found = _moments(subject.walk, moment)
    names = list(dict.fromkeys(row.step.object.name for row in found))
    return Fact(float(len(names)), "nodes", found[0].n if found else None, (("nodes", ", ".join(names) or "none"),))


def _moments(walk: Walk, moment: str) -> list[Record]:
    return [row for row in walk.records if row.n and row.step.moment == moment]


def _moment(walk: Walk, moment: str) -> Record | None:
    return first(walk, lambda row: row.step.moment == moment)


NODE_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "unknown-after": unknown_after,
    "failover": failover,
    "missing-for": missing_for,
    "replaced": replaced,
    "unconfirmed-for": unconfirmed_for,
    "never-confirmed": never_confirmed,
    "evicted-alive": evicted_alive,
    "bare-lost": bare_lost,
    "nodes-executed": nodes_executed,
    "timers-cancelled": timers_cancelled,
    "multi-attach-for": multi_attach_for,
}
