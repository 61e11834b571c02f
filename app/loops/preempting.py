"""The scheduler's last resort: pods of lower priority are asked to go, and the pod waits for the room they leave.

As DefaultPreemption. A victim ends with its own grace; PodDisruptionBudgets are heeded where that is possible.
Not modelled: extenders, and pods that are still waiting to be bound as victims.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from msgspec.structs import replace

from app.kube.conditions import set_condition
from app.kube.meta import Condition, condition
from app.kube.neighbours import NOBODY
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.kube.preemption import NEVER, Victims, chosen, may_preempt, select_victims
from app.kube.resources import pod_requests
from app.kube.scheduling import Refusal, load, no_victims, refusal
from app.loops.surroundings import Surroundings, around, expected, pods_on
from app.sim.acts import Act, Delete, Event, Outcome, PatchStatus
from app.sim.loop import Turn

SOURCE = "default-scheduler"
TARGET = Condition(
    "DisruptionTarget",
    "True",
    "PreemptionByScheduler",
    f"{SOURCE}: preempting to accommodate a higher priority pod",
)


def waits_for_victims(turn: Turn, pod: Pod) -> bool:
    """PodEligibleToPreemptOthers: while a victim still ends on its node, a pod preempts no others."""
    node = pod.status.nominatedNodeName
    return bool(node) and any(
        _priority(row) < _priority(pod) and row.terminating and not row.finished and _is_victim(row)
        for row in pods_on(turn, node)
    )


def _is_victim(pod: Pod) -> bool:
    row = condition(pod.status.conditions, TARGET.type)
    return row is not None and (row.status, row.reason) == ("True", TARGET.reason)


def searched(turn: Turn, pod: Pod, ground: Surroundings, refusals: Sequence[Refusal]) -> Victims | str:
    """The best node to preempt on with its victims, or why there is none; there is a refusal for each node."""
    if not may_preempt(pod):
        return NEVER
    candidates: list[Victims] = []
    reasons: dict[int, Sequence[str]] = {}
    for number, (node, row) in enumerate(zip(ground.nodes, refusals, strict=True)):
        if row.unresolvable or ground.loads[node.metadata.name].lowest >= _priority(pod):
            continue
        found = _on_node(turn, pod, node, ground)
        if isinstance(found, Victims):
            candidates.append(found)
        else:
            reasons[number] = found
    return chosen(candidates) or no_victims(refusals, reasons)


def _on_node(turn: Turn, pod: Pod, node: Node, ground: Surroundings) -> Victims | tuple[str, ...]:
    name = node.metadata.name
    there = [row for row in pods_on(turn, name) if not row.finished]
    nominated = expected(turn, pod).get(name, [])
    wanted = pod_requests(pod.spec)

    def refused(kept: Sequence[Pod]) -> Refusal | None:
        others = ground.others
        if others is not NOBODY:
            away = {row.metadata.uid for row in there} - {row.metadata.uid for row in kept}
            others = around(turn, pod, ground.nodes, frozenset(away))
        return refusal(pod, node, load([*kept, *nominated]), wanted, others, release=turn.release)

    return select_victims(pod, name, there, refused, turn.all(PodDisruptionBudget))


def preempted(turn: Turn, pod: Pod, victims: Victims) -> Generator[Act, Outcome, None]:
    """Less important pods lose their claim to the node; each victim is marked, then deleted."""
    for row in turn.nominated_pods():
        if isinstance(row, Pod) and row.status.nominatedNodeName == victims.node and _priority(row) < _priority(pod):
            yield _forgotten(row)
    for victim in victims.pods:
        if victim.terminating:
            continue
        yield _marked(turn, victim)
        yield _deleted(pod, victim, victims.node)


def _forgotten(pod: Pod) -> Act:
    wanted = replace(pod, status=replace(pod.status, nominatedNodeName=""))
    return Act("clear-nomination", pod.ref, reason="Preempted", request=PatchStatus(pod, wanted))


def _marked(turn: Turn, victim: Pod) -> Act:
    conditions = set_condition(victim.status.conditions, TARGET, turn.now)
    wanted = replace(victim, status=replace(victim.status, conditions=conditions))
    return Act("mark-victim", victim.ref, reason=TARGET.reason, request=PatchStatus(victim, wanted), background=True)


def _deleted(pod: Pod, victim: Pod, node: str) -> Act:
    return Act(
        "preempt",
        victim.ref,
        reason=f"RoomFor {pod.ref}",
        moment="pod-preempted",
        request=Delete(victim.ref, uid=victim.metadata.uid),
        events=(Event("Normal", "Preempted", f"Preempted by pod {pod.metadata.uid} on node {node}", SOURCE),),
    )


def _priority(pod: Pod) -> int:
    return pod.spec.priority or 0
