"""An inspection as JSON: its keys are a promise to other tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.inspect.allowances import Allowance
from app.inspect.computed import ContainerFacts, PodFacts, Rollout, Window
from app.inspect.finding import SEVERITIES
from app.inspect.inspecting import Inspection
from app.inspect.spelling import amount
from app.inspect.stopping import Stopping
from app.inspect.telling import assumptions
from app.kube.images import default_pull_policy
from app.kube.networking import Service
from app.kube.objects import wire
from app.kube.probe_budget import Range


def report(found: Inspection) -> dict[str, Any]:
    """Everything; durations are seconds, amounts are written as Kubernetes writes them."""
    return {
        "kubernetes": found.release.name,
        "summary": {severity: found.count(severity) for severity in SEVERITIES},
        "assumes": list(assumptions(found)),
        "findings": [row._asdict() for row in found.findings],
        "workloads": [_pods(row) for row in found.pods],
        "budgets": [_budget(row) for row in found.budgets],
        "services": [_service(found, row) for row in found.subject.of(Service)],
        "refused": list(dict.fromkeys(str(obj.ref) for obj, _ in found.subject.refused)),
        "not_modelled": [{"object": name, "path": path} for name, path in found.not_modelled],
    }


def _pods(row: PodFacts) -> dict[str, Any]:
    place = row.standing
    return {
        "object": str(row.made.ref),
        "pods": row.made.pods,
        "qos": row.qos,
        "requests": _amounts(row.asked.total),
        "requests_of": {
            "containers": _amounts(row.asked.containers),
            "sidecars": _amounts(row.asked.sidecars),
            "init": _amounts(row.asked.init_peak),
            "overhead": _amounts(row.asked.overhead),
        },
        "limits": _amounts(row.asked.limits),
        "eviction": {
            "place": place.place,
            "critical": place.critical,
            "priority": place.priority,
            "memory_request": amount("memory", place.request),
            "memory_usage": None if place.usage is None else amount("memory", place.usage),
            "exceeds": place.exceeds,
        },
        "termination": {"grace": row.grace, "ended": row.ended / 1000},
        "injected_tolerations": [wire(one) for one in row.injected],
        "rollout": _rollout(row.rollout),
        "containers": [_container(one) for one in row.containers],
    }


def _amounts(amounts: Mapping[str, int]) -> dict[str, str]:
    return {name: amount(name, whole) for name, whole in sorted(amounts.items())}


def _rollout(row: Rollout | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "strategy": row.strategy,
        "replicas": row.replicas,
        "max_surge": row.surge,
        "max_unavailable": row.unavailable,
        "partition": row.partition,
        "pod_management": row.order or None,
    }


def _container(row: ContainerFacts) -> dict[str, Any]:
    image = row.part.row.image
    return {
        "name": row.part.row.name,
        "kind": row.part.kind,
        "image": image,
        "pull_policy": row.pull_policy,
        "pull_policy_is_default": row.pull_policy == default_pull_policy(image),
        "oom_score_adj": row.oom_score_adj,
        "startup": _window(row.startup),
        "liveness": _window(row.detection),
        "out_of_rotation": _window(row.withdrawal),
        "in_rotation": _range(row.admission),
        "stop": _stop(row.stop),
    }


def _window(found: Window | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"probe": found.probe, **_seconds(found.usual), "hanging": _range(found.hanging)}


def _range(found: Range | None) -> dict[str, float] | None:
    return None if found is None else _seconds(found)


def _seconds(found: Range) -> dict[str, float]:
    return {"least": found.least / 1000, "most": found.most / 1000}


def _stop(row: Stopping | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "prestop": None if row.prestop is None else row.prestop / 1000,
        "prestop_known_from": row.source,
        "signalled": row.stop.signalled / 1000,
        "left_at_sigterm": row.stop.timeout,
        "ended": row.stop.ended / 1000,
        "killed": row.stop.killed,
    }


def _budget(row: Allowance) -> dict[str, Any]:
    return {
        "object": str(row.budget.ref),
        "covers": [str(made.ref) for made in row.covered],
        "pods": row.pods,
        "expected": row.expected,
        "desired_healthy": row.healthy,
        "disruptions_allowed": row.allowed,
        "fault": row.fault,
    }


def _service(found: Inspection, service: Service) -> dict[str, Any]:
    made = found.subject.selected_by(service)
    return {
        "object": str(service.ref),
        "selects": [str(row.ref) for row in made],
        "pods": sum(row.pods for row in made),
    }
