"""What the API server changes in a new object that depends on others: the priority of a pod, the address of a Service.

Not modelled: a class that does not exist makes the API server refuse the pod; here such a pod has priority 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube.cluster_ips import cluster_ip, wants_one
from app.kube.defaults import SYSTEM_PRIORITIES
from app.kube.flags import TOLERATION, tolerating
from app.kube.meta import Ref
from app.kube.networking import Service
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.priority import PriorityClass
from app.sim.lags import lag

if TYPE_CHECKING:
    from app.sim.draft import Draft


def admitted(draft: Draft, obj: Object) -> Object:
    """The object as the plugins leave it (plugin/pkg/admission/priority and defaulttolerationseconds)."""
    if not isinstance(obj, Pod):
        return obj
    seconds = {taint: lag(draft.lags, name).usual // 1000 for name, taint in TOLERATION.items()}
    obj = replace(obj, spec=replace(obj.spec, tolerations=tolerating(obj, seconds)))
    if obj.spec.priority is not None:
        return obj
    found = _class(draft, obj.spec.priorityClassName)
    value = found.value if found else SYSTEM_PRIORITIES.get(obj.spec.priorityClassName, 0)
    policy = obj.spec.preemptionPolicy or (found.preemptionPolicy if found else "") or "PreemptLowerPriority"
    name = obj.spec.priorityClassName or (found.metadata.name if found else "")
    return replace(obj, spec=replace(obj.spec, priority=value, priorityClassName=name, preemptionPolicy=policy))


def addressed(draft: Draft, obj: Object) -> Object:
    """A Service with the cluster IP that it gets unless it asks for one, or for none."""
    if not isinstance(obj, Service) or not wants_one(obj):
        return obj
    taken = {row.spec.clusterIP for row in draft.etcd.find(Service.kind) if isinstance(row, Service)}
    address = cluster_ip(obj.metadata.namespace, obj.metadata.name, taken)
    return replace(obj, spec=replace(obj.spec, clusterIP=address))


def _class(draft: Draft, name: str) -> PriorityClass | None:
    """The class of that name, or, where none is named, the default one of the cluster."""
    if name:
        held = draft.etcd.get(Ref(PriorityClass.kind, "", name))
        return held.object if held is not None and isinstance(held.object, PriorityClass) else None
    classes = [row for row in draft.etcd.find(PriorityClass.kind) if isinstance(row, PriorityClass)]
    return min((row for row in classes if row.globalDefault), key=lambda row: row.value, default=None)
