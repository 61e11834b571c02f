"""How the recordings of starting pods are made in the model."""

from __future__ import annotations

from recordings import Scenario

from app.sim.lags import Lag

BUSYBOX = ("docker.io/library/bb:1",)
# A real runtime on a small machine.
RUNC = {"container-start": Lag(2, 250, 1000), "sandbox-start": Lag(5, 400, 1000)}

BOOT = {
    "migrate.exit": "after 3s",
    "check.exit": "after 2s",
    "proxy.health": "startup: fail; after 4s: ok",
    "main.health": "startup: fail; after 5s: ok | readiness: fail; after 9s: ok",
    "main.on-sigterm": "drain=1s",
    "proxy.on-sigterm": "drain=1s",
}
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: boot, namespace: k-startup}
spec: {selector: {app: boot}, ports: [{port: 80, targetPort: 8080}]}
"""

STARTS: dict[str, Scenario] = {
    "kubelet-image-errors": Scenario(
        ("152ms apply m:later",),
        "398s",
        behaviour={"nopull": {"image-pull": "registry-down"}, "badcmd": {"exit": "start-error"}},
        images=BUSYBOX,
        relist={"real1": 490},
        syncs={"real1": 887},
        lags=RUNC,
        drawn={
            "k-image/nopull": (
                1000, 1301, 1159, 1260, 1262, 1459, 1060, 1461, 1363, 1358, 1260, 1461, 1060, 1261, 1360, 1261, 1360,
                1160, 1161, 1160, 1061, 1360, 1160, 1061, 1460, 1361, 1360, 1260, 1260, 1160,
            ),
            "k-image/nocm": (
                1000, 1301, 1060, 1260, 1260, 1060, 1361, 1360, 1262, 1259, 1161, 1260, 1460, 1061, 1360, 1361, 1160,
                1260, 1461, 1260, 1061, 1060, 1260, 1461, 1060,
            ),
            "k-image/never": (1000, 1200, 1461, 1460, 1060, 1160, 1161, 1160, 1261, 1160, 1261, 1460),
            "k-image/badcmd": (1480, 1430, 1370, 1147, 1450, 1360, 1110, 1450),
        },
    ),
    "kubelet-startup": Scenario(
        ("136ms apply m:later", "80350ms delete pod/k-startup/boot wait=false"),
        "90s",
        behaviour={
            "boot": BOOT,
            "withsidecar": {"main.exit": "after 4s", "side.on-sigterm": "drain=1s"},
        },
        extra=SERVICE,
        images=BUSYBOX,
        relist={"real1": 287},
        lags={"container-start": Lag(2, 100, 1000), "sandbox-start": Lag(5, 170, 1000)},
        differs="the machine's relists at the end of the Job came up to 2.6 s apart, the model's come every second",
    ),
}  # fmt: skip
