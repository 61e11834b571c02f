"""Status manager: when what the kubelet knows of a pod differs from its API object, patch the whole status.

It counts its lag from the first change, so changes that come close together go out in one patch. What others wrote over
it puts right at its ten-second batch. Not modelled: the one queue that all pods of a kubelet share.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.kube.meta import Ref, condition
from app.kube.pods import ContainerStatus, Pod, PodStatus
from app.loops.host_pods import changed_workers
from app.loops.kubelet.case import Case, cases
from app.loops.kubelet.pod_status import TERMINAL, pod_status
from app.sim.acts import Act, PatchStatus, Wait
from app.sim.agenda import Due, decide
from app.sim.host import Host, Worker
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn, own_key

# What failed is looked at again with the next batch (syncPeriod in pkg/kubelet/status/status_manager.go).
BATCH = 10_000


def reconcile(turn: Turn) -> Act | Wait | None:
    """One patch, as soon as its lag is over."""
    if not turn.host.power:
        return None
    return decide(turn, (option for case in cases(turn) for option in _options(case)))


def _options(case: Case) -> Iterator[Act | Due]:
    api, since = case.api, case.worker.dirty_since
    if api is None:
        return
    wanted = pod_status(case, api)
    if wanted != api.status:
        if since is None:
            # Somebody else wrote what the kubelet knows better: the batch finds out, or the end of the pod does.
            tick = case.now if case.worker.stage != "sync" else case.now + (batch(case.turn.host) - case.now) % BATCH
            yield Due(Bounds.at(tick), lambda: case.act("compare-status", worker=case.dirty(), background=True))
        else:
            yield Due(case.turn.lag("kubelet-status").after(since), lambda: _patch(case, api, wanted))
    elif since is not None:
        yield case.act("compare-status", worker=replace(case.worker, dirty_since=None), background=True)


def batch(host: Host) -> int:
    """When within ten seconds a kubelet compares all its pods; a fixed spread stands for chance."""
    return (host.number * 2_900 + 700) % BATCH if host.batch_phase is None else host.batch_phase


def _patch(case: Case, api: Pod, wanted: PodStatus) -> Act:
    worker = replace(case.worker, dirty_since=None)
    if wanted.phase in TERMINAL and worker.written is None:
        worker = replace(worker, written=case.now)
    moment, reason = _moment(api.status, wanted)
    return case.act(
        "patch-status",
        request=PatchStatus(api, replace(api, status=wanted)),
        worker=worker,
        reason=reason,
        moment=moment,
    )


def _moment(before: PodStatus, after: PodStatus) -> tuple[str, str]:
    """What a reader would call this patch, and its reason."""
    if after.phase != before.phase and after.phase in TERMINAL:
        return "pod-terminal", after.phase
    ready = _is(after, "Ready")
    if ready != _is(before, "Ready"):
        return ("pod-ready", "Ready") if ready else ("pod-unready", "NotReady")
    if after.phase != before.phase and after.phase == "Running":
        return "pod-running", after.phase
    if not before.containerStatuses:
        return "status-pending", after.phase
    if _is(after, "PodReadyToStartContainers") and not _is(before, "PodReadyToStartContainers"):
        return "ready-to-start", "PodReadyToStartContainers"
    return "containers-changed", _news(before, after) or "ContainersChanged"


def _news(before: PodStatus, after: PodStatus) -> str:
    """The containers whose state is another one, each with the word for it: `migrate Completed, web running`."""
    known = {row.name: row for row in (*before.initContainerStatuses, *before.containerStatuses)}
    now = (*after.initContainerStatuses, *after.containerStatuses)
    told = ((row, known.get(row.name)) for row in now)
    return ", ".join(f"{row.name} {_change(row, was)}" for row, was in told if was is None or _told(was) != _told(row))


def _told(row: ContainerStatus) -> tuple[str, int]:
    return _word(row), row.restartCount


def _change(row: ContainerStatus, was: ContainerStatus | None) -> str:
    again = was is not None and was.restartCount != row.restartCount
    return f"{_word(row)}, restart {row.restartCount}" if again else _word(row)


def _word(row: ContainerStatus) -> str:
    if row.state.waiting is not None:
        return row.state.waiting.reason or "created"
    if row.state.terminated is not None:
        return row.state.terminated.reason or f"exit {row.state.terminated.exitCode}"
    return "started" if row.started else "running"


def _is(status: PodStatus, type_: str) -> bool:
    row = condition(status.conditions, type_)
    return row is not None and row.status == "True"


def _dirty(worker: Worker) -> Worker | None:
    """Whatever may show in the status marks the worker."""
    return worker if worker.dirty_since is not None else None


def _on_host(old: Host, new: Host) -> list[Ref]:
    return changed_workers(old, new, _dirty)


LOOP = Loop(
    name="kubelet-status",
    lane="kubelet",
    reconcile=reconcile,
    process="kubelet",
    per_node=True,
    wakes={"Pod": own_key},
    reads=("Node",),
    on_host=_on_host,
    watches_mine=frozenset({"Pod", "Node"}),
    retry=(BATCH, BATCH),
)
