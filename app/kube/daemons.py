"""The rules of DaemonSets: which nodes have a daemon pod, which pods go, and what is reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from app.kube.affinity import NAME, allows, required
from app.kube.nodes import Node
from app.kube.placement import (
    Affinity,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
)
from app.kube.pods import Pod, PodSpec, Toleration
from app.kube.replicas import is_available
from app.kube.rollout import resolved
from app.kube.taints import UNSCHEDULABLE, untolerated
from app.kube.workloads import DaemonSet, DaemonSetStatus

REVISION = "controller-revision-hash"

_ALWAYS_TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    (UNSCHEDULABLE, "NoSchedule"),
)
_ON_HOST_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")

Placed = Mapping[str, Sequence[Pod]]
"""The daemon pods by the node that each is for, older ones first."""


def daemon_spec(spec: PodSpec, node: str) -> PodSpec:
    """The template's spec for one node: its tolerations, and an affinity that the scheduler binds it by."""
    keys = (*_ALWAYS_TOLERATED, *((_ON_HOST_NETWORK,) if spec.hostNetwork else ()))
    added = tuple(Toleration(key=key, operator="Exists", effect=effect) for key, effect in keys)
    # AddOrUpdateToleration: one for the same key and effect is replaced.
    own = tuple(row for row in spec.tolerations if (row.key, row.effect) not in keys or row.operator != "Exists")
    return replace(spec, tolerations=own + added, affinity=_only(spec.affinity, node))


def _only(affinity: Affinity | None, node: str) -> Affinity:
    """ReplaceDaemonSetPodNodeNameNodeAffinity: every term is narrowed to that node."""
    field = (NodeSelectorRequirement(NAME, "In", (node,)),)
    known = required(affinity)
    terms = known.nodeSelectorTerms if known is not None else ()
    narrowed = tuple(replace(row, matchFields=field) for row in terms) or (NodeSelectorTerm(matchFields=field),)
    return replace(affinity or Affinity(), nodeAffinity=NodeAffinity(NodeSelector(narrowed)))


def target_node(pod: Pod) -> str:
    """The node that a daemon pod is bound to, or made for."""
    terms = required(pod.spec.affinity)
    fields = [field for row in (terms.nodeSelectorTerms if terms else ()) for field in row.matchFields]
    named = (field.values[0] for field in fields if field.key == NAME and len(field.values) == 1)
    return pod.spec.nodeName or next(named, "")


def by_node(pods: Sequence[Pod]) -> dict[str, list[Pod]]:
    """getNodesToDaemonPods: a terminating pod that has ended counts no more, so its place is free before it is gone."""
    found: dict[str, list[Pod]] = {}
    for pod in sorted(pods, key=_age):
        if not (pod.finished and pod.terminating):
            found.setdefault(target_node(pod), []).append(pod)
    return found


def _age(pod: Pod) -> tuple[int, str]:
    return pod.metadata.creationTimestamp or 0, pod.metadata.name


class ShouldRun(NamedTuple):
    """Whether a node gets a pod, and whether one that is there stays."""

    run: bool
    stay: bool


def should_run(owner: DaemonSet, node: Node) -> ShouldRun:
    """NodeShouldRunDaemonPod: taints and selectors count, room does not."""
    spec = owner.spec.template.spec
    if spec.nodeName not in ("", node.metadata.name) or not allows(spec, node):
        return ShouldRun(run=False, stay=False)
    tolerations = daemon_spec(spec, node.metadata.name).tolerations
    if untolerated(node.spec.taints, tolerations) is None:
        return ShouldRun(run=True, stay=True)
    return ShouldRun(run=False, stay=untolerated(node.spec.taints, tolerations, ("NoExecute",)) is None)


class Plan(NamedTuple):
    """Nodes that need a pod, and pods to delete with the reason."""

    create: tuple[str, ...] = ()
    delete: tuple[tuple[Pod, str], ...] = ()


def managed(owner: DaemonSet, nodes: Sequence[Node], placed: Placed, revision: str, now: int) -> Plan:
    """podsShouldBeOnNode, for every node; pods that were made for nodes that are gone go, too."""
    surges = bool(max_surge(owner, len(nodes)))
    create: list[str] = []
    delete: list[tuple[Pod, str]] = []
    for node in nodes:
        name, wanted = node.metadata.name, should_run(owner, node)
        pods = placed.get(name, ())
        if wanted.run and not pods:
            create.append(name)
        elif wanted.stay and surges:
            delete += _beyond_two(owner, pods, revision, now)
        elif wanted.stay:
            delete += _excess(pods)
        else:
            delete += [(pod, "NodeNotSuitable") for pod in pods if not pod.terminating]
    known = {node.metadata.name for node in nodes}
    for name in sorted(placed):
        # Only those that no node has taken yet: bound ones are the pod garbage collector's.
        waiting = [pod for pod in placed[name] if not pod.spec.nodeName and not pod.terminating]
        delete += [(pod, "NodeIsGone") for pod in waiting if name not in known]
    return Plan(tuple(create), tuple(delete))


def _excess(pods: Sequence[Pod]) -> list[tuple[Pod, str]]:
    ended, running = _parted(pods)
    return ended + [(pod, "TooManyPods") for pod in running[1:]]


def _parted(pods: Sequence[Pod]) -> tuple[list[tuple[Pod, str]], list[Pod]]:
    """Those that have ended, to be deleted with the reason, and those that run."""
    staying = [pod for pod in pods if not pod.terminating]
    ended = [(pod, f"Pod{pod.status.phase}") for pod in staying if pod.finished]
    return ended, [pod for pod in staying if not pod.finished]


def _beyond_two(owner: DaemonSet, pods: Sequence[Pod], revision: str, now: int) -> list[tuple[Pod, str]]:
    """With a surge an old one may stay beside a new one for as long as it is ready and the new one is not available."""
    ended, running = _parted(pods)
    new = [pod for pod in running if pod.metadata.labels.get(REVISION) == revision]
    old = [pod for pod in running if pod not in new]
    found = ended + [(pod, "TooManyPods") for pod in (*new[1:], *old[1:])]
    if new and old and (not old[0].ready or is_available(new[0], owner.spec.minReadySeconds, now)):
        found.append((old[0], "TemplateChanged"))
    return found


def outdated(owner: DaemonSet, nodes: Sequence[Node], placed: Placed, revision: str, now: int) -> tuple[Pod, ...]:
    """Old pods to delete so that no more than maxUnavailable nodes lack an available one (rollingUpdate, no surge)."""
    wanted = [node.metadata.name for node in nodes if should_run(owner, node).run]
    most = max_unavailable(owner, len(wanted))
    unavailable = 0
    free: list[Pod] = []
    candidates: list[Pod] = []
    for name in dict.fromkeys((*wanted, *sorted(placed))):
        staying = [pod for pod in placed.get(name, ()) if not pod.terminating]
        old = [pod for pod in staying if pod.metadata.labels.get(REVISION) != revision]
        if len(staying) != 1:
            # None, or several: the other part of the sync sees to it.
            unavailable += 1
        elif not old:
            unavailable += not is_available(staying[0], owner.spec.minReadySeconds, now)
        elif not is_available(old[0], owner.spec.minReadySeconds, now):
            free.append(old[0])
        elif unavailable < most:
            candidates.append(old[0])
    return (*free, *candidates[: max(0, most - unavailable)])


class Surge(NamedTuple):
    """Nodes that get a new pod beside the old one, and old pods to delete."""

    create: tuple[str, ...] = ()
    delete: tuple[Pod, ...] = ()


def surging(owner: DaemonSet, nodes: Sequence[Node], placed: Placed, revision: str, now: int) -> Surge:
    """The part of rollingUpdate that surges: new pods first, an old one goes once its successor is available."""
    wanted = [node.metadata.name for node in nodes if should_run(owner, node).run]
    most = max_surge(owner, len(wanted))
    under_way = 0
    free: list[str] = []
    candidates: list[str] = []
    done: list[Pod] = []
    for name in dict.fromkeys((*wanted, *sorted(placed))):
        staying = [pod for pod in placed.get(name, ()) if not pod.terminating]
        new = [pod for pod in staying if pod.metadata.labels.get(REVISION) == revision]
        old = [pod for pod in staying if pod not in new]
        if len(new) > 1 or len(old) > 1:
            under_way += 1
        elif not old or name not in wanted:
            continue
        elif not new:
            (candidates if is_available(old[0], owner.spec.minReadySeconds, now) else free).append(name)
        elif is_available(new[0], owner.spec.minReadySeconds, now):
            done.append(old[0])
        else:
            under_way += 1
    return Surge((*free, *candidates[: max(0, most - under_way)]), tuple(done))


def max_surge(owner: DaemonSet, desired: int) -> int:
    """Rounded up."""
    rolling = owner.spec.updateStrategy.rollingUpdate
    return resolved((rolling.maxSurge if rolling is not None else None) or 0, desired, round_up=True)


def max_unavailable(owner: DaemonSet, desired: int) -> int:
    """Rounded up; impossible numbers mean one."""
    rolling = owner.spec.updateStrategy.rollingUpdate
    value = rolling.maxUnavailable if rolling is not None else None
    return max(resolved(1 if value is None else value, desired, round_up=True), 1 if desired else 0)


def counted(owner: DaemonSet, nodes: Sequence[Node], placed: Placed, revision: str, now: int) -> DaemonSetStatus:
    """updateDaemonSetStatus: on each node the oldest pod speaks."""
    desired = current = misplaced = ready = updated = available = 0
    for node in nodes:
        pods = placed.get(node.metadata.name, ())
        if not should_run(owner, node).run:
            misplaced += bool(pods)
            continue
        desired += 1
        if not pods:
            continue
        current += 1
        ready += pods[0].ready
        available += pods[0].ready and is_available(pods[0], owner.spec.minReadySeconds, now)
        updated += pods[0].metadata.labels.get(REVISION) == revision
    return DaemonSetStatus(
        currentNumberScheduled=current,
        numberMisscheduled=misplaced,
        desiredNumberScheduled=desired,
        numberReady=ready,
        observedGeneration=owner.metadata.generation,
        updatedNumberScheduled=updated,
        numberAvailable=available,
        numberUnavailable=desired - available,
    )
