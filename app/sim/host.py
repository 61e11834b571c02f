"""What is really there on one machine: sandboxes, containers, processes and kube-proxy's rules.

The kubelet's and kube-proxy's own memory stands here too, because a loop keeps nothing between turns.
"""

from __future__ import annotations

from msgspec import Struct

from app.kube.meta import Ref
from app.kube.pods import Pod
from app.sim.maps import EMPTY, Map


class Stop(Struct, frozen=True):
    """A StopContainer call that the runtime is working on."""

    asked: int
    timeout: int
    """Milliseconds from the signal to SIGKILL."""
    signalled: int | None = None
    killed: int | None = None


class ContainerRun(Struct, frozen=True):
    """One container as the runtime has it. The latest attempt of each name stands in the pod."""

    name: str
    role: str
    """init, sidecar or app."""
    attempt: int = 0
    state: str = "created"
    """created, running or exited."""
    created: int = 0
    started: int | None = None
    finished: int | None = None
    exit_code: int | None = None
    reason: str = ""
    stop: Stop | None = None
    serving: bool = False
    """Whether its process accepts connections and answers them."""
    last: ContainerRun | None = None
    """The attempt before, without its own `last`."""


class HostPod(Struct, frozen=True):
    """One pod's sandbox and containers, and the spec that the kubelet started them from."""

    pod: Pod
    ip: str = ""
    sandbox: str = "none"
    """none, creating, ready or stopped."""
    sandbox_since: int = 0
    containers: tuple[ContainerRun, ...] = ()

    @property
    def ref(self) -> Ref:
        return self.pod.ref

    @property
    def serves(self) -> bool:
        """Whether a connection to the pod's address is answered."""
        return self.sandbox == "ready" and any(run.serving for run in self.containers)

    def container(self, name: str) -> ContainerRun | None:
        return next((run for run in self.containers if run.name == name), None)


class ProbeState(Struct, frozen=True):
    """One probe worker: consecutive equal results, what it last told, and when it runs next."""

    result: str = ""
    """success, failure or empty (no attempt yet)."""
    streak: int = 0
    told: str = ""
    """The result that has passed its threshold."""
    attempt: int = 0
    """The container attempt that the counts belong to."""
    last_run: int | None = None
    on_hold: bool = False
    message: str = ""


class Worker(Struct, frozen=True):
    """What the kubelet keeps of one pod (pod worker, PLEG cache, status manager)."""

    pod: Pod
    """The newest version it has seen; it outlives the API object."""
    since: int
    """When the pod was first synced: the probe workers' phase starts here."""
    seen: tuple[ContainerRun, ...] = ()
    """Containers as the last relist showed them."""
    seen_sandbox: str = "none"
    seen_ip: str = ""
    stage: str = "sync"
    """sync, terminating, terminated (containers are gone, status to be written) or finished."""
    grace: int | None = None
    """Effective grace in seconds, fixed when termination started."""
    terminating_since: int | None = None
    orphan: bool = False
    """The API object is gone (force delete)."""
    hooks: tuple[tuple[str, int, str], ...] = ()
    """preStop hooks: (container, started at, running | done | failed | cut)."""
    asked: tuple[str, ...] = ()
    """Containers for which StopContainer was called."""
    announced: tuple[str, ...] = ()
    """Containers for which the Killing event was written."""
    volumes: str = "waiting"
    """waiting, mounted, unmounting or gone."""
    volumes_since: int = 0
    pulls: tuple[tuple[str, int, str], ...] = ()
    """Image pulls: (container, started at, state)."""
    dirty_since: int | None = None
    """When the status to write first differed from what the API was believed to hold."""
    written: int | None = None
    """When the terminal status was written."""


class Rules(Struct, frozen=True):
    """kube-proxy's rules for one Service on one node; no backends means REJECT."""

    backends: tuple[str, ...] = ()
    """Pod addresses, ordered."""


class Proxy(Struct, frozen=True):
    """kube-proxy's kernel rules (they outlive the process) and its one sync runner."""

    rules: Map[Ref, Rules] = EMPTY
    last_sync_end: int | None = None
    """None after a start: the first sync is not delayed."""
    sync_started: int | None = None
    taken: Map[Ref, Rules] = EMPTY
    """What the running sync will commit."""
    asked_since: int | None = None
    """A change was seen that no started sync has taken."""
    committed: bool = True
    """Whether the running sync has already changed the rules."""


class Host(Struct, frozen=True):
    """One machine."""

    node: str
    number: int = 1
    """Its place among the nodes, from 1; pod addresses follow from it."""
    power: bool = True
    pods: Map[str, HostPod] = EMPTY
    """By pod uid."""
    workers: Map[str, Worker] = EMPTY
    """By pod uid."""
    probes: Map[tuple[str, str, str], ProbeState] = EMPTY
    """By (pod uid, container, liveness | readiness | startup)."""
    proxy: Proxy = Proxy()
    relist_phase: int = 0
    """PLEG lists the runtime at instants that are this many milliseconds past a whole second."""
    addresses: int = 0
    """How many pod addresses were given out."""
    images: tuple[str, ...] = ()
    """Images that are present."""


def pod_address(number: int, count: int) -> str:
    """The `count`th pod address of the machine with that number (10.244.N.C, going on into 10.245 and so forth)."""
    high, low = divmod(number, 256)
    return f"10.{244 + high}.{low}.{count + 1}"


def host_number(address: str) -> int:
    """The machine that a pod address belongs to."""
    _, high, low, _ = address.split(".")
    return (int(high) - 244) * 256 + int(low)
