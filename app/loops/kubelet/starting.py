"""How the kubelet starts one container: the crash back-off, its image, its environment, the runtime's create and start.

Not modelled: what else can be wrong with a container's configuration than a missing ConfigMap, Secret or key.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.backoff import CRASH_LOOP, Entry, crash_loop_event, crash_loop_message, waits_until
from app.kube.config import ConfigMap, Secret
from app.kube.environment import missing
from app.kube.meta import Ref
from app.loops.host_pods import container_spec, role_of, with_run
from app.loops.kubelet import pulling
from app.loops.kubelet.backoff import grown, next_look, retry
from app.loops.kubelet.case import NORMAL, WARNING, Case, pod_name, with_crash
from app.loops.kubelet.pulling import remembering
from app.sim.acts import Act, Event
from app.sim.agenda import Due
from app.sim.host import ContainerRun, Crash


def started_event(case: Case, run: ContainerRun) -> Event:
    text = "Container started" if case.release.container_unnamed else f"Started container {run.name}"
    return case.says(run.name, NORMAL, "Started", text)


def starting(case: Case, name: str, before: tuple[Event, ...]) -> Act | Due | None:
    """The next step towards a running container; `before` tells of the one that was started just now."""
    pull = case.pod.pull
    if pull is not None and pull.container == name:
        if pull.ended is None:
            return None
        found = pulling.ended(case, pull)
        return found if isinstance(found, Act) else _with_image(case, name, (found,))
    crash = case.worker.crash(name)
    if crash is not None and crash.resync is not None:
        again = replace(case, worker=case.passed())
        complaint = pulling.unknown_secrets(case)
        return Due(crash.resync, lambda: _attempt(again, name, (*before, *complaint)))
    return _attempt(case, name, before)


def _attempt(case: Case, name: str, before: tuple[Event, ...]) -> Act:
    crash = case.worker.crash(name) or Crash(name)
    ended = _ended(case, name)
    if ended is not None and crash.entry is not None and waits_until(crash.entry, ended, CRASH_LOOP) > case.now:
        return _back_off(case, crash, crash.entry, ended, before)
    found = pulling.ensured(case, crash, container_spec(case.pod, name), before)
    return found if isinstance(found, Act) else _with_image(case, name, (*before, found))


def _with_image(case: Case, name: str, before: tuple[Event, ...]) -> Act:
    fault = missing(container_spec(case.pod, name), case.ref.namespace, lambda ref: _keys(case, ref))
    return _misconfigured(case, name, fault, before) if fault else _create(case, name, before)


def _keys(case: Case, ref: Ref) -> frozenset[str] | None:
    found = case.turn.get(ref)
    return found.keys if isinstance(found, ConfigMap | Secret) else None


def _ended(case: Case, name: str) -> int | None:
    """The end of the run that the back-off counts from.

    A container that was killed within this sync is not looked at, only the run before it (doBackOff).
    """
    real, seen = case.pod.container(name), case.worker.run(name)
    if real is None:
        return None
    if seen is not None and seen.state == "running":
        return real.last.finished if real.last is not None else None
    return real.finished


def _back_off(case: Case, crash: Crash, entry: Entry, ended: int, before: tuple[Event, ...]) -> Act:
    pod = pod_name(case)
    crash = replace(
        crash,
        failing="CrashLoopBackOff",
        message=crash_loop_message(entry.delay, crash.container, pod),
        resync=next_look(case, ended + entry.delay),
    )
    return case.act(
        "back-off",
        worker=remembering(case, crash),
        reason="CrashLoopBackOff",
        moment="crash-back-off",
        outcome=f"{entry.delay // 1000} s",
        events=(*before, case.says(crash.container, WARNING, "BackOff", crash_loop_event(crash.container, pod))),
    )


def _misconfigured(case: Case, name: str, fault: str, before: tuple[Event, ...]) -> Act:
    """Its environment needs something that is not there; the kubelet looks for it again with the next sync."""
    crash = case.worker.crash(name) or Crash(name)
    crash = replace(crash, failing="CreateContainerConfigError", message=fault, resync=retry(case))
    return case.act(
        "back-off",
        worker=remembering(case, crash),
        pod=replace(case.pod, pull=None),
        reason="CreateContainerConfigError",
        moment="container-config-error",
        outcome=fault,
        events=(*before, case.says(name, WARNING, "Failed", f"Error: {fault}")),
    )


def _create(case: Case, name: str, before: tuple[Event, ...]) -> Act:
    """CreateContainer and StartContainer; what failed before is forgotten, the back-off for the next time grows."""
    last, ended = case.pod.container(name) or _vanished(case, name), _ended(case, name)
    run = ContainerRun(
        name,
        role_of(case.pod, name),
        sandbox=case.pod.sandbox_attempt,
        attempt=0 if last is None else last.attempt + 1,
        created=case.now,
        last=None if last is None else replace(last, last=None),
    )
    crash = case.worker.crash(name)
    if ended is not None:
        crash = grown(crash, name, ended, case.now, CRASH_LOOP)
    worker = case.dirty(seen_sandbox=case.sandbox_told)
    if crash is not None:
        # A pull's back-off is of no use to the container that now starts.
        entry = crash.entry if last is not None else None
        worker = with_crash(worker, replace(crash, entry=entry, failing="", message="", resync=None))
    return case.act(
        "start-container",
        worker=worker,
        pod=replace(with_run(case.pod, run), pull=None),
        reason=name if run.attempt == 0 else f"{name}, restart {run.attempt}",
        moment="start-container",
        to=case.runtime,
        events=(*before, case.says(name, NORMAL, "Created", _created(case, name))),
    )


def _created(case: Case, name: str) -> str:
    if case.release.container_unnamed:
        return "Container created"
    return f"Created container: {name}" if case.release.created_colon else f"Created container {name}"


def _vanished(case: Case, name: str) -> ContainerRun | None:
    """The container that the runtime has lost, as the API object tells of it: its count goes on."""
    rows = case.api.status.containerStatuses if case.api is not None else ()
    known = next((row for row in rows if row.name == name), None)
    ended = known.lastState.terminated if known is not None else None
    if known is None or ended is None or not known.restartCount:
        return None
    return ContainerRun(
        name,
        role_of(case.pod, name),
        attempt=known.restartCount - 1,
        state="exited",
        started=ended.startedAt,
        finished=ended.finishedAt,
        exit_code=ended.exitCode,
        reason=ended.reason,
    )


def not_started(case: Case, run: ContainerRun) -> Act:
    """The runtime has made the container, and could not start the program in it."""
    crash = case.worker.crash(run.name) or Crash(run.name)
    crash = replace(crash, failing="RunContainerError", message=run.message)
    return case.act(
        "note-start",
        worker=remembering(case, crash),
        reason="RunContainerError",
        moment="run-container-error",
        outcome=f"exit {run.exit_code}",
        events=(case.says(run.name, WARNING, "Failed", f"Error: {run.message}"),),
    )
