"""How the kubelet ends one container: preStop hook, a turn in the order, StopContainer, all from one budget.

As killContainer in pkg/kubelet/kuberuntime/kuberuntime_container.go; several containers are ended side by side.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube.behaviour import hook
from app.kube.grace import may_signal, prestop_limit, stop_timeout
from app.kube.pods import LifecycleHandler
from app.loops.host_pods import behaviour_of, container_spec, with_run
from app.loops.kubelet.case import WARNING, Case, with_kill
from app.sim.acts import Act, Event
from app.sim.agenda import Due
from app.sim.host import ContainerRun, Kill, Stop
from app.sim.lags import Bounds


def _failed_hook(case: Case, kill: Kill) -> tuple[Event, ...]:
    return (case.says(kill.container, WARNING, "FailedPreStopHook", "PreStopHook failed"),)


def unfinished(case: Case) -> list[Kill]:
    """Kills that still have something to do or to wait for."""
    return [kill for kill in case.worker.kills if not _ended(case, kill) or _unreported(case, kill)]


def killing(case: Case) -> Iterator[Act | Due]:
    """What comes next for each container that is being ended."""
    for kill in unfinished(case):
        run = case.pod.container(kill.container)
        if run is None:
            continue
        handler = _handler(case, kill)
        if _ended(case, kill):
            yield _report(case, kill)
        elif run.stop is not None:
            continue
        elif handler is not None and kill.grace > 0 and not kill.hook:
            yield _run_hook(case, kill)
        elif handler is not None and kill.hook == "running":
            yield _hook_ends(case, kill, run, handler)
        else:
            yield _in_turn(case, kill, run)


def _handler(case: Case, kill: Kill) -> LifecycleHandler | None:
    lifecycle = container_spec(case.pod, kill.container).lifecycle
    return lifecycle.preStop if lifecycle is not None else None


def _ended(case: Case, kill: Kill) -> bool:
    """Whether its StopContainer call has come back."""
    run = case.pod.container(kill.container)
    if run is None or run.attempt > kill.attempt:
        return True
    return run.state == "exited" and run.stop is not None


def _unreported(case: Case, kill: Kill) -> bool:
    """A hook that was cut goes on, and fails when its container dies; a sleep ends without a word."""
    handler = _handler(case, kill)
    return kill.hook == "cut" and not kill.reported and handler is not None and handler.sleep is None


def _run_hook(case: Case, kill: Kill) -> Act:
    worker = with_kill(case.worker, replace(kill, hook="running"))
    return case.act("run-hook", worker=worker, reason="PreStop", moment="prestop-started", to=case.process)


def _hook_ends(case: Case, kill: Kill, run: ContainerRun, handler: LifecycleHandler) -> Act | Due:
    ends = hook(behaviour_of(case.pod, kill.container).pre_stop, handler)
    if ends.outcome == "fails" or (run.state == "exited" and handler.sleep is None):
        return _hook_ended(case, kill, "failed", _failed_hook(case, kill))
    limit = prestop_limit(kill.grace)
    if ends.outcome == "returns" and ends.after <= limit:
        return Due(Bounds.at(kill.since + ends.after), lambda: _hook_ended(case, kill, "done"))
    return Due(Bounds.at(kill.since + limit), lambda: _hook_ended(case, kill, "cut"))


def _hook_ended(case: Case, kill: Kill, how: str, events: tuple[Event, ...] = ()) -> Act:
    worker = with_kill(case.worker, replace(kill, hook=how, hook_ended=case.now))
    moment = f"prestop-{how}"
    return case.act("end-hook", worker=worker, reason="PreStop", moment=moment, outcome=how, events=events)


def _report(case: Case, kill: Kill) -> Act:
    worker = with_kill(case.worker, replace(kill, reported=True))
    return case.act(
        "report-hook",
        worker=worker,
        reason="PreStop",
        moment="prestop-failed",
        outcome="failed",
        events=_failed_hook(case, kill),
    )


def _in_turn(case: Case, kill: Kill, run: ContainerRun) -> Act | Due:
    """StopContainer, at once or when the order lets a sidecar; at the latest when the budget is used up."""
    since = kill.since if kill.hook_ended is None else kill.hook_ended
    used = since - kill.since
    if kill.reason or may_signal(kill.container, case.spec, _running(case), _absent(case)):
        return _stop(case, kill, run, used, case.now - since)
    limit = since + (kill.grace - used // 1000) * 1000
    return Due(Bounds.at(limit), lambda: _stop(case, kill, run, used, case.now - since))


def _running(case: Case) -> set[str]:
    return {kill.container for kill in case.worker.kills if not _ended(case, kill)}


def _absent(case: Case) -> set[str]:
    """Sidecars that did not run when the kill began."""
    killed = {kill.container for kill in case.worker.kills}
    return {row.name for row in case.spec.initContainers if row.sidecar and row.name not in killed}


def _stop(case: Case, kill: Kill, run: ContainerRun, used: int, waited: int) -> Act:
    timeout = stop_timeout(kill.grace, used, waited)
    pod = with_run(case.pod, replace(run, stop=Stop(asked=case.now, timeout=timeout * 1000)))
    return case.act("stop-container", pod=pod, reason=f"timeout {timeout} s", moment="stop-container", to=case.runtime)
