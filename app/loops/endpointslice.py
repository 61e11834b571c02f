"""EndpointSlice controller: for every Service, list the pods that its selector matches, each with its conditions.

A pod stays listed while it terminates (ready=false, serving as its probe says) until its phase is terminal or it is
gone. Not modelled: one slice holds all endpoints of a Service (real ones hold 100, and pods that resolve a named port
differently get slices of their own), dual stack, topology hints, and endpoints that are dropped because their Node
object is missing. The slices of a Service that is gone are left to the garbage collector.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from app.kube.endpoints import endpoint_ports, is_ready, is_terminating, pod_endpoint, should_be_in_slice
from app.kube.meta import ObjectMeta, Ref
from app.kube.networking import SERVICE_NAME_LABEL, Endpoint, EndpointSlice, Service
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.stringmap import StringMap
from app.loops.ownership import owned_by
from app.sim.acts import Act, Create, Update
from app.sim.index import Index, in_namespace
from app.sim.loop import Loop, Turn, own_key

MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by"
MANAGER = "endpointslice-controller.k8s.io"
HEADLESS_LABEL = "service.kubernetes.io/headless"

# What readers care for most comes first, should one write bring several changes.
CHANGES = (
    ("endpoint-terminating", "PodTerminating"),
    ("endpoint-removed", "PodEnded"),
    ("endpoint-ready", "PodReady"),
    ("endpoint-unready", "PodNotReady"),
    ("endpoint-added", "PodHasAddress"),
)


def reconcile(turn: Turn) -> Act | None:
    """Make the slice, or bring it up to date."""
    service = turn.read(Service, turn.key)
    if service is None or not service.spec.selector:
        return None
    pods = turn.selected(Pod, turn.key.namespace, service.spec.selector)
    current = next(iter(_slices(turn)), None)
    wanted = _wanted(service, [pod for pod in pods if should_be_in_slice(pod)], current)
    if current is None:
        slice_ref = Ref("EndpointSlice", turn.key.namespace, "")
        moment = "endpointslice-created"
        return Act("create-endpointslice", slice_ref, reason="NewService", moment=moment, request=Create(wanted))
    return _update(current, wanted) if wanted != current else None


def _slices(turn: Turn) -> list[EndpointSlice]:
    """Its own slices of the Service; others may belong to people."""
    return turn.selected(
        EndpointSlice, turn.key.namespace, StringMap({SERVICE_NAME_LABEL: turn.key.name, MANAGED_BY_LABEL: MANAGER})
    )


def _wanted(service: Service, pods: Sequence[Pod], current: EndpointSlice | None) -> EndpointSlice:
    """The slice as it should be, with the name of the present one."""
    name = service.metadata.name
    own = {
        SERVICE_NAME_LABEL: name,
        MANAGED_BY_LABEL: MANAGER,
        **({HEADLESS_LABEL: ""} if service.spec.headless else {}),
    }
    meta = current.metadata if current else ObjectMeta(generateName=f"{name}-", namespace=service.metadata.namespace)
    return EndpointSlice(
        metadata=replace(meta, labels=service.metadata.labels.merged(own), ownerReferences=(owned_by(service),)),
        endpoints=tuple(pod_endpoint(pod, service.spec) for pod in pods),
        ports=endpoint_ports(service.spec, pods[0].spec) if pods else (),
    )


def _update(current: EndpointSlice, wanted: EndpointSlice) -> Act:
    found = {change for change in _changes(current.endpoints, wanted.endpoints) if change}
    moment, reason = next(((moment, reason) for moment, reason in CHANGES if moment in found), ("", "ServiceChanged"))
    return Act("update-endpoints", current.ref, reason=reason, moment=moment, request=Update(wanted))


def _changes(before: Sequence[Endpoint], after: Sequence[Endpoint]) -> list[str]:
    old, new = _by_pod(before), _by_pod(after)
    return [_change(old.get(name), new.get(name)) for name in (old | new)]


def _change(before: Endpoint | None, after: Endpoint | None) -> str:
    if before == after:
        return ""
    if after is None:
        return "endpoint-removed"
    if before is None:
        return "endpoint-added"
    if is_terminating(after) and not is_terminating(before):
        return "endpoint-terminating"
    return "endpoint-ready" if is_ready(after) and not is_ready(before) else "endpoint-unready"


def _by_pod(endpoints: Sequence[Endpoint]) -> dict[str, Endpoint]:
    return {row.targetRef.uid if row.targetRef else str(row.addresses): row for row in endpoints}


def _selecting(view: Index, obj: Object) -> list[Ref]:
    """The Services that select a pod."""
    services = view.find(in_namespace(Service.kind, obj.metadata.namespace))
    return [row.ref for row in services if isinstance(row, Service) and _selects(row, obj)]


def _selects(service: Service, obj: Object) -> bool:
    return bool(service.spec.selector) and service.spec.selector.selects(obj.metadata.labels)


def _its_service(_: Index, obj: Object) -> list[Ref]:
    name = obj.metadata.labels.get(SERVICE_NAME_LABEL)
    return [Ref(Service.kind, obj.metadata.namespace, name)] if name else []


def _all(turn: Turn) -> list[Ref]:
    return [service.ref for service in turn.all(Service)]


LOOP = Loop(
    name="endpointslice",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={"Service": own_key, "EndpointSlice": _its_service, "Pod": _selecting},
    on_start=_all,
)
