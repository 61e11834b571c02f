"""kubectl logs and kubectl exec: neither talks to the pod; the API server asks the kubelet of its node."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.logs import Printed, exec_, logs
from app.kube.pods import Pod
from app.loops.kubectl_output import Answers, failed
from app.sim.acts import Act, Command, Dial, Line


def reading(command: Command) -> Answers:
    """One request, and what is printed of its answer."""
    ref = command.refs[0]
    answer = yield Act(
        command.verb,
        ref,
        reason="previous run" if command.option("previous") == "true" else "UserRequest",
        moment=f"{command.verb}-requested",
        request=Dial(ref),
        command=command,
    )
    if not isinstance(answer.object, Pod):
        yield failed(command, answer)
        return
    printed = _printed(command, answer.object, answer.message)
    lines = [Line(text, "stderr") for text in printed.err.split("\n") if text]
    lines += [Line(text) for text in printed.out.split("\n") if text]
    yield Act(
        "fail" if printed.exit else "show",
        command.key,
        reason=printed.err.rpartition(": ")[2] if printed.exit else command.verb,
        moment="kubectl-failed" if printed.exit else f"{command.verb}-printed",
        output=tuple(lines),
        command=replace(command, exit=printed.exit),
        to="You",
    )


def _printed(command: Command, pod: Pod, dial: str) -> Printed:
    container = command.option("container")
    if command.verb == "exec":
        return exec_(pod, container, dial=dial)
    return logs(pod, container, previous=command.option("previous") == "true", dial=dial)
