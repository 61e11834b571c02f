"""What clients meet: at which rate, through which nodes it fails, and how much has failed."""

from __future__ import annotations

from fractions import Fraction

from app.diagram.extract.lists import Backends
from app.diagram.extract.names import few
from app.diagram.views import Traffic
from app.diagram.words import say
from app.sim.ledger import Failing, Load, Route, requests, share
from app.sim.maps import ordered
from app.sim.world import World


def failing(world: World) -> dict[str, list[tuple[Route, Failing]]]:
    """The routes that fail now, by node."""
    found: dict[str, list[tuple[Route, Failing]]] = {}
    for route, row in ordered(world.ledger.failing):
        found.setdefault(route.node, []).append((route, row))
    return found


def through(node: str, rows: list[tuple[Route, Failing]], backends: Backends) -> Traffic:
    """One node's arrow."""
    if not rows:
        return Traffic("ok", "", f"{node}: {say('short', 'no-failure')}")
    kinds = dict.fromkeys(row.kind for _, row in rows)
    note = ", ".join(say("failure", kind) for kind in kinds)
    shares = "; ".join(
        f"{backends.name(route.address, route.service) or route.service.name} 1/{row.of}" for route, row in rows
    )
    found = [backends.pod(route.address, route.service) for route, _ in rows if route.address]
    return Traffic("failing", note, f"{node}: {note} ({shares})", tuple(f"pod-{pair[0]}" for pair in found if pair))


def asking(world: World) -> bool:
    """Whether there are clients, and not only such as will come later."""
    return any(not load.waits for load in world.load)


def through_nodes(world: World, node: str = "") -> bool:
    """Whether any of them comes through the rules of the nodes, or of one; some are lost with their machine."""
    host = world.hosts.get(node)
    lost = host is not None and (not host.power or host.isolated)
    return any(not (load.waits or load.through or (lost and load.local)) for load in world.load)


def clients(world: World) -> tuple[str, str]:
    """The clients' line and its state; empty when nobody asks anything."""
    if not asking(world):
        return "", "calm"
    rates = [_asks(load) for load in world.load if not load.waits]
    parts = [", ".join(rates)]
    now = sum((_rate(world, route, row) for route, row in ordered(world.ledger.failing)), Fraction(0))
    if now:
        kinds = dict.fromkeys(row.kind for _, row in ordered(world.ledger.failing))
        nodes = list(dict.fromkeys(route.node for route, _ in ordered(world.ledger.failing)))
        where = ", ".join(nodes[:3]) + ("…" if len(nodes) > 3 else "")
        words = "/".join(say("failing", kind) for kind in kinds)
        parts.append(say("short", "failing-now", rate=few(float(now)), kinds=words, nodes=where))
    failed = requests(world.ledger.exposure(world.now), world.load, len(world.nodes))
    if failed:
        parts.append(say("short", "failed-so-far", count=few(float(failed))))
    return " · ".join(parts), "failing" if now else "calm"


def _asks(load: Load) -> str:
    word = "rate-through" if load.through else "rate"
    front = say("front", load.through) if load.through else ""
    return say("short", word, rate=load.rate, services=load.service.name, through=front)


def _rate(world: World, route: Route, row: Failing) -> Fraction:
    """Requests a second that a failing route loses."""
    loads = [load for load in world.load if load.service == route.service]
    rate = sum((Fraction(load.rate, share(load, len(world.nodes))) for load in loads), Fraction(0))
    return rate * row.weight / row.of
