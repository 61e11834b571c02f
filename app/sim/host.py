"""What is really there on one machine: sandboxes, containers, processes and kube-proxy's rules.

The kubelet's and kube-proxy's own memory stands here too, because a loop keeps nothing between turns.
"""

from __future__ import annotations

from msgspec import Struct

from app.kube.backoff import Entry
from app.kube.machines import Machine
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.probes import Counting
from app.kube.stringmap import StringMap
from app.sim.lags import Bounds
from app.sim.maps import EMPTY, Map
from app.sim.proxy_rules import Proxy
from app.sim.shortage import Evictor, SystemOom


class Stop(Struct, frozen=True):
    """A StopContainer call that the runtime is working on, or has ended."""

    asked: int
    timeout: int
    """Milliseconds from the signal to SIGKILL."""
    signalled: int | None = None
    killed: int | None = None


class ContainerRun(Struct, frozen=True, gc=False):
    """One container as the runtime has it. The latest attempt of each name stands in the pod."""

    name: str
    role: str
    """init, sidecar or app."""
    sandbox: int = 0
    """Which of the pod's sandboxes it was made in, from 0."""
    attempt: int = 0
    state: str = "created"
    """created, running or exited."""
    created: int = 0
    started: int | None = None
    finished: int | None = None
    exit_code: int | None = None
    reason: str = ""
    message: str = ""
    """The runtime's error, where it could not start the program."""
    stop: Stop | None = None
    serving: bool = False
    """Whether its process accepts connections and answers them."""
    fails: str = ""
    """How clients fare that are served by it all the same: error, unanswered, or well."""
    closing: str = ""
    """What its process does about SIGTERM: drains, closed, or nothing."""
    child_killed: bool = False
    """Whether the kernel has ended a process that it had started, for want of memory."""
    removed: bool = False
    """Whether what it had written is deleted from the disk; only of one that has exited."""
    last: ContainerRun | None = None
    """The attempt before, without its own `last`."""


class Pull(Struct, frozen=True):
    """An image that the kubelet has asked the runtime for."""

    container: str
    image: str
    since: int
    began: int | None = None
    """Images are pulled one after the other; None while another one is on its way."""
    credentials: bool = False
    """Whether a pull secret goes with it."""
    ended: int | None = None
    error: str = ""
    """Empty when the image came."""


class HostPod(Struct, frozen=True, gc=False):
    """One pod's sandbox and containers, and the spec that the kubelet started them from."""

    pod: Pod
    ip: str = ""
    sandbox: str = "none"
    """none, creating, failed, ready, dead or stopped."""
    sandbox_since: int = 0
    sandbox_tries: int = 0
    """How often one was asked for."""
    sandbox_error: str = ""
    """What the runtime said when it could not make one."""
    stop_asked: int | None = None
    """When the kubelet asked for the end of the sandbox."""
    since: int = 0
    """When its directories were made; its volumes fill from then on."""
    containers: tuple[ContainerRun, ...] = ()
    pull: Pull | None = None
    files: tuple[tuple[str, StringMap], ...] = ()
    """What the mounted ConfigMaps hold, by volume."""

    @property
    def ref(self) -> Ref:
        return self.pod.ref

    @property
    def serves(self) -> bool:
        """Whether a connection to the pod's address is answered."""
        return self.sandbox == "ready" and any(run.serving for run in self.containers)

    @property
    def sandbox_attempt(self) -> int:
        """The number of its present sandbox, from 0."""
        return max(self.sandbox_tries - 1, 0)

    def container(self, name: str) -> ContainerRun | None:
        return next((run for run in self.containers if run.name == name), None)


class ProbeState(Struct, frozen=True):
    """One probe worker."""

    container: str
    kind: str
    """liveness, readiness or startup."""
    base: int
    """It runs at this instant and whole periods after it."""
    passed: int = 0
    """The status pass that it has answered with an attempt out of turn."""
    attempt: int = -1
    """The container attempt that the counts belong to."""
    counting: Counting = Counting("")
    last_run: int | None = None
    """When the last attempt was made or begun."""
    asking: bool = False
    """Whether that attempt still waits for its answer."""
    late: bool = False
    """Whether a tick passed meanwhile: the next attempt follows at once."""
    again: bool = False
    """Whether an attempt out of turn is owed."""


class Kill(Struct, frozen=True):
    """One container that the kubelet is ending: its budget counts from `since`."""

    container: str
    attempt: int
    since: int
    grace: int
    """Seconds for the preStop hook, the wait for a turn and the time between SIGTERM and SIGKILL together."""
    reason: str = ""
    """livenessProbe, startupProbe or postStart; empty when the whole pod is killed."""
    hook: str = ""
    """The preStop hook: running, done, failed or cut; empty when none has been started."""
    hook_ended: int | None = None
    reported: bool = False
    """Whether FailedPreStopHook was written."""


class Crash(Struct, frozen=True):
    """What the kubelet remembers of a container that it could not start, or would not start yet."""

    container: str
    entry: Entry | None = None
    """The back-off that the next attempt is held to."""
    failing: str = ""
    """Why the last sync could not start it, such as CrashLoopBackOff."""
    message: str = ""
    shown: str = ""
    """The same as the last pass over the status found it: one sync behind."""
    told: str = ""
    resync: Bounds | None = None
    """When the pod is looked at again."""


class PostStart(Struct, frozen=True):
    """The postStart hook of the container started last; no other container is started before its end."""

    container: str
    attempt: int
    since: int
    how: str = "running"
    """running, done or failed."""


class Eviction(Struct, frozen=True):
    """Why the kubelet ends a pod before its time."""

    at: int
    message: str
    grace: int
    """Seconds that it gets in place of its own."""
    condition: bool = True
    """Whether its status says DisruptionTarget."""


class Mount(Struct, frozen=True):
    """What the kubelet's volume manager has done about one volume of a pod."""

    volume: str
    at: int | None = None
    """When it was ready."""
    began: int | None = None
    """Since when its driver stages and publishes it."""
    sought: int | None = None
    """When it was first looked for in vain among the disks that are attached."""
    tries: int = 0
    next: int | None = None
    """When what failed is tried again."""


class Worker(Struct, frozen=True, gc=False):
    """What the kubelet keeps of one pod (pod worker, PLEG cache, status manager, probe workers)."""

    since: int
    """When the pod was first synced."""
    synced: int = 0
    """The last pass over the pod's status."""
    seen: tuple[ContainerRun, ...] = ()
    """Containers as the last relist showed them."""
    seen_sandbox: str = "none"
    seen_ip: str = ""
    stage: str = "sync"
    """sync, terminating, terminated (containers and sandbox are gone) or finished."""
    grace: int | None = None
    """Effective grace in seconds, fixed when termination started."""
    eviction: Eviction | None = None
    kills: tuple[Kill, ...] = ()
    post_start: PostStart | None = None
    told: int | None = None
    """When the container was made of whose start the kubelet has last told."""
    ended: int | None = None
    """When the sandbox was down."""
    volumes: str = "waiting"
    """waiting, mounted or gone."""
    mounts: tuple[Mount, ...] = ()
    waits_since: int | None = None
    """When a later sync began to wait for volumes; None: the first one does, or none."""
    probes: tuple[ProbeState, ...] = ()
    crashes: tuple[Crash, ...] = ()
    naps: int = 0
    """How often the time of another sync was drawn."""
    resync: Bounds | None = None
    """When a sync that failed before any container is tried again."""
    dirty_since: int | None = None
    """Since when the status to write may differ from what the API holds."""
    written: int | None = None
    """When the terminal status was written."""

    def run(self, name: str) -> ContainerRun | None:
        """A container as the kubelet last saw it."""
        return next((run for run in self.seen if run.name == name), None)

    def mount(self, volume: str) -> Mount | None:
        return next((row for row in self.mounts if row.volume == volume), None)

    def probe(self, container: str, kind: str) -> ProbeState | None:
        return next((row for row in self.probes if row.container == container and row.kind == kind), None)

    def crash(self, container: str) -> Crash | None:
        return next((row for row in self.crashes if row.container == container), None)


class Host(Struct, frozen=True, gc=False):
    """One machine."""

    node: str
    number: int = 1
    """Its place among the nodes, from 1; pod addresses follow from it."""
    power: bool = True
    isolated: bool = False
    """Whether it runs and its network ends at the machine: nothing gets in or out."""
    deleted: bool = False
    """Whether whoever rents it out has deleted it: it will never run again."""
    pods: Map[str, HostPod] = EMPTY
    """By pod uid."""
    workers: Map[str, Worker] = EMPTY
    """By pod uid."""
    uids: Map[Ref, tuple[str, ...]] = EMPTY
    """The uids in `pods` by pod name, older ones first."""
    proxy: Proxy = Proxy()
    machine: Machine = Machine()
    evictor: Evictor = Evictor()
    ooms: tuple[SystemOom, ...] = ()
    """What its kubelet has not read yet of the kernel's log."""
    relist_phase: int = 0
    """PLEG lists the runtime at instants that are this many milliseconds past a whole second."""
    sync_phase: int = 0
    """The kubelet's sync loop takes up pods that are due at such instants."""
    drawn: Map[Ref, tuple[int, ...]] = EMPTY
    """Where it is known what the kubelet drew by lot: by pod, each nap in thousandths of its least length."""
    addresses: int = 0
    """How many pod addresses were given out."""
    static: tuple[Pod, ...] = ()
    """Static pods, as its kubelet reads them from the manifests on its disk, ordered by name."""
    pod_range: str = ""
    """`FIRST-LAST` of the addresses for pods, of which the first is the machine's own; empty: they never run out."""
    batch_phase: int | None = None
    """When within ten seconds its kubelet compares all its pods with the API; None: by its number."""
    registers: Node | None = None
    """The Node that its kubelet registers when there is none."""
    leased: bool = False
    """Whether its kubelet renews a Lease."""
    images: tuple[str, ...] = ()
    """Images that are present."""
    programs: Map[str, StringMap] = EMPTY
    """How programs behave, by image, where that is not for a pod's annotations to say."""
    broken: tuple[str, ...] = ()
    """What its programs depend on and find down, ordered."""
    alone: int | None = None
    """Since when its programs find no API server; None: they find it."""
    kubelet_since: int | None = None
    """When the kubelet was last started; None: long ago."""
    runtime_down: int | None = None
    """Since when the runtime does not run; its containers live on."""
    runtime_since: int | None = None
    """When the runtime was last started; None: long ago."""
