"""postStart hooks: run right after the start, and awaited before anything else is started in the pod.

As in startContainer, pkg/kubelet/kuberuntime/kuberuntime_container.go: a container whose hook fails is killed.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube.behaviour import hook
from app.kube.grace import container_grace
from app.kube.pods import LifecycleHandler
from app.loops.host_pods import behaviour_of, container_spec
from app.loops.kubelet.case import NORMAL, WARNING, Case, pod_name, with_crash
from app.sim.acts import Act, Event
from app.sim.agenda import Due
from app.sim.host import ContainerRun, Crash, Kill, PostStart
from app.sim.lags import Bounds

ERROR = "PostStartHookError"


def awaited(case: Case, run: ContainerRun) -> bool:
    """Whether this container, the one started last, has a hook that is not over."""
    known = _known(case, run)
    if known is None:
        return _handler(case, run) is not None and run.state == "running"
    return known.how == "running"


def failed(case: Case, run: ContainerRun) -> bool:
    """Whether the container was ended for its hook."""
    known = _known(case, run)
    return known is not None and known.how == "failed"


def hooking(case: Case, run: ContainerRun, before: tuple[Event, ...]) -> Iterator[Act | Due]:
    """What comes next of that hook; nothing at all if it never returns."""
    handler, known = _handler(case, run), _known(case, run)
    if handler is None:
        return
    if known is None:
        yield _begins(case, run, before)
        return
    ends = hook(behaviour_of(case.pod, run.name).post_start, handler)
    if ends.outcome == "fails" or (run.state == "exited" and handler.sleep is None):
        yield _fails(case, run, known, handler)
    elif ends.outcome == "returns":
        yield Due(Bounds.at(known.since + ends.after), lambda: _done(case, known))


def _handler(case: Case, run: ContainerRun) -> LifecycleHandler | None:
    lifecycle = container_spec(case.pod, run.name).lifecycle
    return lifecycle.postStart if lifecycle is not None else None


def _known(case: Case, run: ContainerRun) -> PostStart | None:
    known = case.worker.post_start
    return known if known is not None and (known.container, known.attempt) == (run.name, run.attempt) else None


def _begins(case: Case, run: ContainerRun, before: tuple[Event, ...]) -> Act:
    worker = replace(case.worker, post_start=PostStart(run.name, run.attempt, case.now))
    return case.act(
        "run-post-start", worker=worker, reason="PostStart", moment="poststart-started", to=case.process, events=before
    )


def _done(case: Case, known: PostStart) -> Act:
    worker = replace(case.worker, post_start=replace(known, how="done"))
    return case.act("end-post-start", worker=worker, reason="PostStart", moment="poststart-done", outcome="done")


def _fails(case: Case, run: ContainerRun, known: PostStart, handler: LifecycleHandler) -> Act:
    """Its container is ended with the pod's own grace, preStop hook and all."""
    crash = case.worker.crash(run.name) or Crash(run.name)
    worker = with_crash(case.worker, replace(crash, failing=ERROR, message=_error(case, run.name, handler)))
    worker = replace(worker, post_start=replace(known, how="failed"))
    if run.state == "running":
        seconds = container_grace(case.spec.terminationGracePeriodSeconds, None, None, "")
        kill = Kill(run.name, run.attempt, case.now, seconds, "postStart")
        worker = replace(worker, kills=(*worker.kills, kill))
    told = (
        case.says(run.name, WARNING, "FailedPostStartHook", "PostStartHook failed"),
        case.says(run.name, NORMAL, "Killing", "FailedPostStartHook"),
    )
    return case.act(
        "end-post-start", worker=worker, reason="PostStart", moment="poststart-failed", outcome="failed", events=told
    )


def _error(case: Case, container: str, handler: LifecycleHandler) -> str:
    where = f'for Container "{container}" in Pod "{pod_name(case)}" failed - error:'
    if handler.exec is not None:
        command = " ".join(handler.exec.command)
        return f"Exec lifecycle hook ([{command}]) {where} command '{command}' exited with 1: , message: \"\""
    path = handler.httpGet.path if handler.httpGet is not None else ""
    return f'HTTP lifecycle hook ({path}) {where} HTTP probe failed with statuscode: 500, message: ""'
