"""Facts about probes and restarts: who was restarted, how soon a fault was noticed, who was out of rotation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.catalog.targets import WORKLOADS, template
from app.kube.annotations import behaviour
from app.kube.health import rule_for, turning_points
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice
from app.kube.pods import Container, Pod, PodTemplateSpec, Probe
from app.kube.probe_budget import SAFE, Range, outcome_of_start, time_to_fail, time_to_pass
from app.kube.probes import LIVENESS, READINESS
from app.sim.host import ContainerRun
from app.sim.walk import Record, Walk
from app.story.fact import Fact, Subject, at, first


def pods_restarted(subject: Subject) -> Fact:
    """How many pods had a container started again."""
    rows = _first_restarts(subject.walk)
    more = (("from", at(rows[0] if rows else None)), ("until", at(rows[-1] if rows else None)))
    return Fact(float(len(rows)), "pods", rows[0].n if rows else None, more)


def restart_window(subject: Subject) -> Fact:
    """From the first pod's first restart to the last pod's first one: how close together a fleet goes down."""
    firsts = _first_restarts(subject.walk)
    if not firsts:
        return Fact(None, "s")
    return Fact((firsts[-1].step.at - firsts[0].step.at) / 1000, "s", firsts[-1].n)


def _first_restarts(walk: Walk) -> list[Record]:
    found: dict[Ref, Record] = {}
    for row in _restarts(walk):
        found.setdefault(row.step.object, row)
    return list(found.values())


def _restarts(walk: Walk) -> Iterator[Record]:
    for row in walk.records:
        if row.n and row.step.moment == "container-started" and _started(row).attempt > 0:
            yield row


def _started(row: Record) -> ContainerRun:
    """The container that a step of the runtime has started."""
    host = row.step.world.hosts[row.step.node]
    runs = [run for uid in host.uids.get(row.step.object, ()) for run in host.pods[uid].containers]
    return max(runs, key=lambda run: (run.started or 0, run.created))


def _counted(moment: str) -> Callable[[Subject], Fact]:
    def fact(subject: Subject) -> Fact:
        rows = [row for row in subject.walk.records if row.step.moment == moment]
        return Fact(
            float(len(rows)), "", rows[0].n or None if rows else None, (("from", at(rows[0] if rows else None)),)
        )

    return fact


def startup_safe(subject: Subject) -> Fact:
    """Whether the target's container is sure to have started before its probe gives up, whatever the clock's phase."""
    found = _probed(subject, "startupProbe", "livenessProbe")
    if found is None:
        return Fact(None, "")
    pod, row, probe = found
    needs = behaviour(pod.metadata.annotations, row.name).startup
    outcome = outcome_of_start(needs, probe)
    return Fact(outcome == SAFE, "", None, (("needs", _seconds(needs)), ("outcome", outcome), ("container", row.name)))


def time_to_detect(subject: Subject) -> Fact:
    """From the fault to the first liveness probe that has failed for good."""
    step = first(subject.walk, lambda row: row.step.moment == "liveness-failed")
    found = _probed(subject, "livenessProbe")
    least, most = _bounds(time_to_fail(found[2])) if found else (None, None)
    if step is None:
        return Fact(None, "s", more=(("fault", "none"),), least=least, most=most)
    fault = _fault(subject.walk, step, LIVENESS)
    more = (("fault", _seconds(fault)),)
    return Fact((step.step.at - fault) / 1000, "s", step.n, more, least=least, most=most)


def out_of_rotation(subject: Subject) -> Fact:
    """The longest time that a pod which had been ready, and was not being deleted, was not ready.

    Beside it: how long after the fault it came, and between which bounds readiness turns either way.
    """
    spans = list(_unready(subject.walk))
    found = _probed(subject, "readinessProbe")
    bounds = (*_words(time_to_fail(found[2]), "out"), *_words(time_to_pass(found[2]), "back")) if found else ()
    if not spans:
        return Fact(0.0, "s", None, (("pods", "0"), ("from", "never"), ("after", "never"), *bounds))
    row, until = max(spans, key=lambda span: span[1] - span[0].step.at)
    failed = first(subject.walk, lambda row: row.step.moment == "readiness-failed")
    after = None if failed is None else failed.step.at - _fault(subject.walk, failed, READINESS)
    more = (
        ("pods", str(len({span[0].step.object for span in spans}))),
        ("from", at(min((span[0] for span in spans), key=_when))),
        ("after", "never" if after is None else _seconds(after)),
    )
    return Fact((until - row.step.at) / 1000, "s", row.n or None, (*more, *bounds))


def _when(row: Record) -> int:
    return row.step.at


def _unready(walk: Walk) -> Iterator[tuple[Record, int]]:
    """Each turn of a pod from ready to not ready, with the instant at which it was ready again, deleted, or the end."""
    out: dict[str, Record] = {}
    for row in walk.records:
        for commit in row.step.commits:
            before, after = commit.before, commit.after
            if not isinstance(before, Pod):
                continue
            uid = before.metadata.uid
            gone = not isinstance(after, Pod) or after.terminating or after.finished
            if uid in out and (gone or (isinstance(after, Pod) and after.ready)):
                yield out.pop(uid), row.step.at
            elif before.ready and not gone and isinstance(after, Pod) and not after.ready:
                out[uid] = row
    for row in out.values():
        yield row, walk.world.now


def service_empty(subject: Subject) -> Fact:
    """For how long a Service that had ready endpoints had none."""
    total, since = 0, dict[Ref, int]()
    began: Record | None = None
    for row in subject.walk.records:
        for commit in row.step.commits:
            if not isinstance(commit.before, EndpointSlice):
                continue
            if _ready_endpoints(commit.before) and not _ready_endpoints(commit.after):
                since[commit.ref] = row.step.at
                began = began or row
            elif commit.ref in since and _ready_endpoints(commit.after):
                total += row.step.at - since.pop(commit.ref)
    total += sum(subject.end - start for start in since.values())
    return Fact(total / 1000, "s", began.n or None if began else None, (("from", at(began)),))


def _ready_endpoints(piece: object) -> bool:
    return isinstance(piece, EndpointSlice) and any(row.conditions.ready is not False for row in piece.endpoints)


def _fault(walk: Walk, failed: Record, kind: str) -> int:
    """When the container that failed a probe for good had begun to answer badly: what last changed before it showed."""
    showed = _showed(walk, failed)
    done = (row.step.at for row in walk.records if _is_fault(row, failed.step.object))
    return max((instant for instant in (*done, *_turns(failed, kind)) if instant <= showed), default=showed)


def _is_fault(row: Record, pod: Ref) -> bool:
    """Whether somebody changed how that pod's programs answer."""
    moment = row.step.moment
    return moment == "dependency-down" or (moment == "you-set" and row.step.object == pod)


def _showed(walk: Walk, failed: Record) -> int:
    """The first of the failures in a row that have counted."""
    since: int | None = None
    for row in walk.records:
        step = row.step
        if (step.verb, step.object, step.reason) == ("probe", failed.step.object, failed.step.reason):
            since = None if step.outcome == "success" else step.at if since is None else since
        if row is failed:
            break
    return failed.step.at if since is None else since


def _turns(failed: Record, kind: str) -> Iterator[int]:
    """The start of the container, and when after it its annotations have it answer otherwise."""
    host = failed.step.world.hosts[failed.step.node]
    name = failed.step.reason.rpartition(" ")[2]
    for uid in host.uids.get(failed.step.object, ()):
        pod = host.pods[uid]
        run = pod.container(name)
        if run is not None and run.started is not None:
            app = behaviour(pod.pod.metadata.annotations, name)
            yield run.started
            rules = [rule for rule in app.health if rule_for(app.health, rule.target, kind) == rule]
            yield from (run.started + point for rule in rules for point in turning_points(rule))


def _probed(subject: Subject, *fields: str) -> tuple[PodTemplateSpec, Container, Probe] | None:
    """The first container of the target that has such a probe, earlier kinds first."""
    held = subject.walk.start.etcd.get(subject.target) or subject.walk.world.etcd.get(subject.target)
    if held is None or not isinstance(held.object, WORKLOADS):
        return None
    pod = template(held.object)
    rows = [(row, getattr(row, field)) for field in fields for row in (*pod.spec.containers, *pod.spec.initContainers)]
    return next(((pod, row, probe) for row, probe in rows if probe is not None), None)


def _bounds(found: Range) -> tuple[float, float]:
    return found.least / 1000, found.most / 1000


def _words(found: Range, way: str) -> tuple[tuple[str, str], ...]:
    return ((way, f"{found.least / 1000:g} to {found.most / 1000:g} s"),)


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:g} s"


PROBE_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "pods-restarted": pods_restarted,
    "restart-window": restart_window,
    "liveness-kills": _counted("liveness-kill"),
    "startup-kills": _counted("startup-kill"),
    "startup-safe": startup_safe,
    "time-to-detect": time_to_detect,
    "out-of-rotation": out_of_rotation,
    "service-empty": service_empty,
}
