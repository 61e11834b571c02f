"""How the recordings of workload controllers, the scheduler and the API server's outages are made in the model."""

from __future__ import annotations

from recordings import Scenario

DB = """
apiVersion: v1
kind: Service
metadata: {name: db, namespace: sts}
spec: {selector: {app: db}, ports: [{port: 80, targetPort: 8080}]}
"""

WORKLOADS: dict[str, Scenario] = {
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
    "statefulset-up": Scenario(("190ms apply m:later",), "10s", images=("app:v1",), extra=DB),
}
