"""Whether a pod fits a node, which node it gets, and the words when it gets none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from app.kube.affinity import allows
from app.kube.annotations import placement
from app.kube.meta import OwnerReference
from app.kube.neighbours import NOBODY, Neighbours, crowding, refused
from app.kube.nodes import Node, Taint
from app.kube.pods import Pod, PodSpec, Toleration
from app.kube.releases import CURRENT, Release
from app.kube.replicas import is_active
from app.kube.resources import ASSUMED, Amounts, amounts, pod_requests, summed
from app.kube.taints import UNSCHEDULABLE, tolerates, untolerated

NO_NODES = "no nodes available to schedule pods"
# The plugins that are asked after the filters, in their order: DynamicResources and DefaultPreemption.
NO_CLAIMS, PREEMPTION = "no new claims to deallocate, ", "preemption: "
PODS = "pods"
# What a kubelet reports unless told otherwise; manifests of nodes often leave it out.
KUBELET_MAX_PODS = 110

MAX_PRIORITY = 2**31 - 1

_CORDONED = Taint(key=UNSCHEDULABLE, effect="NoSchedule")

# The scheduler never reports more (event messages are cut at 1024 characters).
_LONGEST = 1024

_MOST = 100
_TAINT_WEIGHT = 3
_FIT_ORDER = ("cpu", "memory", "ephemeral-storage")


class Refusal(NamedTuple):
    """Why a node is out; unresolvable ones would be out even if all its pods were gone."""

    reasons: tuple[str, ...]
    unresolvable: bool


class Load(NamedTuple):
    """What the pods of a node take up."""

    requests: Amounts
    assumed: Amounts
    pods: int
    host_ports: frozenset[tuple[str, int]]
    owners: Mapping[str, int]
    lowest: int = MAX_PRIORITY
    """The least priority among them."""


EMPTY_LOAD = Load({}, {}, 0, frozenset(), {})


def load(pods: Iterable[Pod]) -> Load:
    """Of the pods bound to one node; finished ones take up nothing, terminating ones still do."""
    held = [pod for pod in pods if not pod.finished]
    owners = (pod.metadata.controller for pod in held if is_active(pod))
    return Load(
        requests=summed(pod_requests(pod.spec) for pod in held),
        assumed=summed(pod_requests(pod.spec, ASSUMED) for pod in held),
        pods=len(held),
        host_ports=frozenset(port for pod in held for port in host_ports(pod.spec)),
        owners=Counter(owner.uid for owner in owners if owner is not None),
        lowest=min((pod.spec.priority or 0 for pod in held), default=MAX_PRIORITY),
    )


# Filters, in the order of the default plugins; the first that fails speaks for the node.


def refusal(
    pod: Pod,
    node: Node,
    taken: Load,
    wanted: Amounts | None = None,
    around: Neighbours = NOBODY,
    *,
    release: Release = CURRENT,
) -> Refusal | None:
    """Why the pod cannot go to that node, or None; `wanted` saves adding up its requests again."""
    spec = pod.spec
    if node.spec.unschedulable and not any(tolerates(row, _CORDONED) for row in spec.tolerations):
        return Refusal(("node(s) were unschedulable",), unresolvable=True)
    if spec.nodeName and spec.nodeName != node.metadata.name:
        return Refusal(("node(s) didn't match the requested node name",), unresolvable=True)
    taint = untolerated(node.spec.taints, spec.tolerations)
    if taint is not None:
        return Refusal((_taint_text(taint, release),), unresolvable=True)
    if not allows(spec, node):
        return Refusal(("node(s) didn't match Pod's node affinity/selector",), unresolvable=True)
    if taken.host_ports.intersection(host_ports(spec)):
        return Refusal(("node(s) didn't have free ports for the requested pod ports",), unresolvable=False)
    room = {PODS: KUBELET_MAX_PODS, **amounts(node.status.allocatable)}
    short = fit(pod_requests(spec) if wanted is None else wanted, room, taken.requests, taken.pods)
    if short is not None:
        return short
    reason = refused(around, node)
    return None if reason is None else Refusal((reason[0],), unresolvable=reason[1])


def _taint_text(taint: Taint, release: Release) -> str:
    named = "taint(s)" if release.taints_unnamed else f"taint {{{taint.key}: {taint.value}}}"
    return f"node(s) had untolerated {named}"


def fit(
    wanted: Mapping[str, int], allocatable: Mapping[str, int], taken: Mapping[str, int], pods: int
) -> Refusal | None:
    """NodeResourcesFit (fitsRequest): all that is short, the pod count first."""
    short = short_of(wanted, allocatable, taken, pods)
    if not short:
        return None
    reasons = ["Too many pods" if name == PODS else f"Insufficient {name}" for name in short]
    beyond = any(wanted[name] > allocatable.get(name, 0) for name in short if name != PODS)
    return Refusal(tuple(reasons), unresolvable=beyond)


def short_of(
    wanted: Mapping[str, int], allocatable: Mapping[str, int], taken: Mapping[str, int], pods: int
) -> list[str]:
    """What a node has too little of, room for one more pod first."""
    others = sorted(name for name in wanted if name not in _FIT_ORDER)
    return [PODS] * (pods + 1 > allocatable.get(PODS, 0)) + [
        name
        for name in (*_FIT_ORDER, *others)
        if wanted.get(name, 0) > 0 and wanted[name] > allocatable.get(name, 0) - taken.get(name, 0)
    ]


def host_ports(spec: PodSpec) -> set[tuple[str, int]]:
    return {(port.protocol, port.hostPort) for row in spec.containers for port in row.ports if port.hostPort}


# Scores. Left out: balanced allocation, image locality, preferred affinity, spread over zones unless it is asked for.


def place(
    pod: Pod,
    nodes: Sequence[Node],
    loads: Mapping[str, Load],
    around: Neighbours = NOBODY,
    release: Release = CURRENT,
) -> str | tuple[Refusal, ...]:
    """The name of the node that the pod gets, or why no node takes it, one refusal a node.

    Of equal nodes, the one with the fewest pods of the same owner, then the first by name. Those that an annotation
    prefers come first whatever they score: by the fewest pods of the same owner, then as they are listed.
    """
    requests = pod_requests(pod.spec)
    refusals = [
        (node, refusal(pod, node, loads.get(node.metadata.name, EMPTY_LOAD), requests, around, release=release))
        for node in nodes
    ]
    feasible = [node for node, reason in refusals if reason is None]
    if not feasible:
        return tuple(reason for _, reason in refusals if reason is not None)
    taint_scores = taint_score({node.metadata.name: node.spec.taints for node in feasible}, pod.spec.tolerations)
    wanted = pod_requests(pod.spec, ASSUMED)
    owner = pod.metadata.controller
    names = placement(pod.metadata.annotations)
    if preferred := [node.metadata.name for node in feasible if node.metadata.name in names]:
        return min(preferred, key=lambda name: (_siblings(loads, owner, name), names.index(name)))

    def rank(node: Node) -> tuple[int, int, int, str]:
        name = node.metadata.name
        taken = loads.get(name, EMPTY_LOAD)
        score = least_allocated(wanted, amounts(node.status.allocatable), taken.assumed)
        by_score = -(score + _TAINT_WEIGHT * taint_scores[name])
        return crowding(around, node), by_score, _siblings(loads, owner, name), name

    return min(feasible, key=rank).metadata.name


def _siblings(loads: Mapping[str, Load], owner: OwnerReference | None, node: str) -> int:
    """How many pods of the same owner are there already."""
    return loads.get(node, EMPTY_LOAD).owners.get(owner.uid, 0) if owner else 0


def least_allocated(
    wanted: Mapping[str, int],
    allocatable: Mapping[str, int],
    taken: Mapping[str, int],
    weights: Mapping[str, int] | None = None,
) -> int:
    """How empty the node would be, 0 to 100; what it lacks does not count, nor special things not asked for."""
    scores = [
        (weight, _free(taken.get(name, 0) + wanted.get(name, 0), allocatable.get(name, 0)))
        for name, weight in (weights or {"cpu": 1, "memory": 1}).items()
        if allocatable.get(name, 0) and (wanted.get(name, 0) or name in _FIT_ORDER)
    ]
    total = sum(weight for weight, _ in scores)
    return sum(weight * score for weight, score in scores) // total if total else 0


def _free(requested: int, capacity: int) -> int:
    return 0 if requested > capacity else (capacity - requested) * _MOST // capacity


def taint_score(taints: Mapping[str, Iterable[Taint]], tolerations: Sequence[Toleration]) -> dict[str, int]:
    """By the number of PreferNoSchedule taints that are not tolerated; the most of them is 0, none is 100."""
    soft = "PreferNoSchedule"
    usable = [row for row in tolerations if row.effect in ("", soft)]
    counts = {
        name: sum(untolerated([row], usable, (soft,)) is not None for row in rows) for name, rows in taints.items()
    }
    most = max(counts.values(), default=0)
    return {name: _MOST - (_MOST * count // most if most else 0) for name, count in counts.items()}


# Words.


def failed_scheduling(refusals: Sequence[Refusal], preemption: str = "", release: Release = CURRENT) -> str:
    """The message of FailedScheduling, with why preemption did not help."""
    if not refusals:
        return NO_NODES
    return fit_error([row.reasons for row in refusals], f"{_after(release)}{preemption or no_victims(refusals, {})}")


def _after(release: Release) -> str:
    """What stands before the words of preemption."""
    return f"{NO_CLAIMS}{PREEMPTION}" if release.claims_told else PREEMPTION


def pre_filter_failed(reason: str, nodes: int, release: Release = CURRENT) -> str:
    """The message where the pod itself is at fault, so that no node was looked at."""
    hopeless = fit_error([("Preemption is not helpful for scheduling",)] * nodes)
    return f"0/{nodes} nodes are available: {reason}. {_after(release)}{hopeless}"


def no_victims(refusals: Sequence[Refusal], searched: Mapping[int, Sequence[str]]) -> str:
    """What preemption says when it found no node; `searched` holds, by place in the list, what stood against one."""
    nobody = ("No preemption victims found for incoming pod",)
    hopeless = ("Preemption is not helpful for scheduling",)
    return fit_error(
        [hopeless if row.unresolvable else searched.get(number, nobody) for number, row in enumerate(refusals)]
    )


def fit_error(reasons: Sequence[Iterable[str]], post_filter: str = "") -> str:
    """FitError.Error: how many nodes gave each reason, sorted as text (`10 x` comes before `2 y`)."""
    counts = Counter(reason for row in reasons for reason in row)
    listed = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))
    parts = [f"0/{len(reasons)} nodes are available:", f"{listed}." if listed else "", post_filter]
    return " ".join(part for part in parts if part)


def cut(message: str) -> str:
    """As the event recorder of the scheduler cuts a long message."""
    return message if len(message) <= _LONGEST else message[: _LONGEST - 4] + " ..."
