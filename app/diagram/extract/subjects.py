"""Whom a timeline is about: the target of the flow, or the pods that a walk ends or makes, and their replacements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from app.errors import BadInput
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.sim.draft import Draft
from app.sim.references import resolve
from app.sim.step import Commit
from app.sim.walk import Walk

MOST = 2
"""Pods of either kind."""


class Subject(NamedTuple):
    ref: Ref
    uid: str
    node: str
    """Where it ran, empty if nowhere."""
    owner: str
    """The uid of its controller."""


class Cast(NamedTuple):
    targets: tuple[Subject, ...]
    replacements: tuple[Subject, ...]


def cast(walk: Walk, text: str, target: Ref | None) -> Cast:
    """The pods that the timeline of a walk shows; `text` is how a flow names its target (`pod/web-1`)."""
    pods = _all(walk)
    ended = _first(commit for commit in _commits(walk) if _goes(commit))
    made = _first(commit for commit in _commits(walk) if commit.before is None)
    touched = _first(_commits(walk))
    named = [uid for uid in _named(walk, text, target) if uid in pods]
    if target is None and not set(named) & set(touched):
        # A scene may be about other pods than its flow.
        named = [*ended, *made, *touched, *named][:1]
    targets = (named or ended or made)[:MOST]
    owners = {pods[uid].owner for uid in targets} - {""}
    others = [uid for uid in made if uid not in targets and pods[uid].owner in owners]
    if named and not others:
        # Nobody takes its place: beside it one that was ended and replaced.
        beside = next((uid for uid in ended if any(pods[uid].owner == pods[new].owner != "" for new in made)), None)
        targets = [*targets[: MOST - 1], *([beside] if beside is not None and beside not in targets else [])]
        others = [uid for uid in made if beside is not None and pods[uid].owner == pods[beside].owner]
    return Cast(tuple(pods[uid] for uid in targets), tuple(pods[uid] for uid in others[:MOST]))


def _commits(walk: Walk) -> Iterator[Commit]:
    for record in walk.records:
        for commit in record.step.commits:
            if commit.ref.kind == "Pod":
                yield commit


def _goes(commit: Commit) -> bool:
    pod = commit.after or commit.before
    return isinstance(pod, Pod) and (pod.terminating or pod.finished or commit.after is None)


def _first(commits: Iterator[Commit]) -> list[str]:
    """Each pod's uid once, in the order of their first commits."""
    objects = (commit.after or commit.before for commit in commits)
    return list(dict.fromkeys(obj.metadata.uid for obj in objects if obj is not None))


def _named(walk: Walk, text: str, target: Ref | None) -> list[str]:
    ref = target
    if ref is None and text:
        try:
            ref = resolve(Draft(walk.start), text)
        except BadInput:
            return []
    stored = walk.start.etcd.get(ref) if ref is not None else None
    return [stored.object.metadata.uid] if stored is not None and ref is not None and ref.kind == "Pod" else []


def _all(walk: Walk) -> dict[str, Subject]:
    """Every pod that ever was, with the node that it came to run on."""
    found = {obj.metadata.uid: _subject(obj) for obj in walk.start.etcd.find("Pod") if isinstance(obj, Pod)}
    for commit in _commits(walk):
        if isinstance(commit.after, Pod):
            found[commit.after.metadata.uid] = _subject(commit.after)
    return found


def _subject(pod: Pod) -> Subject:
    owner = pod.metadata.controller
    return Subject(pod.ref, pod.metadata.uid, pod.spec.nodeName, owner.uid if owner else "")
