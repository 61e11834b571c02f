"""Verdicts over every order and lag: least, most, and the smallest setting that is safe."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from app.catalog import starting
from app.catalog.flow import Verdict
from app.kube import durations
from app.sim.engine import Model
from app.sim.explore import Found, explore
from app.sim.host import Host
from app.sim.lags import lag
from app.sim.ledger import Tally, requests
from app.sim.maps import Map
from app.sim.world import World
from app.story.facts import rounded
from app.story.play import Answered, Play, PlayRequest, play
from app.story.words import filled

# What makes and places replacements is left out of a search: whether a request fails is over before one is ready.
LEFT_OUT = frozenset({"deployment", "replicaset", "statefulset", "scheduler", "clients"})
SEARCHED = ("requests-failed", "requests-cut", "prestop-needed")
MOST_WORLDS = 150_000


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
    if row.id not in SEARCHED or not asked.varies:
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
    for node in played.walk.start.nodes:
        quiet = _searched(played, node, varies, phase=None, cut=cut)
        busy = _searched(played, node, varies, phase=worst_phase(played.walk.start, node), cut=cut)
        least += min(quiet.least, busy.least)
        most += max(quiet.most, busy.most)
        worlds += quiet.worlds + busy.worlds
        exact = exact and quiet.finished and busy.finished
    # In-flight requests have a break of their own at their duration, which is not among the searched instants.
    return Range(least, most, worlds, exact and not cut)


def worst_phase(world: World, node: str) -> int:
    """The latest end of an unrelated sync that can still hold back the one that matters.

    A change that just misses a running sync waits for its end and 1.000 s more; the change is seen at most one
    controller-manager lag and one kube-proxy lag after the deletion.
    """
    seen = lag(world.lags, "kube-controller-manager").most + lag(world.lags, "kube-proxy", node).most
    return seen + lag(world.lags, "proxy-sync", node).most


def _searched(
    played: Play, node: str, varies: tuple[str, ...], *, phase: int | None, cut: bool, stop: Fraction | None = None
) -> Found:
    start = with_last_sync(played.walk.start, node, phase)
    host = target_host(played)

    def loose(process: str, where: str) -> bool:
        return process in varies and where in ("", node if process == "kube-proxy" else host)

    def cost(world: World) -> Fraction:
        ledger = world.ledger
        found: Map[Tally, int] = ledger.cut if cut else ledger.exposure(world.now)
        mine = Map({tally: spent for tally, spent in found.items() if tally.node == node})
        return requests(mine, world.load, len(world.nodes))

    return explore(
        search_model(),
        start,
        varies=loose,
        cost=cost,
        until=played.setup.until,
        over=settled(played, node),
        most_worlds=MOST_WORLDS,
        stop_above=stop,
    )


def with_last_sync(world: World, node: str, ended: int | None) -> World:
    """The world with a node's last kube-proxy sync at that instant; None: long ago."""
    host: Host = world.hosts[node]
    proxy = replace(host.proxy, last_sync_end=-600_000 if ended is None else ended)
    return replace(world, hosts=world.hosts.set(node, replace(host, proxy=proxy)))


def target_host(played: Play) -> str:
    """The node of the target pod."""
    held = played.walk.start.etcd.get(played.target)
    return getattr(getattr(held.object, "spec", None), "nodeName", "") if held else ""


def settled(played: Play, node: str) -> Callable[[World], bool]:
    """Whether nothing can fail through a node any more: its rules no longer lead to the target."""
    held = played.walk.start.etcd.get(played.target)
    address = getattr(getattr(held.object, "status", None), "podIP", "") if held else ""

    def over(world: World) -> bool:
        if world.script or any(route.node == node for route in world.ledger.failing):
            return False
        return all(address not in rules.backends for rules in world.hosts[node].proxy.rules.values())

    return over


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
    for node in played.walk.start.nodes:
        for phase in (worst_phase(played.walk.start, node), None):
            found = _searched(played, node, varies, phase=phase, cut=False, stop=Fraction(0))
            if found.most > 0 or not found.finished:
                return False
    return True
