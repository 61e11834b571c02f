"""How the kubelet gets an image: its policy, its pull secrets, the pull itself, and the back-off after one that failed.

As EnsureImageExists in pkg/kubelet/images/image_manager.go. Not modelled: images pulled with credentials that another
pod lacks, the limit on pulls per second, and the sizes of images.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.kube import images
from app.kube.ages import go_duration
from app.kube.backoff import IMAGE_PULL, waits_until
from app.kube.config import Secret
from app.kube.meta import Ref
from app.kube.pods import Container
from app.loops.host_pods import with_next_pull
from app.loops.kubelet.backoff import grown, image_error, retry
from app.loops.kubelet.case import NO_RUNTIME, NORMAL, WARNING, Case, event, with_crash
from app.sim.acts import Act, Event
from app.sim.host import Crash, Pull, Worker


def ensured(case: Case, crash: Crash, spec: Container, before: tuple[Event, ...]) -> Act | Event:
    """What comes next to get the image, or the event that tells of its being there."""
    if not _service_answers(case):
        return _not_inspected(case, crash, before)
    if images.parsed(spec.image) is None:
        return _invalid(case, crash, spec, before)
    present = spec.image in case.turn.host.images
    if spec.imagePullPolicy == "Never" and not present:
        return _never(case, crash, spec, before)
    if spec.imagePullPolicy == "Always" or not present:
        return _held(case, crash, spec, before) if _is_held(case, crash) else _pull(case, spec, before)
    text = f'Container image "{spec.image}" already present on machine'
    told = " and can be accessed by the pod" if case.release.access_told else ""
    return case.says(spec.name, NORMAL, "Pulled", f"{text}{told}")


def ended(case: Case, pull: Pull) -> Act | Event:
    """What follows from a pull that is over: the event that goes on with the start, or the note of its failure."""
    if pull.error:
        return _failed(case, pull)
    began = pull.since if pull.began is None else pull.began
    over = began if pull.ended is None else pull.ended
    took, waited = go_duration(over - began), go_duration(over - pull.since)
    text = f'Successfully pulled image "{pull.image}" in {took} ({waited} including waiting)'
    told = ". Image size: 0 bytes." if case.release.image_size else ""
    return case.says(pull.container, NORMAL, "Pulled", f"{text}{told}")


def unknown_secrets(case: Case) -> tuple[Event, ...]:
    """The complaint of every sync about pull secrets that are not there; it goes on without them."""
    absent = [row.name for row in case.spec.imagePullSecrets if _secret(case, row.name) is None]
    if not absent:
        return ()
    text = (
        f"Unable to retrieve some image pull secrets ({', '.join(absent)}); "
        "attempting to pull the image may not succeed."
    )
    return (event(WARNING, "FailedToRetrieveImagePullSecret", text),)


def _secret(case: Case, name: str) -> Secret | None:
    return case.turn.read(Secret, Ref("Secret", case.ref.namespace, name))


def _pull(case: Case, spec: Container, before: tuple[Event, ...]) -> Act:
    worker = case.dirty(seen_sandbox=case.sandbox_told)
    crash = worker.crash(spec.name)
    if crash is not None:
        worker = with_crash(worker, replace(crash, resync=None))
    known = any(_secret(case, row.name) is not None for row in case.spec.imagePullSecrets)
    act = case.act(
        "pull-image",
        worker=worker,
        pod=replace(case.pod, pull=Pull(spec.name, spec.image, case.now, credentials=known)),
        reason=spec.image,
        moment="pull-image",
        to=case.runtime,
        events=(*before, case.says(spec.name, NORMAL, "Pulling", f'Pulling image "{spec.image}"')),
    )
    return act if act.host is None else replace(act, host=with_next_pull(act.host, case.now))


def _failed(case: Case, pull: Pull) -> Act:
    message = image_error(pull.image, pull.error)
    crash = grown(case.worker.crash(pull.container), pull.container, case.now, case.now, IMAGE_PULL)
    crash = replace(crash, failing="ErrImagePull", message=message, resync=retry(case))
    return case.act(
        "note-pull",
        worker=remembering(case, crash),
        pod=replace(case.pod, pull=None),
        reason="ErrImagePull",
        moment="image-pull-error",
        outcome=pull.error,
        events=(
            case.says(pull.container, WARNING, "Failed", f'Failed to pull image "{pull.image}": {message}'),
            case.says(pull.container, WARNING, "Failed", "Error: ErrImagePull"),
        ),
    )


def _is_held(case: Case, crash: Crash) -> bool:
    """The back-off of a pull counts from the last one that failed."""
    if crash.entry is None or crash.failing not in ("ErrImagePull", "ImagePullBackOff"):
        return False
    return waits_until(crash.entry, crash.entry.since, IMAGE_PULL) > case.now


def _held(case: Case, crash: Crash, spec: Container, before: tuple[Event, ...]) -> Act:
    text = f'Back-off pulling image "{spec.image}"'
    error = crash.message if crash.failing == "ErrImagePull" else crash.message.partition("ErrImagePull: ")[2]
    message = f"{text}: ErrImagePull: {error}" if case.release.pull_error_kept else text
    crash = replace(crash, failing="ImagePullBackOff", message=message, resync=retry(case))
    events = (*before, case.says(spec.name, NORMAL, "BackOff", text), _error(case, crash))
    return _backing_off(case, crash, "image-back-off", events)


def _never(case: Case, crash: Crash, spec: Container, before: tuple[Event, ...]) -> Act:
    text = f'Container image "{spec.image}" is not present with pull policy of Never'
    crash = replace(crash, failing="ErrImageNeverPull", message=text, resync=retry(case))
    told = (case.says(spec.name, WARNING, "ErrImageNeverPull", text), _error(case, crash))
    return _backing_off(case, crash, "image-pull-error", (*before, *told))


def _service_answers(case: Case) -> bool:
    """The runtime's image service is a connection of its own, which comes back a little later."""
    host = case.turn.host
    if host.runtime_down is not None or host.runtime_since is None:
        return host.runtime_down is None
    return case.now >= host.runtime_since + case.turn.lag("image-service-start").usual


def _not_inspected(case: Case, crash: Crash, before: tuple[Event, ...]) -> Act:
    text = f'Failed to inspect image "": {NO_RUNTIME}'
    crash = replace(crash, failing="ImageInspectError", message=text, resync=retry(case))
    told = (case.says(crash.container, WARNING, "InspectFailed", text), _error(case, crash))
    return _backing_off(case, crash, "image-inspect-error", (*before, *told))


def _invalid(case: Case, crash: Crash, spec: Container, before: tuple[Event, ...]) -> Act:
    text = f'Failed to apply default image tag "{spec.image}": {images.fault(spec.image)}'
    crash = replace(crash, failing="InvalidImageName", message=text, resync=retry(case))
    told = (case.says(spec.name, WARNING, "InspectFailed", text), _error(case, crash))
    return _backing_off(case, crash, "invalid-image-name", (*before, *told))


def _error(case: Case, crash: Crash) -> Event:
    return case.says(crash.container, WARNING, "Failed", f"Error: {crash.failing}")


def _backing_off(case: Case, crash: Crash, moment: str, events: tuple[Event, ...]) -> Act:
    return case.act("back-off", worker=remembering(case, crash), reason=crash.failing, moment=moment, events=events)


def remembering(case: Case, crash: Crash) -> Worker:
    """The worker with what it could not do; its sandbox is up, or nothing would have been tried."""
    naps = case.worker.naps + (crash.resync is not None)
    return with_crash(case.dirty(seen_sandbox=case.pod.sandbox, naps=naps), crash)


__all__ = ["ended", "ensured", "remembering", "unknown_secrets"]
