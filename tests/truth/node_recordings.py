"""How the recordings of cordon, drain, eviction, taints and lost nodes are made in the model."""

from __future__ import annotations

from recordings import Scenario

from app.sim.heartbeats import Heartbeats


def told(**ticks: str) -> dict[str, dict[str, str]]:
    """When each node's kubelet reports, as the recording shows."""
    return {node: {"node-status-tick": tick} for node, tick in ticks.items()}


NODES: dict[str, Scenario] = {
    "cordon": Scenario(
        ("93ms cordon node/n3", "14148ms cordon node/n3"), "20s", behaviour=told(n3="6s743ms"), pinned=True
    ),
    "uncordon": Scenario(
        ("45ms uncordon node/n3", "14109ms uncordon node/n3"), "20s", behaviour=told(n3="2s790ms"), pinned=True
    ),
    "drain-timeout": Scenario(
        ("51ms drain node/n2 timeout=7s",), "16s", behaviour=told(n2="5s447ms"), images=("app:v1",), pinned=True
    ),
    "drain-pdb-allows-one": Scenario(
        ("56ms drain node/n2",), "22s", behaviour=told(n2="2s408ms"), images=("app:v1",), pinned=True
    ),
    "drain-pdb-blocked": Scenario(
        ("72ms drain node/n2", "22046ms patch pdb/d4b/web minAvailable=2"), "45s", images=("app:v1",), pinned=True
    ),
    "drain-grace-period": Scenario(
        ("54ms drain node/n2 grace-period=4",), "12s", behaviour=told(n2="6s445ms"), images=("app:v1",), pinned=True
    ),
    "drain-two-pdbs": Scenario(
        ("52ms drain node/n2",), "10s", behaviour=told(n2="3s958ms"), images=("app:v1",), pinned=True
    ),
    "drain-unready-default": Scenario(
        ("50ms drain node/n2 timeout=13s",),
        "16s",
        behaviour=told(n2="5s800ms"),
        images=("app:v1",),
        pinned=True,
        restless=True,
    ),
    "drain-unready-alwaysallow": Scenario(
        ("50ms patch pdb/d4f/sick unhealthyPodEvictionPolicy=AlwaysAllow", "606ms drain node/n2"),
        "8s",
        images=("app:v1",),
        pinned=True,
        restless=True,
    ),
    "eviction-api": Scenario(
        (
            "5ms evict pod/evapi/ok-1 dry-run=true",
            "24ms evict pod/evapi/ok-1",
            "60ms evict pod/evapi/ok-3",
            "72ms evict pod/evapi/blocked-1",
            "118ms evict pod/evapi/dbl-1",
            "131ms evict pod/evapi/free-1 grace=1",
            "161ms evict pod/evapi/pend-1",
            "165ms evict pod/evapi/lone",
            "183ms evict pod/evapi/nope",
        ),
        "10s",
        images=("app:v1",),
        pinned=True,
        restless=True,
    ),
    "cordon-all": Scenario(
        (
            "82ms cordon node/n1 node/n2 node/n3 node/n4",
            "2170ms scale deployment/s3/web replicas=4",
            "2264ms apply m:late",
            "20406ms uncordon node/n2",
            "28474ms uncordon node/n1 node/n3 node/n4",
        ),
        "40s",
        behaviour=told(n1="6s812ms", n2="8s993ms", n3="9s198ms", n4="8s341ms"),
        images=("app:v1",),
        pinned=True,
    ),
    "drain-refusals": Scenario(
        (
            "56ms drain node/n2",
            "6296ms drain node/n2 ignore-daemonsets=true",
            "7348ms drain node/n2 ignore-daemonsets=true delete-emptydir-data=true",
            "8401ms drain node/n2 force=true",
            "9458ms drain node/n2 ignore-daemonsets=true delete-emptydir-data=true force=true",
        ),
        "20s",
        behaviour=told(n2="862ms"),
        local=("cache",),
        images=("app:v1",),
        pinned=True,
    ),
    "taint-eviction-timers": Scenario(
        (
            "332ms taint node/n4 maint=x:NoExecute",
            "10014ms tolerate pod/tmr/p40a maint seconds=20",
            "10041ms tolerate pod/tmr/p40b maint seconds=60",
            "22055ms untaint node/n4 maint",
            "32076ms taint node/n4 maint=x:NoExecute",
            "110146ms untaint node/n4 maint",
        ),
        "112s",
        images=("app:v1",),
        pinned=True,
    ),
    "node-loss": Scenario(
        ("0s power-off node/n2", "430186ms delete node/n2"),
        "500s",
        images=("app:v1",),
        pinned=True,
        beats=Heartbeats(monitor=830, looks=8, collector=5_870),
    ),
    "node-loss-out-of-service": Scenario(
        ("0s power-off node/n2", "75131ms taint node/n2 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
        "150s",
        images=("app:v1",),
        pinned=True,
        beats=Heartbeats(monitor=447, looks=32, collector=5_420),
    ),
    "node-return": Scenario(
        (
            "0s freeze kubelet/n3",
            "0s freeze kubelet/n4",
            "130s thaw kubelet/n3",
            "430s thaw kubelet/n4",
        ),
        "460s",
        behaviour=told(n3="136ms", n4="410ms"),
        images=("app:v1",),
        pinned=True,
        beats=Heartbeats(monitor=530, looks=88),
        batches={"n3": 6_450, "n4": 7_160},
    ),
    "zone-5of8": Scenario(
        (
            *(f"0s power-off node/n{n}" for n in range(4, 9)),
            *(f"460200ms power-on node/n{n} disk=new" for n in range(4, 9)),
        ),
        "480s",
        images=("app:v1",),
        pinned=True,
        beats=Heartbeats(monitor=3_509, looks=30),
    ),
    "zone-5of8-spread": Scenario(
        (
            *(f"0s power-off node/n{n}" for n in range(4, 9)),
            *(f"200100ms power-on node/n{n} disk=new" for n in range(4, 9)),
        ),
        "230s",
        images=("app:v1",),
        pinned=True,
        beats=Heartbeats(monitor=2_432, looks=30),
    ),
    "zone-8of8": Scenario(
        (
            *(f"0s power-off node/n{n}" for n in range(1, 9)),
            *(f"200100ms power-on node/n{n} disk=new" for n in range(1, 9)),
        ),
        "230s",
        images=("app:v1",),
        pinned=True,
        beats=Heartbeats(monitor=3_212, looks=88),
    ),
}
