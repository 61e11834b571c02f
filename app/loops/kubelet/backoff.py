"""When the kubelet looks again at a pod that it could not start, and what containerd says of a failed pull."""

from __future__ import annotations

from msgspec.structs import astuple, replace

from app.kube import images
from app.kube.backoff import Ladder, after_attempt
from app.kube.pod_requeue import LONGEST, nap
from app.loops.kubelet.case import Case, next_relist
from app.sim.host import Crash
from app.sim.lags import Bounds

DOCKER = "docker.io"


def grown(crash: Crash | None, container: str, event: int, now: int, ladder: Ladder) -> Crash:
    """What is remembered once another attempt was made after `event`."""
    crash = crash or Crash(container)
    return replace(crash, entry=after_attempt(crash.entry, event, now, ladder))


def next_look(case: Case, expires: int) -> Bounds:
    """The next sync after a back-off: when it expires, at most a minute on, and a jitter of up to half as long."""
    return _jittered(case, nap(expires_in=expires - case.now).least)


def retry(case: Case) -> Bounds:
    """The next sync after another failure; the relist that tells of a new sandbox comes before it."""
    tick = next_relist(case.pod.sandbox_since, case.turn.host.relist_phase)
    return Bounds.at(tick) if tick > case.now else again(case)


def again(case: Case) -> Bounds:
    """The next sync after one that failed."""
    return _jittered(case, nap().least)


def resync(case: Case) -> Bounds:
    """The next sync after one without fault."""
    phase, wait = case.turn.host.sync_phase, case.turn.lag("pod-resync").after(case.worker.synced)
    return wait.moved(lambda instant: sync_tick(instant, phase))


def _jittered(case: Case, least: int) -> Bounds:
    """After that time and a share of it more, at the second's tick on which the sync loop takes up what is due."""
    host, phase = case.turn.host, case.turn.host.sync_phase
    known = host.drawn.get(case.ref, ())[case.worker.naps :]
    if known:
        return Bounds.at(sync_tick(case.now + least * known[0] // 1000, phase))
    of_a_minute = astuple(case.turn.lag("pod-resync"))
    instants = [sync_tick(case.now + least * part // LONGEST, phase) for part in of_a_minute]
    return Bounds(*instants)


def sync_tick(due: int, phase: int) -> int:
    """The first tick of the sync loop that is not before an instant."""
    return next_relist(due - 1, phase)


def image_error(image: str, error: str) -> str:
    """The text of a pull that failed."""
    parts = images.parsed(image)
    name = parts.name if parts else image
    host, slash, path = name.partition("/")
    remote = bool(slash) and ("." in host or ":" in host) and host != DOCKER
    short = path if host == DOCKER else name
    registry, repository = (
        (host, path) if remote else ("registry-1.docker.io", short if "/" in short else f"library/{short}")
    )
    tag = parts.tag if parts else ""
    reference = f'failed to resolve reference "{image}":'
    texts = {
        "not-found": f"{reference} {image}: not found",
        "denied": f"{reference} pull access denied, repository does not exist or may require authorization: "
        "server message: insufficient_scope: authorization failed",
        "registry-down": "failed to resolve image: failed to do request: "
        f'Head "https://{registry}/v2/{repository}/manifests/{tag}": dial tcp: lookup {registry}: no such host',
    }
    return f'failed to pull and unpack image "{image}": {texts[error]}'
