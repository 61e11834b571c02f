"""The wait of a sync for the volumes of its pod (WaitForAttachAndMount): a look every 300 ms, for two minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from app.kube import volume_rules
from app.loops.kubelet.backoff import again
from app.loops.kubelet.case import WARNING, Case, event
from app.loops.kubelet.mounts import pending, unprocessed
from app.sim.acts import Act
from app.sim.agenda import Due
from app.sim.host import Worker
from app.sim.lags import Bounds

POLL = 300
"""podAttachAndMountRetryInterval."""


def waiting(case: Case, then: Callable[[Case], Act]) -> Iterator[Act | Due]:
    """What comes next for a pod whose sync has begun: `then`, as soon as its volumes are there."""
    if _are_there(case):
        yield then(case)
        return
    since = case.worker.since if case.worker.waits_since is None else case.worker.waits_since
    if error := unprocessed(case):
        yield Due(Bounds.at(_look(since, case.now)), lambda: _gives_up(case, error))
    elif not pending(case):
        # Whatever was mounted last was found by the first look after it, however late this kubelet comes to it.
        last = max((row.at for row in case.worker.mounts if row.at is not None), default=since)
        yield Due(Bounds.at(_look(since, last)), lambda: then(case))
    else:
        yield Due(Bounds.at(max(since + volume_rules.WAIT_LIMIT, case.now)), lambda: _times_out(case))


def resumed(case: Case, then: Callable[[Case], Act]) -> Act:
    """The same at the beginning of a later sync, whose first look is at once."""
    if _are_there(case):
        return then(case)
    if error := unprocessed(case):
        return _gives_up(case, error)
    return _waits(case) if pending(case) else then(case)


def _look(since: int, instant: int) -> int:
    """The first look at the volumes that is not before an instant."""
    return since + max(-(-(instant - since) // POLL), 1) * POLL


def _are_there(case: Case) -> bool:
    """The token of its service account is a volume of almost every pod."""
    token = case.spec.serviceAccountName and case.spec.automountServiceAccountToken is not False
    return case.worker.volumes == "mounted" or not (case.spec.volumes or token)


def _waits(case: Case) -> Act:
    worker = replace(case.worker, waits_since=case.now, resync=None)
    return case.act("await-volumes", worker=worker, reason="VolumesNotReady", background=True)


def _times_out(case: Case) -> Act:
    """Nothing is told of it but a line in the kubelet's log."""
    return case.act(
        "end-wait",
        worker=_later(case),
        reason="VolumesNotReady",
        moment="volume-wait-timed-out",
        outcome="again later",
    )


def _gives_up(case: Case, error: str) -> Act:
    return case.act(
        "end-wait",
        worker=_later(case),
        reason="FailedMount",
        moment="claim-unusable",
        outcome=error,
        events=(event(WARNING, "FailedMount", error),),
    )


def _later(case: Case) -> Worker:
    return replace(case.worker, resync=again(case), naps=case.worker.naps + 1, waits_since=None)
