"""One sync of a pod that is to run: sandbox, then containers in order, then a look at what came of it.

As SyncPod in pkg/kubelet/kubelet.go and kuberuntime. Not modelled: cgroups.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube import grace
from app.kube.grace import container_grace
from app.kube.pods import Probe
from app.kube.probes import LIVENESS, STARTUP
from app.loops.host_pods import START_ERROR, container_spec
from app.loops.kubelet import hooks
from app.loops.kubelet.actions import Actions, actions
from app.loops.kubelet.backoff import resync
from app.loops.kubelet.case import (
    NORMAL,
    Case,
    has_started,
    is_ready,
    next_relist,
)
from app.loops.kubelet.ending import ended, ending, whole
from app.loops.kubelet.killing import killing, unfinished
from app.loops.kubelet.sandboxes import changed, making
from app.loops.kubelet.starting import not_started, started_event, starting
from app.loops.kubelet.terminating import begin
from app.sim.acts import Act, Event
from app.sim.agenda import Due
from app.sim.host import ContainerRun, Kill
from app.sim.lags import Bounds


def syncing(case: Case) -> Iterator[Act | Due]:
    """What comes next for a pod that is to run."""
    match case.pod.sandbox:
        case "none" | "failed":
            yield from making(case)
        case "ready":
            yield from _containers(case)
        case "stopped":
            yield from ended(case)
        case "dead":
            over = actions(case).finished
            yield begin(case, "SandboxChanged") if over else changed(case)


def _containers(case: Case) -> Iterator[Act | Due]:
    if unfinished(case):
        yield from killing(case)
        return
    yield from _relists(case)
    wanted = actions(case)
    started = [run for run in case.pod.containers if _is_new(case, run)]
    if wanted.finished and not started and whole(case):
        yield from ending(case)
        return
    if wanted.kill:
        yield _kill(case, *wanted.kill[0])
    yield from _starts(case, wanted, started)


def _starts(case: Case, wanted: Actions, started: list[ContainerRun]) -> Iterator[Act | Due]:
    """One container after the other; when none is left, a relist shows them all."""
    if any(run.state == "created" for run in case.pod.containers):
        return
    before: tuple[Event, ...] = ()
    last = max(started, key=_made, default=None)
    if last is not None:
        if case.worker.told is None or case.worker.told < last.created:
            case = replace(case, worker=replace(case.worker, told=last.created))
            if last.reason == START_ERROR:
                yield not_started(case, last)
                return
            before = (started_event(case, last),)
        if hooks.awaited(case, last):
            yield from hooks.hooking(case, last, before)
            return
    names = [run.name for run in started]
    for name in wanted.start:
        if name in names:
            continue
        option = starting(case, name, before)
        if option is None:
            return
        yield option
    if started or case.worker.kills:
        yield _shown(case, wanted, started, before)


def _made(run: ContainerRun) -> int:
    return run.created


def _shown(case: Case, wanted: Actions, started: list[ContainerRun], before: tuple[Event, ...]) -> Act | Due:
    """The relist on demand after a sync that has done something; after one that failed, the next of every second.

    Before there were relists on demand, that of every second found all.
    """
    over = [run.finished or 0 for run in started if run.reason == START_ERROR or hooks.failed(case, run)]
    over += [run.finished or 0 for run in case.pod.containers if run.name in wanted.start and _is_held(case, run)]
    if not case.release.relists_on_demand:
        over += [run.created for run in started]
        over += [run.finished or 0 for run in case.pod.containers if run.stop is not None and run.state == "exited"]
    if not over:
        return _relist_started(case, started, before)
    tick = next_relist(max(over), case.turn.host.relist_phase)
    return Due(Bounds.at(tick), lambda: _relist(case) if not started else _relist_started(case, started, before))


def _is_held(case: Case, run: ContainerRun) -> bool:
    """Whether the kubelet has ended the container and would not start it yet."""
    crash = case.worker.crash(run.name)
    return run.stop is not None and run.state == "exited" and crash is not None and crash.resync is not None


def _relist_started(case: Case, started: list[ContainerRun], before: tuple[Event, ...]) -> Act:
    return case.act(
        "relist",
        worker=case.relisted(kills=(), seen_sandbox=case.pod.sandbox),
        reason="OnDemand" if case.release.relists_on_demand else "ContainerStarted",
        moment="container-start-seen" if started else "",
        events=before,
        background=True,
    )


def _is_new(case: Case, run: ContainerRun) -> bool:
    """Whether the container was started after the last look at the runtime."""
    seen = case.worker.run(run.name)
    return seen is None or run.attempt > seen.attempt


def _relists(case: Case) -> Iterator[Due]:
    """PLEG's relist of every second: it finds containers that ended by themselves, and starts of the second before.

    Of the syncs that come by themselves every 60 to 90 s only those that probe something are told of.
    """
    phase = case.turn.host.relist_phase
    for run in case.pod.containers:
        seen = case.worker.run(run.name)
        if seen is None or seen.attempt != run.attempt:
            continue
        if seen.state != "exited" and run.state == "exited" and run.stop is None:
            tick = next_relist(run.finished or 0, phase)
            yield Due(Bounds.at(tick), lambda: _relist(case))
        row = container_spec(case.pod, run.name)
        if seen.started is None or not has_started(case.worker, seen, row) or is_ready(case.worker, seen, row):
            continue
        tick = next_relist(seen.started, phase)
        if tick > case.worker.synced:
            yield Due(Bounds.at(tick), lambda: _look_again(case, "ContainerStarted"))
        yield Due(resync(case), lambda: _look_again(case, "Resync"))


def _relist(case: Case) -> Act:
    """An end that the kubelet learns of is a sync at once, also for what was to be looked at later."""
    worker = case.relisted(kills=())
    worker = replace(worker, crashes=tuple(replace(row, resync=None) for row in worker.crashes))
    return case.act("relist", worker=worker, reason="ContainerDied", moment="container-exit-seen")


def _look_again(case: Case, why: str) -> Act:
    """A sync that finds nothing new is still a pass, and a pass probes what is not ready."""
    return case.act("relist", worker=case.passed(), reason=why, background=True)


def _kill(case: Case, name: str, probe: str) -> Act:
    """A container that failed its liveness or startup probe; it is started again within the same sync."""
    row = container_spec(case.pod, name)
    seconds = container_grace(
        case.spec.terminationGracePeriodSeconds, _grace(row.livenessProbe), _grace(row.startupProbe), probe
    )
    word = LIVENESS if probe == grace.LIVENESS else STARTUP
    if row in case.spec.initContainers:
        text = f"Init container {name} failed {word} probe"
    else:
        policy = row.restartPolicy or case.spec.restartPolicy
        text = f"Container {name} failed {word} probe" + (", will be restarted" if policy != "Never" else "")
    attempt = next(run.attempt for run in case.worker.seen if run.name == name)
    kill = Kill(name, attempt, case.now, seconds, probe)
    return case.act(
        "kill-container",
        worker=replace(case.worker, kills=(*case.worker.kills, kill)),
        reason=f"{word} probe failed",
        moment=f"{word}-kill",
        outcome=f"grace {seconds} s",
        events=(case.says(name, NORMAL, "Killing", text),),
    )


def _grace(probe: Probe | None) -> int | None:
    return probe.terminationGracePeriodSeconds if probe is not None else None
