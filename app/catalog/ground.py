"""What a walk starts from: the flow's own cluster, or the reader's manifests with the flow's names found in them."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from app.catalog import sizes, targets
from app.catalog.flow import Flow
from app.catalog.targets import TEMPLATED, WORKLOADS, Target, Templated, Workload
from app.errors import BadInput
from app.kube.manifests import Manifests
from app.kube.meta import ObjectMeta, Ref
from app.kube.networking import Service, ServicePort
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod, PodTemplateSpec
from app.kube.references import assumed
from app.kube.stringmap import StringMap
from app.kube.workloads import StatefulSet
from app.sim.references import parse_ref

UNSET = "not set"
"""What a setting is when the reader's manifests have no place for it, or nothing in that place."""

_KINDS = frozenset(cls.kind for cls in WORKLOADS)
_ORDINAL = re.compile(r"(.+)-([0-9]+)")


class Ground(Struct, frozen=True):
    """The objects, and what takes the place of the flow's own workload, Service and target in them."""

    objects: tuple[Object, ...]
    target: str
    """A reference, or empty when the flow is about nothing in particular."""
    foreign: bool = False
    """Whether these are the reader's manifests."""
    workload: Workload | None = None
    service: Service | None = None
    usual: Workload | None = None
    """The flow's own workload, whose place the reader's takes."""
    brings_nodes: bool = False
    """Whether the machines are the reader's, too."""
    not_modelled: tuple[tuple[str, str], ...] = ()
    assumed: tuple[Ref, ...] = ()
    """Of the objects, those that are in no file of the reader's and only have to be there for the others."""

    def place(self, target: Target) -> tuple[Object, Target] | None:
        """The object that a setting's target means here, and the target on it; None when there is none."""
        found = next((obj for obj in self.objects if obj.ref == target.ref), None)
        if found is None and target.ref is not None and self.foreign and target.verb != "exists":
            found = self._stand_in(target.ref)
        if found is None:
            return None
        return found, targets.moved(target, found) if self.foreign else target

    def _stand_in(self, ref: Ref) -> Object | None:
        if ref.kind == "Service":
            return self.service
        return self.workload if ref.kind in _KINDS else None

    def renamed(self, ref: Ref) -> Ref:
        """What takes the place of one of the flow's own objects here."""
        usual, here = self.usual, self.workload
        if usual is None or here is None or any(obj.ref == ref for obj in self.objects):
            return ref
        if ref == usual.ref:
            return here.ref
        if ref.kind == "Service" and self.service is not None:
            return self.service.ref
        match = _ORDINAL.fullmatch(ref.name)
        if ref.kind != "Pod" or not match or (ref.namespace, match[1]) != (usual.ref.namespace, usual.ref.name):
            return ref
        return pod_of(here, int(match[2]) - _first_ordinal(usual))

    def says(self, flow: Flow) -> dict[str, str]:
        """What the reader's manifests say themselves of the flow's settings; the flow's own cluster says nothing."""
        found: dict[str, str] = {}
        for setting in flow.settings if self.foreign else ():
            for target in (targets.parse(text) for text in setting.sets):
                if target.verb == "cluster" and self.brings_nodes:
                    found[setting.name] = UNSET
                # Of machines that the flow has lent the reader has said nothing.
                if target.ref is None or (target.ref.kind == Node.kind and not self.brings_nodes):
                    continue
                placed = self.place(target)
                if target.verb == "exists":
                    found.setdefault(setting.name, "false" if placed is None else "true")
                    continue
                said = UNSET if placed is None else None
                if placed is not None and target.verb != "load":
                    said = targets.standing(*placed, setting)
                    said = UNSET if said == "" else said
                    # Only what Kubernetes knows nothing of, how an app behaves, is filled in by the flow.
                    said = UNSET if said is None and target.verb not in ("annotation", "health") else said
                if said is not None:
                    found.setdefault(setting.name, said)
        return found


def own_ground(flow: Flow) -> Ground:
    """The cluster that the flow brings."""
    spare = {parse_ref(text) for text in flow.spare}
    objects = tuple(obj for obj in flow.cluster if obj.ref not in spare)
    return Ground(objects, flow.target, workload=workload_of(flow), not_modelled=flow.not_modelled)


def foreign_ground(flow: Flow, manifests: Manifests) -> Ground:
    """The reader's objects, on the flow's machines unless they bring their own."""
    nodes = tuple(obj for obj in manifests.objects if isinstance(obj, Node))
    others = tuple(obj for obj in manifests.objects if not isinstance(obj, Node))
    stand_ins = tuple(obj for obj in assumed(others) if not isinstance(obj, Node))
    along = [obj for obj in flow.cluster if str(obj.ref) in flow.brings and not isinstance(obj, Node)]
    stand_ins = (*stand_ins, *(obj for obj in along if all(obj.ref != row.ref for row in others)))
    others = (*others, *stand_ins)
    brought = bool(nodes)
    nodes = nodes or tuple(obj for obj in flow.cluster if isinstance(obj, Node)) or three_nodes()
    if problems := list(sizes.faults(others, len(nodes))):
        raise BadInput(problems)
    usual = workload_of(flow)
    workloads = [obj for obj in others if isinstance(obj, WORKLOADS) and obj not in stand_ins]
    workload = next((obj for obj in workloads if usual is not None and obj.ref == usual.ref), None)
    workload = workload or next(iter(workloads), None)
    service = _selecting(others, workload)
    if service is None and flow.applies and workload is not None:
        service = service_for(flow, workload)
        others = (*others, *([service] if service is not None else []))
    return Ground(
        (*nodes, *others),
        _target(flow, nodes, workload),
        foreign=True,
        workload=workload,
        service=service,
        usual=usual,
        brings_nodes=brought,
        not_modelled=tuple(manifests.not_modelled),
        assumed=tuple(obj.ref for obj in stand_ins),
    )


def service_for(flow: Flow, workload: Workload) -> Service | None:
    """The flow's own Service for a reader's workload that none selects: without one its clients have no address."""
    usual = next((obj for obj in flow.cluster if isinstance(obj, Service)), None)
    pod = targets.template(workload)
    if usual is None or not pod.metadata.labels:
        return None
    meta = ObjectMeta(name=workload.metadata.name, namespace=workload.metadata.namespace)
    return replace(usual, metadata=meta, spec=replace(usual.spec, selector=pod.metadata.labels, ports=_ports(pod)))


def with_nodes(ground: Ground, count: int) -> Ground:
    """The ground with so many Nodes: the first of its own, and beyond them more like the last, numbered on."""
    nodes = [obj for obj in ground.objects if isinstance(obj, Node)]
    rest = tuple(obj for obj in ground.objects if not isinstance(obj, Node))
    more = [_another(nodes[-1], number) for number in range(1, count - len(nodes) + 1)]
    return replace(ground, objects=(*nodes[:count], *more, *rest))


def _another(node: Node, nth: int) -> Node:
    match = _ORDINAL.fullmatch(node.metadata.name)
    base, number = (match[1], int(match[2])) if match else (node.metadata.name, 0)
    return replace(node, metadata=replace(node.metadata, name=f"{base}-{number + nth}"))


def _ports(pod: PodTemplateSpec) -> tuple[ServicePort, ...]:
    """To the first port that a container declares, or that a probe asks."""
    declared = [port.containerPort for row in pod.spec.containers for port in row.ports]
    probes = [row.readinessProbe or row.livenessProbe or row.startupProbe for row in pod.spec.containers]
    asked = [row.httpGet.port for row in probes if row is not None and row.httpGet is not None]
    return (ServicePort(port=80, name="http", targetPort=next(iter([*declared, *asked]), None)),)


def three_nodes() -> tuple[Node, ...]:
    return tuple(Node(ObjectMeta(name=f"node-{number}")) for number in (1, 2, 3))


def workload_of(flow: Flow) -> Workload | None:
    """The workload that makes the flow's target, or that is it."""
    if not flow.target:
        return None
    try:
        found = maker(flow.cluster, parse_ref(flow.target))
    except BadInput:
        return None
    return found if isinstance(found, WORKLOADS) else None


def maker(objects: tuple[Object, ...], ref: Ref) -> Templated | None:
    """The object of that name, or for a pod what would make it: `web` for pod/web-1."""
    workloads = {obj.ref: obj for obj in objects if isinstance(obj, TEMPLATED)}
    if ref in workloads or ref.kind != "Pod":
        return workloads.get(ref)
    match = _ORDINAL.fullmatch(ref.name)
    named = [obj for obj in workloads.values() if match and obj.ref[1:] == (ref.namespace, match[1])]
    return named[0] if named and not isinstance(named[0], Pod) else None


def _target(flow: Flow, nodes: tuple[Node, ...], workload: Workload | None) -> str:
    if not flow.target:
        return ""
    kind = parse_ref(flow.target).kind
    if kind == "Node":
        return flow.target if any(str(node.ref) == flow.target for node in nodes) else str(nodes[0].ref)
    if workload is None and flow.anything:
        return ""
    if workload is None:
        kinds = ", ".join(cls.kind for cls in WORKLOADS)
        raise BadInput([f"manifest: nothing can take the place of {flow.target}; allowed: at least one of {kinds}"])
    return str(pod_of(workload, 0) if kind == "Pod" else workload.ref)


def pod_of(workload: Workload, nth: int) -> Ref:
    """The nth pod that a workload makes, from 0, as interventions name it."""
    if isinstance(workload, Pod):
        return workload.ref
    ordinal = _first_ordinal(workload) + nth
    return Ref("Pod", workload.metadata.namespace, f"{workload.metadata.name}-{ordinal}")


def _first_ordinal(workload: Workload) -> int:
    """Pods of a StatefulSet are counted from 0; for those with generated names interventions count from 1."""
    return 0 if isinstance(workload, StatefulSet) else 1


def _selecting(objects: tuple[Object, ...], workload: Workload | None) -> Service | None:
    """The first Service that kube-proxy has rules for and whose selector matches the workload's pods."""
    if workload is None:
        return None
    labels = targets.template(workload).metadata.labels
    for obj in objects:
        if isinstance(obj, Service) and obj.metadata.namespace == workload.metadata.namespace and _routed(obj, labels):
            return obj
    return None


def _routed(service: Service, labels: StringMap) -> bool:
    spec = service.spec
    return bool(spec.selector) and spec.selector.selects(labels) and not spec.headless and spec.type != "ExternalName"
