"""Probe workers: one for each probe of each container; a tick that would find nothing new is left out.

As doProbe in pkg/kubelet/prober/worker.go. A worker's clock belongs to the pod; readiness is also tried out of turn,
at every pass over the status of a container that has started and is not ready, and its clock then begins anew. An
attempt that is not answered at once keeps its worker busy until it is, or until its timeout.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from app.kube import probes as rules
from app.kube.meta import Ref, whole_second
from app.kube.pods import Container, Probe
from app.kube.probes import FAILURE, READINESS, STARTUP, SUCCESS
from app.loops.host_pods import changed_pods, changed_workers, container_spec
from app.loops.kubelet.case import WARNING, Case, cases, containers, has_started, is_ready, probe_of
from app.loops.kubelet.prober import Asked, Met, changes_after, meets
from app.sim.acts import Act, Event, Wait
from app.sim.agenda import Due, decide
from app.sim.host import ContainerRun, Host, HostPod, ProbeState, Worker
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn
from app.sim.maps import ordered


class Asking(NamedTuple):
    """One probe worker that has a running container to ask."""

    case: Case
    state: ProbeState
    row: Container
    probe: Probe
    seen: ContainerRun
    real: ContainerRun

    @property
    def asked(self) -> Asked:
        return Asked(self.case.turn.host, self.case.pod, self.row, self.real, self.state.kind)


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next attempt that makes a difference."""
    if not turn.host.power:
        return None
    return decide(turn, (option for case in cases(turn) for option in _options(case)))


def _options(case: Case) -> Iterator[Act | Due]:
    for state in case.worker.probes:
        asking = _asking(case, state)
        option = _next(asking) if asking is not None else None
        if option is not None:
            yield option


def _asking(case: Case, state: ProbeState) -> Asking | None:
    """The worker with a fresh count if the container is another one; None where its ticks do nothing."""
    seen, real = case.worker.run(state.container), case.pod.container(state.container)
    if seen is None or real is None or seen.state != "running" or seen.attempt != real.attempt:
        return None
    if case.worker.stage != "sync" and not rules.goes_on_while_terminating(state.kind):
        return None
    row = container_spec(case.pod, state.container)
    probe = probe_of(row, state.kind)
    if probe is None or has_started(case.worker, seen, row) == (state.kind == STARTUP):
        return None
    if state.attempt != seen.attempt:
        state = _first(state, seen.attempt)
    return None if state.counting.on_hold else Asking(case, state, row, probe, seen, real)


def _next(asking: Asking) -> Act | Due | None:
    case, state = asking.case, asking.state
    if state.asking:
        begun = case.now if state.last_run is None else state.last_run
        met = meets(asking.asked, begun)
        return Due(Bounds.at(begun + met.takes), lambda: _attempt(asking, met, begun))
    begins = whole_second(asking.seen.started or 0) + asking.probe.initialDelaySeconds * 1000
    if _out_of_turn(asking):
        if case.now >= begins:
            return _begin(asking, base=case.now)
        state = replace(state, base=case.worker.synced)
    if state.late and case.now >= begins:
        return _begin(asking, base=state.base)
    ran = case.now if state.last_run is None else max(case.now, state.last_run + 1)
    tick = _useful(asking, state.base, _tick(state.base, max(ran, begins), asking.probe))
    return None if tick is None else Due(Bounds.at(tick), lambda: _begin(asking, base=state.base))


def _out_of_turn(asking: Asking) -> bool:
    """An attempt besides the ticks: of readiness, while the container is not ready."""
    case, state = asking.case, asking.state
    if state.kind != READINESS or is_ready(case.worker, asking.seen, asking.row):
        return False
    return state.again or case.worker.synced > state.passed


def _tick(base: int, earliest: int, probe: Probe) -> int:
    """The first tick of the worker's clock that is not earlier."""
    period = probe.periodSeconds * 1000
    return base + max(-(-(earliest - base) // period), 1) * period


def _useful(asking: Asking, base: int, tick: int) -> int | None:
    """That tick, or the first one after it that finds something new."""
    at: int | None = tick
    while at is not None and not _news(asking, at):
        change = changes_after(asking.asked, at)
        at = None if change is None else _tick(base, change, asking.probe)
    return at


def _news(asking: Asking, at: int) -> bool:
    """Whether an attempt then would be told of (every failure is) or counted."""
    counting = asking.state.counting
    return meets(asking.asked, at).ok is not True or counting.result != SUCCESS or counting.last == FAILURE


def _begin(asking: Asking, *, base: int) -> Act:
    """An attempt, answered at once or later."""
    case = asking.case
    state = replace(
        asking.state, base=base, passed=max(case.worker.synced, asking.state.passed), last_run=case.now, late=False
    )
    asking = asking._replace(state=state)
    met = meets(asking.asked, case.now)
    if not met.takes:
        return _attempt(asking, met, case.now)
    worker = _with_state(case.worker, replace(state, asking=True, again=False))
    return case.act("ask", worker=worker, reason=_about(asking), to=case.process, background=True)


def _attempt(asking: Asking, met: Met, begun: int) -> Act:
    """An attempt that was begun then is over."""
    case, kind = asking.case, asking.state.kind
    before = asking.state.counting
    after = before
    if met.ok is not None:
        after = rules.counted(before, SUCCESS if met.ok else FAILURE, kind, asking.probe)
    turned = after.result != before.result
    state = replace(
        asking.state,
        counting=after,
        asking=False,
        late=case.now > begun and _tick(asking.state.base, begun + 1, asking.probe) <= case.now,
        # Becoming unready is a pass over the status by itself; a pod that is being ended has none.
        again=turned and kind == READINESS and after.result == FAILURE and case.worker.stage == "sync",
    )
    return case.act(
        "probe",
        worker=_counted(case, state, started=turned and kind == STARTUP and after.result == SUCCESS, turned=turned),
        reason=_about(asking),
        moment=_moment(kind, after.result) if turned else "",
        to=case.process,
        outcome=_word(met),
        events=_events(asking, met),
        background=not turned,
    )


def _about(asking: Asking) -> str:
    return f"{asking.state.kind} of {asking.row.name}"


def _counted(case: Case, state: ProbeState, *, started: bool, turned: bool) -> Worker:
    """With this worker's new state; a startup that passes owes its container a first try of readiness."""
    worker = _with_state(case.dirty() if turned else case.worker, state)
    first = worker.probe(state.container, READINESS) if started else None
    return _with_state(worker, replace(_first(first, state.attempt), again=True)) if first is not None else worker


def _with_state(worker: Worker, state: ProbeState) -> Worker:
    about = (state.container, state.kind)
    return replace(worker, probes=tuple(state if (row.container, row.kind) == about else row for row in worker.probes))


def _first(state: ProbeState, attempt: int) -> ProbeState:
    """A probe worker as it meets a container that it has not asked yet; its clock goes on."""
    return ProbeState(
        state.container,
        state.kind,
        state.base,
        passed=state.passed,
        attempt=attempt,
        counting=rules.fresh(state.kind),
    )


def _moment(kind: str, result: str) -> str:
    return f"{kind}-{'passed' if result == SUCCESS else 'failed'}"


def _word(met: Met) -> str:
    return "error" if met.ok is None else "success" if met.ok else "failure"


def _events(asking: Asking, met: Met) -> tuple[Event, ...]:
    """Unhealthy, on every attempt that fails, also below the threshold."""
    if met.ok:
        return ()
    what = "errored and resulted in unknown state" if met.ok is None else "failed"
    text = f"{asking.state.kind.capitalize()} probe {what}: {met.text}"
    return (asking.case.says(asking.row.name, WARNING, "Unhealthy", text),)


def _probed(pod: HostPod) -> object:
    """What attempts depend on, if there is anything to probe."""
    if not any(probe_of(row, kind) for row in containers(pod.pod.spec) for kind in rules.BEFORE_FIRST):
        return None
    return pod.pod, tuple((run.attempt, run.state, run.closing, run.stop) for run in pod.containers)


def _asked(worker: Worker) -> object:
    """When and whether attempts are made."""
    return (worker.stage, worker.synced, worker.seen, worker.probes) if worker.probes else None


def _on_host(old: Host, new: Host) -> list[Ref]:
    if (old.broken, old.runtime_down) != (new.broken, new.runtime_down):
        return sorted({pod.ref for _, pod in ordered(new.pods) if _probed(pod) is not None})
    return sorted({*changed_workers(old, new, _asked), *changed_pods(old, new, _probed)})


LOOP = Loop(
    name="kubelet-probes",
    lane="kubelet",
    reconcile=reconcile,
    process="kubelet",
    per_node=True,
    on_host=_on_host,
)
