"""Which keys a change wakes, and whether at once or after a while."""

from __future__ import annotations

from app.kube.meta import Ref
from app.kube.objects import Object
from app.sim.acts import Work
from app.sim.draft import Draft, enqueue, set_timer
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop
from app.sim.maps import ordered
from app.sim.world import Delivery


def woken(draft: Draft, loop: Loop, node: str, view: Index, delivery: Delivery) -> None:
    """Queue the keys of one loop that a change concerns, or hold them back for a while."""
    versions = [stored.object for stored in (delivery.before, delivery.after) if stored is not None]
    ignored = loop.ignores.get(delivery.ref.kind)
    if ignored is not None and len(versions) > 1 and ignored(*versions):
        return
    keys = _awaiting(draft, versions) if loop.commands else _keys(loop, view, versions)
    for key in keys:
        if loop.batch and not _at_once(key, delivery):
            _hold(draft, Work(loop.name, node, key), loop.batch)
        else:
            enqueue(draft, Work(loop.name, node, key))


def _keys(loop: Loop, view: Index, versions: list[Object]) -> list[Ref]:
    wakes = loop.wakes[versions[0].kind]
    found = [key for version in versions for key in wakes(view, version)]
    return list(dict.fromkeys(found))


def _at_once(key: Ref, delivery: Delivery) -> bool:
    """Whether the key's own object is new, gone, or asked for something else."""
    before, after = delivery.before, delivery.after
    if delivery.ref != key:
        return False
    return before is None or after is None or before.object.metadata.generation != after.object.metadata.generation


def _hold(draft: Draft, work: Work, delay: int) -> None:
    """Let a key be worked on after a while, unless it is to be sooner."""
    due = Bounds.at(draft.now + delay)
    known = draft.timers.get(work)
    if work not in draft.queued and (known is None or due.usual < known.usual):
        set_timer(draft, work, due)


def _awaiting(draft: Draft, versions: list[Object]) -> list[Ref]:
    uids = {version.metadata.uid for version in versions}
    return [key for key, command in ordered(draft.commands) if command.exit is None and uids & set(command.uids)]
