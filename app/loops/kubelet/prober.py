"""What one attempt of a probe meets in a container, how long it takes, and the text that the kubelet gets for it.

Not modelled: redirects, output of exec probes, and the two retries of an attempt that goes wrong by itself.
"""

from __future__ import annotations

from typing import NamedTuple

from app.kube.ages import go_duration
from app.kube.annotations import healthy
from app.kube.behaviour import next_change, slept
from app.kube.health import Answer, rule_for
from app.kube.pods import Container, Probe
from app.loops.host_pods import behaviour_of
from app.loops.kubelet.case import NO_RUNTIME, probe_of
from app.sim.host import ContainerRun, Host, HostPod

_EXITED = "rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state"


class Met(NamedTuple):
    """`ok` is None where the attempt itself went wrong: it counts for nothing."""

    ok: bool | None
    text: str = ""
    takes: int = 0
    """Milliseconds until the kubelet knows."""


class Asked(NamedTuple):
    """One kind of probe of one container, and the container as it really is."""

    host: Host
    pod: HostPod
    row: Container
    run: ContainerRun
    kind: str

    @property
    def probe(self) -> Probe:
        return probe_of(self.row, self.kind) or Probe()


def target_of(probe: Probe) -> str:
    """What the annotation `health` calls it."""
    if probe.httpGet is not None:
        return probe.httpGet.path
    if probe.exec is not None:
        return "exec"
    return "tcp" if probe.tcpSocket is not None else "grpc"


def meets(asked: Asked, now: int) -> Met:
    """One attempt, begun now."""
    probe, run = asked.probe, asked.run
    if probe.exec is not None and asked.host.runtime_down is not None:
        return Met(None, NO_RUNTIME)
    if run.state != "running":
        return Met(None, _EXITED) if probe.exec is not None else Met(ok=False, text=_unreachable(asked))
    startup = behaviour_of(asked.pod, run.name).startup
    if probe.exec is None and (run.closing == "closed" or now - (run.started or 0) < startup):
        return Met(ok=False, text=_unreachable(asked))
    return _told(asked, _answer(asked, now))


def _answer(asked: Asked, now: int) -> Answer:
    run, probe, app = asked.run, asked.probe, behaviour_of(asked.pod, asked.run.name)
    signalled = run.stop.signalled if run.stop else None
    since_sigterm = None if signalled is None else now - signalled
    since_start, broken = now - (run.started or 0), asked.host.broken
    found = healthy(app, target_of(probe), since_start, since_sigterm, broken=broken, kind=asked.kind)
    if probe.exec is not None and rule_for(app.health, "exec", asked.kind) is None:
        # Where nothing else is said, a command that sleeps says how long it takes.
        return found._replace(takes=slept(probe.exec.command))
    return found


def _told(asked: Asked, answer: Answer) -> Met:
    probe = asked.probe
    limit = probe.timeoutSeconds * 1000
    if answer.takes is None or answer.takes > limit:
        return Met(ok=False, text=_timed_out(asked), takes=limit)
    if answer.ok or probe.exec is not None:
        return Met(answer.ok, takes=answer.takes)
    if answer.code is not None:
        return Met(ok=False, text=f"HTTP probe failed with statuscode: {answer.code}", takes=answer.takes)
    if probe.grpc is not None:
        return Met(ok=False, text='service unhealthy (responded with "NOT_SERVING")', takes=answer.takes)
    return Met(ok=False, text=_unreachable(asked))


def changes_after(asked: Asked, now: int) -> int | None:
    """The next instant at which an attempt may meet something else, if nobody interferes."""
    if asked.run.state != "running":
        return None
    started, app = asked.run.started or 0, behaviour_of(asked.pod, asked.run.name)
    change = next_change(app, target_of(asked.probe), now - started, broken=asked.host.broken, kind=asked.kind)
    return None if change is None else started + change


def _unreachable(asked: Asked) -> str:
    """As Go says that nobody listens."""
    where, probe = _where(asked), asked.probe
    refused = f"dial tcp {where}: connect: connection refused"
    if probe.httpGet is not None:
        return f"{_get(where, probe)}: {refused}"
    if probe.tcpSocket is not None:
        return refused
    reason = f'connection error: desc = "transport: Error while dialing: {refused}"'
    return f'timeout: failed to connect service "{where}" within {_limit(probe)}: {reason}'


def _timed_out(asked: Asked) -> str:
    """As the kubelet says that no answer came in time."""
    probe = asked.probe
    if probe.exec is not None:
        return f'command timed out: "{" ".join(probe.exec.command)}" timed out after {_limit(probe)}'
    where = _where(asked)
    if probe.httpGet is not None:
        return f"{_get(where, probe)}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    if probe.tcpSocket is not None:
        return f"dial tcp {where}: i/o timeout"
    return f"timeout: health rpc did not complete within {_limit(probe)}: "


def _limit(probe: Probe) -> str:
    return go_duration(probe.timeoutSeconds * 1000)


def _get(where: str, probe: Probe) -> str:
    get = probe.httpGet
    return f'Get "{get.scheme.lower()}://{where}{get.path}"' if get is not None else ""


def _where(asked: Asked) -> str:
    probe, address = asked.probe, asked.pod.ip
    if probe.httpGet is not None:
        return f"{probe.httpGet.host or address}:{_port(asked.row, probe.httpGet.port)}"
    if probe.tcpSocket is not None:
        return f"{probe.tcpSocket.host or address}:{_port(asked.row, probe.tcpSocket.port)}"
    return f"{address}:{probe.grpc.port}" if probe.grpc is not None else address


def _port(row: Container, port: int | str) -> int | str:
    """A port may be given by the name that it has in the container."""
    if isinstance(port, int):
        return port
    return next((known.containerPort for known in row.ports if known.name == port), port)
