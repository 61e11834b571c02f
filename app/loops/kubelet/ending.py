"""A pod that has run to its end: what still runs beside its apps is ended too, then its worker turns to termination.

As the KillPod of computePodActions, which SyncPod carries out before the pod counts as terminated.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from app.loops.kubelet.case import NORMAL, Case, next_relist
from app.loops.kubelet.terminating import begin
from app.sim.acts import Act
from app.sim.agenda import Due
from app.sim.host import ContainerRun, Kill
from app.sim.lags import Bounds


def ending(case: Case) -> Iterator[Act | Due]:
    """What comes next for a pod of which nothing will ever be started again."""
    rest = [run for run in case.pod.containers if run.state == "running"]
    if rest:
        yield _stop(case, rest)
    elif not case.worker.kills:
        # Its worker turns to termination only when a later relist has been seen.
        yield _turns(case)
    elif case.pod.stop_asked is None:
        pod = replace(case.pod, stop_asked=case.now)
        yield case.act("stop-sandbox", pod=pod, moment="stop-sandbox", to=case.runtime)


def ended(case: Case) -> Iterator[Act | Due]:
    """Its sandbox is down as well: one relist shows that, and the next turns its worker to termination."""
    if case.worker.seen_sandbox == "stopped":
        yield _turns(case)
    else:
        tick = next_relist(case.pod.sandbox_since, case.turn.host.relist_phase)
        yield Due(Bounds.at(tick), lambda: _shown(case))


def whole(case: Case) -> bool:
    """Whether the kills under way are those of all that is left of the pod."""
    return not case.worker.kills or all(kill.reason == "" for kill in case.worker.kills)


def _stop(case: Case, rest: list[ContainerRun]) -> Act:
    """Sidecars, with the pod's own grace and in their own order."""
    grace = case.spec.terminationGracePeriodSeconds or 0
    kills = tuple(Kill(run.name, run.attempt, case.now, grace) for run in rest)
    return case.act(
        "stop-sidecars",
        worker=replace(case.worker, kills=(*case.worker.kills, *kills)),
        reason="AppsCompleted",
        moment="sidecars-stopping",
        outcome=f"grace {grace} s",
        events=tuple(case.says(run.name, NORMAL, "Killing", f"Stopping container {run.name}") for run in rest),
    )


def _shown(case: Case) -> Act:
    worker = case.relisted(seen_sandbox=case.pod.sandbox, kills=())
    return case.act("relist", worker=worker, reason="ContainerDied", moment="container-exit-seen")


def _turns(case: Case) -> Due:
    tick = next_relist(case.worker.synced, case.turn.host.relist_phase)
    return Due(Bounds.at(tick), lambda: begin(case, "Completed"))
