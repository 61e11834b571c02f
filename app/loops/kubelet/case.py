"""One pod on its machine, as a turn of one of the kubelet's loops meets it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from app.kube import probes
from app.kube.backoff import full_name
from app.kube.meta import Ref
from app.kube.pods import Container, Pod, PodSpec, Probe
from app.kube.probes import BEFORE_FIRST, READINESS, STARTUP, SUCCESS
from app.kube.releases import Release
from app.kube.static_pods import static_pod, uid_on_node
from app.loops.host_pods import pods_named, process_lane, with_pod
from app.sim.acts import Act, Event, Request
from app.sim.host import ContainerRun, Crash, HostPod, Kill, Worker
from app.sim.loop import Turn

NORMAL, WARNING = "Normal", "Warning"
NO_RUNTIME = (
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: '
    'dial unix /run/containerd/containerd.sock: connect: connection refused"'
)


class Case(Struct, frozen=True):
    """What the kubelet keeps of a pod, what is really there, and the API object as the kubelet believes it to be."""

    turn: Turn
    uid: str
    worker: Worker
    pod: HostPod
    api: Pod | None
    """None when the object is gone."""

    @property
    def now(self) -> int:
        return self.turn.now

    @property
    def release(self) -> Release:
        return self.turn.release

    @property
    def sandbox_told(self) -> str:
        """The sandbox as the status shows it while containers start: once it is up, or only with the next relist."""
        return self.pod.sandbox if self.release.sandbox_told else self.worker.seen_sandbox

    @property
    def spec(self) -> PodSpec:
        return self.pod.pod.spec

    @property
    def ref(self) -> Ref:
        return self.pod.ref

    @property
    def static(self) -> bool:
        """Whether it comes from a manifest on this machine; its API object is a mirror then."""
        return static_pod(self.pod.pod)

    @property
    def gone(self) -> bool:
        """Whether nobody wants it any more."""
        if self.static:
            return all(pod.metadata.uid != self.uid for pod in self.turn.host.static)
        return self.api is None or self.api.terminating

    @property
    def runtime(self) -> str:
        """The lane of this machine's runtime."""
        return f"runtime {self.turn.node}"

    @property
    def process(self) -> str:
        """The lane of this pod's processes."""
        return process_lane(self.pod)

    def dirty(self, **changes: object) -> Worker:
        """The worker with changes that may show in the pod's status."""
        since = self.now if self.worker.dirty_since is None else self.worker.dirty_since
        return replace(self.worker, dirty_since=since, **changes)

    def passed(self) -> Worker:
        """The worker after a pass over the status of all its containers: it shows what failed in the sync before."""
        crashes = tuple(replace(row, shown=row.failing, told=row.message) for row in self.worker.crashes)
        changed = replace(self.worker, crashes=crashes, seen_ip=self.pod.ip)
        if changed == self.worker:
            return replace(self.worker, synced=self.now)
        return replace(self.dirty(), synced=self.now, crashes=crashes, seen_ip=self.pod.ip)

    def relisted(self, **changes: object) -> Worker:
        """The worker after a pass over its containers as they really are."""
        case = replace(self, worker=self.dirty(seen=self.pod.containers, seen_ip=self.pod.ip, **changes))
        return case.passed()

    def says(self, container: str, type_: str, reason: str, message: str) -> Event:
        """An Event about one container."""
        group = "initContainers" if any(row.name == container for row in self.spec.initContainers) else "containers"
        return Event(type_, reason, message, "kubelet", part=f"spec.{group}{{{container}}}")

    def act(
        self,
        verb: str,
        *,
        worker: Worker | None = None,
        pod: HostPod | None = None,
        reason: str = "",
        moment: str = "",
        request: Request | None = None,
        to: str = "",
        outcome: str = "",
        events: tuple[Event, ...] = (),
        background: bool = False,
    ) -> Act:
        """An act about this pod that changes what is kept of it or what is there."""
        host = None
        if worker is not None or pod is not None:
            host = with_pod(self.turn.host, self.uid, pod or self.pod, worker)
        return Act(
            verb,
            self.ref,
            reason=reason,
            moment=moment,
            request=request,
            host=host,
            to=to,
            outcome=outcome,
            events=events,
            background=background,
        )


def pod_name(case: Case) -> str:
    """How the kubelet writes this pod in messages."""
    meta = case.pod.pod.metadata
    return full_name(meta.name, meta.namespace, case.uid)


def cases(turn: Turn) -> Iterator[Case]:
    """The pods of the key's name that this kubelet works on, older ones first."""
    believed = turn.read(Pod, turn.key)
    for uid, pod in pods_named(turn.host, turn.key):
        worker = turn.host.workers.get(uid)
        if worker is not None:
            api = believed if believed is not None and uid_on_node(believed) == uid else None
            yield Case(turn, uid, worker, pod, api)


def event(type_: str, reason: str, message: str) -> Event:
    """An Event as this kubelet's recorder writes it."""
    return Event(type_, reason, message, "kubelet")


def next_relist(after: int, phase: int) -> int:
    """The first relist of PLEG later than an instant."""
    return after + 1 + (phase - after - 1) % 1000


def containers(spec: PodSpec) -> tuple[Container, ...]:
    """Init containers and apps, in the order in which they start."""
    return (*spec.initContainers, *spec.containers)


def probe_of(container: Container, kind: str) -> Probe | None:
    """Its liveness, readiness or startup probe."""
    match kind:
        case probes.LIVENESS:
            return container.livenessProbe
        case probes.READINESS:
            return container.readinessProbe
        case _:
            return container.startupProbe


def result(worker: Worker, run: ContainerRun, kind: str) -> str:
    """What counts of a probe for this attempt of a container: Success, Failure or Unknown."""
    state = worker.probe(run.name, kind)
    return state.counting.result if state is not None and state.attempt == run.attempt else BEFORE_FIRST[kind]


def has_started(worker: Worker, run: ContainerRun, container: Container) -> bool:
    """Whether it runs and its startup probe, if any, has passed."""
    return run.state == "running" and (container.startupProbe is None or result(worker, run, STARTUP) == SUCCESS)


def is_ready(worker: Worker, run: ContainerRun, container: Container) -> bool:
    """Whether it has started and its readiness probe, if any, has passed."""
    passed = container.readinessProbe is None or result(worker, run, READINESS) == SUCCESS
    return passed and has_started(worker, run, container)


def with_kill(worker: Worker, kill: Kill) -> Worker:
    """The worker with one of its kills changed."""
    return replace(worker, kills=tuple(kill if row.container == kill.container else row for row in worker.kills))


def with_crash(worker: Worker, crash: Crash) -> Worker:
    """The worker with what it remembers of one container changed, or added."""
    others = tuple(row for row in worker.crashes if row.container != crash.container)
    return replace(worker, crashes=(*others, crash))
