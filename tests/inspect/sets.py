"""Small sets of manifests to inspect, which are sound unless a test says otherwise."""

from __future__ import annotations

import json
from typing import Any

from app.inspect.inspecting import Finding, Inspection, inspect

Manifest = dict[str, Any]

PROBE: Manifest = {"httpGet": {"path": "/ready", "port": "http"}}


def container(**changes: Any) -> Manifest:
    """A container without a fault; None takes a field away."""
    row: Manifest = {
        "name": "web",
        "image": "registry.example/web:1.4",
        "ports": [{"name": "http", "containerPort": 8080}],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "readinessProbe": PROBE,
        "lifecycle": {"preStop": {"sleep": {"seconds": 5}}},
    }
    return {name: value for name, value in (row | changes).items() if value is not None}


def template(*containers: Manifest, says: Manifest | None = None, **spec: Any) -> Manifest:
    """Labelled app=web; `says` are annotations after their prefix."""
    notes = {f"sim.loopscope.dev/{name}": text for name, text in (says or {}).items()}
    return {
        "metadata": {"labels": {"app": "web"}, "annotations": notes},
        "spec": {"containers": list(containers) or [container()], **spec},
    }


def workload(kind: str = "Deployment", pods: Manifest | None = None, name: str = "web", **spec: Any) -> Manifest:
    body: Manifest = {"selector": {"matchLabels": {"app": "web"}}, "template": pods or template()}
    if kind != "DaemonSet":
        body["replicas"] = 3
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": body | spec}


def service(name: str = "web", **spec: Any) -> Manifest:
    body = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]} | spec
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": body}


def budget(name: str = "web", labels: Manifest | None = None, **spec: Any) -> Manifest:
    body = {"selector": {"matchLabels": labels or {"app": "web"}}, "unhealthyPodEvictionPolicy": "AlwaysAllow"}
    numbers = {} if {"minAvailable", "maxUnavailable"} & set(spec) else {"maxUnavailable": 1}
    kind = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"}
    return {**kind, "metadata": {"name": name}, "spec": body | numbers | spec}


def pod(name: str = "alone", **spec: Any) -> Manifest:
    body = template(**spec)
    return {"apiVersion": "v1", "kind": "Pod", **body, "metadata": {"name": name, **body["metadata"]}}


def node(name: str, cpu: str, memory: str) -> Manifest:
    status = {"capacity": {"cpu": cpu, "memory": memory}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def held(kind: str, name: str, *keys: str) -> Manifest:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "data": dict.fromkeys(keys, "eA==")}


def inspected(*objects: Manifest) -> Inspection:
    return inspect({"set.yaml": "\n---\n".join(json.dumps(row, indent=1) for row in objects)})


def findings(rule: str, *objects: Manifest) -> list[Finding]:
    return [row for row in inspected(*objects).findings if row.rule == rule]


def told(rule: str, *objects: Manifest) -> list[tuple[str, str]]:
    """Object and path of each finding of one rule."""
    return [(row.object, row.path) for row in findings(rule, *objects)]


def rules(*objects: Manifest) -> list[str]:
    return [row.rule for row in inspected(*objects).findings]
