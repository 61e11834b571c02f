"""The rows of a timeline: what became of one pod, row by row, in intervals."""

from __future__ import annotations

from collections.abc import Callable

from app.diagram.extract.beliefs import state_of
from app.diagram.extract.names import short
from app.diagram.extract.pods import main_runs
from app.diagram.extract.series import Phase, Series, segments, series
from app.diagram.extract.subjects import Subject
from app.diagram.views import Segment, Track
from app.diagram.words import say
from app.kube.networking import EndpointSlice
from app.kube.pods import Pod
from app.kube.probes import FAILURE, READINESS
from app.sim.host import ContainerRun, Host
from app.sim.index import Index
from app.sim.walk import Walk


def worded(state: str, **names: object) -> Phase:
    """A phase with its words."""
    return Phase(state, say("timeline", state, **names))


class Tracks:
    """One walk's series, read once and used by several rows."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.end = walk.world.now
        self.etcd: Series[Index] = series(walk, lambda world: world.etcd)
        self._hosts: dict[str, Series[Host | None]] = {}

    def hosts(self, node: str) -> Series[Host | None]:
        if node not in self._hosts:
            self._hosts[node] = series(self.walk, lambda world: world.hosts.get(node))
        return self._hosts[node]

    def stored(self, subject: Subject) -> Callable[[Index], Pod | None]:
        """The pod of that uid as it is stored."""

        def pod(etcd: Index) -> Pod | None:
            held = etcd.get(subject.ref)
            found = held.object if held else None
            return found if isinstance(found, Pod) and found.metadata.uid == subject.uid else None

        return pod

    def object(self, subject: Subject) -> Track:
        """The API object."""
        pod = self.stored(subject)
        was = False

        def phase(etcd: Index) -> Phase | None:
            nonlocal was
            now = pod(etcd)
            was = was or now is not None
            if now is None:
                return worded("gone") if was else None
            return worded("terminating" if now.terminating else "exists")

        name = say("timeline", "object", name=short(subject.ref.name))
        return Track(f"object-{subject.uid}", "api", name, segments(self.etcd, self.end, phase))

    def processes(self, subject: Subject) -> list[Track]:
        """Each container that ever ran."""
        rows = self.hosts(subject.node)
        names = dict.fromkeys(
            run.name
            for _, host in rows
            if host is not None and (held := host.pods.get(subject.uid)) is not None
            for run in [*main_runs(held), *(run for run in held.containers if run.role == "sidecar")]
        )
        return [self._process(subject, name, alone=len(names) == 1) for name in names]

    def _process(self, subject: Subject, name: str, *, alone: bool) -> Track:
        gone: Phase | None = None

        def phase(host: Host | None) -> Phase | None:
            nonlocal gone
            held = host.pods.get(subject.uid) if host is not None else None
            run = held.container(name) if held is not None else None
            if run is None or host is None:
                return gone
            now = _process_phase(host, subject.uid, run)
            gone = now if run.state == "exited" else gone
            return now

        plain = short(subject.ref.name)
        title = (
            say("timeline", "process", name=plain)
            if alone
            else say("timeline", "container", name=plain, container=name)
        )
        return Track(f"process-{subject.uid}-{name}", "app", title, segments(self.hosts(subject.node), self.end, phase))

    def grace(self, subject: Subject) -> Track | None:
        """The budget that preStop and SIGTERM share: how much of it was used, and what was left."""
        kills = [
            (kill, held)
            for _, host in self.hosts(subject.node)
            if host is not None and (worker := host.workers.get(subject.uid)) and (held := host.pods.get(subject.uid))
            for kill in worker.kills
            if not kill.reason and (run := held.container(kill.container)) is not None and run.role == "app"
        ]
        if not kills:
            return None
        kill, held = kills[-1]
        deadline = kill.since + kill.grace * 1000
        run = held.container(kill.container)
        ended = run.finished if run is not None and run.finished is not None else self.end
        used = say("timeline", "used", seconds=f"{(ended - kill.since) / 1000:g}", of=kill.grace)
        found = [Segment(kill.since, min(ended, deadline, self.end), "used", used)]
        if ended < min(deadline, self.end):
            rest = say("timeline", "spare", seconds=kill.grace)
            found.append(Segment(ended, min(deadline, self.end), "spare", rest, deadline > self.end))
        found = [row for row in found if row.end > row.start]
        return Track(f"grace-{subject.uid}", "kubelet", say("timeline", "grace"), tuple(found))

    def endpoints(self, subject: Subject) -> list[Track]:
        """What each Service's slices say of it."""
        services = dict.fromkeys(
            obj.service or obj.metadata.name
            for _, etcd in self.etcd
            for obj in etcd.find("EndpointSlice")
            if isinstance(obj, EndpointSlice) and _endpoint(obj, subject) is not None
        )
        return [self._endpoint(subject, service) for service in services]

    def _endpoint(self, subject: Subject, service: str) -> Track:
        was = False

        def phase(etcd: Index) -> Phase | None:
            nonlocal was
            states = [
                state
                for obj in etcd.find("EndpointSlice")
                if isinstance(obj, EndpointSlice)
                and (obj.service or obj.metadata.name) == service
                and (state := _endpoint(obj, subject)) is not None
            ]
            if not states:
                return worded("none") if was else None
            was = True
            word = "terminating-endpoint" if states[0] == "terminating" else states[0]
            return Phase(states[0], say("timeline", word))

        title = say("timeline", "endpoint", service=service)
        return Track(f"endpoint-{subject.uid}-{service}", "controller", title, segments(self.etcd, self.end, phase))

    def replacement(self, subject: Subject) -> Track:
        """From its creation until it is ready, and on to its end."""
        pod = self.stored(subject)

        def phase(etcd: Index) -> Phase | None:
            now = pod(etcd)
            if now is None:
                return None
            if now.terminating:
                return worded("terminating")
            if now.finished:
                return Phase("exited", say("timeline", "ended"))
            if not now.spec.nodeName:
                return worded("pending")
            return worded("ready" if now.ready else "starting")

        name = say("timeline", "replacement", name=short(subject.ref.name))
        return Track(f"replacement-{subject.uid}", "controller", name, segments(self.etcd, self.end, phase))

    def probe(self, subject: Subject) -> Track | None:
        """What readiness probes told, where one ever failed."""

        def phase(host: Host | None) -> Phase | None:
            worker = host.workers.get(subject.uid) if host is not None else None
            asked = (
                [row.counting for row in worker.probes if row.kind == READINESS and row.counting.last] if worker else []
            )
            return worded("failure" if any(row.result == FAILURE for row in asked) else "success") if asked else None

        found = segments(self.hosts(subject.node), self.end, phase)
        if not any(row.state == "failure" for row in found):
            return None
        name = say("timeline", "probe", name=short(subject.ref.name))
        return Track(f"probe-{subject.uid}", "kubelet", name, found)


def _process_phase(host: Host, uid: str, run: ContainerRun) -> Phase:
    if not host.power:
        return Phase("gone", say("timeline", "off"))
    if run.state == "exited":
        return worded("exited", code=run.exit_code)
    if run.state != "running":
        return worded("created")
    worker = host.workers.get(uid)
    if worker is not None and any(kill.hook == "running" and kill.container == run.name for kill in worker.kills):
        return worded("pre-stop")
    if run.stop is not None and run.stop.signalled is not None:
        return worded("draining" if run.closing == "drains" else "sigterm")
    return worded("running")


def _endpoint(obj: EndpointSlice, subject: Subject) -> str | None:
    found = (row for row in obj.endpoints if row.targetRef is not None and row.targetRef.uid == subject.uid)
    row = next(found, None)
    return state_of(row) if row is not None else None
