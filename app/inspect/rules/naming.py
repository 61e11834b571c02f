"""Rules about names: selectors, ports, and what pods refer to in other objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from app.inspect.finding import Found, found
from app.inspect.spelling import names
from app.inspect.subject import Made, Subject
from app.kube.config import ConfigMap, Secret
from app.kube.defaults import SYSTEM_PRIORITIES
from app.kube.environment import Need
from app.kube.environment import needs as needs_of_container
from app.kube.meta import Ref
from app.kube.near_names import near_name
from app.kube.networking import Service
from app.kube.priority import PriorityClass
from app.kube.volume_rules import needs as needs_of_volume
from app.kube.yaml_values import Path


def service_selects_nothing(subject: Subject) -> Iterator[Found]:
    """A Service sends to pods in its own namespace that have every label of its selector (EndpointSlice controller);
    with none, kube-proxy rejects every connection. Only where the manifests hold pods.
    """
    for service in subject.of(Service):
        spec, namespace = service.spec, service.metadata.namespace
        matched = bool(subject.selected_by(service)) or any(
            place == namespace and spec.selector.selects(labels) for place, labels in subject.shapes
        )
        if spec.selector and spec.type != "ExternalName" and subject.shapes and not matched:
            selector = ",".join(f"{key}={value}" for key, value in spec.selector.items())
            yield found(service.ref, ("spec", "selector"), selector=selector, namespace=namespace)


def service_port_missing(subject: Subject) -> Iterator[Found]:
    """A targetPort by name is looked up in each pod's containers (FindPort in pkg/api/v1/pod): pods that have none by
    that name are no endpoints of the port.
    """
    for service in subject.of(Service):
        pods = subject.selected_by(service)
        for at, port in enumerate(service.spec.ports):
            if not isinstance(port.targetPort, str):
                continue
            lacking = [made.ref for made in pods if port.targetPort not in _port_names(made, port.protocol)]
            if lacking:
                known = names(name for made in pods for name in sorted(_port_names(made, port.protocol))) or "none"
                path = ("spec", "ports", at, "targetPort")
                yield found(service.ref, path, port=port.targetPort, pods=names(lacking), known=known)


def _port_names(made: Made, protocol: str) -> set[str]:
    return {port.name for port in made.ports if port.name and port.protocol == protocol}


def target_port_undeclared(subject: Subject) -> Iterator[Found]:
    """A targetPort by number goes to the pod whether a container declares it or not (FindPort in pkg/api/v1/pod); as
    containerPort is only a note, a number that no container notes is often a slip.
    """
    for service in subject.of(Service):
        for at, port in enumerate(service.spec.ports):
            if not isinstance(port.targetPort, int):
                continue
            declaring = [made for made in subject.selected_by(service) if made.ports]
            lacking = [made for made in declaring if port.targetPort not in {row.containerPort for row in made.ports}]
            if lacking:
                known = names(row.containerPort for made in lacking for row in made.ports)
                path = ("spec", "ports", at, "targetPort")
                pods = names(made.ref for made in lacking)
                yield found(service.ref, path, port=port.targetPort, pods=pods, known=known)


# What pods need from other objects.


class _Wanted(NamedTuple):
    made: Made
    path: Path
    need: Need

    @property
    def ref(self) -> Ref:
        return Ref(self.need.kind, self.made.pod.metadata.namespace, self.need.name)


def _wanted(subject: Subject) -> Iterator[_Wanted]:
    for made in subject.made:
        for part in made.parts:
            for field in ("envFrom", "env"):
                for at, row in enumerate(getattr(part.row, field)):
                    alone = replace(part.row, **({"env": (), "envFrom": ()} | {field: (row,)}))
                    for need in needs_of_container(alone):
                        yield _Wanted(made, (*part.path, field, at), need)
        for at, secret in enumerate(made.pod.spec.imagePullSecrets):
            # A pull secret that is missing is passed over (GetPullSecretsForPod).
            yield _Wanted(made, made.at("imagePullSecrets", at), Need("Secret", secret.name, "", optional=True))
        for at, volume in enumerate(made.pod.spec.volumes):
            for need in needs_of_volume(volume):
                yield _Wanted(made, made.at("volumes", at), need)


def _missing(subject: Subject) -> Iterator[tuple[_Wanted, str]]:
    """Needs that no object of the set meets, with the name of the one that is probably meant."""
    given = {obj.ref for obj in subject.objects} | {obj.ref for obj, _ in subject.refused}
    told: set[tuple[Ref, Ref]] = set()
    for row in _wanted(subject):
        if row.need.optional or not row.need.name or row.ref in given or (row.made.ref, row.ref) in told:
            continue
        told.add((row.made.ref, row.ref))
        known = [ref.name for ref in given if ref.kind == row.need.kind and ref.namespace == row.ref.namespace]
        yield row, near_name(row.need.name, known) or ""


def reference_misspelled(subject: Subject) -> Iterator[Found]:
    """A container waits with CreateContainerConfigError for a ConfigMap or Secret of its environment, and a pod with
    FailedMount for one of its volumes, until it is there (pkg/kubelet): this one is there under a near name.
    """
    for row, near in _missing(subject):
        if near:
            yield found(row.made, row.path, kind=row.need.kind, name=row.need.name, near=near)


def reference_elsewhere(subject: Subject) -> Iterator[Found]:
    """What a pod refers to, and is not marked optional, must be in the cluster before it starts (pkg/kubelet,
    makeEnvironmentVariables and the volume plugins): these manifests do not bring it.
    """
    for row, near in _missing(subject):
        if not near:
            yield found(row.made, row.path, kind=row.need.kind, name=row.need.name)


def key_missing(subject: Subject) -> Iterator[Found]:
    """A key that the ConfigMap or Secret does not have keeps the container from being made, or the volume from being
    mounted (makeEnvironmentVariables; configmap and secret volume plugins).
    """
    held = {obj.ref: obj.keys for obj in subject.of(ConfigMap)} | {obj.ref: obj.keys for obj in subject.of(Secret)}
    for row in _wanted(subject):
        keys = held.get(row.ref)
        if row.need.key and keys is not None and row.need.key not in keys and not row.need.optional:
            known = names(sorted(keys)) or "none"
            yield found(row.made, row.path, kind=row.need.kind, name=row.need.name, key=row.need.key, known=known)


def priority_class_elsewhere(subject: Subject) -> Iterator[Found]:
    """A pod whose priorityClassName is unknown is refused by the Priority plugin of admission (plugin/pkg/admission/
    priority): a Deployment then makes no pods, and says so in an event of its ReplicaSet only.
    """
    known = {row.metadata.name for row in subject.of(PriorityClass)} | set(SYSTEM_PRIORITIES)
    for made in subject.made:
        name = made.pod.spec.priorityClassName
        if name and name not in known:
            yield found(made, made.at("priorityClassName"), name=name)
