"""What a loop believes in a table test, objects to believe in, and what its turn then decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from app.kube.defaults import defaulted
from app.kube.meta import Condition, LabelSelector, ObjectMeta, OwnerReference, Ref
from app.kube.networking import Service, ServicePort, ServiceSpec
from app.kube.nodes import Node, NodeSpec, NodeStatus, Taint
from app.kube.objects import Object
from app.kube.pods import Container, ContainerPort, Pod, PodSpec, PodStatus, PodTemplateSpec, ResourceRequirements
from app.kube.stringmap import StringMap
from app.sim.acts import Act, Create, Outcome, Wait, Work
from app.sim.host import Host
from app.sim.index import Index, Stored
from app.sim.loop import Loop, Turn, process_name
from app.sim.maps import Map
from app.sim.world import World

APP = StringMap({"app": "web"})
SELECTOR = LabelSelector(APP)
TEMPLATE = PodTemplateSpec(
    metadata=ObjectMeta(labels=APP),
    spec=PodSpec(containers=(Container("app", "app:v1", ports=(ContainerPort(8080, "http"),)),)),
)


def seen(*objects: Object, versions: int = 1) -> Index:
    """The belief in these objects."""
    index = Index()
    for obj in objects:
        index = index.put(Stored(versions, obj))
    return index


def turn(
    loop: Loop,
    key: Ref,
    *objects: Object,
    now: int = 0,
    node: str = "",
    host: Host | None = None,
    fired: bool = False,
    versions: int = 1,
    memory: Mapping[Ref, Struct] | None = None,
) -> Turn:
    """A turn of a loop whose process believes in these objects, and keeps this in mind of its keys."""
    hosts = Map({node: host or Host(node)}) if node else Map()
    views = Map({process_name(loop, node): seen(*objects, versions=versions)})
    kept = Map({Work(loop.name, node, about): row for about, row in (memory or {}).items()})
    return Turn(World(now=now, hosts=hosts, views=views, memory=kept), loop, node, key, fired=fired)


def decided(loop: Loop, found: Turn, *, refuse: Sequence[int] = ()) -> list[Act | Wait]:
    """All that the turn decides; the requests numbered in `refuse`, from 0, are refused."""
    decision = loop.reconcile(found)
    if decision is None:
        return []
    if isinstance(decision, Act | Wait):
        return [decision]
    made: list[Act | Wait] = []
    answer: Any = None
    while True:
        try:
            made.append(decision.send(answer))
        except StopIteration:
            return made
        answer = Outcome("unreachable") if len(made) - 1 in refuse else Outcome("ok", _created(made[-1]))


def _created(act: Act | Wait) -> Object | None:
    """What the API server would answer a creation with, but for its name and uid."""
    request = act.request if isinstance(act, Act) else None
    return request.object if isinstance(request, Create) else None


def told(made: Sequence[Act | Wait]) -> list[str]:
    """Each decision as `VERB OBJECT REASON`, or `wait MILLISECONDS`."""
    return [f"wait {due(row)}" if isinstance(row, Wait) else f"{row.verb} {row.object} {row.reason}" for row in made]


def due(wait: Wait) -> int | None:
    """When it usually ends."""
    return wait.bounds.usual if wait.bounds else None


def only(made: Sequence[Act | Wait]) -> Act:
    """The one act."""
    (act,) = made
    assert isinstance(act, Act)
    return act


def requested(act: Act | Wait) -> Any:
    """The object that an act sends."""
    assert isinstance(act, Act)
    assert act.request is not None
    return getattr(act.request, "object", None)


def owner_of(owner: Object) -> tuple[OwnerReference, ...]:
    return (OwnerReference(owner.kind, owner.metadata.name, owner.metadata.uid),)


def pod(
    name: str,
    owner: Object | None = None,
    *,
    ready: int | None = None,
    phase: str = "Running",
    deleted: bool = False,
    node: str = "n1",
    ip: str = "",
    labels: dict[str, str] | None = None,
    **spec: Any,
) -> Pod:
    """A pod; `ready` is the instant since which it is."""
    rows = (Condition("Ready", "True", lastTransitionTime=ready),) if ready is not None else ()
    made = Pod(
        metadata=ObjectMeta(
            name=name,
            namespace="default",
            uid=f"uid-{name}",
            labels=APP.merged(labels or {}),
            creationTimestamp=0,
            deletionTimestamp=30_000 if deleted else None,
            deletionGracePeriodSeconds=30 if deleted else None,
            ownerReferences=owner_of(owner) if owner is not None else (),
        ),
        spec=replace(TEMPLATE.spec, nodeName=node, **spec),
        status=PodStatus(phase=phase, podIP=ip, conditions=rows),
    )
    return defaulted(made)  # type: ignore[return-value]


def node(name: str, *taints: Taint, cpu: str = "4", cordoned: bool = False, **labels: str) -> Node:
    return Node(
        metadata=ObjectMeta(name=name, labels=StringMap(labels)),
        spec=NodeSpec(unschedulable=cordoned, taints=taints),
        status=NodeStatus(allocatable=StringMap({"cpu": cpu, "memory": "8Gi", "pods": "110"})),
    )


def service(name: str = "web", **spec: Any) -> Service:
    given: dict[str, Any] = {"selector": APP, "ports": (ServicePort(80, targetPort="http"),), **spec}
    made = Service(metadata=ObjectMeta(name=name, namespace="default", uid=f"uid-{name}"), spec=ServiceSpec(**given))
    return defaulted(made)  # type: ignore[return-value]


def asking(cpu: str) -> tuple[Container, ...]:
    """Containers that request so much CPU."""
    return (Container("app", "app:v1", resources=ResourceRequirements(requests=StringMap({"cpu": cpu}))),)
