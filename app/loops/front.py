"""The front: an ingress or a cloud load balancer whose targets are pods, with a list of addresses of its own.

It reads the EndpointSlices every so often, at whole periods after its first reading, or whenever they change, and takes
ready addresses only. Health checks, at whole periods after t = 0, keep an address out until one passes, and take it out
after two that fail. Where it runs and whether it is up is not modelled, nor are a cloud's registration delays besides
its period, connections that it keeps open to pods, and sticky sessions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.networking import EndpointSlice, Service
from app.kube.objects import Object
from app.sim.acts import Act, Wait
from app.sim.fronts import PROCESS, Front, ready_addresses
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.ledger import Load, Route
from app.sim.loop import Loop, Turn

UNHEALTHY = 2
"""Health checks in a row that must fail."""


MOMENTS = {
    "refresh-routes": "front-refreshed",
    "bring-in": "front-target-healthy",
    "take-out": "front-target-out",
}


class Change(NamedTuple):
    """What a front may do next, and when; of several the earliest comes first."""

    at: int
    verb: str
    reason: str
    front: Front


class Noticed(Struct, frozen=True):
    """Since when something has been due, so that its instant stays when the turn is taken again."""

    news: int | None = None
    """Since when the slices have said otherwise than its list."""
    well: tuple[tuple[str, int], ...] = ()
    """Since when addresses that are kept out have answered."""


def reconcile(turn: Turn) -> Act | Wait | None:
    """Read the slices anew, or act on a health check, when its time has come."""
    loads = [row for row in turn.loads if row.through]
    if turn.key.kind != Service.kind:
        return Wait(None, also=tuple(row.service for row in loads)) if loads else None
    load = next((row for row in loads if row.service == turn.key), None)
    if load is None:
        return None
    front = turn.front(turn.key)
    wanted = ready_addresses(turn.key, turn.all(EndpointSlice, turn.key.namespace))
    known = _noticed(turn, load, front, wanted)
    changes = [*_refresh(load, front, wanted, known), *_checks(turn, load, front, known)]
    due = min(changes, key=lambda row: row.at, default=None)
    if due is None:
        return Wait(None, forget=True)
    return _act(turn, load, due, known) if turn.now >= due.at else Wait(Bounds.at(due.at), memory=known)


def _noticed(turn: Turn, load: Load, front: Front, wanted: tuple[str, ...]) -> Noticed:
    before = turn.memory if isinstance(turn.memory, Noticed) else Noticed()
    news = None if wanted == front.listed else turn.now if before.news is None else before.news
    since = dict(before.well)
    well = tuple(
        (row, since.get(row, turn.now)) for row in front.out if load.check and not turn.failure_at(row, turn.key)
    )
    return Noticed(news, well)


def _refresh(load: Load, front: Front, wanted: tuple[str, ...], known: Noticed) -> Iterator[Change]:
    if known.news is None:
        return
    # What is new has to pass a check first, where there are any.
    new = tuple(row for row in wanted if row not in front.listed) if load.check else ()
    kept = tuple(row for row in front.out if row in wanted)
    at = _tick(known.news - load.offset, load.refresh) + load.offset if load.refresh else known.news
    yield Change(at, "refresh-routes", _difference(front, wanted), Front(wanted, _sorted({*kept, *new})))


def _checks(turn: Turn, load: Load, front: Front, known: Noticed) -> Iterator[Change]:
    passed = {address: _tick(since, load.check) for address, since in known.well}
    if passed:
        at = min(passed.values())
        back = {address for address, due in passed.items() if due == at}
        yield Change(at, "bring-in", "HealthCheck", replace(front, out=_sorted({*front.out} - back)))
    since = {row: turn.fails_since(Route(load.through, turn.key, row)) for row in front.listed if row not in front.out}
    failed = {
        row: _tick(began, load.check) + (UNHEALTHY - 1) * load.check
        for row, began in since.items()
        if load.check and began is not None
    }
    if failed:
        at = min(failed.values())
        away = {address for address, due in failed.items() if due == at}
        yield Change(at, "take-out", "HealthCheck", replace(front, out=_sorted({*front.out, *away})))


def _sorted(addresses: set[str]) -> tuple[str, ...]:
    return tuple(sorted(addresses))


def _act(turn: Turn, load: Load, due: Change, known: Noticed) -> Act:
    count = len(due.front.rules.backends)
    return Act(
        due.verb,
        turn.key,
        reason=due.reason,
        moment=MOMENTS[due.verb],
        outcome=f"{load.through}: {count} address{'es' if count != 1 else ''}",
        front=(turn.key, due.front),
        memory=replace(known, news=None) if due.verb == "refresh-routes" else known,
    )


def _difference(front: Front, wanted: tuple[str, ...]) -> str:
    lost = any(row not in wanted for row in front.listed)
    won = any(row not in front.listed for row in wanted)
    if not wanted:
        return "NoEndpoints"
    return "TargetsChanged" if lost and won else "TargetRemoved" if lost else "TargetAdded"


def _tick(since: int, period: int) -> int:
    """The first whole period after an instant."""
    return (since // period + 1) * period


def _service(_: Index, obj: Object) -> list[Ref]:
    name = obj.service if isinstance(obj, EndpointSlice) else ""
    return [Ref(Service.kind, obj.metadata.namespace, name)] if name else []


LOOP = Loop(
    name="front",
    lane="Front",
    process=PROCESS,
    reconcile=reconcile,
    wakes={"EndpointSlice": _service},
    besides=True,
    traffic=True,
)
