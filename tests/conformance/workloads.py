"""Areas about Deployments and ReplicaSets."""

from typing import Any

from app.kube.meta import Condition, ObjectMeta
from app.kube.pods import ContainerStatus, Pod, PodSpec, PodStatus
from app.kube.replicas import DELETION_COST, counted, is_active, is_terminating, missing, slow_start, victims
from app.kube.rollout import (
    cleanup_unhealthy,
    fenceposts,
    max_unavailable,
    new_replicas,
    resolved,
    scale_new,
    scale_old,
    size,
)
from app.kube.rollout_status import complete, progressing
from app.kube.stringmap import EMPTY, StringMap
from app.kube.workloads import (
    Deployment,
    DeploymentSpec,
    DeploymentStatus,
    DeploymentStrategy,
    ReplicaSet,
    ReplicaSetSpec,
    ReplicaSetStatus,
    RollingUpdateDeployment,
)
from tests.conformance.building import build
from tests.conformance.cases import Actual, Given

_NOW = 10_000_000


def rounding(given: Given) -> Actual:
    value, total, up = given.take("value"), given.take("total"), given.take("roundUp")
    try:
        return {"result": resolved(value, total, round_up=up), "error": False}
    except ValueError:
        return {"result": 0, "error": True}


# ReplicaSets.


def replica_set(given: Given) -> Actual:
    if "create" in given:
        return _slow_start(given)
    rows = [_pod(given.part(row), row.get("name", f"p{n}")) for n, row in enumerate(given.take("pods", []))]
    owner = ReplicaSet(
        metadata=ObjectMeta(name="web"),
        spec=ReplicaSetSpec(
            replicas=given.take("replicas", None), minReadySeconds=given.take("minReadySeconds", 0) or 0
        ),
    )
    active = [pod for pod in rows if is_active(pod)]
    terminating = sum(is_terminating(pod) for pod in rows)
    needed = missing(owner, len(active))
    gone = victims(active, active, max(0, -needed), _NOW)
    order = [pod.metadata.name for pod in victims(active, active, max(0, len(active) - 1), _NOW)]
    order += [pod.metadata.name for pod in active if pod.metadata.name not in order]
    status = counted(owner, active, terminating, _NOW)
    return {
        "active": len(active),
        "create": max(0, needed),
        "delete": max(0, -needed),
        "deleted": [pod.metadata.name for pod in gone],
        "deletionOrder": order,
        "statusReplicas": status.replicas,
        "statusReadyReplicas": status.readyReplicas,
        "statusAvailableReplicas": status.availableReplicas,
        "statusTerminatingReplicas": status.terminatingReplicas,
    }


def _slow_start(given: Given) -> Actual:
    count, good = given.take("create"), given.take("succeedOnlyFirst")
    answers = (number < (count if good is None else good) for number in range(count))
    found = slow_start(count, lambda: next(answers), given.take("initialBatch", 1))
    return {"created": found.created, "apiCalls": found.calls, "error": found.failed}


def _pod(given: Given, name: str) -> Pod:
    ready_ago, created_ago = given.first("readySecondsAgo"), given.first("createdSecondsAgo", "ageSeconds")
    is_ready = given.take("ready", ready_ago is not None)
    since = None if ready_ago is None else _NOW - round(ready_ago * 1000)
    cost = given.first("deletionCost", "podDeletionCost")
    pod = Pod(
        metadata=ObjectMeta(
            name=name,
            uid=given.take("uid", name),
            creationTimestamp=None if created_ago is None else _NOW - round(created_ago * 1000),
            deletionTimestamp=0 if given.take("terminating", default=False) else None,
            annotations=EMPTY if cost is None else StringMap({DELETION_COST: str(cost)}),
        ),
        spec=PodSpec(nodeName=given.first("nodeName", "node", default="node") or ""),
        status=PodStatus(
            phase=given.take("phase", "Running"),
            conditions=(Condition("Ready", "True", lastTransitionTime=since),) if is_ready else (),
            containerStatuses=(
                ContainerStatus(name="app", restartCount=given.first("restarts", "restartCount", default=0)),
            ),
        ),
    )
    given.done()
    return pod


# Deployments.


def rollout(given: Given) -> Actual:
    if "deployment" in given:
        return _status(given)
    deployment = _deployment(given)
    found: Actual = {}
    if "newRS" in given or "oldRS" in given or "oldRSs" in given:
        found |= _scaled(given, deployment)
    rule = deployment.spec.strategy.rollingUpdate or RollingUpdateDeployment()
    surge, unavailable = fenceposts(rule.maxSurge, rule.maxUnavailable, size(deployment.spec.replicas))
    return found | {
        "surge": surge,
        "unavailable": unavailable,
        "effectiveMaxUnavailable": max_unavailable(deployment),
    }


def _deployment(given: Given) -> Deployment:
    rule = RollingUpdateDeployment(given.take("maxSurge"), given.take("maxUnavailable"))
    kind = given.first("strategy", "strategyType", default="RollingUpdate")
    return Deployment(
        metadata=ObjectMeta(name="web", generation=given.take("generation", 0)),
        spec=DeploymentSpec(
            replicas=given.take("replicas"), strategy=DeploymentStrategy(type=kind, rollingUpdate=rule)
        ),
    )


def _scaled(given: Given, deployment: Deployment) -> Actual:
    new = _replica_set("new", given.take("newRS", None) or {})
    rows = given.take("oldRSs") or [given.take("oldRS", None) or {}]
    old = [_replica_set(f"old-{number}", row) for number, row in enumerate(rows)]
    most = given.first("maxCleanupCount", "maxCleanup")
    if most is not None:
        steps = cleanup_unhealthy(old, most)
        return {"cleanupCount": sum(step.before - step.after for step in steps), "scaled": bool(steps)}

    grown = scale_new(deployment, new, old)
    shrunk = scale_old(deployment, new, old)
    sizes = {row.metadata.name: size(row.spec.replicas) for row in old}
    sizes.update((step.name, step.after) for step in shrunk)
    # One sync does one of the two; a case asks about the one that it names.
    about_new = "newRSReplicas" in given.wanted and "oldRSReplicas" not in given.wanted
    return {
        "newRSReplicas": grown.after if grown else size(new.spec.replicas),
        "newRSNewReplicas": new_replicas(deployment, old, size(new.spec.replicas)),
        "oldRSReplicas": sizes["old-0"] if len(old) == 1 else list(sizes.values()),
        "scaled": grown is not None if about_new else bool(shrunk),
    }


def _replica_set(name: str, values: dict[str, Any]) -> ReplicaSet:
    given = Given(values, {})
    row = ReplicaSet(
        metadata=ObjectMeta(name=name),
        spec=ReplicaSetSpec(replicas=given.take("replicas", 0)),
        status=ReplicaSetStatus(
            availableReplicas=given.first("available", "availableReplicas", default=0),
            readyReplicas=given.first("ready", "readyReplicas", default=0),
        ),
    )
    given.done()
    return row


def _status(given: Given) -> Actual:
    values = given.part(given.take("deployment"))
    before = build(DeploymentStatus, values.take("status", {}))
    bare = _deployment(values)
    values.done()
    deployment = Deployment(metadata=bare.metadata, spec=bare.spec, status=before)
    after = given.take("newStatus")
    if after is None:
        return {"complete": complete(deployment, before)}
    status = build(DeploymentStatus, after)
    return {"complete": complete(deployment, status), "progressing": progressing(deployment, status)}
