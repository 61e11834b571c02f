"""Makes what was read ready for the rules: defaults filled in, pods made, Services and their pods brought together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from app.errors import BadInput
from app.inspect.subject import ASSUMED_NODES, Made, Subject, template_of
from app.kube.batch import CronJob, Job
from app.kube.daemons import daemon_spec
from app.kube.defaults import SYSTEM_PRIORITIES, defaulted, defaulted_pod
from app.kube.manifests import Judged, Refusal
from app.kube.members import Member
from app.kube.meta import ObjectMeta, OwnerReference, Ref
from app.kube.networking import Service
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pdb import covers
from app.kube.pods import Pod, PodTemplateSpec
from app.kube.policy import PodDisruptionBudget
from app.kube.priority import PriorityClass
from app.kube.qos import qos_class
from app.kube.release_fields import fitted
from app.kube.releases import CURRENT, Release
from app.kube.rollout import size
from app.kube.stringmap import StringMap
from app.kube.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from app.kube.yaml_values import ListNode, MapNode, ScalarNode, written
from app.kube.yaml_values import Node as YamlNode

T = TypeVar("T")

MOST_CONTAINERS = 500


def subject(found: Judged, release: Release = CURRENT) -> Subject:
    """What was read, as that release takes it, made ready for the rules."""
    by_ref = {obj.ref: obj for obj in found.objects}
    fit = {ref: fitted(obj, release) for ref, obj in by_ref.items()}
    refusals = (*found.refusals, *(Refusal(ref, problem) for ref, row in fit.items() for problem in row.problems))
    faulty = {row.ref for row in refusals}
    sound = tuple(defaulted(fit[obj.ref].object) for obj in found.objects if obj.ref not in faulty)
    nodes = sum(isinstance(obj, Node) for obj in sound) or ASSUMED_NODES
    classes = [obj for obj in sound if isinstance(obj, PriorityClass)]
    owners = {ref: owner for ref, row in found.members.items() if (owner := owner_in(row.node)) is not None}
    made = tuple(
        row
        for obj in sound
        if not (obj.ref in owners and _made_by_another(obj, owners[obj.ref], sound))
        for row in _made(obj, nodes, classes, owners.get(obj.ref))
    )
    _bounded(made, found.members)
    labelled = _Labelled(made)
    services = {row.ref: row for row in sound if isinstance(row, Service)}
    budgets = {row.ref: row for row in sound if isinstance(row, PodDisruptionBudget)}
    selected = {ref: labelled.selected(row) for ref, row in services.items()}
    covered = {ref: labelled.covered(row) for ref, row in budgets.items()}
    shapes = [(template, obj) for obj in found.objects if (template := template_of(obj)) is not None]
    return Subject(
        release,
        sound,
        tuple((by_ref[row.ref], row) for row in refusals),
        tuple((ref, field) for ref, row in fit.items() for field in row.dropped),
        found.members,
        made,
        tuple((obj.metadata.namespace, template.metadata.labels) for template, obj in shapes),
        selected,
        _turned(selected, services),
        covered,
        _turned(covered, budgets),
    )


def _bounded(made: tuple[Made, ...], members: Mapping[Ref, Member]) -> None:
    """What is computed of the containers of a pod grows with their square."""
    problems = []
    for row in made:
        count = len(row.parts)
        if count > MOST_CONTAINERS:
            path = row.at("containers")
            place = members[row.ref].where(path)
            where = f"{place.source}: document {place.document} ({row.ref}), line {place.line}: {written(path)}"
            problems.append(f"{where}: found {count:,} containers; at most {MOST_CONTAINERS} of one pod are inspected")
    if problems:
        raise BadInput(problems)


class _Labelled:
    """Pods by each of their labels: sets of manifests hold many selectors, and few of them meet."""

    def __init__(self, made: tuple[Made, ...]) -> None:
        self._rows: dict[tuple[str, ...], list[Made]] = {}
        for row in made:
            meta = row.pod.metadata
            for pair in ((), *meta.labels.items()):
                self._rows.setdefault((meta.namespace, *pair), []).append(row)

    def selected(self, service: Service) -> tuple[Made, ...]:
        selector = service.spec.selector
        near = self._near(service.metadata.namespace, selector) if selector else ()
        return tuple(row for row in near if selector.selects(row.pod.metadata.labels))

    def covered(self, budget: PodDisruptionBudget) -> tuple[Made, ...]:
        selector = budget.spec.selector
        near = self._near(budget.metadata.namespace, selector.matchLabels) if selector is not None else ()
        return tuple(row for row in near if row.endless and covers(budget, row.pod))

    def _near(self, namespace: str, labels: StringMap) -> Sequence[Made]:
        """Those that have the first of these labels, or all."""
        return self._rows.get((namespace, *next(iter(labels.items()), ())), ())


def _turned(chosen: Mapping[Ref, tuple[Made, ...]], objects: Mapping[Ref, T]) -> dict[Ref, tuple[T, ...]]:
    """What chooses, by what makes the pods that it chooses."""
    found: dict[Ref, list[T]] = {}
    for ref, pods in chosen.items():
        for row in pods:
            found.setdefault(row.ref, []).append(objects[ref])
    return {ref: tuple(rows) for ref, rows in found.items()}


def owner_in(node: YamlNode) -> OwnerReference | None:
    """The controller that `kubectl get -o yaml` names for an object; a walk starts without it, but here it counts."""
    meta = _entry(node, "metadata")
    rows = _entry(meta, "ownerReferences")
    for row in rows.items if isinstance(rows, ListNode) else ():
        kind, name, controls = (_scalar(_entry(row, key)) for key in ("kind", "name", "controller"))
        if controls is True and isinstance(kind, str) and isinstance(name, str):
            return OwnerReference(kind, name, f"{kind}/{name}")
    return None


def _entry(node: YamlNode | None, name: str) -> YamlNode | None:
    return node.entries.get(name) if isinstance(node, MapNode) else None


def _scalar(node: YamlNode | None) -> object:
    return node.value if isinstance(node, ScalarNode) else None


def _made_by_another(obj: Object, owner: OwnerReference, sound: tuple[Object, ...]) -> bool:
    """Whether the set holds the workload that made this object, so that it would be counted twice."""
    place = Ref(owner.kind, obj.metadata.namespace, owner.name)
    return any(
        row.ref == place or (row.ref != obj.ref and row.metadata.namespace == place.namespace and _selects(row, obj))
        for row in sound
    )


def _selects(workload: Object, obj: Object) -> bool:
    above = isinstance(workload, Deployment) or (isinstance(workload, ReplicaSet) and isinstance(obj, Pod))
    template = template_of(obj)
    return (
        above
        and isinstance(workload, Deployment | ReplicaSet)
        and template is not None
        and workload.spec.selector.selects(template.metadata.labels)
    )


def _made(obj: Object, nodes: int, classes: list[PriorityClass], owner: OwnerReference | None) -> Iterator[Made]:
    template = template_of(obj)
    if template is None:
        return
    match obj:
        case Pod():
            owners = (owner,) if owner is not None else ()
            pod = replace(obj, metadata=replace(obj.metadata, ownerReferences=owners))
            yield Made(obj, _prioritized(pod, classes), (), 1)
        case DaemonSet():
            yield Made(obj, _pod(obj, template, classes), ("spec", "template"), nodes)
        case Deployment() | ReplicaSet() | StatefulSet():
            yield Made(obj, _pod(obj, template, classes), ("spec", "template"), size(obj.spec.replicas))
        case Job():
            count = min(obj.spec.parallelism or 0, obj.spec.completions or obj.spec.parallelism or 0)
            yield Made(obj, _pod(obj, template, classes), ("spec", "template"), count)
        case CronJob():
            yield Made(obj, _pod(obj, template, classes), ("spec", "jobTemplate", "spec", "template"), 1)


def _pod(obj: Object, template: PodTemplateSpec, classes: list[PriorityClass]) -> Pod:
    """One pod as its controller would create it and admission would complete it."""
    meta = obj.metadata
    owner = OwnerReference(obj.kind, meta.name, str(obj.ref), obj.apiVersion)
    spec = template.spec
    if isinstance(obj, DaemonSet):
        spec = replace(spec, tolerations=daemon_spec(spec, "").tolerations)
    made = ObjectMeta(
        name=meta.name,
        namespace=meta.namespace,
        labels=template.metadata.labels,
        annotations=template.metadata.annotations,
        ownerReferences=(owner,),
    )
    return _prioritized(Pod(made, spec), classes)


def _prioritized(pod: Pod, classes: list[PriorityClass]) -> Pod:
    """As it is stored, with the number of its priority, among the given classes and the two built in, and its class."""
    name = pod.spec.priorityClassName
    numbers = SYSTEM_PRIORITIES | {row.metadata.name: row.value for row in classes}
    usual = max((row.value for row in classes if row.globalDefault), default=0)
    priority = numbers.get(name, 0) if name else usual
    whole = defaulted_pod(replace(pod, spec=replace(pod.spec, priority=priority)))
    return replace(whole, status=replace(whole.status, qosClass=qos_class(whole.spec)))
