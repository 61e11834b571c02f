"""How the recordings of running containers are made in the model: crash loops, probes, kubelet and runtime stopped."""

from __future__ import annotations

from recordings import Scenario

from app.sim.heartbeats import Heartbeats
from app.sim.lags import Lag

BUSYBOX = ("docker.io/library/bb:1",)
# A real runtime on a small machine that starts four pods at once.
RUNC = {"container-start": Lag(2, 70, 100), "sandbox-start": Lag(5, 700, 1_000)}
FAILS_AT_17S = {"health": "exec: ok; after 17s: fail"}
CRASHES_AT_20S = {"crash": {"exit": "after 20s code 1"}, "live": {"on-sigterm": "drain=1s"}}
DRAWN_BY_CRASH = {"k-restart/crash": (1_160, 1_115, 1_200, 1_440)}

RUNS: dict[str, Scenario] = {
    "kubelet-crashloop": Scenario(
        ("230ms apply m:later",),
        "745s",
        behaviour={
            "crash0s": {"exit": "after 0s code 1"},
            "crash3s": {"exit": "after 3s code 1"},
            "exit0": {"exit": "after 1s code 0"},
            "onfailure": {"exit": "after 1s code 0"},
        },
        images=BUSYBOX,
        relist={"real1": 700},
        syncs={"real1": 266},
        lags=RUNC,
        drawn={
            "k-crash/crash0s": (1188, 1122, 1364, 1363, 1308, 1058, 1459, 1250, 1075, 1392, 1092, 1260, 1438),
            "k-crash/crash3s": (1342, 1428, 1440, 1395, 1406, 1208, 1181, 1282, 1258, 1058, 1425),
            "k-crash/exit0": (1431, 1223, 1238, 1096, 1262, 1307, 1125, 1117, 1350, 1325, 1208, 1425, 1204),
        },
        differs="The recording's machine was busy with four starts: the first end of crash3s was seen 1.5 s late.",
    ),
    "kubelet-liveness": Scenario(
        ("220ms apply m:later",),
        "150200ms",
        behaviour={
            "live": {"on-sigterm": "drain=1s"} | FAILS_AT_17S,
            "live-ignore": {"on-sigterm": "ignore"} | FAILS_AT_17S,
            "live-probegrace": {"on-sigterm": "ignore"} | FAILS_AT_17S,
            "slowprobe": {"on-sigterm": "drain=1s"},
        },
        images=BUSYBOX,
        relist={"real1": 200},
        syncs={"real1": 599},
        lags=RUNC,
        drawn={"k-liveness/slowprobe": (1_000, 1_090, 1_000, 1_400)},
    ),
    "kubelet-down-90s": Scenario(
        ("0s apply m:made", "45s stop kubelet/real1", "135s start kubelet/real1"),
        "190s",
        behaviour=CRASHES_AT_20S,
        images=BUSYBOX,
        beats=Heartbeats(monitor=3_159),
        syncs={"real1": 266},
        lags=RUNC,
        drawn=DRAWN_BY_CRASH,
        made=("crash", "live"),
        warmup=45_000,
        differs="Events about cgroup v1 and the image file system; pressures are told of once at the kubelet's start.",
    ),
    # The recording's machine had been through kubelet-down-90s with the same pods.
    "runtime-down-75s": Scenario(
        (
            "0s apply m:made",
            "45s stop kubelet/real1",
            "135s start kubelet/real1",
            "205s stop containerd/real1",
            "225060ms delete pod/k-restart/live wait=false",
            "280s start containerd/real1",
        ),
        "320s",
        behaviour=CRASHES_AT_20S | {"real1": {"node-status-tick": "6s940ms"}},
        images=BUSYBOX,
        syncs={"real1": 150},
        lags=RUNC,
        drawn=DRAWN_BY_CRASH,
        made=("crash", "live"),
        warmup=205_000,
        differs="Both probes sleep the same share of a period after the kubelet's start; no garbage collection.",
    ),
}
