"""What a command prints, how it fails, and how kubectl names things."""

from __future__ import annotations

from collections.abc import Generator

from msgspec.structs import replace

from app.kube.client_errors import HUNG, REFUSED
from app.kube.meta import Ref
from app.kube.objects import group_of
from app.sim.acts import Act, Command, Line, Outcome, Wait

HANDSHAKE = 10_000
"""A client gives up on a TLS handshake after so long."""

Answers = Generator[Act | Wait, Outcome, None]


def said(command: Command, *lines: Line) -> Act:
    """Lines of output, and the command as it is after them."""
    return Act("print", command.key, output=lines, command=command, to="You", background=True)


def failed(command: Command, answer: Outcome) -> Act:
    """The end of a command that the API server refused."""
    word = reason_of(answer)
    return Act(
        "fail",
        command.key,
        reason=word,
        moment="kubectl-failed",
        output=(Line(error_of(answer), "stderr"),),
        command=replace(command, exit=1),
        to="You",
    )


def given_up(command: Command) -> Act:
    """The end of a command to whose first connection an API server that hangs has said nothing."""
    return Act(
        "fail",
        command.key,
        reason="Timeout",
        moment="kubectl-failed",
        output=(Line(HUNG, "stderr"),),
        command=replace(command, exit=1),
        to="You",
    )


def error_of(answer: Outcome) -> str:
    """`Error from server (NotFound): ...`, as kubectl prints a refusal."""
    if answer.status == "unreachable":
        return REFUSED
    if answer.status == "invalid" and " is invalid: " in answer.message:
        return f"The {answer.message}"
    word = reason_of(answer)
    return f"Error from server{f' ({word})' if answer.status != 'internal-error' else ''}: {answer.message}"


def reason_of(answer: Outcome) -> str:
    """`not-found` as `NotFound`."""
    return "".join(part.capitalize() for part in answer.status.split("-"))


def named(ref: Ref) -> str:
    """`deployment.apps/web`, as kubectl names what it has changed."""
    return f"{'.'.join(part for part in (ref.kind.lower(), group_of(ref.kind)) if part)}/{ref.name}"


def ended(command: Command) -> Act:
    """The quiet end of a command that has done what it should."""
    about = command.refs[0] if command.refs else command.key
    return Act("return", about, background=True, command=replace(command, exit=0), to="You")
