"""The containers of a pod as `kubectl describe pod` prints them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import timedelta
from email.utils import format_datetime

from app.kube.objects import ZERO
from app.kube.pods import Container, ContainerState, ContainerStatus, EnvFromSource, EnvVar, Pod, Probe
from app.kube.stringmap import StringMap

NONE = "<none>"
TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a place, not a secret


def containers(
    label: str, pod: Pod, rows: Sequence[Container], statuses: Sequence[ContainerStatus], token: str
) -> Iterator[str]:
    """A block of containers; `token` names the volume that admission mounts into each, if any."""
    known = {status.name: status for status in statuses}
    yield f"{label}:" if rows else f"{label}: {NONE}"
    for row in rows:
        yield f"  {row.name}:"
        yield from (f"    {line}" for line in _container(pod, row, known.get(row.name), token))


def _container(pod: Pod, row: Container, status: ContainerStatus | None, token: str) -> Iterator[str]:
    if status is not None:
        yield f"Container ID:\t{container_id(pod, status)}"
    yield f"Image:\t{row.image}"
    if status is not None:
        yield f"Image ID:\t{_image_id(row.image) if _was_made(status) else ''}"
    ports = ", ".join(f"{port.containerPort}/{port.protocol}" for port in row.ports)
    hosts = ", ".join(f"{port.hostPort or 0}/{port.protocol}" for port in row.ports)
    yield from (_ports("Port", ports), _ports("Host Port", hosts))
    yield from _lines("Command:", row.command)
    yield from _lines("Args:", row.args)
    if status is not None:
        yield from _status(status)
    yield from _amounts("Limits:", row.resources.limits)
    yield from _amounts("Requests:", row.resources.requests)
    probes = (("Liveness", row.livenessProbe), ("Readiness", row.readinessProbe), ("Startup", row.startupProbe))
    yield from (f"{name}:\t{probe_text(probe)}" for name, probe in probes if probe is not None)
    if row.envFrom:
        yield "Environment Variables from:"
        yield from (f"  {_env_from(source)}" for source in row.envFrom)
    yield "Environment:" if row.env else f"Environment:\t{NONE}"
    yield from (f"  {line}" for variable in row.env for line in _variable(variable))
    yield from _mounts(row, token)


def _ports(label: str, text: str) -> str:
    return f"{label}s:\t{text}" if "," in text else f"{label}:\t{text or NONE}"


def _lines(label: str, words: Sequence[str]) -> Iterator[str]:
    if words:
        yield label
        yield from (f"  {line}" for word in words for line in word.split("\n"))


def _was_made(status: ContainerStatus) -> bool:
    states = (status.state, status.lastState)
    return any(state.running is not None or state.terminated is not None for state in states)


def container_id(pod: Pod, status: ContainerStatus) -> str:
    """The runtime's name for the run that the status tells of; empty before there is one."""
    if not _was_made(status):
        return ""
    text = f"container {pod.metadata.uid}/{status.name}#{status.restartCount}"
    return f"containerd://{hashlib.sha256(text.encode()).hexdigest()}"


def _image_id(image: str) -> str:
    name = image.partition("@")[0]
    short = name.rpartition(":")[0] if ":" in name.rpartition("/")[2] else name
    full = short if "." in short.partition("/")[0] else f"docker.io/{short if '/' in short else f'library/{short}'}"
    return f"{full}@sha256:{hashlib.sha256(f'image {image}'.encode()).hexdigest()}"


def _status(status: ContainerStatus) -> Iterator[str]:
    yield from _state("State", status.state)
    if status.lastState.terminated is not None:
        yield from _state("Last State", status.lastState)
    yield f"Ready:\t{status.ready}"
    yield f"Restart Count:\t{status.restartCount}"


def _state(label: str, state: ContainerState) -> Iterator[str]:
    """Of a waiting container the reason only: its message is not printed."""
    if state.running is not None:
        yield f"{label}:\tRunning"
        yield f"  Started:\t{rfc1123(state.running.startedAt)}"
    elif state.terminated is not None:
        ended = state.terminated
        yield f"{label}:\tTerminated"
        yield from (
            f"  {name}:\t{text}" for name, text in (("Reason", ended.reason), ("Message", ended.message)) if text
        )
        yield f"  Exit Code:\t{ended.exitCode}"
        if ended.signal:
            yield f"  Signal:\t{ended.signal}"
        yield f"  Started:\t{rfc1123(ended.startedAt)}"
        yield f"  Finished:\t{rfc1123(ended.finishedAt)}"
    else:
        yield f"{label}:\tWaiting"
        if state.waiting is not None and state.waiting.reason:
            yield f"  Reason:\t{state.waiting.reason}"


def _amounts(label: str, amounts: StringMap) -> Iterator[str]:
    if amounts:
        yield label
        yield from (f"  {name}:\t{amount}" for name, amount in amounts.items())


def probe_text(probe: Probe) -> str:
    """Its handler, and its numbers as kubectl abbreviates them."""
    numbers = (
        f"delay={probe.initialDelaySeconds}s timeout={probe.timeoutSeconds}s period={probe.periodSeconds}s "
        f"#success={probe.successThreshold} #failure={probe.failureThreshold}"
    )
    if probe.exec is not None:
        return f"exec [{' '.join(probe.exec.command)}] {numbers}"
    if probe.httpGet is not None:
        get = probe.httpGet
        path = get.path if get.path.startswith("/") else f"/{get.path}"
        return f"http-get {get.scheme.lower()}://{get.host}:{get.port}{path} {numbers}"
    if probe.tcpSocket is not None:
        return f"tcp-socket {probe.tcpSocket.host}:{probe.tcpSocket.port} {numbers}"
    if probe.grpc is not None:
        return f"grpc <pod>:{probe.grpc.port} {probe.grpc.service} {numbers}"
    return f"unknown {numbers}"


def _env_from(source: EnvFromSource) -> str:
    kind, taken = (
        ("ConfigMap", source.configMapRef) if source.configMapRef is not None else ("Secret", source.secretRef)
    )
    name, optional = (taken.name, taken.optional) if taken is not None else ("", False)
    prefix = f" with prefix '{source.prefix}'" if source.prefix else ""
    return f"{name}\t{kind}{prefix}\tOptional: {str(optional).lower()}"


def _variable(variable: EnvVar) -> Iterator[str]:
    source = variable.valueFrom
    if source is None:
        first, *others = variable.value.split("\n")
        yield f"{variable.name}:\t{first}"
        yield from (f"\t{line}" for line in others)
    elif source.secretKeyRef is not None:
        key = source.secretKeyRef
        text = f"<set to the key '{key.key}' in secret '{key.name}'>"
        yield f"{variable.name}:\t{text}\tOptional: {str(key.optional).lower()}"
    elif source.configMapKeyRef is not None:
        key = source.configMapKeyRef
        text = f"<set to the key '{key.key}' of config map '{key.name}'>"
        yield f"{variable.name}:\t{text}\tOptional: {str(key.optional).lower()}"


def _mounts(row: Container, token: str) -> Iterator[str]:
    found = [
        (mount.mountPath, mount.name, _flags(mount.subPath, read_only=mount.readOnly)) for mount in row.volumeMounts
    ]
    if token and all(path != TOKEN_PATH for path, _, _ in found):
        found.append((TOKEN_PATH, token, "ro"))
    yield "Mounts:" if found else f"Mounts:\t{NONE}"
    yield from (f"  {path} from {name} ({flags})" for path, name, flags in sorted(found))


def _flags(sub_path: str, *, read_only: bool) -> str:
    return ("ro" if read_only else "rw") + (f',path="{sub_path}"' if sub_path else "")


def rfc1123(milliseconds: int | None) -> str:
    """`Thu, 01 Jan 2026 12:00:00 +0000`; Go's zero time where there is none."""
    if milliseconds is None:
        return "Mon, 01 Jan 0001 00:00:00 +0000"
    return format_datetime(ZERO + timedelta(milliseconds=milliseconds))
