"""Areas about disruption budgets, evictions, cordon and drain."""

from typing import Any

from msgspec.structs import replace

from app.kube import eviction_api
from app.kube.meta import Condition, LabelSelector, ObjectMeta, OwnerReference
from app.kube.objects import timestamp
from app.kube.pdb import covers
from app.kube.pods import Container, Pod, PodSpec, PodStatus
from app.kube.policy import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from app.kube.stringmap import StringMap
from app.kube.workloads import Deployment, DeploymentSpec, ReplicaSet, ReplicaSetSpec, StatefulSet, StatefulSetSpec
from app.loops import disruption
from app.sim.acts import Act
from tests.conformance.building import build
from tests.conformance.cases import Actual, Given
from tests.loops.beliefs import decided, turn

NOW = 10_000_000
LABELS = StringMap({"app": "web"})

# Budgets.


def budget_status(given: Given) -> Actual:
    """What the disruption controller makes of a budget."""
    budget = PodDisruptionBudget(
        ObjectMeta(name="web", namespace="default", uid="uid-web", generation=1),
        replace(build(PodDisruptionBudgetSpec, given.take("spec")), selector=LabelSelector(LABELS)),
    )
    ages = given.first("disruptedPodsAgeSeconds", "disruptedPods", default={}) or {}
    disrupted = StringMap({name: timestamp(NOW - round(age * 1000)) for name, age in ages.items()})
    budget = replace(budget, status=replace(budget.status, disruptedPods=disrupted))
    owners = [_controller(row, n) for n, row in enumerate(given.take("controllers", None) or [])]
    pods = _selected(given, owners)
    believes = [budget, *pods, *(owner for owner in owners if not isinstance(owner, OwnerReference))]
    made = decided(disruption.LOOP, turn(disruption.LOOP, budget.ref, *believes, now=NOW))
    acts = [act for act in made if isinstance(act, Act)]
    request: Any = acts[0].request if acts else None
    status = request.object.status if request else budget.status
    [row] = status.conditions
    return {
        "disruptionsAllowed": status.disruptionsAllowed,
        "currentHealthy": status.currentHealthy,
        "desiredHealthy": status.desiredHealthy,
        "expectedPods": status.expectedPods,
        "disruptedPods": list(status.disruptedPods),
        "event": acts[0].events[-1].reason if acts and acts[0].events else None,
        "condition": {"type": row.type, "status": row.status, "reason": row.reason, "message": row.message},
    }


Owner = ReplicaSet | StatefulSet | Deployment | OwnerReference


def _controller(values: dict[str, Any], number: int) -> Owner:
    given = Given(values, {})
    kind, size = given.take("kind"), given.take("replicas", 0)
    version = given.take("apiVersion", "apps/v1")
    meta = ObjectMeta(name=f"c{number}", namespace="default", uid=f"uid-c{number}")
    known = given.take("known", default=True)
    given.done()
    match kind:
        case "StatefulSet":
            return StatefulSet(meta, StatefulSetSpec(replicas=size))
        case "Deployment":
            return Deployment(meta, DeploymentSpec(replicas=size))
        # A ReplicationController is counted as a ReplicaSet is.
        case "ReplicaSet" | "ReplicationController" if known:
            return ReplicaSet(meta, ReplicaSetSpec(replicas=size))
        case _:
            return OwnerReference(kind, meta.name, meta.uid, version)


def _selected(given: Given, owners: list[Owner]) -> list[Pod]:
    rows = given.take("pods", None) or []
    if isinstance(rows, dict):
        counts = Given(rows, {})
        healthy, unhealthy = counts.take("healthy", 0), counts.take("unhealthy", 0)
        counts.done()
        rows = [{"ready": n < healthy} for n in range(healthy + unhealthy)]
    return [_pod(row, f"p{n}", owners[n % len(owners)] if owners else None) for n, row in enumerate(rows)]


def _pod(values: dict[str, Any], name: str, owner: Owner | None = None) -> Pod:
    given = Given(values, {})
    reference: tuple[OwnerReference, ...] = ()
    if isinstance(owner, OwnerReference):
        reference = (owner,)
    elif owner is not None:
        reference = (OwnerReference(owner.kind, owner.metadata.name, owner.metadata.uid, owner.apiVersion),)
    ready, terminating = given.take("ready", default=True), given.take("terminating", default=False)
    pod = Pod(
        ObjectMeta(
            name=values.get("name", name),
            namespace="default",
            uid=f"uid-{values.get('name', name)}",
            labels=LABELS,
            deletionTimestamp=NOW if terminating else None,
            ownerReferences=reference,
        ),
        PodSpec((Container("app"),), nodeName="n1"),
        PodStatus(given.take("phase", "Running"), conditions=(Condition("Ready", "True" if ready else "False"),)),
    )
    given.done()
    return pod


def eviction(given: Given) -> Actual:
    """What the eviction subresource answers."""
    values = dict(given.take("pod"))
    modified = values.pop("modifiedDuringRequest", False)
    pod = _pod(values, "web-1")
    budgets = [_budget(row) for row in given.take("pdbs", [])]
    answer = eviction_api.answer(pod, [row for row in budgets if covers(row, pod)], NOW, modified=modified)
    return {
        "code": answer.code,
        "deleted": answer.code == 201,
        "budgetDecremented": answer.budget is not None,
        "message": answer.message,
        "cause": answer.cause,
        "retryAfterSeconds": answer.retry_after,
    }


def _budget(values: dict[str, Any]) -> PodDisruptionBudget:
    given = Given(values, {})
    matches = given.take("selectorMatches", default=True)
    spec = PodDisruptionBudgetSpec(
        selector=LabelSelector(LABELS if matches else StringMap({"app": "other"})),
        unhealthyPodEvictionPolicy=given.take("unhealthyPodEvictionPolicy", None) or "",
    )
    meta = ObjectMeta(name=given.name, namespace="default", generation=given.take("generation", 0))
    counts = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}
    status = {**counts, **given.take("status", {})}
    generation = status.pop("observedGeneration", None)
    built = replace(build(PodDisruptionBudgetStatus, status), observedGeneration=generation)
    given.done()
    return PodDisruptionBudget(meta, spec, built)
