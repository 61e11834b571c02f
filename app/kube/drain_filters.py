"""What `kubectl drain` would do with each pod of a node, and why it refuses: kubectl pkg/drain/filters.go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from app.kube.pods import Pod
from app.kube.releases import CURRENT, Release

CONFIG_MIRROR = "kubernetes.io/config.mirror"

DAEMON_FATAL = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"
DAEMON_WARNING = "ignoring DaemonSet-managed Pods"
STORAGE_FATAL = "Pods with local storage (use --delete-emptydir-data to override)"
STORAGE_WARNING = "deleting Pods with local storage"
# "cannot delete" comes twice in what kubectl prints: the word stands in its text, too.
UNMANAGED_FATAL = "cannot delete Pods that declare no controller (use --force to override)"
UNMANAGED_BEFORE = "Pods declare no controller (use --force to override)"
UNMANAGED_WARNING = "deleting Pods that declare no controller"

# The DaemonSet of a pod: empty where it exists, else the API server's answer.
Missing = Callable[[Pod], str]


class Flags(NamedTuple):
    """The flags of drain that decide about pods."""

    force: bool = False
    ignore_daemonsets: bool = False
    delete_emptydir_data: bool = False
    skip_wait_for_delete: int = 0
    """Seconds; 0 is off."""
    release: Release = CURRENT
    """Which kubectl it is."""


class Verdict(NamedTuple):
    """`reason` is okay, skip, warning or error; a pod with an error is not deleted, and stops the whole node."""

    delete: bool
    reason: str
    message: str = ""


OKAY = Verdict(delete=True, reason="okay")
SKIP = Verdict(delete=False, reason="skip")


def verdict(pod: Pod, flags: Flags, now: int, missing: Missing) -> Verdict:
    """The filters in their order; the first that says no is the last, else the last one's word stands."""
    found = OKAY
    for one in (_deleted, _daemon, _mirror, _storage, _unmanaged):
        found = one(pod, flags, now, missing)
        if not found.delete:
            break
    return found


def _deleted(pod: Pod, flags: Flags, now: int, _: Missing) -> Verdict:
    since = pod.metadata.deletionTimestamp
    if flags.skip_wait_for_delete and since is not None and now - since > flags.skip_wait_for_delete * 1000:
        return SKIP
    return OKAY


def _daemon(pod: Pod, flags: Flags, _: int, missing: Missing) -> Verdict:
    owner = pod.metadata.controller
    # Whatever has ended may go, whoever made it.
    if owner is None or owner.kind != "DaemonSet" or pod.finished:
        return OKAY
    error = missing(pod)
    if error:
        return _warning(error) if flags.force else _error(error)
    if not flags.ignore_daemonsets:
        return _error(DAEMON_FATAL)
    return Verdict(delete=False, reason="warning", message=DAEMON_WARNING)


def _mirror(pod: Pod, _: Flags, __: int, ___: Missing) -> Verdict:
    return SKIP if CONFIG_MIRROR in pod.metadata.annotations else OKAY


def _storage(pod: Pod, flags: Flags, _: int, __: Missing) -> Verdict:
    if pod.finished or not any(row.emptyDir is not None for row in pod.spec.volumes):
        return OKAY
    return _warning(STORAGE_WARNING) if flags.delete_emptydir_data else _error(STORAGE_FATAL)


def _unmanaged(pod: Pod, flags: Flags, _: int, __: Missing) -> Verdict:
    if pod.finished or pod.metadata.controller is not None:
        return OKAY
    if flags.force:
        return _warning(UNMANAGED_WARNING)
    return _error(UNMANAGED_FATAL if flags.release.drain_grammar else UNMANAGED_BEFORE)


def _warning(message: str) -> Verdict:
    return Verdict(delete=True, reason="warning", message=message)


def _error(message: str) -> Verdict:
    return Verdict(delete=False, reason="error", message=message)


# What it prints about all pods of a node together.

Judged = Sequence[tuple[Pod, Verdict]]


def errors(judged: Judged) -> list[str]:
    """One text per refusal; the real order is that of a Go map, here it is that of the pods."""
    return [f"cannot delete {text}: {names}" for text, names in _grouped(judged, "error")]


def warning(judged: Judged) -> str:
    """The line after `Warning: `; empty when there is none."""
    return "; ".join(f"{text}: {names}" for text, names in _grouped(judged, "warning"))


def _grouped(judged: Judged, reason: str) -> list[tuple[str, str]]:
    found: dict[str, list[str]] = {}
    for pod, row in judged:
        if row.reason == reason:
            found.setdefault(row.message, []).append(pod.ref.path)
    return [(text, ", ".join(names)) for text, names in found.items()]


def aggregate(texts: Iterable[str]) -> str:
    """Several errors in one line, as apimachinery's Aggregate prints them; equal ones once."""
    found = list(dict.fromkeys(texts))
    return found[0] if len(found) == 1 else f"[{', '.join(found)}]"


def gone(awaited: str, uid_now: str | None) -> bool:
    """Whether a pod that was waited for is gone: also where another has taken its name."""
    return uid_now != awaited
