"""What the API server refuses in an object, and what Loopscope's own annotations may not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from app.kube import annotations as sim
from app.kube import disks, load_balancer, machines, syntax
from app.kube.batch import CronJob, Job
from app.kube.config import ConfigMap, Secret
from app.kube.label_selectors import label_selector
from app.kube.meta import CLUSTER_SCOPED, ObjectMeta
from app.kube.networking import EndpointSlice, Service, ServicePort
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pod_validation import PROTOCOLS, pod_spec
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.kube.priority import PriorityClass
from app.kube.storage import ACCESS_MODES, PersistentVolume, PersistentVolumeClaim
from app.kube.stringmap import StringMap
from app.kube.taints import EFFECTS
from app.kube.workload_validation import Workload, behaving, labelled, share, workload
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from app.kube.yaml_values import Path, Problem

_KEY = re.compile(r"[-._a-zA-Z0-9]+", re.ASCII)
_TYPES = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")


def problems_of(obj: Object) -> Iterator[Problem]:
    """All faults of an object, each with its path from the object's root."""
    yield from _metadata(obj)
    match obj:
        case Pod():
            yield from pod_spec(obj.spec, ("spec",))
            yield from behaving(obj.metadata, obj.spec.containers + obj.spec.initContainers, ("metadata",))
        case Deployment() | ReplicaSet() | StatefulSet() | DaemonSet() | Job() | CronJob():
            yield from workload(obj)
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
        case PersistentVolumeClaim() | PersistentVolume():
            yield from _storage(obj)
        case ConfigMap():
            yield from _keys(data=obj.data, binaryData=obj.binaryData)
        case Secret():
            yield from _keys(data=obj.data, stringData=obj.stringData)
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
    yield from labelled(meta, ("metadata",))
    for at, finalizer in enumerate(meta.finalizers):
        yield from syntax.qualified_name(("metadata", "finalizers", at), finalizer)
    if isinstance(obj, PersistentVolume):
        for key, text in disks.faults(meta.annotations):
            yield Problem(("metadata", "annotations", key), text)
    elif obj.kind not in ("Pod", "Node"):
        for key, text in load_balancer.faults(meta.annotations) if isinstance(obj, Service) else ():
            yield Problem(("metadata", "annotations", key), text)
        own = load_balancer.READERS if isinstance(obj, Service) else ()
        yield from _misplaced(meta, own, has_template=isinstance(obj, Workload))


def _misplaced(meta: ObjectMeta, own: Iterable[str], *, has_template: bool) -> Iterator[Problem]:
    place = "in spec.template.metadata.annotations" if has_template else "on a pod, or in a workload's pod template"
    for key in meta.annotations:
        if key.startswith(sim.PREFIX) and key.removeprefix(sim.PREFIX) not in own:
            text = f"says how a pod behaves and has no effect here; allowed: {place}"
            yield Problem(("metadata", "annotations", key), text)


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
    for key, text in machines.check(obj.metadata.annotations):
        yield Problem(("metadata", "annotations", key), text)
    for at, taint in enumerate(obj.spec.taints):
        where = ("spec", "taints", at)
        yield from syntax.qualified_name((*where, "key"), taint.key)
        yield from syntax.required((*where, "effect"), taint.effect)
        yield from syntax.one_of((*where, "effect"), taint.effect, EFFECTS)
    yield from syntax.quantities(("status", "capacity"), obj.status.capacity)
    yield from syntax.quantities(("status", "allocatable"), obj.status.allocatable)


def _storage(obj: PersistentVolumeClaim | PersistentVolume) -> Iterator[Problem]:
    if not obj.spec.accessModes:
        yield Problem(("spec", "accessModes"), f"missing; allowed: {', '.join(ACCESS_MODES)}")
    for at, mode in enumerate(obj.spec.accessModes):
        yield from syntax.one_of(("spec", "accessModes", at), mode, ACCESS_MODES)
    if isinstance(obj, PersistentVolume):
        yield from syntax.quantities(("spec", "capacity"), obj.spec.capacity)
    else:
        yield from syntax.quantities(("spec", "resources", "requests"), obj.spec.resources.requests)


def _keys(**fields: StringMap) -> Iterator[Problem]:
    """IsConfigMapKey: keys may become names of files."""
    allowed = "at most 253 of A-Z, a-z, 0-9, -, _ and ., neither . nor .. nor beginning with .."
    for field, pairs in fields.items():
        for key in pairs:
            if len(key) > 253 or not _KEY.fullmatch(key) or key == "." or key.startswith(".."):
                yield syntax.refused((field, key), key, allowed)


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
    yield from share(("spec", "minAvailable"), spec.minAvailable, most=100)
    yield from share(("spec", "maxUnavailable"), spec.maxUnavailable, most=100)
    policy = spec.unhealthyPodEvictionPolicy
    yield from syntax.one_of(("spec", "unhealthyPodEvictionPolicy"), policy, ("IfHealthyBudget", "AlwaysAllow"))
    if spec.selector is not None:
        yield from label_selector(spec.selector, ("spec", "selector"))
