"""What the API server refuses in an object, and what Loopscope's own annotations may not say."""

from __future__ import annotations

from collections.abc import Iterator

from app.kube import annotations as sim
from app.kube import syntax
from app.kube.label_selectors import OPERATORS, label_selector
from app.kube.meta import CLUSTER_SCOPED, LabelSelector, ObjectMeta
from app.kube.networking import EndpointSlice, Service, ServicePort
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pod_validation import EFFECTS, PROTOCOLS, pod_spec
from app.kube.pods import Pod, PodTemplateSpec
from app.kube.policy import PodDisruptionBudget
from app.kube.priority import PriorityClass
from app.kube.quoting import shown
from app.kube.workloads import Deployment, ReplicaSet, StatefulSet
from app.kube.yaml_values import Path, Problem

Workload = Deployment | ReplicaSet | StatefulSet

_TYPES = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")


def problems_of(obj: Object) -> Iterator[Problem]:
    """All faults of an object, each with its path from the object's root."""
    yield from _metadata(obj)
    match obj:
        case Pod():
            yield from pod_spec(obj.spec, ("spec",))
            yield from _behaviour(obj.metadata, obj.spec.containers + obj.spec.initContainers, ("metadata",))
        case Deployment() | ReplicaSet() | StatefulSet():
            yield from _workload(obj)
        case Service():
            yield from _service(obj)
        case Node():
            yield from _node(obj)
        case EndpointSlice():
            yield from _endpoint_slice(obj)
        case PodDisruptionBudget():
            yield from _budget(obj)
        case PriorityClass():
            yield from _priority_class(obj)
        case _:
            return


def _metadata(obj: Object) -> Iterator[Problem]:
    meta = obj.metadata
    # Services may begin with a digit since RelaxedServiceNameValidation is on, 1.36.
    rule = syntax.label if obj.kind == "Service" else syntax.subdomain
    if meta.generateName and not meta.name:
        text = "missing; generateName makes one only with `kubectl create`, so give a name here"
        yield Problem(("metadata", "name"), text)
    else:
        yield from rule(("metadata", "name"), meta.name)
    if obj.kind not in CLUSTER_SCOPED:
        yield from syntax.label(("metadata", "namespace"), meta.namespace or "default")
    elif meta.namespace:
        yield syntax.refused(("metadata", "namespace"), meta.namespace, f"no namespace on a {obj.kind}")
    yield from _labelled(meta, ("metadata",))
    for at, finalizer in enumerate(meta.finalizers):
        yield from syntax.qualified_name(("metadata", "finalizers", at), finalizer)
    if obj.kind != "Pod":
        yield from _misplaced(meta, isinstance(obj, Workload))


def _misplaced(meta: ObjectMeta, has_template: bool) -> Iterator[Problem]:
    place = "in spec.template.metadata.annotations" if has_template else "on a pod, or in a workload's pod template"
    for key in meta.annotations:
        if key.startswith(sim.PREFIX):
            text = f"says how a pod behaves and has no effect here; allowed: {place}"
            yield Problem(("metadata", "annotations", key), text)


def _labelled(meta: ObjectMeta, path: Path) -> Iterator[Problem]:
    yield from syntax.labels((*path, "labels"), meta.labels)
    yield from syntax.annotated((*path, "annotations"), meta.annotations)


def _behaviour(meta: ObjectMeta, containers: tuple[object, ...], path: Path) -> Iterator[Problem]:
    names = tuple(getattr(row, "name", "") for row in containers)
    for key, text in sim.check(meta.annotations, names):
        yield Problem((*path, "annotations", key), text)


def _workload(obj: Workload) -> Iterator[Problem]:
    spec = obj.spec
    yield from syntax.number(("spec", "replicas"), spec.replicas, 0)
    yield from syntax.number(("spec", "minReadySeconds"), spec.minReadySeconds, 0)
    yield from _selector(spec.selector, spec.template, obj.kind)
    yield from _template(spec.template, obj.kind)
    if isinstance(obj, Deployment):
        yield from _deployment(obj)
    if isinstance(obj, StatefulSet):
        policy = obj.spec.podManagementPolicy
        yield from syntax.one_of(("spec", "podManagementPolicy"), policy, ("OrderedReady", "Parallel"))


def _selector(selector: LabelSelector, template: PodTemplateSpec, kind: str) -> Iterator[Problem]:
    path = ("spec", "selector")
    if not selector.matchLabels and not selector.matchExpressions:
        yield Problem(path, f"missing; a {kind} needs a selector that matches its template's labels")
        return
    yield from label_selector(selector, path)
    known = all(row.operator in OPERATORS for row in selector.matchExpressions)
    if known and not selector.selects(template.metadata.labels):
        wanted = ", ".join(f"{key}={value}" for key, value in selector.matchLabels.items()) or "matchExpressions"
        given = ", ".join(f"{key}={value}" for key, value in template.metadata.labels.items()) or "no labels"
        text = f"found {shown(given)}; allowed: labels that spec.selector matches, {shown(wanted)}"
        yield Problem(("spec", "template", "metadata", "labels"), text, about=(path,))


def _template(template: PodTemplateSpec, kind: str) -> Iterator[Problem]:
    path = ("spec", "template")
    yield from _labelled(template.metadata, (*path, "metadata"))
    yield from pod_spec(template.spec, (*path, "spec"))
    if template.spec.restartPolicy in ("OnFailure", "Never"):
        where = (*path, "spec", "restartPolicy")
        yield syntax.refused(where, template.spec.restartPolicy, f"Always in the template of a {kind}")
    if template.spec.activeDeadlineSeconds is not None:
        where = (*path, "spec", "activeDeadlineSeconds")
        yield Problem(where, f"not allowed in the template of a {kind}")
    containers = template.spec.containers + template.spec.initContainers
    yield from _behaviour(template.metadata, containers, (*path, "metadata"))


def _deployment(obj: Deployment) -> Iterator[Problem]:
    spec, path = obj.spec, ("spec", "strategy")
    yield from syntax.one_of((*path, "type"), spec.strategy.type, ("RollingUpdate", "Recreate"))
    rolling = spec.strategy.rollingUpdate
    if rolling is not None and spec.strategy.type == "Recreate":
        yield Problem((*path, "rollingUpdate"), "not allowed where type is Recreate")
    elif rolling is not None:
        where = (*path, "rollingUpdate")
        yield from _share((*where, "maxSurge"), rolling.maxSurge)
        yield from _share((*where, "maxUnavailable"), rolling.maxUnavailable, most=100)
        if rolling.maxSurge in (0, "0%") and rolling.maxUnavailable in (0, "0%"):
            yield Problem((*where, "maxUnavailable"), "found 0; allowed: 1 or more, where maxSurge is 0 as well")
    yield from syntax.number(("spec", "revisionHistoryLimit"), spec.revisionHistoryLimit, 0)
    yield from syntax.number(
        ("spec", "progressDeadlineSeconds"), spec.progressDeadlineSeconds, spec.minReadySeconds + 1
    )


def _share(path: Path, value: int | str | None, most: int | None = None) -> Iterator[Problem]:
    """A number of pods, or a percentage of them."""
    if isinstance(value, str):
        digits = value.removesuffix("%")
        if not (value.endswith("%") and digits.isascii() and digits.isdigit() and len(digits) <= 9):
            hint = f"; remove the quotes: {value}" if value.isascii() and value.isdigit() else ""
            yield syntax.refused(path, value, "a whole number, or a percentage such as 25%", hint)
        elif most is not None and int(digits) > most:
            yield syntax.refused(path, value, f"at most {most}%")
    else:
        yield from syntax.number(path, value, 0)


def _service(obj: Service) -> Iterator[Problem]:
    spec = obj.spec
    yield from syntax.one_of(("spec", "type"), spec.type, _TYPES)
    yield from syntax.labels(("spec", "selector"), spec.selector)
    if not spec.ports and not spec.headless and spec.type != "ExternalName":
        yield Problem(("spec", "ports"), "missing; a Service with a cluster IP needs at least one port")
    policies = ("Cluster", "Local")
    yield from syntax.one_of(("spec", "internalTrafficPolicy"), spec.internalTrafficPolicy, policies)
    yield from syntax.one_of(("spec", "externalTrafficPolicy"), spec.externalTrafficPolicy, policies)
    names: set[str] = set()
    numbers: set[tuple[int, str]] = set()
    for at, port in enumerate(spec.ports):
        path: Path = ("spec", "ports", at)
        yield from _service_port(port, path, alone=len(spec.ports) == 1)
        if port.name and port.name in names:
            yield syntax.refused((*path, "name"), port.name, "a name that no other port here has")
        if (port.port, port.protocol) in numbers:
            yield syntax.refused((*path, "port"), port.port, f"each {port.protocol} port once")
        names.add(port.name)
        numbers.add((port.port, port.protocol))


def _service_port(port: ServicePort, path: Path, *, alone: bool) -> Iterator[Problem]:
    yield from syntax.port((*path, "port"), port.port)
    yield from syntax.one_of((*path, "protocol"), port.protocol, PROTOCOLS)
    if port.targetPort not in (None, 0, ""):
        yield from syntax.port_or_name((*path, "targetPort"), port.targetPort or "")
    if port.nodePort:
        yield from syntax.number((*path, "nodePort"), port.nodePort, 30000, 32767)
    if port.name:
        yield from syntax.label((*path, "name"), port.name)
    elif not alone:
        yield Problem((*path, "name"), "missing; a Service with several ports must name each")


def _node(obj: Node) -> Iterator[Problem]:
    for at, taint in enumerate(obj.spec.taints):
        where = ("spec", "taints", at)
        yield from syntax.qualified_name((*where, "key"), taint.key)
        yield from syntax.required((*where, "effect"), taint.effect)
        yield from syntax.one_of((*where, "effect"), taint.effect, EFFECTS)
    yield from syntax.quantities(("status", "capacity"), obj.status.capacity)
    yield from syntax.quantities(("status", "allocatable"), obj.status.allocatable)


def _priority_class(obj: PriorityClass) -> Iterator[Problem]:
    least, most = -(2**31), 2_000_001_000 if obj.metadata.name.startswith("system-") else 1_000_000_000
    yield from syntax.number(("value",), obj.value, least, most)
    yield from syntax.one_of(("preemptionPolicy",), obj.preemptionPolicy, ("Never", "PreemptLowerPriority"))


def _endpoint_slice(obj: EndpointSlice) -> Iterator[Problem]:
    yield from syntax.one_of(("addressType",), obj.addressType, ("IPv4", "IPv6", "FQDN"))
    for at, endpoint in enumerate(obj.endpoints):
        if not endpoint.addresses:
            yield Problem(("endpoints", at, "addresses"), "missing; an endpoint needs at least one address")
    for at, port in enumerate(obj.ports):
        if port.port is not None:
            yield from syntax.port(("ports", at, "port"), port.port)
        yield from syntax.one_of(("ports", at, "protocol"), port.protocol, PROTOCOLS)


def _budget(obj: PodDisruptionBudget) -> Iterator[Problem]:
    spec = obj.spec
    if spec.minAvailable is not None and spec.maxUnavailable is not None:
        text = "found both minAvailable and maxUnavailable; allowed: one of them"
        yield Problem(("spec", "maxUnavailable"), text, about=(("spec", "minAvailable"),))
    yield from _share(("spec", "minAvailable"), spec.minAvailable, most=100)
    yield from _share(("spec", "maxUnavailable"), spec.maxUnavailable, most=100)
    policy = spec.unhealthyPodEvictionPolicy
    yield from syntax.one_of(("spec", "unhealthyPodEvictionPolicy"), policy, ("IfHealthyBudget", "AlwaysAllow"))
    if spec.selector is not None:
        yield from label_selector(spec.selector, ("spec", "selector"))
