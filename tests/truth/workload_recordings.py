"""How the recordings of workload controllers, the scheduler and the API server's outages are made in the model."""

from __future__ import annotations

from recordings import Scenario

DB = """
apiVersion: v1
kind: Service
metadata: {name: db, namespace: sts}
spec: {selector: {app: db}, ports: [{port: 80, targetPort: 8080}]}
"""

CLASSES = """
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: low}
value: 1000
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: vip}
value: 100000
"""

WORKLOADS: dict[str, Scenario] = {
    "daemonset-rollout": Scenario(
        ("80ms set-image daemonset/dsr/agent app=app:v2",), "20s", images=("app:v1", "app:v2")
    ),
    "job-backoff": Scenario(("95ms apply m:later",), "160s", images=("app:v1",), begins=10),
    "preemption": Scenario(("100ms apply m:later",), "10s", images=("app:v1",), standing=CLASSES),
    "rollout-bad-image": Scenario(
        ("70ms set-image deployment/roll/web app=bad:v3",),
        "62s",
        images=("app:v2",),
        behaviour={"web": {"image-pull": "not-found"}},
        relist={"n1": 700, "n2": 297},
    ),
    "rollout-min-ready": Scenario(
        ("65ms set-image deployment/mrs/web app=app:v2",),
        "40s",
        images=("app:v1", "app:v2"),
        relist={"n1": 558, "n2": 865, "n4": 911},
        begins=221,
    ),
    "scheduling-messages": Scenario(
        ("130ms apply m:big", *(f"3236ms apply m:{name}" for name in ("sel", "huge", "mem", "anti", "zone"))),
        "10s",
        images=("app:v1",),
        standing=CLASSES,
    ),
    "statefulset-up": Scenario(("190ms apply m:later",), "10s", images=("app:v1",), extra=DB),
}
