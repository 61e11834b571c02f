"""The clients of Services: they notice when a node's rules lead them to nothing that serves.

Their steady rate is accounted for by `sim.traffic`; this loop only makes the beginning and the end of failing visible.
"""

from __future__ import annotations

from app.kube.meta import Ref
from app.sim.acts import Act
from app.sim.fronts import FRONTS
from app.sim.ledger import Failing, Route
from app.sim.loop import Loop, Turn


def reconcile(turn: Turn) -> Act | None:
    """One route whose failing has begun or ended since it was last noticed."""
    if turn.first_answer is not None:
        return _served(turn, turn.first_answer)
    unnoticed = turn.failing
    if not unnoticed:
        return None
    route, row = unnoticed[0]
    about = turn.pod_at(route.address, route.service) or route.service
    if row is None:
        return Act(
            "recover",
            about,
            reason="RulesNoLongerLeadThere",
            moment="requests-recovered",
            to=_lane(route),
            noted=(route, None),
            background=True,
        )
    return _failure(route, row, about, again=turn.noted(route))


def _served(turn: Turn, route: Route) -> Act:
    """The first request of clients that came in the walk."""
    return Act(
        "connect",
        turn.pod_at(route.address, route.service) or route.service,
        reason=f"through {route.node}",
        moment="first-request",
        outcome="served",
        to=_lane(route),
        clients="served",
    )


def _lane(route: Route) -> str:
    return "Front" if route.node in FRONTS else f"kube-proxy {route.node}"


def _failure(route: Route, row: Failing, about: Ref, *, again: bool) -> Act:
    """Failing in another way than before (refused, then no answer) is no news to a reader."""
    whole = row.of == max(row.weight, 1)
    if not row.weight:
        return Act(
            "try-elsewhere",
            about,
            reason=row.kind,
            moment="attempt-retried",
            outcome="tried at another address",
            sender="Front",
            to="Front",
            noted=(route, row),
            background=again,
        )
    return Act(
        "connect",
        about,
        reason=f"every connection through {route.node}"
        if whole
        else f"{row.weight} of {row.of} connections through {route.node}",
        moment=f"request-{row.kind}",
        outcome=row.kind,
        to=_lane(route),
        noted=(route, row),
        background=again,
    )


LOOP = Loop(name="clients", lane="Clients", reconcile=reconcile, traffic=True)
