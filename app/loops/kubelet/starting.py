"""How the kubelet starts one container: the crash back-off, its image, then the runtime's create and start.

Not modelled: postStart hooks, pull secrets, the queue of image pulls, and failures to create or start a container.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.backoff import (
    CRASH_LOOP,
    IMAGE_PULL,
    Entry,
    crash_loop_event,
    crash_loop_message,
    full_name,
    waits_until,
)
from app.kube.pods import Container
from app.loops.host_pods import container_spec, role_of, with_run
from app.loops.kubelet.backoff import grown, image_error, next_look, retry
from app.loops.kubelet.case import NORMAL, WARNING, Case, event, with_crash
from app.sim.acts import Act, Event
from app.sim.agenda import Due
from app.sim.host import ContainerRun, Crash, Pull, Worker

STARTED = event(NORMAL, "Started", "Container started")
CREATED = event(NORMAL, "Created", "Container created")


def starting(case: Case, name: str, before: tuple[Event, ...]) -> Act | Due | None:
    """The next step towards a running container; `before` tells of the one that was started just now."""
    pull = case.pod.pull
    if pull is not None and pull.container == name:
        if pull.ended is None:
            return None
        return _pull_failed(case, pull) if pull.error else _create(case, name, (), _pulled(pull))
    crash = case.worker.crash(name)
    if crash is not None and crash.resync is not None:
        again = replace(case, worker=case.passed())
        return Due(crash.resync, lambda: _attempt(again, name, before))
    return _attempt(case, name, before)


def _attempt(case: Case, name: str, before: tuple[Event, ...]) -> Act:
    crash = case.worker.crash(name) or Crash(name)
    ended = _ended(case, name)
    if ended is not None and crash.entry is not None and waits_until(crash.entry, ended, CRASH_LOOP) > case.now:
        return _back_off(case, crash, crash.entry, ended)
    spec = container_spec(case.pod, name)
    present = spec.image in case.turn.host.images
    if spec.imagePullPolicy == "Never" and not present:
        return _never_pulled(case, name, spec)
    if spec.imagePullPolicy == "Always" or not present:
        return _pull_held(case, crash, spec) if _pull_is_held(case, crash) else _pull(case, name, spec, before)
    text = f'Container image "{spec.image}" already present on machine and can be accessed by the pod'
    return _create(case, name, before, event(NORMAL, "Pulled", text))


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


def _back_off(case: Case, crash: Crash, entry: Entry, ended: int) -> Act:
    meta = case.pod.pod.metadata
    pod = full_name(meta.name, meta.namespace, case.uid)
    crash = replace(
        crash,
        failing="CrashLoopBackOff",
        message=crash_loop_message(entry.delay, crash.container, pod),
        resync=next_look(case.now, ended + entry.delay),
    )
    return case.act(
        "back-off",
        worker=_remembering(case, crash),
        reason="CrashLoopBackOff",
        moment="crash-back-off",
        outcome=f"{entry.delay // 1000} s",
        events=(event(WARNING, "BackOff", crash_loop_event(crash.container, pod)),),
    )


def _create(case: Case, name: str, before: tuple[Event, ...], pulled: Event) -> Act:
    """CreateContainer and StartContainer; what failed before is forgotten, the back-off for the next time grows."""
    last, ended = case.pod.container(name), _ended(case, name)
    run = ContainerRun(
        name,
        role_of(case.pod, name),
        attempt=0 if last is None else last.attempt + 1,
        created=case.now,
        last=None if last is None else replace(last, last=None),
    )
    crash = case.worker.crash(name)
    if ended is not None:
        crash = grown(crash, name, ended, case.now, CRASH_LOOP)
    worker = case.dirty(seen_sandbox=case.pod.sandbox)
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
        events=(*before, pulled, CREATED),
    )


def _pull(case: Case, name: str, spec: Container, before: tuple[Event, ...]) -> Act:
    worker = case.dirty(seen_sandbox=case.pod.sandbox)
    crash = worker.crash(name)
    if crash is not None:
        worker = with_crash(worker, replace(crash, resync=None))
    return case.act(
        "pull-image",
        worker=worker,
        pod=replace(case.pod, pull=Pull(name, spec.image, case.now)),
        reason=spec.image,
        moment="pull-image",
        to=case.runtime,
        events=(*before, event(NORMAL, "Pulling", f'Pulling image "{spec.image}"')),
    )


def _pulled(pull: Pull) -> Event:
    """The kubelet prints Go durations cut to milliseconds; sizes of images are not modelled."""
    took = ((pull.ended or 0) - pull.since) / 1000
    text = "0s" if not took else f"{round(took * 1000)}ms" if took < 1 else f"{took:g}s"
    return event(
        NORMAL,
        "Pulled",
        f'Successfully pulled image "{pull.image}" in {text} ({text} including waiting). Image size: 0 bytes.',
    )


def _pull_failed(case: Case, pull: Pull) -> Act:
    message = image_error(pull.image, pull.error)
    crash = grown(case.worker.crash(pull.container), pull.container, case.now, case.now, IMAGE_PULL)
    crash = replace(crash, failing="ErrImagePull", message=message, resync=retry(case))
    return case.act(
        "note-pull",
        worker=_remembering(case, crash),
        pod=replace(case.pod, pull=None),
        reason="ErrImagePull",
        moment="image-pull-error",
        outcome=pull.error,
        events=(
            event(WARNING, "Failed", f'Failed to pull image "{pull.image}": {message}'),
            event(WARNING, "Failed", "Error: ErrImagePull"),
        ),
    )


def _pull_is_held(case: Case, crash: Crash) -> bool:
    """The back-off of a pull counts from the last one that failed."""
    if crash.entry is None or crash.failing not in ("ErrImagePull", "ImagePullBackOff"):
        return False
    return waits_until(crash.entry, crash.entry.since, IMAGE_PULL) > case.now


def _pull_held(case: Case, crash: Crash, spec: Container) -> Act:
    text = f'Back-off pulling image "{spec.image}"'
    error = crash.message if crash.failing == "ErrImagePull" else crash.message.partition("ErrImagePull: ")[2]
    crash = replace(crash, failing="ImagePullBackOff", message=f"{text}: ErrImagePull: {error}", resync=retry(case))
    return case.act(
        "back-off",
        worker=_remembering(case, crash),
        reason="ImagePullBackOff",
        moment="image-back-off",
        events=(event(NORMAL, "BackOff", text), event(WARNING, "Failed", "Error: ImagePullBackOff")),
    )


def _never_pulled(case: Case, name: str, spec: Container) -> Act:
    message = f'Container image "{spec.image}" is not present with pull policy of Never'
    crash = case.worker.crash(name) or Crash(name)
    crash = replace(crash, failing="ErrImageNeverPull", message=message, resync=retry(case))
    return case.act(
        "back-off",
        worker=_remembering(case, crash),
        reason="ErrImageNeverPull",
        moment="image-pull-error",
        events=(
            event(WARNING, "ErrImageNeverPull", message),
            event(WARNING, "Failed", "Error: ErrImageNeverPull"),
        ),
    )


def _remembering(case: Case, crash: Crash) -> Worker:
    return with_crash(case.dirty(seen_sandbox=case.pod.sandbox), crash)
