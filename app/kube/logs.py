"""What `kubectl logs` and `kubectl exec` print of a pod, or why they cannot.

As the kubelet's validateContainerLogStatus and kubectl's own checks have it. A container prints what its annotation
`log` says. Not modelled: time stamps, rotation, and containers of which the runtime itself keeps nothing any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from app.kube.annotations import behaviour
from app.kube.pods import Container, ContainerStatus, Pod

START_ERROR = "StartError"
REFUSED, NO_ROUTE = "connection refused", "no route to host"
_PORT = 10250
_FAILED_PULLS = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


class Printed(NamedTuple):
    """What stands on the terminal afterwards."""

    out: str = ""
    err: str = ""
    exit: int = 0


def logs(pod: Pod, container: str = "", *, previous: bool = False, dial: str = "") -> Printed:
    """`kubectl logs POD [-c CONTAINER] [--previous]`; `dial` is why the kubelet of its node cannot be reached."""
    row = _chosen(pod, container)
    if row is None:
        return _failed(f"error: container {container} is not valid for pod {pod.metadata.name}")
    hint = "" if container else _defaulted(pod, row)
    fault = _without_kubelet(pod, row, previous=previous, dial=dial) or _without_log(pod, row, previous=previous)
    if fault:
        return _failed(hint + fault)
    return Printed("\n".join(_lines(pod, row, previous=previous)), hint.rstrip("\n"))


def exec_(pod: Pod, container: str = "", *, dial: str = "") -> Printed:
    """`kubectl exec POD [-c CONTAINER] -- COMMAND`, as far as it fails before the command runs."""
    row = _chosen(pod, container)
    if row is None:
        return _failed(f"error: container {container} not found in pod {pod.metadata.name}")
    if pod.finished:
        return _failed(f"error: cannot exec into a container in a completed pod; current phase is {pod.status.phase}")
    hint = "" if container else _defaulted(pod, row)
    if not pod.spec.nodeName:
        return _failed(f"{hint}Error from server (BadRequest): pod {pod.metadata.name} does not have a host assigned")
    if dial:
        return _failed(f"{hint}Error from server: error dialing backend: {_dialled(pod, dial)}")
    status = _status(pod, row)
    if status is None or status.state.running is None:
        refusal = f'unable to upgrade connection: container not found ("{row.name}")'
        return _failed(f"{hint}error: Internal error occurred: {refusal}")
    return Printed(err=hint.rstrip("\n"))


def not_found(name: str) -> Printed:
    """Either command, of a pod that is not there."""
    return _failed(f'Error from server (NotFound): pods "{name}" not found')


def _failed(text: str) -> Printed:
    return Printed(err=text, exit=1)


def _rows(pod: Pod) -> Sequence[Container]:
    return (*pod.spec.containers, *pod.spec.initContainers)


def _chosen(pod: Pod, name: str) -> Container | None:
    """The named container; else the one that an annotation names, else the first."""
    wanted = name or pod.metadata.annotations.get("kubectl.kubernetes.io/default-container", "")
    found = next((row for row in _rows(pod) if row.name == wanted), None)
    return found if name or found is not None else pod.spec.containers[0]


def _defaulted(pod: Pod, row: Container) -> str:
    """Said where there was a choice."""
    if len(_rows(pod)) == 1 or pod.metadata.annotations.get("kubectl.kubernetes.io/default-container") == row.name:
        return ""
    names = [one.name for one in pod.spec.containers] + [f"{one.name} (init)" for one in pod.spec.initContainers]
    return f'Defaulted container "{row.name}" out of: {", ".join(names)}\n'


def _without_kubelet(pod: Pod, row: Container, *, previous: bool, dial: str) -> str:
    meta = pod.metadata
    if not pod.spec.nodeName:
        return f"Error from server (BadRequest): pod {meta.name} does not have a host assigned"
    if not dial:
        return ""
    query = "?previous=true" if previous else ""
    path = f"containerLogs/{meta.namespace}/{meta.name}/{row.name}{query}"
    return f'Error from server: Get "https://{_address(pod)}/{path}": {_dialled(pod, dial)}'


def _address(pod: Pod) -> str:
    return f"{pod.status.hostIP}:{_PORT}"


def _dialled(pod: Pod, why: str) -> str:
    return f"dial tcp {_address(pod)}: connect: {why}"


def _without_log(pod: Pod, row: Container, *, previous: bool) -> str:
    """Why the kubelet has nothing to show."""
    what, status = f'container "{row.name}" in pod "{pod.metadata.name}"', _status(pod, row)
    if status is None:
        return _bad_request(f"{what} is not available")
    if previous:
        return "" if status.lastState.terminated is not None else _bad_request(f"previous terminated {what} not found")
    state = status.state
    if state.running is not None or state.terminated is not None or status.lastState.terminated is not None:
        return ""
    reason = state.waiting.reason if state.waiting is not None else ""
    if not reason:
        return _bad_request(f"{what} is waiting to start - no logs yet")
    return _bad_request(f"{what} is waiting to start: {_FAILED_PULLS.get(reason, reason)}")


def _bad_request(text: str) -> str:
    return f"Error from server (BadRequest): {text}"


def _status(pod: Pod, row: Container) -> ContainerStatus | None:
    rows = (*pod.status.containerStatuses, *pod.status.initContainerStatuses)
    return next((status for status in rows if status.name == row.name), None)


def _lines(pod: Pod, row: Container, *, previous: bool) -> tuple[str, ...]:
    """A run that could not even be started has printed nothing."""
    status = _status(pod, row)
    if status is None:
        return ()
    last = status.lastState.terminated
    shown = last if previous else status.state.terminated or (None if status.state.running else last)
    if shown is not None and shown.reason == START_ERROR:
        return ()
    return behaviour(pod.metadata.annotations, row.name).log
