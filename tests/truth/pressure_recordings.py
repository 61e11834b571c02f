"""How the recordings of nodes and containers without memory are made in the model."""

from __future__ import annotations

from recordings import Scenario

CLASS = """
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100000
"""

ENDS_WELL = {"on-sigterm": "drain=150ms"}

PRESSURE: dict[str, Scenario] = {
    "kubelet-memory-pressure": Scenario(
        ("97ms apply m:later",),
        "120s",
        images=("docker.io/library/bb:2",),
        standing=CLASS,
        capacity={"memory": "24684092Ki"},
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
}
