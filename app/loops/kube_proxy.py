"""kube-proxy: one sync runner per node that turns Services and EndpointSlices into the kernel's rules.

A change that is seen asks for a sync, also one that leaves the usable endpoints alone. A sync starts at once, but
never before 1 s after the end of the one before, takes all that is known at its start, changes the rules a little
later and ends a little after that. Requests do not queue: what comes meanwhile waits for the next sync together. After
a start of the process the first sync is not delayed by that second, and rules are not flushed before it.
Not modelled: ports (a Service's rules are its pod addresses), external traffic, hints, conntrack of UDP, DROP instead
of REJECT under internalTrafficPolicy Local, the hourly full sync and retries after a failed one.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from app.kube.endpoints import Policies, backends
from app.kube.meta import Ref
from app.kube.networking import Endpoint, EndpointSlice, Service
from app.kube.objects import Object
from app.sim.acts import Act, Wait
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.maps import Map, ordered_keys
from app.sim.proxy_rules import Proxy, Rules
from app.sim.sharing import Shared

RUNNER = Ref("Proxy", "", "sync-runner")
HEADLESS_LABEL = "service.kubernetes.io/headless"
BETWEEN_SYNCS = 1000
"""Milliseconds from the end of a sync to the start of the next (minSyncPeriod)."""

Versions = tuple[tuple[Ref, int], ...]


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next step of the runner: begin to watch, start a sync, change the rules, end the sync."""
    proxy = turn.host.proxy
    if proxy.sync_started is not None:
        return _end(turn, proxy) if proxy.committed else _commit(turn, proxy)
    seen = _seen(turn.view)
    if proxy.since is None:
        # Nothing to watch for yet: no sync would change anything.
        return _act(turn, "watch", "ProcessStarted", replace(proxy, since=turn.now)) if seen else None
    if proxy.last_sync_end is not None and (seen is proxy.seen or seen == proxy.seen):
        return None
    return _start(turn, proxy, seen)


def _start(turn: Turn, proxy: Proxy, seen: Versions) -> Act | Wait:
    end = proxy.last_sync_end
    first = turn.lag("proxy-start").after(proxy.since or 0)
    bounds = first if end is None else Bounds.at(max(turn.now, end + BETWEEN_SYNCS))
    if not turn.reached(bounds):
        return Wait(bounds)
    started = replace(proxy, sync_started=turn.now, committed=False, seen=seen, taken=_rules(turn))
    return _act(turn, "start-sync", "FirstSync" if end is None else "ChangeSeen", started)


def _commit(turn: Turn, proxy: Proxy) -> Act | Wait:
    bounds = turn.lag("proxy-commit").after(proxy.sync_started or 0)
    if not turn.reached(bounds):
        return Wait(bounds)
    changed = _changed(proxy.rules, proxy.taken)
    rules = proxy.taken if changed else proxy.rules
    done = replace(proxy, rules=rules, taken=Map(), committed=True)
    if not changed:
        return _act(turn, "keep-rules", "SameBackends", done)
    ref = changed[0]
    return Act(
        "change-rules",
        ref,
        reason=_difference(proxy.rules.get(ref), rules.get(ref)),
        moment="rules-changed",
        host=replace(turn.host, proxy=done),
    )


def _end(turn: Turn, proxy: Proxy) -> Act | Wait:
    bounds = turn.lag("proxy-sync").after(proxy.sync_started or 0).no_earlier(turn.now)
    if not turn.reached(bounds):
        return Wait(bounds)
    return _act(turn, "end-sync", "RulesWritten", replace(proxy, sync_started=None, last_sync_end=turn.now))


def _act(turn: Turn, verb: str, reason: str, proxy: Proxy) -> Act:
    return Act(verb, Ref("Node", "", turn.node), reason=reason, host=replace(turn.host, proxy=proxy), background=True)


def _difference(before: Rules | None, after: Rules | None) -> str:
    if before is None or after is None:
        return "ServiceRemoved" if after is None else "ServiceAdded"
    if not after.backends:
        return "NoEndpoints"
    lost = any(address not in after.backends for address in before.backends)
    won = any(address not in before.backends for address in after.backends)
    return "BackendsChanged" if lost and won else "BackendRemoved" if lost else "BackendAdded"


@Shared
def _changed(before: Map[Ref, Rules], after: Map[Ref, Rules]) -> list[Ref]:
    """The Services whose rules differ."""
    return [ref for ref in ordered_keys({**before, **after}) if before.get(ref) != after.get(ref)]


# What it believes. The proxies of all nodes believe the same for most of the time, so what follows is shared.


def _services(view: Index) -> list[Service]:
    """Headless Services have no rules, and their slices are not even watched."""
    rows = [row for row in view.find(Service.kind) if isinstance(row, Service)]
    return [row for row in rows if not row.spec.headless and row.spec.type != "ExternalName"]


def _slices(view: Index) -> list[EndpointSlice]:
    rows = [row for row in view.find(EndpointSlice.kind) if isinstance(row, EndpointSlice)]
    return [row for row in rows if HEADLESS_LABEL not in row.metadata.labels]


@Shared
def _seen(view: Index) -> Versions:
    """Versions tell that something changed even where the outcome is the same."""
    objects: list[Object] = [*_services(view), *_slices(view)]
    return tuple((row.ref, view.objects[row.ref].version) for row in objects)


class Everywhere(NamedTuple):
    """What follows from a belief on every node, and what is left to each of them."""

    rules: Map[Ref, Rules]
    local: tuple[tuple[Service, tuple[Endpoint, ...]], ...]
    """Services whose rules differ from node to node, each with its endpoints."""


@Shared
def _everywhere(view: Index) -> Everywhere:
    listed: dict[Ref, list[Endpoint]] = {}
    for row in _slices(view):
        listed.setdefault(Ref(Service.kind, row.metadata.namespace, row.service), []).extend(row.endpoints)
    rows = [(service, tuple(listed.get(service.ref, ()))) for service in _services(view)]
    rules = {service.ref: _rule(service, endpoints, "") for service, endpoints in rows if not _local(service)}
    return Everywhere(Map(rules), tuple(row for row in rows if _local(row[0])))


def _rules(turn: Turn) -> Map[Ref, Rules]:
    """The rules that follow from what is believed; a Service without usable endpoints rejects."""
    rules, local = _everywhere(turn.view)
    own = {service.ref: _rule(service, endpoints, turn.node) for service, endpoints in local}
    return rules.update(own) if own else rules


def _local(service: Service) -> bool:
    return service.spec.internalTrafficPolicy == "Local"


def _rule(service: Service, endpoints: tuple[Endpoint, ...], node: str) -> Rules:
    policies = Policies(internal_local=_local(service))
    found = backends(endpoints, node, policies)
    usable = found.local if policies.internal_local else found.cluster
    return Rules(tuple(sorted({address for row in usable or () for address in row.addresses})))


def _runner(_: Index, __: Object) -> list[Ref]:
    return [RUNNER]


def _on_start(_: Turn) -> list[Ref]:
    return [RUNNER]


LOOP = Loop(
    name="kube-proxy",
    lane="kube-proxy",
    process="kube-proxy",
    per_node=True,
    reconcile=reconcile,
    wakes={"Service": _runner, "EndpointSlice": _runner},
    on_start=_on_start,
)
