"""The rows of a timeline about who sends to a pod: each node's rules, and the list of an ingress or load balancer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from app.diagram.extract.names import short
from app.diagram.extract.series import Phase, Series, segments, series
from app.diagram.extract.subjects import Subject
from app.diagram.extract.tracks import Tracks, worded
from app.diagram.views import Track
from app.diagram.words import say
from app.kube.meta import Ref
from app.sim.fronts import Front
from app.sim.host import Host
from app.sim.ledger import Failing, Route
from app.sim.maps import Map, ordered
from app.sim.world import World

T = TypeVar("T")

MOST_RULES = 4
"""Nodes whose rules have a row."""
NOTHING = Front()


def rules(tracks: Tracks, subject: Subject) -> list[Track]:
    """Each node's rules that ever led to the pod; those that led astray first, if there are too many."""
    address = _address(tracks, subject)
    if not address:
        return []
    found = [row for node in tracks.walk.start.nodes if (row := _rules(tracks, subject, node, address)) is not None]
    if len(found) <= MOST_RULES:
        return found
    stale = [row for row in found if any(part.state == "stale" for part in row.segments)]
    chosen = [*stale, *(row for row in found if row not in stale)][:MOST_RULES]
    rest = say("timeline", "more-rules", count=f"+{len(found) - len(chosen):,}")
    return [*(row for row in found if row in chosen), Track("rules-more", "kube-proxy", rest, ())]


def _address(tracks: Tracks, subject: Subject) -> str:
    """The one that the pod has had; empty if it had none, or several."""
    addresses = {
        held.ip
        for _, host in tracks.hosts(subject.node)
        if host is not None and (held := host.pods.get(subject.uid)) is not None and held.ip
    }
    return addresses.pop() if len(addresses) == 1 else ""


def _rules(tracks: Tracks, subject: Subject, node: str, address: str) -> Track | None:
    leads = any(
        address in row.backends
        for _, host in tracks.hosts(node)
        if host is not None
        for _, row in ordered(host.proxy.rules)
    )
    if not leads:
        return None
    name = short(subject.ref.name)
    rows = _with_failures(tracks, lambda world: world.hosts.get(node), node, address)

    def phase(value: tuple[Host | None, str]) -> Phase | None:
        host, kind = value
        if host is None:
            return None
        if not host.power:
            return Phase("gone", say("timeline", "off"))
        return _leading(name, kind, there=any(address in row.backends for _, row in ordered(host.proxy.rules)))

    title = say("timeline", "rules", node=node)
    return Track(f"rules-{node}-{subject.uid}", "kube-proxy", title, segments(rows, tracks.end, phase))


def front(tracks: Tracks, subject: Subject) -> list[Track]:
    """The list of each ingress or load balancer that ever named the pod."""
    address = _address(tracks, subject)
    services = dict.fromkeys(
        service
        for _, fronts in series(tracks.walk, lambda world: world.fronts)
        for service, row in ordered(fronts)
        if address and address in row.rules.backends
    )
    return [_front(tracks, subject, service, address) for service in services]


def _front(tracks: Tracks, subject: Subject, service: Ref, address: str) -> Track:
    through = next(load.through for load in tracks.walk.start.load if load.service == service)
    name = short(subject.ref.name)
    rows = _with_failures(tracks, lambda world: world.fronts.get(service, NOTHING), through, address)

    def phase(value: tuple[Front, str]) -> Phase | None:
        return _leading(name, value[1], there=address in value[0].rules.backends)

    title = say("timeline", "front", through=say("front", through))
    return Track(f"front-{service.name}-{subject.uid}", "clients", title, segments(rows, tracks.end, phase))


def _leading(name: str, kind: str, *, there: bool) -> Phase:
    if not there:
        return worded("without", name=name)
    return worded("stale", name=name, kind=say("failing", kind)) if kind else worded("leads", name=name)


def _with_failures(tracks: Tracks, part: Callable[[World], T], node: str, address: str) -> Series[tuple[T, str]]:
    """A part of the world together with how the route to that address fails, if it does."""
    known: dict[tuple[int, int], tuple[T, str]] = {}

    def both(world: World) -> tuple[T, str]:
        found, failing = part(world), world.ledger.failing
        key = (id(found), id(failing))
        if key not in known:
            known[key] = (found, _kind(failing, node, address))
        return known[key]

    return series(tracks.walk, both)


def _kind(failing: Map[Route, Failing], node: str, address: str) -> str:
    kinds = [row.kind for route, row in ordered(failing) if route.node == node and route.address == address]
    return kinds[0] if kinds else ""


def subject_tracks(tracks: Tracks, subject: Subject) -> list[Track]:
    """Every row about one pod."""
    found = [tracks.object(subject), *tracks.processes(subject), tracks.grace(subject), *tracks.endpoints(subject)]
    led = [*rules(tracks, subject), *front(tracks, subject)]
    return [row for row in (*found, *led, tracks.probe(subject)) if row is not None]
