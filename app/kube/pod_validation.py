"""What the API server refuses in a pod's spec (pkg/apis/core/validation), where it can be told from the spec alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from app.kube import quantity, syntax
from app.kube.placement_validation import placement
from app.kube.pods import (
    Container,
    HTTPGetAction,
    Lifecycle,
    LifecycleHandler,
    PodSpec,
    Probe,
    ResourceRequirements,
    Toleration,
    Volume,
)
from app.kube.quoting import listed
from app.kube.stringmap import StringMap
from app.kube.taints import EFFECTS
from app.kube.yaml_values import Path, Problem

POLICIES = ("Always", "OnFailure", "Never")
PROTOCOLS = ("TCP", "UDP", "SCTP")
DEFAULT_GRACE = 30


def pod_spec(spec: PodSpec, path: Path, claimed: tuple[str, ...] = ()) -> Iterator[Problem]:
    """All faults of a spec; `path` is where it stands, `claimed` are volumes that its StatefulSet adds."""
    if not spec.containers:
        yield Problem((*path, "containers"), "missing; a pod needs at least one container")
    yield from _containers(spec, path, claimed)
    names = [row.name for row in spec.volumes]
    yield from _unique([(*path, "volumes", at, "name") for at in range(len(names))], names)
    for at, volume in enumerate(spec.volumes):
        yield from _volume(volume, (*path, "volumes", at))
    for at, toleration in enumerate(spec.tolerations):
        yield from _toleration(toleration, (*path, "tolerations", at))
    yield from syntax.one_of((*path, "restartPolicy"), spec.restartPolicy, POLICIES)
    yield from syntax.number((*path, "terminationGracePeriodSeconds"), spec.terminationGracePeriodSeconds, 0)
    yield from syntax.number((*path, "activeDeadlineSeconds"), spec.activeDeadlineSeconds, 1)
    yield from syntax.quantities((*path, "overhead"), spec.overhead)
    yield from syntax.labels((*path, "nodeSelector"), spec.nodeSelector)
    yield from placement(spec, path)
    for field in ("nodeName", "priorityClassName", "serviceAccountName"):
        if name := getattr(spec, field):
            yield from syntax.subdomain((*path, field), name)


def _containers(spec: PodSpec, path: Path, claimed: tuple[str, ...]) -> Iterator[Problem]:
    grace = DEFAULT_GRACE if spec.terminationGracePeriodSeconds is None else spec.terminationGracePeriodSeconds
    places = [("containers", at) for at in range(len(spec.containers))]
    places += [("initContainers", at) for at in range(len(spec.initContainers))]
    rows: tuple[Container, ...] = (*spec.containers, *spec.initContainers)
    yield from _unique([(*path, *place, "name") for place in places], [row.name for row in rows])
    volumes = (*(volume.name for volume in spec.volumes), *claimed)
    for (field, at), row in zip(places, rows, strict=True):
        where = (*path, field, at)
        yield from _container(row, where, grace)
        for index, mount in enumerate(row.volumeMounts):
            if mount.name not in volumes:
                allowed = listed(volumes, none="none, as the pod has no volumes")
                fault = syntax.refused((*where, "volumeMounts", index, "name"), mount.name, allowed)
                yield fault._replace(about=((*path, "volumes"),))
        if field == "initContainers" and not row.sidecar:
            yield from _plain_init_container(row, where)


def _unique(paths: list[Path], names: list[str]) -> Iterator[Problem]:
    first: dict[str, Path] = {}
    for path, name in zip(paths, names, strict=True):
        yield from syntax.label(path, name)
        if name and first.setdefault(name, path) != path:
            yield syntax.refused(path, name, "a name that no other here has")


def _container(row: Container, path: Path, grace: int) -> Iterator[Problem]:
    yield from syntax.required((*path, "image"), row.image)
    if row.image != row.image.strip():
        yield syntax.refused((*path, "image"), row.image, "an image without spaces around it")
    yield from syntax.one_of((*path, "imagePullPolicy"), row.imagePullPolicy, ("Always", "IfNotPresent", "Never"))
    yield from syntax.one_of((*path, "restartPolicy"), row.restartPolicy, POLICIES)
    yield from _ports(row, path)
    yield from _resources(row.resources, (*path, "resources"))
    for field in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe: Probe | None = getattr(row, field)
        if probe is not None:
            yield from _probe(probe, field, (*path, field))
    if row.lifecycle is not None:
        yield from _lifecycle(row.lifecycle, (*path, "lifecycle"), grace)


def _plain_init_container(row: Container, path: Path) -> Iterator[Problem]:
    for field in ("livenessProbe", "readinessProbe", "startupProbe", "lifecycle"):
        if getattr(row, field) is not None:
            yield Problem((*path, field), "allowed only in init containers that have restartPolicy: Always")


def _ports(row: Container, path: Path) -> Iterator[Problem]:
    names: set[str] = set()
    for at, port in enumerate(row.ports):
        where = (*path, "ports", at)
        yield from syntax.port((*where, "containerPort"), port.containerPort)
        if port.hostPort:
            yield from syntax.port((*where, "hostPort"), port.hostPort)
        if port.name:
            yield from syntax.port_name((*where, "name"), port.name)
            if port.name in names:
                yield syntax.refused((*where, "name"), port.name, "a name that no other port here has")
            names.add(port.name)
        yield from syntax.one_of((*where, "protocol"), port.protocol, PROTOCOLS)


def _resources(given: ResourceRequirements, path: Path) -> Iterator[Problem]:
    yield from syntax.quantities((*path, "requests"), given.requests)
    yield from syntax.quantities((*path, "limits"), given.limits)
    yield from _over_limit(given.requests, given.limits, path)


def _over_limit(requests: StringMap, limits: StringMap, path: Path) -> Iterator[Problem]:
    for name, request in requests.items():
        limit = limits.get(name)
        with suppress(ValueError):
            if limit is not None and quantity.parse(request) > quantity.parse(limit):
                fault = syntax.refused((*path, "requests", name), request, f"at most the limit, {limit}")
                yield fault._replace(about=((*path, "limits", name),))


def _probe(probe: Probe, field: str, path: Path) -> Iterator[Problem]:
    yield from _one_handler(probe, ("exec", "httpGet", "tcpSocket", "grpc"), path)
    counts = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
    for name in counts:
        yield from syntax.number((*path, name), getattr(probe, name), 0)
    if field != "readinessProbe" and probe.successThreshold > 1:
        yield Problem((*path, "successThreshold"), f"found {probe.successThreshold}; must be 1")
    grace = probe.terminationGracePeriodSeconds
    if grace is not None and field == "readinessProbe":
        yield Problem((*path, "terminationGracePeriodSeconds"), "must not be set for readinessProbes")
    elif grace is not None and grace < 1:
        yield Problem((*path, "terminationGracePeriodSeconds"), f"found {grace}; must be greater than 0")
    if probe.grpc is not None:
        yield from syntax.port((*path, "grpc", "port"), probe.grpc.port)


def _lifecycle(lifecycle: Lifecycle, path: Path, grace: int) -> Iterator[Problem]:
    for field in ("postStart", "preStop"):
        handler: LifecycleHandler | None = getattr(lifecycle, field)
        if handler is None:
            continue
        yield from _one_handler(handler, ("exec", "httpGet", "tcpSocket", "sleep"), (*path, field))
        if handler.sleep is not None and not 0 <= handler.sleep.seconds <= grace:
            allowed = f"0 to {grace}, which is terminationGracePeriodSeconds"
            yield syntax.refused((*path, field, "sleep", "seconds"), handler.sleep.seconds, allowed)


def _one_handler(given: Probe | LifecycleHandler, names: tuple[str, ...], path: Path) -> Iterator[Problem]:
    handlers: list[tuple[str, Struct]] = [(name, row) for name in names if (row := getattr(given, name)) is not None]
    if len(handlers) != 1:
        found = " and ".join(name for name, _ in handlers) or "no handler"
        yield Problem(path, f"found {found}; allowed: exactly one of {', '.join(names)}")
    if given.exec is not None:
        yield from syntax.required((*path, "exec", "command"), given.exec.command)
    if given.httpGet is not None:
        yield from _http_get(given.httpGet, (*path, "httpGet"))
    if given.tcpSocket is not None:
        yield from syntax.port_or_name((*path, "tcpSocket", "port"), given.tcpSocket.port)


def _http_get(action: HTTPGetAction, path: Path) -> Iterator[Problem]:
    yield from syntax.port_or_name((*path, "port"), action.port)
    yield from syntax.one_of((*path, "scheme"), action.scheme, ("HTTP", "HTTPS"))


def _volume(volume: Volume, path: Path) -> Iterator[Problem]:
    sources = [name for name in volume.__struct_fields__ if name != "name" and getattr(volume, name) is not None]
    if len(sources) > 1:
        yield Problem(path, f"found {' and '.join(sources)}; allowed: one source for each volume")
    if volume.emptyDir is not None and volume.emptyDir.sizeLimit:
        yield from syntax.amount((*path, "emptyDir", "sizeLimit"), volume.emptyDir.sizeLimit)


def _toleration(given: Toleration, path: Path) -> Iterator[Problem]:
    yield from syntax.one_of((*path, "operator"), given.operator, ("Exists", "Equal", "Lt", "Gt"))
    yield from syntax.one_of((*path, "effect"), given.effect, EFFECTS)
    if given.key:
        yield from syntax.qualified_name((*path, "key"), given.key)
    elif given.operator != "Exists":
        yield syntax.refused((*path, "operator"), given.operator, "Exists, where key is empty")
    if given.operator == "Exists" and given.value:
        yield syntax.refused((*path, "value"), given.value, "no value, where operator is Exists")
    if given.tolerationSeconds is not None and given.effect != "NoExecute":
        yield syntax.refused((*path, "effect"), given.effect, "NoExecute, where tolerationSeconds is set")
