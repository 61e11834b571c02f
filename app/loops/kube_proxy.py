"""kube-proxy: one sync runner per node that turns Services and EndpointSlices into the kernel's rules.

A change that is seen asks for a sync, also one that leaves the usable endpoints alone. A sync starts at once, but
never before 1 s after the end of the one before, takes all that is known at its start, changes the rules a little
later and ends a little after that. Requests do not queue: what comes meanwhile waits for the next sync together. After
a start of the process the first sync is not delayed by that second, and rules are not flushed before it.
Not modelled: ports (a Service's rules are its pod addresses), external traffic, hints, conntrack of UDP, DROP instead
of REJECT under internalTrafficPolicy Local, the hourly full sync and retries after a failed one.
"""

from __future__ import annotations

from collections.abc import Iterable

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
    seen = _seen(turn)
    if proxy.since is None:
        # Nothing to watch for yet: no sync would change anything.
        return _act(turn, "watch", "ProcessStarted", replace(proxy, since=turn.now)) if seen else None
    if proxy.last_sync_end is not None and seen == proxy.seen:
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
    changed = [
        ref for ref in ordered_keys({**proxy.rules, **proxy.taken}) if proxy.rules.get(ref) != proxy.taken.get(ref)
    ]
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


# What it believes.


def _services(turn: Turn) -> list[Service]:
    """Headless Services have no rules, and their slices are not even watched."""
    return [row for row in turn.all(Service) if not row.spec.headless and row.spec.type != "ExternalName"]


def _slices(turn: Turn) -> list[EndpointSlice]:
    return [row for row in turn.all(EndpointSlice) if HEADLESS_LABEL not in row.metadata.labels]


def _seen(turn: Turn) -> Versions:
    """Versions tell that something changed even where the outcome is the same."""
    objects: list[Object] = [*_services(turn), *_slices(turn)]
    return tuple((row.ref, turn.version(row.ref)) for row in objects)


def _rules(turn: Turn) -> Map[Ref, Rules]:
    """The rules that follow from what is believed; a Service without usable endpoints rejects."""
    listed: dict[Ref, list[Endpoint]] = {}
    for row in _slices(turn):
        listed.setdefault(Ref(Service.kind, row.metadata.namespace, row.service), []).extend(row.endpoints)
    return Map({service.ref: _rule(turn, service, listed.get(service.ref, ())) for service in _services(turn)})


def _rule(turn: Turn, service: Service, endpoints: Iterable[Endpoint]) -> Rules:
    policies = Policies(internal_local=service.spec.internalTrafficPolicy == "Local")
    found = backends(tuple(endpoints), turn.node, policies)
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
