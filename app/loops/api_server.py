"""The API server's own start: it takes a while until it serves."""

from __future__ import annotations

from collections.abc import Generator

from app.sim.acts import Act, Outcome, Wait
from app.sim.loop import SERVER, Loop, Turn
from app.sim.processes import Starting


def reconcile(turn: Turn) -> Generator[Act | Wait, Outcome, None] | Wait | None:
    """Serve, once it has started."""
    starting = turn.memory
    if not isinstance(starting, Starting):
        return None
    bounds = turn.lag("api-server-start").after(starting.since)
    return _serve(turn) if turn.reached(bounds) else Wait(bounds)


def _serve(turn: Turn) -> Generator[Act | Wait, Outcome, None]:
    yield Act("serve", turn.key, reason="Ready", moment="api-server-back", process=(SERVER, True))
    yield Wait(None, forget=True)


LOOP = Loop(name=SERVER, lane="API server", reconcile=reconcile)
