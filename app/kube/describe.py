"""What `kubectl describe pod` prints, as pkg/describe/describe.go of kubectl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from app.kube.ages import human_duration
from app.kube.describe_containers import containers, rfc1123
from app.kube.meta import condition
from app.kube.names import generated_suffix
from app.kube.pods import Pod, Toleration, Volume, VolumeProjection
from app.kube.qos import qos_class
from app.kube.releases import CURRENT, Release
from app.kube.stringmap import StringMap
from app.kube.tabular import tabulated

NONE = "<none>"
LONGEST_ANNOTATION = 140
PROJECTED = "Type:\tProjected (a volume that contains injected data from multiple sources)"


class EventRow(NamedTuple):
    """An Event as far as `describe` shows it; times are milliseconds after t = 0."""

    type: str
    reason: str
    message: str
    source: str
    first: int
    last: int
    times: int
    part: str = ""
    """The part of the pod that it is about, such as `spec.containers{app}`."""


def describe_pod(pod: Pod, events: Iterable[EventRow], now: int, release: Release = CURRENT) -> str:
    """All that is known of a pod, and its Events, the newest last."""
    lines = [*_head(pod, now, release), *_body(pod)]
    told = events if release.part_told else (row._replace(part="") for row in events)
    return "\n".join([*tabulated(lines), *tabulated(list(_events(list(told), now)))])


def _head(pod: Pod, now: int, release: Release) -> Iterator[str]:
    meta, spec, status = pod.metadata, pod.spec, pod.status
    yield f"Name:\t{meta.name}"
    yield f"Namespace:\t{meta.namespace}"
    yield f"Priority:\t{spec.priority or 0}"
    if spec.priorityClassName:
        yield f"Priority Class Name:\t{spec.priorityClassName}"
    if spec.serviceAccountName:
        yield f"Service Account:\t{spec.serviceAccountName}"
    yield f"Node:\t{spec.nodeName}/{status.hostIP}" if spec.nodeName else f"Node:\t{NONE}"
    if status.startTime is not None:
        yield f"Start Time:\t{rfc1123(status.startTime)}"
    yield from _pairs("Labels", meta.labels, "=")
    yield from _annotations(meta.annotations)
    if pod.terminating and not (pod.finished and release.terminal_shown):
        yield f"Status:\tTerminating (lasts {human_duration(now - (meta.deletionTimestamp or 0))})"
        yield f"Termination Grace Period:\t{meta.deletionGracePeriodSeconds}s"
    else:
        yield f"Status:\t{status.phase}"
    yield from (f"{name}:\t{text}" for name, text in (("Reason", status.reason), ("Message", status.message)) if text)
    yield f"IP:\t{status.podIP}"
    yield from ("IPs:", f"  IP:\t{status.podIP}") if status.podIP else (f"IPs:\t{NONE}",)
    if meta.controller is not None:
        yield f"Controlled By:\t{meta.controller.kind}/{meta.controller.name}"
    if status.nominatedNodeName:
        yield f"NominatedNodeName:\t{status.nominatedNodeName}"


def _body(pod: Pod) -> Iterator[str]:
    spec, status = pod.spec, pod.status
    token = token_volume(pod)
    if spec.initContainers:
        yield from containers("Init Containers", pod, spec.initContainers, status.initContainerStatuses, token)
    yield from containers("Containers", pod, spec.containers, status.containerStatuses, token)
    if spec.readinessGates:
        yield from ("Readiness Gates:", "  Type\tStatus")
        for gate in spec.readinessGates:
            row = condition(status.conditions, gate.conditionType)
            yield f"  {gate.conditionType} \t{row.status if row else NONE} "
    if status.conditions:
        yield from ("Conditions:", "  Type\tStatus")
        yield from (f"  {row.type} \t{row.status} " for row in status.conditions)
    yield from _volumes(spec.volumes, token)
    yield f"QoS Class:\t{status.qosClass or qos_class(spec)}"
    yield from _pairs("Node-Selectors", spec.nodeSelector, "=")
    yield from _tolerations(spec.tolerations)


def token_volume(pod: Pod) -> str:
    """The volume with the token of its service account, which admission adds to every pod that does not forbid it."""
    spec = pod.spec
    wanted = spec.serviceAccountName and spec.automountServiceAccountToken is not False
    return f"kube-api-access-{generated_suffix(pod.metadata.uid, 1)}" if wanted else ""


def _pairs(title: str, values: StringMap, sign: str) -> Iterator[str]:
    """One pair a line, the first beside the title."""
    rows = [f"{key}{sign}{value}" for key, value in values.items()] or [NONE]
    yield f"{title}:\t{rows[0]}"
    yield from (f"\t{row}" for row in rows[1:])


def _annotations(values: StringMap) -> Iterator[str]:
    """Long ones on lines of their own, cut."""
    rows: list[str] = []
    for key, text in values.items():
        value = text.removesuffix("\n")
        if len(key) + len(value) + 2 > LONGEST_ANNOTATION or "\n" in value:
            rows += [f"{key}:", *(f"  {_cut(line)}" for line in value.split("\n"))]
        else:
            rows.append(f"{key}: {value}")
    yield f"Annotations:\t{rows[0] if rows else NONE}"
    yield from (f"\t{row}" for row in rows[1:])


def _cut(line: str) -> str:
    most = LONGEST_ANNOTATION - 2
    return f"{line[:most]}..." if len(line) > most else line


def _volumes(volumes: Sequence[Volume], token: str) -> Iterator[str]:
    if not volumes and not token:
        yield f"Volumes:\t{NONE}"
        return
    yield "Volumes:"
    for volume in volumes:
        yield f"  {volume.name}:"
        yield from (f"    {line}" for line in _source(volume))
    if token:
        yield f"  {token}:"
        yield f"    {PROJECTED}"
        yield "    TokenExpirationSeconds:\t3607"
        yield from ("    ConfigMapName:\tkube-root-ca.crt", "    Optional:\tfalse", "    DownwardAPI:\ttrue")


def _source(volume: Volume) -> tuple[str, ...]:
    if volume.hostPath is not None:
        path = volume.hostPath
        return (
            "Type:\tHostPath (bare host directory volume)",
            f"Path:\t{path.path}",
            f"HostPathType:\t{path.type}",
        )
    if volume.emptyDir is not None:
        empty = volume.emptyDir
        return (
            "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)",
            f"Medium:\t{empty.medium}",
            f"SizeLimit:\t{empty.sizeLimit or '<unset>'}",
        )
    if volume.secret is not None:
        secret = volume.secret
        optional = str(secret.optional).lower()
        return (
            "Type:\tSecret (a volume populated by a Secret)",
            f"SecretName:\t{secret.secretName}",
            f"Optional:\t{optional}",
        )
    if volume.configMap is not None:
        config = volume.configMap
        optional = str(config.optional).lower()
        return (
            "Type:\tConfigMap (a volume populated by a ConfigMap)",
            f"Name:\t{config.name}",
            f"Optional:\t{optional}",
        )
    if volume.projected is not None:
        return (PROJECTED, *(line for source in volume.projected.sources for line in _projection(source)))
    if volume.persistentVolumeClaim is not None:
        claim = volume.persistentVolumeClaim
        kind = "a reference to a PersistentVolumeClaim in the same namespace"
        return (
            f"Type:\tPersistentVolumeClaim ({kind})",
            f"ClaimName:\t{claim.claimName}",
            f"ReadOnly:\t{str(claim.readOnly).lower()}",
        )
    return ("<unknown>",)


def _projection(source: VolumeProjection) -> tuple[str, ...]:
    if source.secret is not None:
        optional = str(source.secret.optional).lower()
        return (f"SecretName:\t{source.secret.name}", f"SecretOptionalName:\t{optional}")
    if source.configMap is not None:
        optional = str(source.configMap.optional).lower()
        return (f"ConfigMapName:\t{source.configMap.name}", f"Optional:\t{optional}")
    return ()


def _tolerations(rows: Sequence[Toleration]) -> Iterator[str]:
    told = [_toleration(row) for row in sorted(rows, key=lambda row: row.key)] or [NONE]
    yield f"Tolerations:\t{told[0]}"
    yield from (f"\t{row}" for row in told[1:])


def _toleration(row: Toleration) -> str:
    text = row.key + (f"={row.value}" if row.value else "") + (f":{row.effect}" if row.effect else "")
    if row.operator == "Exists":
        text += " op=Exists" if text else "op=Exists"
    return text + (f" for {row.tolerationSeconds}s" if row.tolerationSeconds is not None else "")


def _events(events: list[EventRow], now: int) -> Iterator[str]:
    if not events:
        yield f"Events:\t{NONE}"
        return
    yield from ("Events:", "  Type\tReason\tAge\tFrom\tMessage", "  ----\t------\t----\t----\t-------")
    for row in sorted(events, key=lambda row: row.last):
        age = human_duration(now - row.first)
        if row.times > 1:
            age = f"{human_duration(now - row.last)} (x{row.times} over {age})"
        message = f"{row.part}: {row.message.strip()}" if row.part else row.message.strip()
        yield f"  {row.type}\t{row.reason}\t{age}\t{row.source}\t{message}"
