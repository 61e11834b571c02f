"""Verdicts over every order and lag: least, most, and the smallest setting that is safe."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import lcm

from msgspec import Struct
from msgspec.structs import replace

from app.catalog import starting
from app.catalog.flow import Verdict
from app.kube import durations
from app.kube.endpoints import is_ready
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice
from app.kube.pods import Pod
from app.sim.engine import Model
from app.sim.explore import Found, explore
from app.sim.host import Host
from app.sim.index import Index
from app.sim.lags import lag
from app.sim.ledger import Tally
from app.sim.maps import Map, ordered
from app.sim.proxy_rules import Rules
from app.sim.sharing import Shared
from app.sim.world import World
from app.story.facts import rounded
from app.story.play import Answered, Play, PlayRequest, play
from app.story.words import filled

# What makes and places replacements is left out of a search: whether a request fails is over before one is ready.
LEFT_OUT = frozenset({"deployment", "replicaset", "statefulset", "scheduler", "clients"})
SEARCHED = ("requests-failed", "requests-cut", "prestop-needed")
MOST_WORLDS = 150_000
KEPT_PARTS = 10_000
"""Parts of worlds of which a search remembers what follows from them."""


class Range(Struct, frozen=True):
    """The least and most failed requests over all orders."""

    least: Fraction
    most: Fraction
    worlds: int
    exact: bool


@lru_cache(maxsize=1)
def search_model() -> Model:
    """The loops that take part in a search."""
    return Model(loop for name, loop in starting.model().loops.items() if name not in LEFT_OUT)


def searched(played: Play) -> Play:
    """The same play, its searchable verdicts with `least`, `most` and `exact`."""
    rows = {row.id: row for row in played.flow.verdicts}
    verdicts = tuple(_answer(played, row, rows[row.id]) for row in played.verdicts)
    return replace(played, verdicts=verdicts)


def _answer(played: Play, row: Answered, asked: Verdict) -> Answered:
    if row.id not in SEARCHED or not asked.varies or any(load.through for load in played.walk.start.load):
        return row
    if row.id == "prestop-needed":
        return _needed(played, row, asked)
    found = failed_range(played, asked.varies, cut=row.id == "requests-cut")
    return replace(row, least=rounded(found.least), most=rounded(found.most), varies=asked.varies, exact=found.exact)


def failed_range(played: Play, varies: tuple[str, ...], *, cut: bool = False) -> Range:
    """Failed (or cut) requests of one node at a time, added up: the nodes' proxies do not know of each other."""
    least = most = Fraction(0)
    worlds = 0
    exact = True
    for node, alike in alike_nodes(played.walk.start):
        quiet = _searched(played, node, varies, phase=None, cut=cut)
        busy = _searched(played, node, varies, phase=worst_phase(played.walk.start, node), cut=cut)
        least += alike * asked(played, min(quiet.least, busy.least))
        most += alike * asked(played, max(quiet.most, busy.most))
        worlds += quiet.worlds + busy.worlds
        exact = exact and quiet.finished and busy.finished
    # In-flight requests have a break of their own at their duration, which is not among the searched instants.
    return Range(least, most, worlds, exact and not cut)


def alike_nodes(world: World) -> list[tuple[str, int]]:
    """One node of each kind with how many there are: nodes with the same lags and the same rules race alike."""
    names = ("kubelet", "kube-proxy", "proxy-sync", "proxy-commit")
    found: dict[tuple[object, ...], list[str]] = {}
    for node in world.nodes:
        kind = (*(lag(world.lags, name, node) for name in names), tuple(ordered(world.hosts[node].proxy.rules)))
        found.setdefault(kind, []).append(node)
    return [(nodes[0], len(nodes)) for nodes in found.values()]


def shared_unit(played: Play) -> int:
    """A number that every possible count of backends divides, so that costs are whole."""
    return lcm(*range(1, 2 * len(played.walk.start.etcd.find("Pod")) + 2))


def asked(played: Play, cost: int) -> Fraction:
    """A cost as requests: divided once, at the end."""
    return Fraction(cost, 1000 * len(played.walk.start.nodes) * shared_unit(played))


def worst_phase(world: World, node: str) -> int:
    """The latest end of an unrelated sync that can still hold back the one that matters.

    A change that just misses a running sync waits for its end and 1.000 s more; the change is seen at most one
    controller-manager lag and one kube-proxy lag after the deletion.
    """
    seen = lag(world.lags, "kube-controller-manager").most + lag(world.lags, "kube-proxy", node).most
    return seen + lag(world.lags, "proxy-sync", node).most


def _searched(
    played: Play, node: str, varies: tuple[str, ...], *, phase: int | None, cut: bool, stop: int | None = None
) -> Found:
    unit = shared_unit(played)
    weights = {row.service: row.rate * unit for row in played.walk.start.load}

    def past(spans: Map[Tally, int]) -> int:
        mine = [(tally, spent) for tally, spent in spans.items() if tally.node == node]
        return sum(spent * (weights[tally.service] // tally.of) for tally, spent in mine)

    closed = Shared(past, most=KEPT_PARTS)

    def cost(world: World) -> int:
        ledger = world.ledger
        total = closed(ledger.cut if cut else ledger.spent)
        if not cut and ledger.failing:
            for route, row in ledger.failing.items():
                if route.node == node:
                    total += (world.now - row.since) * (weights[route.service] // row.of)
        return total

    race = Race(played, node, varies)
    return explore(
        search_model(),
        with_last_sync(played.walk.start, node, phase),
        varies=race.varies,
        cost=cost,
        until=played.setup.until,
        over=race.over,
        most_worlds=MOST_WORLDS,
        stop_above=stop,
    )


class Race:
    """Who still matters for one node's failing requests; what is past is left at its usual lag.

    Three things decide them: when the target stops serving (the kubelet, the runtime and the program), when its
    address stops being ready in the slice (the controller), and when this node's rules follow (its kube-proxy). What
    each does after that can change neither an earlier nor a later one of the three.
    """

    def __init__(self, played: Play, node: str, varies: tuple[str, ...]) -> None:
        self.node = node
        world = played.walk.start
        held = world.etcd.get(played.target)
        pod = held.object if held else None
        self.host = pod.spec.nodeName if isinstance(pod, Pod) else ""
        self.uid = pod.metadata.uid if isinstance(pod, Pod) else ""
        self.address = pod.status.podIP if isinstance(pod, Pod) else ""
        proxy, controllers = "kube-proxy", "kube-controller-manager"
        rules = [(name, node) for name in varies if name == proxy]
        slices = [(name, "") for name in varies if name == controllers]
        local = [(name, self.host) for name in varies if name not in (proxy, controllers)]
        self._who = {
            (routed, listed, serves): frozenset(rules * routed + slices * listed + local * serves)
            for routed, listed, serves in product((False, True), repeat=3)
        }
        # Most worlds of a search share these parts.
        self._leads = Shared(self._leading, most=KEPT_PARTS)
        self._names = Shared(self._naming, most=KEPT_PARTS)

    def varies(self, world: World) -> frozenset[tuple[str, str]]:
        """Who may be early, late or first here: processes (or loops of none), each with its node."""
        return self._who[self._routed(world), self._listed(world), self._serves(world)]

    def over(self, world: World) -> bool:
        """Whether nothing can fail through this node any more."""
        if world.script or self._routed(world):
            return False
        return all(route.node != self.node for route in world.ledger.failing)

    def _serves(self, world: World) -> bool:
        pod = world.hosts[self.host].pods.get(self.uid) if self.host else None
        return pod is not None and pod.serves

    def _routed(self, world: World) -> bool:
        return self._leads(world.hosts[self.node].proxy.rules)

    def _leading(self, rules: Map[Ref, Rules]) -> bool:
        return any(self.address in row.backends for row in rules.values())

    def _listed(self, world: World) -> bool:
        return self._names(world.etcd)

    def _naming(self, etcd: Index) -> bool:
        pieces = [piece for piece in etcd.find(EndpointSlice.kind) if isinstance(piece, EndpointSlice)]
        return any(self.address in row.addresses and is_ready(row) for piece in pieces for row in piece.endpoints)


def with_last_sync(world: World, node: str, ended: int | None) -> World:
    """The world with a node's last kube-proxy sync at that instant; None: long ago."""
    host: Host = world.hosts[node]
    proxy = replace(host.proxy, last_sync_end=-600_000 if ended is None else ended)
    return replace(world, hosts=world.hosts.set(node, replace(host, proxy=proxy)))


def _needed(played: Play, row: Answered, asked: Verdict) -> Answered:
    found = smallest_safe_prestop(played.request, asked.varies, grace_of(played))
    text = filled(
        asked.text, {"value": "no value within the grace" if found is None else durations.format(found * 1000)}
    )
    value = None if found is None else float(found)
    return replace(row, value=value, unit="s", text=text, least=value, most=value, varies=asked.varies, exact=True)


def grace_of(played: Play) -> int:
    """The target's grace in whole seconds."""
    held = played.walk.start.etcd.get(played.target)
    grace = getattr(getattr(held.object, "spec", None), "terminationGracePeriodSeconds", None) if held else None
    return 30 if grace is None else int(grace)


def smallest_safe_prestop(asked: PlayRequest, varies: tuple[str, ...], grace: int) -> int | None:
    """The smallest preStop in whole seconds with which no order and no lag makes a request fail; None if there is none.

    Proved by a search that finds nothing at that value, and one that finds a failing order one second below.
    """
    low, high = 0, max(grace, 0)
    if not is_safe(asked, varies, high):
        return None
    while low < high:
        middle = (low + high) // 2
        if is_safe(asked, varies, middle):
            high = middle
        else:
            low = middle + 1
    return high


@lru_cache(maxsize=256)
def is_safe(asked: PlayRequest, varies: tuple[str, ...], seconds: int) -> bool:
    """Whether no order and no lag makes a request fail with that preStop."""
    settings = (*((name, value) for name, value in asked.settings if name != "prestop"), ("prestop", f"{seconds}s"))
    played = play(replace(asked, settings=settings))
    for node, _ in alike_nodes(played.walk.start):
        for phase in (worst_phase(played.walk.start, node), None):
            found = _searched(played, node, varies, phase=phase, cut=False, stop=0)
            if found.most > 0 or not found.finished:
                return False
    return True
