"""The machine: which actions are possible in a world, and what each of them leads to."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from operator import attrgetter, is_not

from msgspec import Struct
from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim import traffic
from app.sim.actions import Action, Advance, Deliver, Intervene, Reconcile
from app.sim.acts import Act, Command, Get, Outcome, Wait, Work
from app.sim.answers import Answer
from app.sim.api import Api
from app.sim.calls import concerned
from app.sim.draft import Draft, Pending, believe, enqueue, forget, keep, receive, set_timer
from app.sim.host import Host
from app.sim.index import UNSEEN
from app.sim.interventions import carry_out
from app.sim.lags import Bounds, lag
from app.sim.links import relist, starts
from app.sim.loop import SERVER, Loop, Turn, lane_name, process_name
from app.sim.maps import ordered_keys
from app.sim.outcomes import events_of, named, word_of
from app.sim.processes import lease_of, run
from app.sim.routes import Routes
from app.sim.step import Step
from app.sim.waking import woken
from app.sim.world import World

API = "API server"
BUT_RULES = attrgetter(*(name for name in Host.__struct_fields__ if name != "proxy"))
CLIENTS = Ref("Clients", "", "clients")
REQUEST = 4
"""Milliseconds that one request of a whole sync takes, as recorded on a quiet cluster."""


class Transition(Struct, frozen=True, gc=False):
    """The next world, the steps that led there, and what a runner needs to go on without scanning."""

    world: World
    steps: tuple[Step, ...] = ()
    woken: tuple[Work, ...] = ()
    """Keys that were queued, in order."""
    touched: tuple[Pending, ...] = ()
    """Timers and queue heads that were set, moved or removed."""
    cause: str = ""
    """What a woken key will name as its cause."""


class Model:
    """A set of loops, and nothing else: all state is in the worlds."""

    def __init__(self, loops: Iterable[Loop]) -> None:
        self.loops = {loop.name: loop for loop in loops}
        self.rank = {name: at for at, name in enumerate(self.loops)}
        self.routes = Routes(tuple(self.loops.values()))
        self.api = Api(self.routes.watchers)

    def bounds(self, world: World, pending: Pending) -> Bounds | None:
        """When a pending entry may, usually does, and must happen; None if it is pending no more."""
        if isinstance(pending, Work):
            return world.timers.get(pending)
        head = world.heads.get(pending)
        if head is None:
            return None
        process, kind = pending
        base, _, node = process.partition("/")
        return lag(world.lags, base, node).after(world.inbox[(process, kind, head[0])].at)

    def enabled(self, world: World) -> tuple[Action, ...]:
        """Every action that is possible now, in a stated order; empty when nothing ever happens again."""
        now = world.now
        actions: list[Action] = []
        ends: list[Bounds] = []
        if world.script:
            at = world.script[0].at or 0
            ends.append(Bounds.at(at))
            if at <= now:
                actions.append(Intervene())
        actions += [Reconcile(work) for work in sorted(world.queued, key=self.order)]
        for work, bounds in sorted(world.timers.items(), key=lambda pair: self.order(pair[0])):
            ends.append(bounds)
            if bounds.least <= now and work not in world.queued:
                actions.append(Reconcile(work, timer=True))
        for queue in ordered_keys(world.heads):
            bounds = self.bounds(world, queue) or Bounds.at(now)
            ends.append(bounds)
            if bounds.least <= now:
                actions.append(Deliver(*queue))
        if not world.queued:
            actions += self._advances(now, ends)
        return tuple(actions)

    def order(self, work: Work) -> tuple[int, Work]:
        """Ties between keys: the order of the list of loops, then node and key."""
        return self.rank[work.loop], work

    def _advances(self, now: int, ends: list[Bounds]) -> list[Action]:
        last = min((bounds.most for bounds in ends), default=now)
        instants = {at for bounds in ends for at in (bounds.least, bounds.usual, bounds.most) if now < at <= last}
        return [Advance(at) for at in sorted(instants)]

    def step(self, world: World, action: Action) -> Transition:
        """What an enabled action leads to."""
        if isinstance(action, Advance):
            return Transition(replace(world, now=action.to))
        draft = Draft(world)
        match action:
            case Deliver():
                return self._deliver(draft, action)
            case Reconcile():
                return self._reconcile(draft, world, action)
            case Intervene():
                steps = carry_out(self, draft, world)
                return self._done(draft, steps, "intervention")

    def _done(self, draft: Draft, steps: list[Step], cause: str) -> Transition:
        return Transition(draft.freeze(), tuple(steps), tuple(draft.woken), tuple(draft.touched), cause)

    def _deliver(self, draft: Draft, action: Deliver) -> Transition:
        delivery = receive(draft, (action.process, action.kind))
        base, _, node = action.process.partition("/")
        alike = base in self.routes.alike
        if delivery.after is None:
            forget(draft, action.process, delivery.ref, delivery.before, alike=alike)
        else:
            believe(draft, action.process, delivery.ref, delivery.after, alike=alike)
        view = draft.views.get(action.process, UNSEEN)
        for loop in self.routes.listeners(base, action.kind):
            woken(draft, loop, node, view, delivery)
        return self._done(draft, [], f"watch {delivery.ref}")

    def _reconcile(self, draft: Draft, before: World, action: Reconcile) -> Transition:
        work = action.work
        loop = self.loops[work.loop]
        if action.timer:
            set_timer(draft, work, None)
            draft.busy = draft.busy.delete(work) if work in draft.busy else draft.busy
        else:
            draft.queued = draft.queued.delete(work)
        turn = Turn(before, loop, work.node, work.key, fired=action.timer)
        blind = draft.severed and (loop.wakes or loop.reads) and starts(draft, turn.process)
        # When the last list has come every key is looked at.
        decision = loop.reconcile(turn) if not blind or (loop.alone and loop.alone(turn)) else None
        if decision is None:
            set_timer(draft, work, None)
            return self._done(draft, [], "")
        if isinstance(decision, Wait):
            set_timer(draft, work, decision.bounds)
            keep(draft, work, decision)
            # A wait is no act; only what it asks to be looked at has a cause.
            return self._done(draft, [], lane_name(loop, work.node) if decision.also else "")
        steps: list[Step] = []
        if isinstance(decision, Act):
            wait, failed = None, not self._act(draft, loop, work, decision, steps).ok
        else:
            wait, failed = self._run(draft, loop, work, decision, steps)
        acts = sum(step.loop == loop.name for step in steps)
        # A command that is refused decides itself what to do; only controllers' queues know a back-off.
        self._requeue(draft, loop, work, wait, acts=acts, failed=failed and not loop.commands)
        return self._done(draft, steps, lane_name(loop, work.node))

    def _run(
        self, draft: Draft, loop: Loop, work: Work, turns: Generator[Act | Wait, Outcome, None], steps: list[Step]
    ) -> tuple[Wait | None, bool]:
        """Run a generator to its end: every act it yields is carried out before it goes on."""
        wait: Wait | None = None
        failed = False
        decision = next(turns, None)
        while decision is not None:
            answer = Outcome("ok")
            if isinstance(decision, Wait):
                wait = decision
            else:
                answer = self._act(draft, loop, work, decision, steps)
                # To look for something and not to find it is no failure.
                failed = failed or not (answer.ok or isinstance(decision.request, Get))
            try:
                decision = turns.send(answer)
            except StopIteration:
                break
        return wait, failed

    def _requeue(self, draft: Draft, loop: Loop, work: Work, wait: Wait | None, *, acts: int, failed: bool) -> None:
        """After an act the key is worked on again; after a refusal only when the loop's back-off is over."""
        if failed:
            tries = draft.retries.get(work, 0)
            draft.retries = draft.retries.set(work, tries + 1)
            first, cap = loop.retry
            if SERVER in draft.frozen:
                # The request hangs, and is answered when the server goes on.
                set_timer(draft, work, None)
                return
            set_timer(draft, work, Bounds.at(draft.now + min(first * 2 ** min(tries, 40), cap)))
            return
        if work in draft.retries:
            draft.retries = draft.retries.delete(work)
        set_timer(draft, work, wait.bounds if wait else None)
        if wait is not None:
            keep(draft, work, wait)
        if acts and loop.whole_sync:
            draft.busy = draft.busy.set(work, draft.now)
            set_timer(draft, work, Bounds.at(draft.now + acts * REQUEST))
        elif acts and not loop.batch:
            # A loop that batches is woken by its own writes, with all that comes meanwhile.
            enqueue(draft, work)

    def _act(self, draft: Draft, loop: Loop, work: Work, act: Act, steps: list[Step]) -> Outcome:
        before = steps[-1].world if steps else draft.freeze()
        answer = Answer(Outcome("ok", message=act.outcome))
        if act.request is not None:
            answer = self.api.handle(draft, act.client or process_name(loop, work.node), act.request)
        if act.lists:
            missed = relist(self, draft, process_name(loop, work.node), act.lists)
            act = replace(act, outcome=f"{missed} change{'s' * (missed != 1)} missed", background=not missed)
            answer = Answer(Outcome("ok", message=act.outcome))
        if answer.outcome.ok:
            if act.process is not None:
                run(self, draft, act.process[0], runs=act.process[1])
            if act.host is not None:
                self.change_host(draft, act.host)
            if act.noted is not None:
                traffic.note(draft, *act.noted)
            if act.clients:
                self._clients(draft, act.clients)
            if act.front is not None and traffic.turn_to(draft, *act.front):
                self._wake_traffic(draft)
            keep(draft, work, act)
            if act.command is not None:
                draft.commands = draft.commands.set(act.command.key, act.command)
        # The first failure of many is told.
        again = answer.outcome.status == "unreachable" and work in draft.retries
        lane = act.sender or lane_name(loop, work.node)
        to = act.to or (API if act.request is not None else lane)
        for stage in answer.stages:
            own = bool(stage.verb)
            step = Step(
                at=draft.now,
                loop="api-server" if own else loop.name,
                node="" if own else work.node,
                sender=API if own else lane,
                to=API if own else to,
                verb=stage.verb or act.verb,
                object=(stage.object if own else None) or named(act, answer),
                outcome=stage.outcome or word_of(act, answer),
                reason="" if own else act.reason,
                moment=stage.moment if own else act.moment,
                cause="",
                background=not own and (act.background or again),
                commits=stage.commits,
                events=() if own else events_of(act, answer),
                output=() if own else act.output,
                command=act.command.number if act.command else 0,
                before=before,
                world=stage.world or draft.freeze(),
            )
            before = step.world
            steps.append(step)
        return answer.outcome

    def _clients(self, draft: Draft, word: str) -> None:
        if word == "served":
            traffic.greet(draft)
        elif traffic.come(draft):
            self._wake_traffic(draft)

    def _wake_traffic(self, draft: Draft) -> None:
        for loop in self.routes.on_traffic:
            enqueue(draft, Work(loop.name, "", CLIENTS))

    def change_host(self, draft: Draft, host: Host) -> None:
        """Set one machine's new state, wake the loops that watch it, and account for its traffic."""
        old = draft.hosts[host.node]
        draft.hosts = draft.hosts.set(host.node, host)
        # kube-proxy's rules wake nobody on their machine.
        apart = any(map(is_not, BUT_RULES(old), BUT_RULES(host)))
        for loop, wakes in self.routes.on_host if apart else ():
            if draft.down and process_name(loop, host.node) in draft.down:
                continue
            for key in wakes(old, host):
                enqueue(draft, Work(loop.name, host.node, key))
        if draft.load and traffic.settle(draft, old, host):
            self._wake_traffic(draft)
        for key in concerned(draft, old, host) if draft.commands else ():
            self._wake_command(draft, key)

    def wake_elections(self, draft: Draft) -> None:
        """Let candidates look whether their leader can still renew its Lease."""
        for loop in self.routes.elections:
            key = lease_of(loop.elects)
            if draft.etcd.get(key) is not None:
                enqueue(draft, Work(loop.name, "", key))

    def start_command(self, draft: Draft, command: Command) -> None:
        """Let a command line begin."""
        draft.commands = draft.commands.set(command.key, command)
        self._wake_command(draft, command.key)

    def _wake_command(self, draft: Draft, key: Ref) -> None:
        for loop in self.routes.on_command:
            enqueue(draft, Work(loop.name, "", key))


__all__ = ["API", "CLIENTS", "Model", "Transition"]
