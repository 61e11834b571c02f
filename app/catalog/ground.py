"""What a walk starts from: the flow's own cluster, or the reader's manifests with the flow's names found in them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from app.catalog import sizes, targets
from app.catalog.flow import Flow
from app.catalog.subjects import ORDINAL, first_ordinal, guess, pod_of, selecting, workload_about, workload_of
from app.catalog.targets import WORKLOADS, Target, Workload
from app.errors import BadInput
from app.kube.manifests import Manifests
from app.kube.meta import ObjectMeta, Ref
from app.kube.networking import Service, ServicePort
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod, PodTemplateSpec
from app.kube.references import assumed
from app.kube.static_pods import from_a_file, on_disk
from app.sim.references import parse_ref

UNSET = "not set"
"""What a setting is when the reader's manifests have no place for it, or nothing in that place."""

_KINDS = frozenset(cls.kind for cls in WORKLOADS)


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
    along: tuple[Ref, ...] = ()
    """Of these, the ones that the flow brings."""
    made: Ref | None = None
    """A Service that clients need and the reader does not have."""

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
        match = ORDINAL.fullmatch(ref.name)
        if ref.kind != "Pod" or not match or (ref.namespace, match[1]) != (usual.ref.namespace, usual.ref.name):
            return ref
        return pod_of(here, int(match[2]) - first_ordinal(usual))

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


def foreign_ground(flow: Flow, manifests: Manifests, about: str = "", node: str = "") -> Ground:
    """The reader's objects, on the flow's machines unless they bring their own; and what of them the walk is about."""
    # Where the flow's first machine is meant, the first one here stands in: the one that was chosen.
    nodes = tuple(sorted(_nodes(manifests.objects), key=lambda obj: obj.metadata.name != node))
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
    meant = about or guess(flow, manifests.objects)
    workload = workload_about(meant, manifests.objects) if meant else None
    service = selecting(others, workload)
    made = service_for(flow, workload) if service is None and flow.applies and workload is not None else None
    others = (*others, *([made] if made is not None else []))
    return Ground(
        (*nodes, *others),
        _target(flow, nodes, workload, about, node),
        foreign=True,
        workload=workload,
        service=service or made,
        usual=usual,
        brings_nodes=brought,
        not_modelled=tuple(manifests.not_modelled),
        assumed=tuple(obj.ref for obj in stand_ins),
        along=tuple(obj.ref for obj in along if obj in stand_ins),
        made=made.ref if made is not None else None,
    )


def with_files(flow: Flow, manifests: Manifests) -> Manifests:
    """The reader's manifests with static pods under the names of their mirrors, each on its node."""
    machines = _nodes(manifests.objects) or _nodes(flow.cluster) or three_nodes()
    names = [node.metadata.name for node in machines]
    objects = (on_disk(obj, names) if isinstance(obj, Pod) and from_a_file(obj) else obj for obj in manifests.objects)
    return manifests._replace(objects=tuple(objects))


def _nodes(objects: Iterable[Object]) -> list[Node]:
    return [obj for obj in objects if isinstance(obj, Node)]


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
    match = ORDINAL.fullmatch(node.metadata.name)
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


def _target(flow: Flow, nodes: tuple[Node, ...], workload: Workload | None, about: str, node: str) -> str:
    if not flow.target:
        return ""
    kind = parse_ref(flow.target).kind
    if kind == "Node":
        usual = not node and any(str(row.ref) == flow.target for row in nodes)
        return flow.target if usual else str(nodes[0].ref)
    if workload is None and flow.anything:
        return ""
    if workload is None:
        kinds = ", ".join(cls.kind for cls in WORKLOADS) if kind == "Pod" else kind
        raise BadInput([f"manifest: nothing can take the place of {flow.target}; allowed: at least one of {kinds}"])
    return about or str(pod_of(workload, 0) if kind == "Pod" else workload.ref)
