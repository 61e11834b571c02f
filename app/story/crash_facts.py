"""What kubectl shows of the target at the end of a walk: its STATUS, its restarts, and how its container last ended."""

from __future__ import annotations

from collections.abc import Callable

from app.kube.pod_columns import pod_columns
from app.kube.pods import ContainerStateTerminated, Pod
from app.sim.walk import Record
from app.story.fact import Fact, Subject, at


def _pod(subject: Subject) -> Pod | None:
    held = subject.walk.world.etcd.get(subject.target)
    return held.object if held is not None and isinstance(held.object, Pod) else None


def _ended(pod: Pod | None) -> ContainerStateTerminated | None:
    """The latest end of the first container that has one: of this run, else of the run before."""
    for row in pod.status.containerStatuses if pod is not None else ():
        ended = row.state.terminated or row.lastState.terminated
        if ended is not None:
            return ended
    return None


def status_shown(subject: Subject) -> Fact:
    """The STATUS column of the target."""
    pod = _pod(subject)
    if pod is None:
        return Fact(None, "", None, (("restarts", "none"), ("ready", "none")))
    columns = pod_columns(pod, subject.end)
    return Fact(columns.status, "", None, (("restarts", columns.restarts), ("ready", columns.ready)))


def restart_count(subject: Subject) -> Fact:
    """How often the kubelet says that it has started the target's containers again."""
    pod = _pod(subject)
    total = sum(row.restartCount for row in pod.status.containerStatuses) if pod is not None else 0
    return Fact(float(total), "restarts")


def last_exit_code(subject: Subject) -> Fact:
    """The exit code that `kubectl describe` shows of the target's last run."""
    ended = _ended(_pod(subject))
    row = _exit(subject)
    return Fact(None if ended is None else float(ended.exitCode), "", row.n if row else None, (("at", at(row)),))


def last_reason(subject: Subject) -> Fact:
    """The reason beside it: Error, Completed, OOMKilled."""
    ended = _ended(_pod(subject))
    row = _exit(subject)
    return Fact(None if ended is None else ended.reason, "", row.n if row else None, (("at", at(row)),))


def _exit(subject: Subject) -> Record | None:
    """The first end of a container of the target."""
    moments = ("process-exited", "oom-killed", "sigkill-sent", "node-oom")
    rows = (row for row in subject.walk.records if row.step.moment in moments and row.step.object == subject.target)
    return next((row for row in rows if row.n), None)


CRASH_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "status-shown": status_shown,
    "restart-count": restart_count,
    "last-exit-code": last_exit_code,
    "last-reason": last_reason,
}
