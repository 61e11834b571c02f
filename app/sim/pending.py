"""What is pending, counted by what comes of it: whether anything but heartbeats is left can be told at any time."""

from __future__ import annotations

from app.sim.acts import Work
from app.sim.draft import Pending
from app.sim.engine import Model
from app.sim.lags import Bounds
from app.sim.loop import Loop
from app.sim.world import World

BUSY, COMMAND, ALARM, IDLE = range(4)
"""Something happens; a command line looks again; something happens unless a heartbeat puts it off; a heartbeat."""


class Tally:
    """One entry for everything that is pending."""

    def __init__(self, model: Model) -> None:
        self.model = model
        # Per loop, what its timers are when they do not call themselves idle, and when they do.
        self._sorts = {name: _sorts(loop) for name, loop in model.loops.items()}
        self._known: dict[Pending, int] = {}
        self._counts = [0, 0, 0, 0]
        self._alarms: dict[Work, None] = {}
        self._witness: Work | None = None

    def note(self, entry: Pending, bounds: Bounds | None) -> None:
        """Take in when an entry is due now; None if it is pending no more."""
        before = self._known.get(entry)
        now = None if bounds is None else self._sort(entry, bounds)
        if before == now:
            return
        if before is not None:
            self._counts[before] -= 1
        if now is None:
            self._known.pop(entry, None)
        else:
            self._known[entry] = now
            self._counts[now] += 1
        if isinstance(entry, Work):
            if now == ALARM:
                self._alarms[entry] = None
            elif before == ALARM:
                self._alarms.pop(entry, None)

    def _sort(self, entry: Pending, bounds: Bounds) -> int:
        if isinstance(entry, Work):
            return self._sorts[entry.loop][bounds.idle]
        return IDLE if self.model.routes.only_heartbeats(*entry) else BUSY

    def quiet(self, world: World) -> bool:
        """Whether nothing is left but heartbeats."""
        return not self._counts[COMMAND] and self.waits(world)

    def waits(self, world: World) -> bool:
        """Whether nothing is left but heartbeats and commands that look again."""
        return not self._counts[BUSY] and not self._alarmed(world)

    def _alarmed(self, world: World) -> bool:
        """Whether some alarm will go off. The one that was found before is asked first: it mostly still will."""
        if self._witness is not None and self._witness in self._alarms and not self._idle(world, self._witness):
            return True
        self._witness = next((work for work in self._alarms if not self._idle(world, work)), None)
        return self._witness is not None

    def _idle(self, world: World, work: Work) -> bool:
        idle = self.model.loops[work.loop].idle
        return idle is None or idle(world, work)


def _sorts(loop: Loop) -> tuple[int, int]:
    if loop.commands:
        return COMMAND, COMMAND
    return BUSY, IDLE if loop.idle is None else ALARM
