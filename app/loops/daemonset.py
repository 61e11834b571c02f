"""DaemonSet controller: one pod on every node whose taints and labels allow it, bound by the scheduler.

A changed template is rolled out by deleting old pods, no more nodes at once than maxUnavailable, or with maxSurge by
making new ones beside them first. Not modelled: ControllerRevision objects (the revision is a hash of the template),
adoption of pods by label, and the back-off before a failed daemon pod is deleted again.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from msgspec.structs import replace

from app.kube.daemons import REVISION, Plan, by_node, counted, daemon_spec, managed, max_surge, outdated, surging
from app.kube.meta import Ref
from app.kube.names import template_hash
from app.kube.nodes import Node
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.replicas import available_at, batches
from app.kube.workloads import DaemonSet
from app.loops.ownership import pod_from
from app.sim.acts import Act, Create, Delete, Event, Outcome, UpdateStatus, Wait
from app.sim.index import Index
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, controller_key, own_key

SOURCE = "daemonset-controller"
BURST = 250
ENDED = {
    "PodFailed": ("Warning", "FailedDaemonPod", "Found failed daemon pod {} on node {}, will try to kill it"),
    "PodSucceeded": ("Normal", "SucceededDaemonPod", "Found succeeded daemon pod {} on node {}, will try to delete it"),
}


def reconcile(turn: Turn) -> Generator[Act | Wait, Outcome, None]:
    """One sync: pods to make and to delete; if there are none, the next of a rollout; then the status."""
    owner = turn.read(DaemonSet, turn.key)
    if owner is None:
        return
    nodes = turn.all(Node)
    pods = turn.owned(Pod, owner.metadata.uid)
    revision = template_hash(owner.spec.template)
    if owner.metadata.deletionTimestamp is None:
        made = yield from _written(turn, owner, nodes, pods, revision)
        if made is None:
            return
        # The status counts what this sync has made.
        pods = [*pods, *made]
    status = counted(owner, nodes, by_node(pods), revision, turn.now)
    if status != owner.status:
        wanted = replace(owner, status=status)
        yield Act("update-status", owner.ref, reason="PodsChanged", request=UpdateStatus(wanted), background=True)
    later = _next_available(owner, pods, turn.now)
    if later is not None:
        yield Wait(Bounds.at(later))


def _written(
    turn: Turn, owner: DaemonSet, nodes: Sequence[Node], pods: Sequence[Pod], revision: str
) -> Generator[Act, Outcome, list[Pod] | None]:
    """The pods that were made; None when a request was refused."""
    plan = _planned(turn, owner, nodes, pods, revision)
    made: list[Pod] = []
    left = list(plan.create[:BURST])
    for batch in batches(len(left)):
        now, left = left[:batch], left[batch:]
        refused = False
        for node in now:
            answer = yield _creation(owner, node, revision, replaces=bool(pods))
            refused = refused or not answer.ok
            made += [answer.object] if isinstance(answer.object, Pod) and answer.ok else []
        if refused:
            return None
    for pod, reason in plan.delete[:BURST]:
        if (yield _deletion(owner, pod, reason)).status not in ("ok", "not-found"):
            return None
    return made


def _planned(turn: Turn, owner: DaemonSet, nodes: Sequence[Node], pods: Sequence[Pod], revision: str) -> Plan:
    """What every node needs; where nothing is missing or too much, the next of a rollout."""
    placed = by_node(pods)
    plan = managed(owner, nodes, placed, revision, turn.now)
    if plan.create or plan.delete or owner.spec.updateStrategy.type != "RollingUpdate":
        return plan
    if max_surge(owner, len(nodes)):
        surge = surging(owner, nodes, placed, revision, turn.now)
        return Plan(surge.create, tuple((pod, "TemplateChanged") for pod in surge.delete))
    old = outdated(owner, nodes, placed, revision, turn.now)
    return Plan((), tuple((pod, "TemplateChanged") for pod in old))


def _creation(owner: DaemonSet, node: str, revision: str, *, replaces: bool) -> Act:
    pod = pod_from(owner.spec.template, owner, prefix=f"{owner.metadata.name}-")
    labels = pod.metadata.labels.merged({REVISION: revision})
    pod = replace(pod, metadata=replace(pod.metadata, labels=labels), spec=daemon_spec(pod.spec, node))
    return Act(
        "create-pod",
        Ref("Pod", owner.metadata.namespace, ""),
        reason=f"For {node}",
        moment="replacement-created" if replaces else "pod-created",
        request=Create(pod),
        events=(Event("Normal", "SuccessfulCreate", "Created pod: {name}", SOURCE, owner.ref),),
    )


def _deletion(owner: DaemonSet, pod: Pod, reason: str) -> Act:
    name = pod.metadata.name
    events = [Event("Normal", "SuccessfulDelete", f"Deleted pod: {name}", SOURCE, owner.ref)]
    if reason in ENDED:
        type_, word, text = ENDED[reason]
        message = text.format(f"{pod.metadata.namespace}/{name}", pod.spec.nodeName)
        events.insert(0, Event(type_, word, message, SOURCE, owner.ref))
    return Act(
        "delete-pod",
        pod.ref,
        reason=reason,
        moment="outdated-pod-deleted" if reason == "TemplateChanged" else "surplus-pod-deleted",
        request=Delete(pod.ref),
        events=tuple(events),
    )


def _next_available(owner: DaemonSet, pods: Sequence[Pod], now: int) -> int | None:
    """When the next ready pod will have been ready for minReadySeconds."""
    instants = [available_at(pod, owner.spec.minReadySeconds) for pod in pods]
    return min((at for at in instants if at is not None and at > now), default=None)


def _of_nodes(view: Index, _: Object) -> list[Ref]:
    """A change of a node concerns every DaemonSet."""
    return [owner.ref for owner in view.find(DaemonSet.kind)]


def _alike(before: Object, after: Object) -> bool:
    """What a node is fit for depends on its labels and taints."""
    if not isinstance(before, Node) or not isinstance(after, Node):
        return False
    return before.metadata.labels == after.metadata.labels and before.spec.taints == after.spec.taints


def _all(turn: Turn) -> list[Ref]:
    return [owner.ref for owner in turn.all(DaemonSet)]


LOOP = Loop(
    name="daemonset",
    lane="controller-manager",
    process="kube-controller-manager",
    reconcile=reconcile,
    wakes={"DaemonSet": own_key, "Pod": controller_key("DaemonSet"), "Node": _of_nodes},
    ignores={"Node": _alike},
    on_start=_all,
    whole_sync=True,
)
