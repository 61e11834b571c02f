"""Processes as chips: whether they run, and where what they believe differs from what is stored."""

from __future__ import annotations

from typing import NamedTuple

from app.diagram.extract.names import seconds, short
from app.diagram.views import Chip
from app.diagram.words import say
from app.kube.networking import Endpoint, EndpointSlice
from app.sim.host import Host
from app.sim.index import Index
from app.sim.maps import ordered
from app.sim.world import World

HEARTBEATS = frozenset({"Lease"})


class Pending(NamedTuple):
    """What is under way in a world, gathered once for all nodes."""

    unseen: dict[str, int]
    """How many changes are on their way to each process, heartbeats left out."""
    syncs: dict[str, int]
    """When each node's kube-proxy will do its next work, by node."""


def pending(world: World) -> Pending:
    found: dict[str, int] = {}
    for (process, kind), (first, free) in ordered(world.heads):
        if kind not in HEARTBEATS:
            found[process] = found.get(process, 0) + free - first
    syncs = {work.node: bounds.usual for work, bounds in ordered(world.timers) if work.loop == "kube-proxy"}
    return Pending(found, syncs)


def process_chip(world: World, process: str, kind: str, word: str, under_way: Pending) -> Chip:
    """A process that sees the API through its own cache."""
    name, id = say("short", word), process.replace("/", "-")
    if process in world.down:
        return Chip(id, kind, name, say("short", "down"), "down", f"{process}: {say('short', 'down')}")
    if process in world.cut:
        note = say("short", "cut")
        return Chip(id, kind, name, note, "down", f"{process}: {note}")
    count = under_way.unseen.get(process, 0)
    if count:
        note = say("short", "unseen", count=count)
        return Chip(id, kind, name, note, "behind", f"{process}: {note} ({_what(world, process)})")
    note = say("short", "in-step")
    return Chip(id, kind, name, note, "calm", f"{process}: {note}")


def kubelet_chip(world: World, node: str, host: Host | None, under_way: Pending) -> Chip:
    if host is not None and not host.power:
        return _off("kubelet", node)
    return process_chip(world, f"kubelet/{node}", "kubelet", "kubelet", under_way)


def runtime_chip(node: str, host: Host | None) -> Chip:
    if host is not None and not host.power:
        return _off("runtime", node)
    running = sum(run.state == "running" for _, pod in ordered(host.pods) for run in pod.containers) if host else 0
    note = say("short", "containers", count=running)
    return Chip(f"runtime-{node}", "runtime", say("short", "runtime"), note, "calm", f"runtime/{node}: {note}")


def proxy_chip(world: World, node: str, host: Host | None, under_way: Pending) -> Chip:
    """kube-proxy: what it still believes of endpoints, or why its rules have not followed yet."""
    process = f"kube-proxy/{node}"
    if host is not None and not host.power:
        return _off("kube-proxy", node)
    note, state = "", "behind"
    if process in world.down:
        note, state = say("short", "down"), "down"
    elif process in world.cut:
        note, state = say("short", "cut"), "down"
    elif under_way.unseen.get(process):
        note = outdated(world, process)
    if not note:
        note, state = _sync(world, node, host, under_way)
    return Chip(f"kube-proxy-{node}", "kube-proxy", say("short", "kube-proxy"), note, state, f"{process}: {note}")


def outdated(world: World, process: str) -> str:
    """The first endpoint of which a process believes something else than what is stored."""
    view = world.views.get(process, Index())
    for stored in world.etcd.find("EndpointSlice"):
        seen = view.get(stored.ref)
        believed = seen.object if seen is not None else None
        if believed == stored or not isinstance(stored, EndpointSlice):
            continue
        now = {row.addresses: row for row in stored.endpoints}
        before = {row.addresses: row for row in believed.endpoints} if isinstance(believed, EndpointSlice) else {}
        for address in (*before, *now):
            old, new = before.get(address), now.get(address)
            if word_of(old) != word_of(new):
                return say("short", "believes", name=_name(old or new, address), word=word_of(old))
    return ""


def word_of(endpoint: Endpoint | None) -> str:
    """An endpoint's conditions as people say them; nil counts as the API says."""
    return say("endpoint", state_of(endpoint)) if endpoint is not None else say("short", "no-longer-there")


def state_of(endpoint: Endpoint) -> str:
    """ready, serving-terminating, terminating or unready."""
    row = endpoint.conditions
    if row.terminating:
        return "terminating" if row.serving is False else "serving-terminating"
    return "unready" if row.ready is False else "ready"


def _name(endpoint: Endpoint | None, addresses: tuple[str, ...]) -> str:
    target = endpoint.targetRef if endpoint else None
    return short(target.name) if target else ", ".join(addresses)


def _sync(world: World, node: str, host: Host | None, under_way: Pending) -> tuple[str, str]:
    """Rules follow a belief only at the runner's next sync."""
    if host is not None and host.proxy.sync_started is not None and not host.proxy.committed:
        return say("short", "syncing"), "waits"
    due = under_way.syncs.get(node)
    if due is not None and host is not None and host.proxy.sync_started is None:
        return say("short", "sync-waits", at=seconds(max(due, world.now))), "waits"
    return say("short", "in-step"), "calm"


def _what(world: World, process: str) -> str:
    """The objects whose changes are on their way to a process."""
    refs = [
        f"{delivery.ref.kind.lower()}/{short(delivery.ref.name)}"
        for (to, kind, _), delivery in ordered(world.inbox)
        if to == process and kind not in HEARTBEATS
    ]
    return ", ".join(dict.fromkeys(refs))


def _off(word: str, node: str) -> Chip:
    note = say("short", "off")
    return Chip(f"{word}-{node}", word, say("short", word), note, "down", f"{word}/{node}: {note}")
