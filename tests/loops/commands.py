"""A command line at work, as a table test of kubectl describes it, and what its turn then does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.kube.meta import Ref
from app.kube.objects import Object
from app.loops.kubectl import LOOP
from app.sim.acts import Act, Command, Outcome, Request, Wait
from app.sim.loop import Turn
from app.sim.maps import Map
from app.sim.world import World
from tests.loops.beliefs import seen

Answering = Callable[[Request], Outcome]


def command(
    verb: str,
    *refs: Ref,
    options: Mapping[str, str] | None = None,
    objects: tuple[Object, ...] = (),
    uids: tuple[str, ...] = (),
    done: int = 0,
) -> Command:
    given = tuple((options or {}).items())
    return Command(1, f"kubectl {verb}", verb, refs, given, objects, uids, done)


def turned(
    asked: Command, *believes: Object, now: int = 0, answers: Answering | None = None, fired: bool = True
) -> list[Act | Wait]:
    """All that one turn does; each request is answered by `answers`, else it succeeds."""
    world = World(now=now, views=Map({LOOP.process: seen(*believes)}), commands=Map({asked.key: asked}))
    decision = LOOP.reconcile(Turn(world, LOOP, "", asked.key, fired=fired))
    if decision is None or isinstance(decision, Act | Wait):
        return [decision] if decision else []
    made = [next(decision)]
    try:
        while True:
            row = made[-1]
            request = row.request if isinstance(row, Act) else None
            made.append(decision.send(answers(request) if answers and request is not None else Outcome("ok")))
    except StopIteration:
        return made


def printed(made: list[Act | Wait]) -> list[str]:
    """`err: ` stands before what goes to standard error."""
    lines = [line for row in made if isinstance(row, Act) for line in row.output]
    return [f"{'err: ' * (line.stream == 'stderr')}{line.text}" for line in lines]


def state(made: list[Act | Wait]) -> Command:
    """The command as the turn leaves it."""
    kept = [row.command for row in made if isinstance(row, Act) and row.command is not None]
    return kept[-1]
