"""What one attempt of a probe meets in a container, and the text that the kubelet gets for it.

Not modelled: probes that time out, redirects, and output of exec probes.
"""

from __future__ import annotations

from typing import NamedTuple

from app.kube.annotations import healthy
from app.kube.behaviour import next_change
from app.kube.pods import Container, Probe
from app.loops.host_pods import behaviour_of
from app.sim.host import ContainerRun, HostPod

_EXITED = "rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state"


class Met(NamedTuple):
    """`ok` is None where the attempt itself went wrong: it counts for nothing."""

    ok: bool | None
    text: str = ""


def target_of(probe: Probe) -> str:
    """What the annotation `health` calls it."""
    if probe.httpGet is not None:
        return probe.httpGet.path
    if probe.exec is not None:
        return "exec"
    return "tcp" if probe.tcpSocket is not None else "grpc"


def meets(pod: HostPod, row: Container, run: ContainerRun, probe: Probe, now: int) -> Met:
    """One attempt on the container as it really is."""
    target = target_of(probe)
    if run.state != "running":
        return Met(None, _EXITED) if target == "exec" else Met(ok=False, text=_unreachable(pod, row, probe))
    signalled = run.stop.signalled if run.stop else None
    since_sigterm = None if signalled is None else now - signalled
    answer = healthy(behaviour_of(pod, run.name), target, now - (run.started or 0), since_sigterm)
    listens = run.closing != "closed" and now - (run.started or 0) >= behaviour_of(pod, run.name).startup
    if target == "exec":
        return Met(answer.ok)
    if not listens:
        return Met(ok=False, text=_unreachable(pod, row, probe))
    if answer.ok:
        return Met(ok=True)
    if answer.code is not None:
        return Met(ok=False, text=f"HTTP probe failed with statuscode: {answer.code}")
    if target == "grpc":
        return Met(ok=False, text='service unhealthy (responded with "NOT_SERVING")')
    return Met(ok=False, text=_unreachable(pod, row, probe))


def changes_after(pod: HostPod, run: ContainerRun, probe: Probe, now: int) -> int | None:
    """The next instant at which an attempt may meet something else, if nobody interferes."""
    if run.state != "running":
        return None
    started = run.started or 0
    change = next_change(behaviour_of(pod, run.name), target_of(probe), now - started)
    return None if change is None else started + change


def _unreachable(pod: HostPod, row: Container, probe: Probe) -> str:
    """As Go says that nobody listens."""
    if probe.httpGet is not None:
        get = probe.httpGet
        where = f"{get.host or pod.ip}:{_port(row, get.port)}"
        return f'Get "{get.scheme.lower()}://{where}{get.path}": {_refused(where)}'
    if probe.tcpSocket is not None:
        return _refused(f"{probe.tcpSocket.host or pod.ip}:{_port(row, probe.tcpSocket.port)}")
    where = f"{pod.ip}:{probe.grpc.port}" if probe.grpc is not None else pod.ip
    reason = f'connection error: desc = "transport: Error while dialing: {_refused(where)}"'
    return f'timeout: failed to connect service "{where}" within {probe.timeoutSeconds}s: {reason}'


def _refused(where: str) -> str:
    return f"dial tcp {where}: connect: connection refused"


def _port(row: Container, port: int | str) -> int | str:
    """A port may be given by the name that it has in the container."""
    if isinstance(port, int):
        return port
    return next((known.containerPort for known in row.ports if known.name == port), port)
