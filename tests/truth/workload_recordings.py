"""How the recordings of workload controllers, the scheduler and the API server's outages are made in the model."""

from __future__ import annotations

from recordings import Scenario

from app.sim.heartbeats import Heartbeats
from app.sim.lags import Lag

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

CRON = ("tick", "tick-dl30", "forbid-90s")
LEADERS = {"kube-controller-manager": 0, "kube-scheduler": 0}


def exactly(milliseconds: int) -> Lag:
    return Lag(milliseconds, milliseconds, milliseconds)


def outage(serves: int, caches: int, watches: dict[str, int] | None = None) -> dict[str, Lag]:
    """How long a start of the API server took, and then the lists of the scheduler and of other watches."""
    back = {f"watch-back/{watch}": exactly(lasts) for watch, lasts in (watches or {}).items()}
    # The recorder started what had exited after five seconds.
    own = {
        "api-server-start": exactly(serves),
        "scheduler-caches": exactly(caches),
        "static-pod-restart": exactly(5_000),
    }
    return own | back


def of_kubelets(kind: str, **lasts: int) -> dict[str, int]:
    return {f"kubelet/{node}/{kind}": wait for node, wait in lasts.items()}


def of_manager(**lasts: int) -> dict[str, int]:
    return {f"kube-controller-manager/{kind}": wait for kind, wait in lasts.items()}


WORKLOADS: dict[str, Scenario] = {
    "api-kill-60s": Scenario(
        ("0s apply m:made", "20s stop kube-apiserver", "80100ms start kube-apiserver"),
        "155s",
        images=("app:v1",),
        made=CRON,
        begins=2_650,
        warmup=20_000,
        leaders=LEADERS,
        beats=Heartbeats(),
        lags=outage(2_080, 43_000, of_kubelets("Pod", n1=58_000, n2=58_000, n3=61_050)),
    ),
    "api-kill-60s-no-leader-election": Scenario(
        ("0s apply m:made", "220s stop kube-apiserver", "280s start kube-apiserver"),
        "360s",
        images=("app:v1",),
        made=CRON,
        begins=21_265,
        warmup=220_000,
        leaders={"kube-scheduler": 3},
        beats=Heartbeats(monitor=1_960),
        lags=outage(
            930,
            44_000,
            of_kubelets("Pod", n1=43_400, n2=66_000, n3=64_600)
            | of_kubelets("Node", n1=66_500, n2=80_000, n3=80_000)
            | of_manager(Node=11_520, Job=16_230, Pod=23_440),
        ),
    ),
    "api-stop-60s": Scenario(
        (
            "0s apply m:made",
            "20s stop kube-apiserver",
            "80100ms start kube-apiserver",
            "155200ms freeze kube-apiserver",
            "215290ms thaw kube-apiserver",
        ),
        "250s",
        images=("app:v1",),
        made=CRON,
        begins=2_650,
        warmup=155_200,
        leaders=LEADERS,
        beats=Heartbeats(),
        lags=outage(2_080, 43_000, of_kubelets("Pod", n1=58_000, n2=58_000, n3=61_050)),
    ),
    "api-stop-8s": Scenario(
        (
            "0s apply m:made",
            "10s suspend cronjob/work/forbid-90s",
            "170s resume cronjob/work/forbid-90s",
            "180s freeze kube-apiserver",
            "188020ms thaw kube-apiserver",
        ),
        "210s",
        images=("app:v1",),
        made=CRON,
        begins=55_000,
        warmup=180_000,
        leaders=LEADERS,
        beats=Heartbeats(),
        lags=outage(1_750, 43_000),
    ),
    "controller-manager-down-40s": Scenario(
        (
            "0s apply m:made",
            "10s suspend cronjob/work/forbid-90s",
            "196400ms resume cronjob/work/forbid-90s",
            "220s stop kube-controller-manager",
            "220045ms scale deployment/work/web replicas=5",
            "220095ms delete pod/work/fast-1 pod/work/fast-2 pod/work/fast-3 wait=false",
            "260070ms start kube-controller-manager",
        ),
        "310s",
        images=("app:v1",),
        made=CRON,
        begins=8_400,
        warmup=220_000,
        leaders={"kube-controller-manager": 4, "kube-scheduler": 4},
        beats=Heartbeats(),
        lags=outage(1_750, 43_000),
    ),
    "cronjob-outage-3min": Scenario(
        ("0s apply m:made", "220s stop kube-apiserver", "400020ms start kube-apiserver"),
        "510s",
        images=("app:v1",),
        made=CRON,
        begins=9_960,
        warmup=220_000,
        leaders={"kube-controller-manager": 2, "kube-scheduler": 2},
        beats=Heartbeats(),
        lags=outage(1_750, 43_000),
    ),
    "daemonset-rollout": Scenario(
        ("80ms set-image daemonset/dsr/agent app=app:v2",), "20s", images=("app:v1", "app:v2")
    ),
    "job-backoff": Scenario(("95ms apply m:later",), "160s", images=("app:v1",), begins=10),
    "preemption": Scenario(("100ms apply m:later",), "10s", images=("app:v1",), standing=CLASSES),
    "rollout-1": Scenario(("80ms set-image deployment/roll/one app=app:v2",), "30s", images=("app:v1",)),
    "rollout-4": Scenario(
        ("100ms set-image deployment/roll/web app=app:v2",),
        "30s",
        images=("app:v1",),
        relist={"n1": 930, "n2": 480, "n3": 920, "n4": 220},
    ),
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
