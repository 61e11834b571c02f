"""What keeps a pod from being evicted, and what would let it go, as lines that the reader can try."""

from __future__ import annotations

from msgspec import Struct

from app.kube import pdb
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.kube.rollout import resolved
from app.kube.workloads import Deployment, ReplicaSet, StatefulSet
from app.sim.index import in_namespace
from app.sim.world import World

MOST_REPLICAS = 1_000
"""Beyond that a larger Deployment is no remedy."""


class Block(Struct, frozen=True):
    """One pod that a budget holds."""

    pod: str
    budget: str
    needs: int
    has: int
    unblock: tuple[str, ...]
    """Interventions, any of which is enough."""


def blocks(world: World, pods: tuple[Ref, ...]) -> tuple[Block, ...]:
    """For each pod that is still there, the budget that would refuse its eviction now."""
    found = []
    for ref in pods:
        held = world.etcd.get(ref)
        pod = held.object if held else None
        if isinstance(pod, Pod) and not pod.terminating:
            found += [_block(world, pod, row) for row in _budgets(world, pod) if row.status.disruptionsAllowed <= 0]
    return tuple(found)


def _budgets(world: World, pod: Pod) -> list[PodDisruptionBudget]:
    rows = world.etcd.find(in_namespace(PodDisruptionBudget.kind, pod.metadata.namespace))
    return [row for row in rows if isinstance(row, PodDisruptionBudget) and pdb.covers(row, pod)]


def _block(world: World, pod: Pod, budget: PodDisruptionBudget) -> Block:
    status = budget.status
    texts = [] if pod.ready else [f"patch {_named(budget)} unhealthyPodEvictionPolicy=AlwaysAllow"]
    texts += [_looser(budget), *_larger(world, pod, budget)]
    return Block(
        pod.metadata.name,
        budget.metadata.name,
        status.desiredHealthy,
        status.currentHealthy,
        tuple(text for text in texts if text),
    )


def _looser(budget: PodDisruptionBudget) -> str:
    """The strictest budget under which one pod may go."""
    status, spec = budget.status, budget.spec
    if spec.maxUnavailable is not None:
        return f"patch {_named(budget)} maxUnavailable={status.expectedPods - status.currentHealthy + 1}"
    if status.currentHealthy < 1:
        return ""
    return f"patch {_named(budget)} minAvailable={status.currentHealthy - 1}"


def _larger(world: World, pod: Pod, budget: PodDisruptionBudget) -> list[str]:
    """The smallest number of replicas with which one may go, provided that the new ones become ready."""
    made = maker(world, pod)
    if made is None or not pod.ready:
        return []
    now = 1 if made.spec.replicas is None else made.spec.replicas
    missing = now - budget.status.currentHealthy
    enough = max(2 * now, budget.status.desiredHealthy) + missing + 1
    for count in range(now + 1, min(enough, MOST_REPLICAS) + 1):
        if count - missing > _needed(budget, count):
            return [f"scale {made.ref} replicas={count}"]
    return []


def _needed(budget: PodDisruptionBudget, replicas: int) -> int:
    spec = budget.spec
    if spec.maxUnavailable is not None:
        return max(0, replicas - resolved(spec.maxUnavailable, replicas, round_up=True))
    if isinstance(spec.minAvailable, int):
        return spec.minAvailable
    return resolved(spec.minAvailable or 0, replicas, round_up=True)


def maker(world: World, pod: Pod) -> Deployment | StatefulSet | None:
    """What a person would scale."""
    owner = pod.metadata.controller
    for _ in range(2):
        if owner is None:
            return None
        held = world.etcd.get(Ref(owner.kind, pod.metadata.namespace, owner.name))
        made = held.object if held else None
        if isinstance(made, Deployment | StatefulSet):
            return made
        owner = made.metadata.controller if isinstance(made, ReplicaSet) else None
    return None


def _named(budget: PodDisruptionBudget) -> str:
    return str(budget.ref).replace("poddisruptionbudget/", "pdb/")
