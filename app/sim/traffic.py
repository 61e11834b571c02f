"""Keeps the ledger: which routes are open, which of them lead to nothing that serves, and what was cut short.

Exact for a steady rate: costs are linear between actions, and a span's end is an action's instant. A front that tries
again never tries the same address twice. Not modelled: the kernel's limit on ICMP errors, retries of clients, retries
of what was cut short, and connections that are kept open between requests.
"""

from __future__ import annotations

from math import comb

from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim.draft import Draft
from app.sim.fronts import Front
from app.sim.host import Host
from app.sim.ledger import ANY, Failing, Ledger, Load, Route, Span, Tally
from app.sim.maps import ordered, ordered_keys
from app.sim.proxy_rules import Rules
from app.sim.served import ERROR, failure, failure_at, machine_of, own_address, pod_at


def begin(draft: Draft) -> None:
    """Open the routes of all clients from the rules that stand."""
    _open(draft, draft.load)
    # Clients were there before: a request may have been in flight for as long as it takes.
    takes = {load.service: load.duration for load in draft.load}
    for route, (span,) in ordered(draft.ledger.routes):
        earlier = (span._replace(since=draft.now - takes[route.service]),)
        draft.ledger = replace(draft.ledger, routes=draft.ledger.routes.set(route, earlier))


def come(draft: Draft) -> bool:
    """Let those clients begin that have waited; True if there are any."""
    new = tuple(replace(row, waits=False, came=draft.now) for row in draft.load if row.waits)
    draft.load = tuple(row for row in draft.load if not row.waits) + new
    _open(draft, new)
    return bool(new)


def _open(draft: Draft, loads: tuple[Load, ...]) -> None:
    for load in [row for row in loads if row.through and not row.waits]:
        front = draft.fronts.get(load.service, Front())
        _rules_changed(draft, load, load.through, None, front.rules)
    for node in draft.nodes:
        for load in loads:
            if not (load.waits or load.through):
                _rules_changed(draft, load, node, None, draft.hosts[node].proxy.rules.get(load.service))


def settle(draft: Draft, old: Host, new: Host) -> bool:
    """Account for one machine's change; True when a route began or ceased to fail."""
    before = draft.ledger.failing, draft.ledger.served
    listed = False
    if old.pods is not new.pods or old.power != new.power or old.broken != new.broken:
        listed = _processes_changed(draft, old, new)
    if old.isolated != new.isolated or old.power != new.power:
        listed = _network_changed(draft, old, new) or listed
    if old.proxy.rules is not new.proxy.rules:
        for load in draft.load:
            if not (load.waits or load.through):
                rules = old.proxy.rules.get(load.service), new.proxy.rules.get(load.service)
                _rules_changed(draft, load, new.node, *rules)
    return listed or (draft.ledger.failing, draft.ledger.served) != before


def turn_to(draft: Draft, service: Ref, front: Front) -> bool:
    """Let a front send to other addresses; True when a route began or ceased to fail."""
    before = draft.ledger.failing
    old = draft.fronts.get(service, Front())
    draft.fronts = draft.fronts.set(service, front)
    for load in draft.load:
        if load.service == service and load.through and not load.waits:
            _rules_changed(draft, load, load.through, old.rules, front.rules)
    return draft.ledger.failing != before


def _processes_changed(draft: Draft, old: Host, new: Host) -> bool:
    """Whether it concerns an address that a front knows."""
    was, now = _addresses(old), _addresses(new)
    known = {address for _, front in draft.fronts.items() for address in front.listed} if draft.fronts else ()
    listed = False
    for address in sorted(was.keys() | now.keys()):
        if was.get(address, "unanswered") == now.get(address, "unanswered"):
            continue
        listed = listed or address in known
        for route in [route for route, _ in ordered(draft.ledger.routes) if route.address == address]:
            if was.get(address) == "" and now.get(address) != ERROR and not _asks_no_more(draft, route):
                _cut_short(draft, route)
            _recheck(draft, route)
    return _shared_changed(draft, old, new) in known or listed


def _shared_changed(draft: Draft, old: Host, new: Host) -> str:
    """The machine's own address, where what answers there changed: its pods on the host network share it."""
    address, changed = own_address(new), ""
    for route in [route for route, _ in ordered(draft.ledger.routes) if route.address == address != ""]:
        was, now = _answer(draft, old, route), _answer(draft, new, route)
        if was != now:
            changed = address
            if was == "" and now != ERROR and not _asks_no_more(draft, route):
                _cut_short(draft, route)
            _recheck(draft, route)
    return changed


def _answer(draft: Draft, host: Host, route: Route) -> str:
    found = pod_at(draft, host, route.address, route.service)
    return failure(host, found) if found is not None else "unanswered"


def _network_changed(draft: Draft, old: Host, new: Host) -> bool:
    """A machine is cut off or joined again, or its own clients went or came; whether a front knows it."""
    parted = new.isolated and not old.isolated
    for route in ordered_keys(draft.ledger.routes):
        mine, there = route.node == new.node, bool(route.address) and machine_of(draft, route.address) == new.node
        if not (mine or there):
            continue
        if parted and mine != there and route not in draft.ledger.failing and not _asks_no_more(draft, route):
            _cut_short(draft, route)
        _recheck(draft, route)
    known = {address for _, front in draft.fronts.items() for address in front.listed}
    return old.isolated != new.isolated and any(machine_of(draft, address) == new.node for address in known)


def _asks_no_more(draft: Draft, route: Route) -> bool:
    """Whether the clients of a route ran on its machine and are lost with it."""
    here = draft.hosts.get(route.node)
    lost = here is not None and (not here.power or here.isolated)
    return lost and any(row.local for row in draft.load if row.service == route.service)


def _addresses(host: Host) -> dict[str, str]:
    """Each pod address of a machine and how a connection to it fails; empty when it is served."""
    return {pod.ip: failure(host, pod) for _, pod in ordered(host.pods) if pod.ip}


def _rules_changed(draft: Draft, load: Load, node: str, old: Rules | None, new: Rules | None) -> None:
    if old == new:
        return
    before, after = _backends(old), _backends(new)
    for address in sorted(set(before) | set(after)):
        _reopen(draft, Route(node, load.service, address), len(after) if address in after else 0, load.duration)


def _backends(rules: Rules | None) -> tuple[str, ...]:
    """Addresses that connections go to; one empty address stands for REJECT."""
    return (rules.backends or ("",)) if rules is not None else ()


def _reopen(draft: Draft, route: Route, of: int, duration: int) -> None:
    """Close a route's open span and, if it still stands in the rules, open one among `of` backends."""
    now, routes = draft.now, draft.ledger.routes
    known = routes.get(route, ())
    closed = [Span(span.of, span.since, now) if span.until is None else span for span in known]
    spans = [span for span in closed if span.until is not None and span.until > now - duration]
    if of:
        spans.append(Span(of, now, None))
    if spans:
        draft.ledger = replace(draft.ledger, routes=routes.set(route, tuple(spans)))
    elif known:
        draft.ledger = replace(draft.ledger, routes=routes.delete(route))
    _recheck(draft, route)


def _recheck(draft: Draft, route: Route) -> None:
    """Open or close the failing span of one route, according to its rules and to what answers at its address."""
    spans = draft.ledger.routes.get(route, ())
    of = spans[-1].of if spans and spans[-1].until is None else 0
    kind = _kind(draft, route) if of else ""
    if of and not kind and draft.ledger.served is None and _came(draft, route.service):
        draft.ledger = replace(draft.ledger, served=route)
    retried = next((row for row in draft.load if row.service == route.service and row.through and row.retries), None)
    _fails(draft, route, kind, of, weight=0 if retried else 1)
    if retried:
        _all_tries_fail(draft, retried)


def _all_tries_fail(draft: Draft, load: Load) -> None:
    """Of all choices of as many different addresses as are tried for a request, the share that none of them answers."""
    ledger = draft.ledger
    mine = [
        (route, spans[-1])
        for route, spans in ordered(ledger.routes)
        if route[:2] == (load.through, load.service) and spans[-1].until is None
    ]
    bad = [row.kind for route, _ in mine if (row := ledger.failing.get(route)) is not None]
    tries = min(load.retries + 1, len(mine))
    lost = comb(len(bad), tries) if tries else 0
    route = Route(load.through, load.service, ANY)
    _fails(draft, route, bad[0] if lost else "", comb(len(mine), tries), weight=lost)


def _fails(draft: Draft, route: Route, kind: str, of: int, *, weight: int) -> None:
    """Note that a route fails from now on, in another way than before, or no more (no kind)."""
    known = draft.ledger.failing.get(route)
    if known is not None and (known.kind, known.of, known.weight) == (kind, of, weight):
        return
    if known is not None:
        draft.ledger = _closed(draft.ledger, route, known, draft.now)
    if kind:
        first = draft.ledger.first
        if weight and first is None:
            first = draft.now
        failing = draft.ledger.failing.set(route, Failing(kind, of, draft.now, weight))
        draft.ledger = replace(draft.ledger, failing=failing, first=first)


def _came(draft: Draft, service: Ref) -> bool:
    return any(load.service == service and load.came is not None for load in draft.load)


def _closed(ledger: Ledger, route: Route, known: Failing, now: int) -> Ledger:
    key = Tally(route.node, route.service, known.kind, known.of)
    spent, failing = ledger.spent, ledger.failing.delete(route)
    if not known.weight:
        return replace(ledger, failing=failing)
    if now == known.since:
        return replace(ledger, failing=failing)
    spent = spent.set(key, spent.get(key, 0) + (now - known.since) * known.weight)
    return replace(ledger, failing=failing, spent=spent, last=now)


def _kind(draft: Draft, route: Route) -> str:
    if _asks_no_more(draft, route):
        return ""
    return failure_at(draft, route.address, route.node, route.service) if route.address else "rejected"


def _cut_short(draft: Draft, route: Route) -> None:
    """Requests that were in flight on a route when its process ended: those begun within their duration."""
    load = next(row for row in draft.load if row.service == route.service)
    ledger = draft.ledger
    if load.duration == 0:
        return
    cut = ledger.cut
    for span in ledger.routes.get(route, ()):
        begun = max(span.since, draft.now - load.duration)
        milliseconds = (span.until if span.until is not None else draft.now) - begun
        if milliseconds > 0:
            key = Tally(route.node, route.service, "cut", span.of)
            cut = cut.set(key, cut.get(key, 0) + milliseconds)
    draft.ledger = replace(ledger, cut=cut)


def note(draft: Draft, route: Route, row: Failing | None) -> None:
    """Remember that the clients have noticed a failing route, or its end."""
    noted = draft.ledger.noted
    noted = noted.set(route, row) if row is not None else noted.delete(route)
    draft.ledger = replace(draft.ledger, noted=noted)


def greet(draft: Draft) -> None:
    """Remember that the clients have noticed the first answer."""
    draft.ledger = replace(draft.ledger, greeted=True)
