"""How the recordings of cordon, drain, eviction, taints and lost nodes are made in the model."""

from __future__ import annotations

from recordings import Scenario

NODES: dict[str, Scenario] = {
    "drain-pdb-allows-one": Scenario(("56ms drain node/n2",), "22s", images=("app:v1",), pinned=True),
    "drain-pdb-blocked": Scenario(
        ("72ms drain node/n2", "22046ms patch pdb/d4b/web minAvailable=2"), "45s", images=("app:v1",), pinned=True
    ),
    "drain-grace-period": Scenario(("54ms drain node/n2 grace-period=4",), "12s", images=("app:v1",), pinned=True),
    "drain-two-pdbs": Scenario(("52ms drain node/n2",), "10s", images=("app:v1",), pinned=True),
    "drain-unready-default": Scenario(
        ("50ms drain node/n2 timeout=13s",), "16s", images=("app:v1",), pinned=True, restless=True
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
}
