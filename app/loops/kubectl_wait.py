"""kubectl wait: reads an object, then watches it until its condition holds; clients may have waited for its return."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from app.kube import durations
from app.kube.waiting import met
from app.loops.kubectl_output import Answers, failed, named
from app.sim.acts import Act, Command, Get, Line, Wait
from app.sim.agenda import Due, decide
from app.sim.lags import Bounds
from app.sim.loop import Turn

CLIENT = "client-start"
"""From the return of a command to the first request of whoever waited for it."""


class Given(NamedTuple):
    """What the first answer told, and until when it is waited, as the command's options keep it."""

    deadline: int
    returned: int | None


def waiting(turn: Turn, command: Command) -> Answers | Act | Wait | None:
    """The next thing that happens to a wait."""
    if command.exit is None and not command.done:
        return _begun(turn, command)
    given = _given(command)
    if command.exit is None:
        held = turn.get(command.refs[0])
        if held is not None and met(held):
            return _met(turn, command)
        return decide(turn, [Due(Bounds.at(given.deadline), lambda: _timed_out(command))])
    if command.exit or given.returned is None:
        return None
    return decide(turn, [Due(turn.lag(CLIENT).after(given.returned), lambda: _come(command))])


def _given(command: Command) -> Given:
    returned = command.option("returned")
    return Given(int(command.option("deadline", "0")), int(returned) if returned else None)


def _begun(turn: Turn, command: Command) -> Answers:
    """GET first, then a watch from that version on."""
    ref = command.refs[0]
    limit = turn.now + durations.parse(command.option("timeout", "30s"))
    began = replace(command, done=1, options=(*command.options, ("deadline", str(limit))))
    answer = yield Act("get", ref, reason="UserRequest", moment="wait-begins", request=Get(ref), command=command)
    if answer.object is None:
        yield failed(command, answer)
        return
    began = replace(began, uids=(answer.object.metadata.uid,))
    if met(answer.object):
        yield _met(turn, began)
        return
    yield Act("watch", ref, reason="ConditionNotMet", command=began, to="API server", background=True)


def _met(turn: Turn, command: Command) -> Act:
    ref = command.refs[0]
    return Act(
        "return",
        ref,
        reason="ConditionMet",
        moment="wait-returned",
        output=(Line(f"{named(ref)} condition met"),),
        command=replace(command, exit=0, options=(*command.options, ("returned", str(turn.now)))),
        to="You",
    )


def _timed_out(command: Command) -> Act:
    ref = command.refs[0]
    text = f"error: timed out waiting for the condition on {ref.kind.lower()}s/{ref.name}"
    return Act(
        "fail",
        command.key,
        reason="TimedOut",
        moment="wait-timed-out",
        output=(Line(text, "stderr"),),
        command=replace(command, exit=1),
        to="You",
    )


def _come(command: Command) -> Act:
    """Whoever waited begins to send requests."""
    kept = tuple(row for row in command.options if row[0] != "returned")
    return Act(
        "begin",
        command.refs[0],
        reason="WaitReturned",
        moment="clients-come",
        sender="Clients",
        to="Clients",
        clients="come",
        command=replace(command, options=kept),
        background=True,
    )
