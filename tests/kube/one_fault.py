"""A sound object of each kind, and the problems it has once one thing in it is set."""

import copy
import json
import re
from typing import Any

from app.errors import BadInput
from app.kube.manifests import read_manifests

LABELS = {"app": "web"}
CONTAINER = {"name": "web", "image": "web:1"}
SOUND: dict[str, dict[str, Any]] = {
    "Pod": {"apiVersion": "v1", "metadata": {"name": "web"}, "spec": {"containers": [CONTAINER]}},
    "Deployment": {
        "apiVersion": "apps/v1",
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": LABELS},
            "template": {"metadata": {"labels": LABELS}, "spec": {"containers": [CONTAINER]}},
        },
    },
    "Service": {"apiVersion": "v1", "metadata": {"name": "web"}, "spec": {"selector": LABELS, "ports": [{"port": 80}]}},
    "Node": {"apiVersion": "v1", "metadata": {"name": "node-1"}, "spec": {}, "status": {}},
    "EndpointSlice": {"apiVersion": "discovery.k8s.io/v1", "metadata": {"name": "web-1"}, "addressType": "IPv4"},
    "PriorityClass": {"apiVersion": "scheduling.k8s.io/v1", "metadata": {"name": "high"}, "value": 1000},
    "PersistentVolumeClaim": {
        "apiVersion": "v1",
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    },
    "PersistentVolume": {
        "apiVersion": "v1",
        "metadata": {"name": "pv"},
        "spec": {"accessModes": ["ReadWriteOnce"], "csi": {"driver": "csi.example.com", "volumeHandle": "vol-1"}},
    },
    "Lease": {"apiVersion": "coordination.k8s.io/v1", "metadata": {"name": "node-1"}, "spec": {}},
}
SOUND["ConfigMap"] = SOUND["Secret"] = {"apiVersion": "v1", "metadata": {"name": "settings"}}
SOUND["ReplicaSet"] = SOUND["StatefulSet"] = SOUND["Deployment"]


def told(kind: str, path: str, value: Any) -> list[str]:
    """The problems of a sound object in which one thing was set."""
    whole = copy.deepcopy(SOUND[kind]) | {"kind": kind}
    *before, last = [int(step) if step.isdigit() else step for step in re.findall(r"\w[\w-]*", path)]
    place: Any = whole
    for step in before:
        place = place[step] if isinstance(step, int) else place.setdefault(step, {})
    place[last] = value
    try:
        read_manifests(json.dumps(whole), "x")
    except BadInput as error:
        return [re.sub(r"^x: document 1 \([^)]*\), line 1: ", "", problem) for problem in error.problems]
    return []


def expected(path: str, fault: str) -> list[str]:
    """The one problem, told at the path or, where the fault begins with a path of its own, below it."""
    return [f"{path}{'' if fault.startswith(('.', '[')) else ': '}{fault}"]
