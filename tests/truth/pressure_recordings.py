"""How the recordings of nodes and containers without memory are made in the model."""

from __future__ import annotations

from recordings import Scenario

from app.sim.lags import Lag

CLASS = """
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100000
"""

# A real runtime on a small machine takes longer than one on a quiet one.
RUNC = {"container-start": Lag(2, 70, 1000), "sandbox-start": Lag(5, 100, 1000)}
ENDS_WELL = {"on-sigterm": "drain=150ms"}

PRESSURE: dict[str, Scenario] = {
    "kubelet-memory-pressure": Scenario(
        ("97ms apply m:later",),
        "120s",
        images=("docker.io/library/bb:2",),
        standing=CLASS,
        capacity={"memory": "24684092Ki"},
        lags=RUNC,
        behaviour={
            # What the machine itself used, so that as much is left at each look as the recording's messages say.
            "real1": {
                "memory": "0s=2869396Ki,15s=2869396Ki,20s=2855432Ki,24s800ms=2855432Ki,25s=2861528Ki",
                "eviction-hard": "memory.available<19818Mi",
                "eviction-minimum-reclaim": "memory.available=100Mi",
                "eviction-pressure-transition-period": "60s",
                "enforce-node-allocatable": "none",
                "eviction-tick": "3s84ms",
                "node-status-tick": "3s750ms",
            },
            "besteffort-150": ENDS_WELL | {"memory": "154732Ki"},
            "burst-over-250-high": {"memory": "250Mi"},
            "burst-over-450": ENDS_WELL | {"memory": "463720Ki"},
            "burst-under-300": {"memory": "300Mi"},
            "guaranteed-200": {"memory": "200Mi"},
            "hog": ENDS_WELL | {"memory": "0s=0,12s=420Mi,14s=420Mi,23s=800Mi,24s300ms=800Mi,24s900ms=848212Ki"},
        },
    ),
    "kubelet-oom": Scenario(
        ("180ms apply m:later",),
        "398s",
        images=("docker.io/library/bb:1",),
        # The recording ran on cgroup v1, where a container does not die as a whole.
        behaviour={
            "real1": {"single-process-oom-kill": "true"},
            "oom": {"memory": "0s=1Mi,2s=1Mi,3s300ms=48Mi,4s=200Mi"},
            "oombig": {"memory": "0s=1Mi,2s=1Mi,3s300ms=400Mi,4s=900Mi"},
            "oomchild": {"memory": "1Mi", "child-memory": "0s=0,2s=0,3s=48Mi,4s=200Mi"},
        },
        relist={"real1": 920},
        drawn={
            "k-oom/oom": (1235, 1000, 1292, 1093, 1123, 1377, 1167, 1000, 1499),
            "k-oom/oombig": (1448, 1032, 1392, 1093, 1347, 1227, 1434, 1499),
        },
        syncs={"real1": 480},
        lags={"container-start": Lag(2, 70, 1000), "sandbox-start": Lag(5, 150, 1000)},
    ),
}
