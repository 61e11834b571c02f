"""How a drain that does not get through says so: per node at once, and for all nodes at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from app.kube.drain_filters import aggregate
from app.sim.acts import Act, Command, Drain, Line


class Failure(NamedTuple):
    """Why a node is not drained, and what is told before that."""

    moment: str
    errors: tuple[str, ...]
    lines: tuple[str, ...] = ()


def refused(command: Command, state: Drain, found: Sequence[str], now: int) -> Act:
    """The pods of a node must not be deleted: none of them is touched; the node stays cordoned."""
    return _failed(command, state, Failure("drain-refused", tuple(found)), now)


def given_up(command: Command, state: Drain, found: Sequence[str], now: int) -> Act:
    """Some pods of a node could not be sent away."""
    name = command.refs[state.node].name
    left = [pod.ref.name for pod in state.pods if pod.stage != "gone"]
    told = f'There are pending pods in node "{name}" when an error occurred: {aggregate(found)}'
    lines = (told, *(f"pod/{row}" for row in left))
    return _failed(command, state, Failure("drain-failed", tuple(found), lines), now)


def _failed(command: Command, state: Drain, failure: Failure, now: int) -> Act:
    node = command.refs[state.node]
    error = aggregate(failure.errors)
    text = f'error: unable to drain node "{node.name}" due to error: {error}, continuing command...'
    failed = (*state.failed, (node.name, failure.errors))
    done = Drain(state.cordoned, state.node + 1, now, failed=failed)
    return Act(
        "give-up",
        node,
        reason="Refused" if failure.moment == "drain-refused" else "PodsLeft",
        moment=failure.moment,
        output=tuple(Line(row, "stderr") for row in (*failure.lines, text)),
        command=replace(command, drain=done, uids=()),
        to="You",
    )


def unfinished(command: Command, state: Drain) -> Act:
    """The end of the command, with all that failed once more."""
    lines: tuple[Line, ...] = ()
    if state.failed:
        names = [f" {name}" for name, _ in state.failed]
        every = [error for _, found in state.failed for error in found]
        lines = tuple(Line(row, "stderr") for row in ("There are pending nodes to be drained:", *names, *every))
    return Act(
        "return",
        command.refs[0],
        reason="NodesLeft" if state.failed else "Drained",
        moment="kubectl-failed" if state.failed else "",
        output=lines,
        command=replace(command, exit=1 if state.failed else 0),
        to="You",
        background=not state.failed,
    )
