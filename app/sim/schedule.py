"""The default order of things: intervene, deliver by age, reconcile, then let time pass to the next usual instant.

Deliveries go first because real caches fill faster than a sync runs: events that arrive together wake a key once.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from msgspec.structs import replace

from app.sim.actions import Action, Advance, Deliver, Intervene, Reconcile
from app.sim.acts import Work
from app.sim.collector import uncollected
from app.sim.draft import Pending
from app.sim.engine import API, Model, Transition
from app.sim.intervention import Intervention
from app.sim.pending import Tally
from app.sim.step import Step
from app.sim.walk import Choice, Goal, Pick, Record, Walk
from app.sim.world import World

# A loop that never comes to rest would run for ever at one instant; no real flow comes near.
MOST_ACTIONS_AT_ONE_INSTANT = 2_000_000


class Schedule:
    """Knows what comes next without scanning the world: a heap of pending entries, and one of queued keys."""

    def __init__(self, model: Model, world: World) -> None:
        self.model = model
        self._pending: list[tuple[int, int, int, object, Pending]] = []
        self._queued: list[tuple[int, int, int, Work]] = []
        self._arrivals = 0
        self._due: dict[Pending, int] = {}
        """When each pending entry is usually due; what a heap says otherwise is out of date."""
        self._tally = Tally(model)
        for work in sorted(world.queued):
            self._queue(world, work)
        pending: list[Pending] = [*world.timers, *world.heads]
        for entry in pending:
            self._watch(world, entry)

    def learn(self, transition: Transition) -> None:
        """Take in what an action queued and touched."""
        for work in transition.woken:
            self._queue(transition.world, work)
        for entry in transition.touched:
            self._watch(transition.world, entry)

    def _queue(self, world: World, work: Work) -> None:
        since = world.queued.get(work)
        if since is not None:
            # First come, first served within a loop, as a work queue does.
            self._arrivals += 1
            heapq.heappush(self._queued, (since, self.model.rank[work.loop], self._arrivals, work))

    def _watch(self, world: World, entry: Pending) -> None:
        bounds = self.model.bounds(world, entry)
        self._tally.note(entry, bounds)
        if bounds is None:
            self._due.pop(entry, None)
            return
        self._due[entry] = usual = bounds.usual
        if isinstance(entry, Work):
            heapq.heappush(self._pending, (usual, 1, 0, self.model.order(entry), entry))
        else:
            heapq.heappush(self._pending, (usual, 0, bounds.least, entry, entry))

    def next(self, world: World) -> Action | None:
        """The action that the default order takes; None when nothing will ever happen again."""
        at = world.script[0].at if world.script else None
        if world.script and (at is None or at <= world.now):
            return Intervene()
        usual = self._next_usual()
        due = usual is not None and usual[0] <= world.now
        if usual is not None and due and not isinstance(usual[1], Work):
            return Deliver(*usual[1])
        work = self._next_queued(world)
        if work is not None:
            return Reconcile(work)
        if usual is not None and due and isinstance(usual[1], Work):
            return Reconcile(usual[1], timer=True)
        instants = [instant for instant in (at, usual[0] if usual else None) if instant is not None]
        return Advance(min(instants)) if instants else None

    def quiet(self, world: World) -> bool:
        """Whether nothing but heartbeats will happen from here on; asked when only time can pass."""
        return not world.script and self._tally.quiet(world)

    def waits(self, world: World) -> bool:
        """The same, but for commands that look again and again."""
        return not world.script and self._tally.waits(world)

    def _next_queued(self, world: World) -> Work | None:
        while self._queued:
            since, _, _, work = self._queued[0]
            if world.queued.get(work) == since:
                return work
            heapq.heappop(self._queued)
        return None

    def _next_usual(self) -> tuple[int, Pending] | None:
        while self._pending:
            usual, _, _, _, entry = self._pending[0]
            if self._due.get(entry) == usual:
                return usual, entry
            heapq.heappop(self._pending)
        return None


class Runner:
    """Runs one walk and keeps its records."""

    def __init__(
        self, model: Model, start: World, choices: Sequence[Choice] = (), folds: frozenset[str] = frozenset()
    ) -> None:
        self.model = model
        self.folds = folds
        self.choices = list(choices)
        self.start = self.world = replace(start, script=tuple(sorted((*start.script, *self._opening()), key=_when)))
        self.schedule = Schedule(model, self.world)
        self.records: list[Record] = []
        self.problems: list[str] = []
        self._causes: dict[Work, str] = {}
        self._seen: dict[str, int] = {}
        self._folded = 0
        self._numbered = 0

    def _opening(self) -> list[Intervention]:
        """The interventions before the first pick; one without a time happens with the one before it."""
        found: list[Intervention] = []
        while self.choices and isinstance(chosen := self.choices[0], Intervention):
            self.choices.pop(0)
            before = found[-1].at if found else 0
            found.append(replace(chosen, at=before if chosen.at is None else chosen.at))
        return found

    @uncollected()
    def run(self, *, until: int, goal: Goal | None = None, most_steps: int = 100_000) -> Walk:
        """Go on until the goal holds, nothing is left, or time or the number of steps runs out."""
        stopped = ""
        spins = 0
        while not stopped:
            action = self.schedule.next(self.world)
            if action is None or (isinstance(action, Advance) and self.schedule.quiet(self.world)):
                stopped = "stuck" if self._waiting() else "quiet"
            elif self._over(action, until) or self._numbered >= most_steps or spins > MOST_ACTIONS_AT_ONE_INSTANT:
                # A command that asks again and again is stuck, too, where nothing else goes on.
                stopped = "stuck" if self._waiting() and self.schedule.waits(self.world) else "until"
            elif isinstance(action, Advance) and goal is not None and goal(self.world):
                stopped = "goal"
            else:
                spins = 0 if isinstance(action, Advance) else spins + 1
                self.take(action)
        for left in self.choices:
            self.problems.append(f"choice {str(left)!r} was never reached: its step did not happen in this walk")
        if stopped == "quiet" and goal is not None and goal(self.world):
            stopped = "goal"
        if stopped == "until" and self._waiting() and not self.world.script and goes_round(self.records):
            stopped = "stuck"
        return Walk(self.start, self.world, tuple(self.records), stopped, tuple(self.problems))

    def _over(self, action: Action, until: int) -> bool:
        return isinstance(action, Advance) and action.to > until

    def _waiting(self) -> bool:
        return any(command.exit is None for command in self.world.commands.values())

    def take(self, action: Action) -> None:
        """Carry out one action and record its steps."""
        # What woke a key during its sync is why it is looked at again after it.
        timer = isinstance(action, Reconcile) and action.timer and action.work not in self.world.busy
        transition = self.model.step(self.world, action)
        self.world = transition.world
        self.schedule.learn(transition)
        for work in transition.woken:
            self._causes.setdefault(work, transition.cause)
        cause = ""
        if isinstance(action, Reconcile):
            cause = "timer" if timer else self._causes.pop(action.work, "")
        elif isinstance(action, Deliver):
            self._folded += 1
        if not transition.steps:
            return
        last = max((at for at, step in enumerate(transition.steps) if not self._folds(step)), default=-1)
        names = []
        for at, step in enumerate(transition.steps):
            names.append(self._record(step, cause, transition.world if at == last else None))
            cause = step.sender if step.loop == "api-server" else cause
        # An action is carried out whole, so what is picked after one of its steps comes after all of them.
        for name in names:
            self._picks(name)

    def _record(self, step: Step, cause: str, left: World | None) -> str:
        plain = step.id
        if self._folds(step):
            self.records.append(Record(0, plain, step, cause))
            self._folded += 1
            return ""
        count = self._seen[plain] = self._seen.get(plain, 0) + 1
        self._numbered += 1
        name = plain if count == 1 else f"{plain}~~{count}"
        self.records.append(Record(self._numbered, name, step, cause, self._folded, left))
        self._folded = 0
        return name

    def _folds(self, step: Step) -> bool:
        """Whether readers of this walk are spared the act."""
        act = f"{step.loop}.{step.verb}"
        return step.background or act in self.folds or f"{act}:{step.reason}" in self.folds

    def _picks(self, step: str) -> None:
        """Carry out the picks that hang on a step that has just happened, and the interventions after them."""
        while self.choices and isinstance(pick := self.choices[0], Pick) and pick.step == step:
            self.choices.pop(0)
            self._pick(pick)
            later = [replace(row, at=self.world.now if row.at is None else row.at) for row in self._opening()]
            if later:
                script = tuple(sorted((*self.world.script, *later), key=_when))
                self.world = replace(self.world, script=script)

    def _pick(self, pick: Pick) -> None:
        enabled = self.model.enabled(self.world)
        if pick.at is not None and pick.at != self.world.now:
            if Advance(pick.at) not in enabled:
                self._refuse(pick, enabled)
                return
            self.take(Advance(pick.at))
            enabled = self.model.enabled(self.world)
        if pick.action not in enabled:
            self._refuse(pick, enabled)
            return
        self.take(pick.action)

    def _refuse(self, pick: Pick, enabled: tuple[Action, ...]) -> None:
        allowed = ", ".join(str(action) for action in enabled[:6])
        self.problems.append(f"choice {str(pick)!r} does not apply: possible there were {allowed}")


def _when(intervention: Intervention) -> int:
    return intervention.at or 0


def goes_round(records: Sequence[Record]) -> bool:
    """Whether a command has asked the same thing twice in vain, and nothing but bookkeeping was stored since."""
    refused: set[str] = set()
    for row in reversed(records):
        step = row.step
        if step.commits and not step.background:
            return False
        if step.command and step.sender != API and step.to == API and step.outcome != "ok":
            if step.id in refused:
                return True
            refused.add(step.id)
    return False


def run(
    model: Model,
    start: World,
    choices: Sequence[Choice] = (),
    *,
    until: int = 3_600_000,
    goal: Goal | None = None,
    folds: frozenset[str] = frozenset(),
    most_steps: int = 100_000,
) -> Walk:
    """The walk from a starting world with these choices; acts in `folds`, `LOOP.VERB[:REASON]`, are not numbered."""
    return Runner(model, start, choices, folds).run(until=until, goal=goal, most_steps=most_steps)
