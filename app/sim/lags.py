"""How long a process takes to see or to do something: least, usual and most, in milliseconds."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from app.kube.flags import FLAGS, usual
from app.kube.releases import Release
from app.sim.maps import Map


class Lag(Struct, frozen=True, order=True):
    """A range of milliseconds. The default walk takes `usual`, search takes `least` and `most` too."""

    least: int
    usual: int
    most: int

    def after(self, instant: int) -> Bounds:
        """The bounds of something that starts at `instant`."""
        return Bounds(instant + self.least, instant + self.usual, instant + self.most)


class _Instants(Struct, frozen=True, order=True, gc=False):
    least: int
    usual: int
    most: int


class Bounds(_Instants, frozen=True, order=True, kw_only=True, gc=False):
    """When a pending thing may happen (from `least`), usually happens, and must have happened (`most`)."""

    idle: bool = False
    """Whether nothing comes of it as long as all goes on as it does: heartbeats, and alarms that they put off."""

    @classmethod
    def at(cls, instant: int) -> Bounds:
        """Exactly then."""
        return cls(instant, instant, instant)

    def moved(self, to: Callable[[int], int]) -> Bounds:
        """Each of the three moved to where `to` has it."""
        return Bounds(to(self.least), to(self.usual), to(self.most), idle=self.idle)

    def no_earlier(self, instant: int) -> Bounds:
        """The same, with nothing before `instant`."""
        return Bounds(max(self.least, instant), max(self.usual, instant), max(self.most, instant))


# From a committed write to the watcher's handlers, and the lags of what the kubelet and runtime do.
# Calibrated from recordings of v1.36 on a quiet cluster; `most` is what a busy one shows.
DEFAULT_LAGS: Map[str, Lag] = Map(
    {
        "kube-controller-manager": Lag(1, 5, 50),
        "kube-scheduler": Lag(1, 4, 50),
        "kubelet": Lag(1, 6, 50),
        "kube-proxy": Lag(0, 1, 10),
        "kubectl": Lag(1, 4, 50),
        "ingress": Lag(1, 5, 50),
        "coredns": Lag(1, 5, 50),
        # The status manager's patch, counted from the moment the status to write differs.
        "kubelet-status": Lag(2, 8, 50),
        # RunPodSandbox with CNI ADD, create and start of a container, StopPodSandbox with CNI DEL.
        "sandbox-start": Lag(5, 20, 200),
        "container-start": Lag(2, 12, 100),
        "sandbox-stop": Lag(1, 3, 100),
        # A pull whose annotation says no time, and the unmounting of volumes once nothing uses them.
        "image-pull": Lag(2, 10, 200),
        "volume-unmount": Lag(20, 100, 400),
        # The driver of a disk: what it hears after, what making, attaching and detaching it take, and mounting it.
        "csi-driver": Lag(1, 6, 50),
        "cloud-controller-manager": Lag(1, 6, 50),
        "volume-provision": Lag(500, 2_000, 60_000),
        "volume-attach": Lag(500, 2_000, 60_000),
        "volume-detach": Lag(500, 1_500, 60_000),
        "volume-mount": Lag(50, 300, 10_000),
        # From SIGTERM or SIGKILL to the end of a process that does nothing more, and its notice to the kubelet.
        "process-exit": Lag(1, 5, 50),
        # From a sync of a pod without fault to the next one; every other nap between syncs is drawn out in proportion.
        "pod-resync": Lag(60_000, 76_500, 90_000),
        # From the start of a kubelet to its first look at its pods, and the part of a period, in thousandths, that
        # each of its probe workers then sleeps before it first asks.
        "kubelet-start": Lag(800, 1_290, 3_000),
        "first-probe": Lag(0, 480, 1_000),
        # From the start of a runtime to the relist that finds it, and to the answers of its image service.
        "runtime-start": Lag(500, 1_390, 3_000),
        "image-service-start": Lag(1_400, 2_000, 4_000),
        # From the return of a kubectl wait to the first request of whoever waited: a process has to start.
        "client-start": Lag(5, 50, 1000),
        # Terminal status written -> final delete (PLEG relist, volumes, housekeeping): 0.65-0.9 s seen.
        "final-delete": Lag(600, 700, 950),
        # Flags have no range, as they are set and not measured.
        **{name: Lag(flag.usual, flag.usual, flag.usual) for name, flag in FLAGS.items()},
        # A pass of the node lifecycle controller that finds something, until zones change their states.
        "node-monitor-pass": Lag(20, 75, 500),
        # From the start of a kubelet to its first report of the node.
        "node-register": Lag(100, 330, 2_000),
        # From the start of an API server to the first request that it serves.
        "api-server-start": Lag(1_000, 2_000, 10_000),
        # How soon a leader's next renewal is due when the API server goes, how long it then tries before it exits, and
        # how long a candidate must see the Lease unchanged; from the exit of a static pod's process to its next start;
        # from the start of a candidate, and from the return of the API server, to its first look at the Lease; and how
        # much later than the end of the Lease it looks again (every 2 s to 4.4 s).
        "leader-renewal": Lag(0, 1_400, 2_000),
        "leader-deadline": Lag(10_000, 10_000, 10_000),
        "leader-lease": Lag(15_000, 15_000, 15_000),
        "static-pod-restart": Lag(500, 1_500, 20_000),
        "leader-start": Lag(200, 400, 2_000),
        "leader-observe": Lag(0, 1_200, 4_400),
        "leader-retry": Lag(0, 900, 4_400),
        # The API server's own retry of an eviction after a conflict (500 ms and up to a tenth more), and what kubectl
        # drain takes from the cordon to the first eviction: discovery, and the list of the node's pods.
        "eviction-retry": Lag(500, 525, 550),
        "drain-list": Lag(20, 46, 200),
        # Duration of one kube-proxy sync, and the part of it after which the rules have changed.
        "proxy-sync": Lag(20, 35, 60),
        "proxy-commit": Lag(10, 22, 40),
        "proxy-start": Lag(400, 520, 700),
    }
)


def of_release(release: Release) -> dict[str, Lag]:
    """What a release has otherwise: the flags whose defaults have changed."""
    lengths = {name: usual(name, release) for name, flag in FLAGS.items() if usual(name, release) != flag.usual}
    return {name: Lag(length, length, length) for name, length in lengths.items()}


def lag(lags: Map[str, Lag], name: str, node: str = "") -> Lag:
    """The lag of a process or of a kind of work; a node may have its own."""
    if node:
        own = lags.get(f"{name}/{node}")
        if own is not None:
            return own
    return lags[name]
