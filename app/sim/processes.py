"""Processes stop and start, freeze and thaw; the API server's absence is felt by all of its clients.

A leader that is stopped leaves its Lease behind, so whoever starts next waits for it (loops/leader_election).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from app.kube import flags
from app.kube.meta import Ref
from app.sim.acts import Work
from app.sim.dependencies import lose_server
from app.sim.draft import Draft, enqueue, set_timer
from app.sim.intervention import Intervention
from app.sim.lags import Bounds, Lag
from app.sim.links import hang_up, reconnect, relist, running, sever, wake
from app.sim.loop import SERVER
from app.sim.machines import start_process, stop_process
from app.sim.maps import ordered_keys
from app.sim.reflectors import PINGED, after_silence

if TYPE_CHECKING:
    from app.sim.engine import Model

SYSTEM = "kube-system"


class Candidate(Struct, frozen=True):
    """Where a process stands in the election of its leader."""

    state: str = "leads"
    """leads, loses (it cannot renew), exited, waits (for the Lease of the one before) or stopped."""
    since: int = 0
    bounds: Bounds | None = None
    """When the next thing happens."""
    hung: bool = False
    """Whether the API server hung while it waited: then its requests were not refused, only late."""


class Starting(Struct, frozen=True):
    """An API server that does not serve yet."""

    since: int


def stop(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    process = intervention.args[0]
    if _is_missing(model, draft, process):
        return process_ref(process), "is not there"
    if process == SERVER:
        _stop_server(model, draft)
    else:
        if process in draft.frozen:
            _resume(model, draft, process)
        stop_process(model, draft, process)
        _stand(model, draft, process, Candidate("stopped", draft.now))
    return process_ref(process), "stopped"


def start(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    process = intervention.args[0]
    if process not in draft.down or process in draft.frozen:
        return process_ref(process), "runs already"
    for name, text in intervention.options:
        value = flags.parse(name, text)
        draft.lags = draft.lags.set(name, Lag(value, value, value))
    if process == SERVER:
        return process_ref(process), _start_server(model, draft)
    if _stand(model, draft, process, Candidate("waits", draft.now)):
        return process_ref(process), "started, not leading yet"
    start_process(model, draft, process)
    return process_ref(process), "started"


def _is_missing(model: Model, draft: Draft, process: str) -> bool:
    """Whether this cluster has no such process, as not every one has."""
    return process in model.routes.besides and process not in draft.besides


def process_ref(process: str) -> Ref:
    return Ref("Process", "", process.replace("/", "."))


def run(model: Model, draft: Draft, process: str, *, runs: bool) -> None:
    """What a loop decided: that a process exits, or that it begins its work."""
    if process == SERVER and runs:
        _serve(model, draft)
    elif runs:
        start_process(model, draft, process)
    else:
        stop_process(model, draft, process)


# Leaders.


def lease_of(process: str) -> Ref:
    """The Lease that the leader among the instances of a process holds."""
    return Ref("Lease", SYSTEM, process)


def _stand(model: Model, draft: Draft, process: str, candidate: Candidate) -> bool:
    """Note where a process stands, if there is an election for it."""
    loop = next((loop for loop in model.routes.elections if loop.elects == process), None)
    if loop is None or draft.etcd.get(lease_of(process)) is None:
        return False
    work = Work(loop.name, "", lease_of(process))
    draft.memory = draft.memory.set(work, candidate)
    set_timer(draft, work, None)
    enqueue(draft, work)
    return True


# The API server.


def _stop_server(model: Model, draft: Draft) -> None:
    if SERVER not in draft.down:
        draft.down = draft.down.set(SERVER, draft.now)
        for process in running(model, draft):
            sever(model, draft, process)
        lose_server(model, draft, down=True)
    if SERVER in draft.frozen:
        draft.frozen = draft.frozen.delete(SERVER)
    for work in [work for work in draft.memory if work.loop == SERVER]:
        draft.memory = draft.memory.delete(work)
        set_timer(draft, work, None)
    model.wake_elections(draft)


def _start_server(model: Model, draft: Draft) -> str:
    """It takes a while until it serves."""
    if SERVER not in model.loops:
        _serve(model, draft)
        return "started"
    work = Work(SERVER, "", process_ref(SERVER))
    if work not in draft.memory:
        draft.memory = draft.memory.set(work, Starting(draft.now))
        enqueue(draft, work)
    return "started, not serving yet"


def _serve(model: Model, draft: Draft) -> None:
    draft.down = draft.down.delete(SERVER)
    lose_server(model, draft, down=False)
    for process in running(model, draft):
        if process not in draft.cut:
            reconnect(model, draft, process)
    model.wake_elections(draft)


# Frozen processes (SIGSTOP).


def freeze(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """It stops where it stands; the requests of an API server's clients hang."""
    process = intervention.args[0]
    if _is_missing(model, draft, process):
        return process_ref(process), "is not there"
    if process in draft.down:
        return process_ref(process), "does not run"
    draft.down = draft.down.set(process, draft.now)
    draft.frozen = draft.frozen.set(process, draft.now)
    if process == SERVER:
        lose_server(model, draft, down=True)
        model.wake_elections(draft)
    else:
        _park(model, draft, process)
    return process_ref(process), "frozen"


def thaw(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    process = intervention.args[0]
    since = draft.frozen.get(process)
    if since is None:
        return process_ref(process), "not frozen"
    if process == SERVER:
        _unfreeze_server(model, draft, draft.now - since)
    else:
        _resume(model, draft, process)
    return process_ref(process), "thawed"


def _unfreeze_server(model: Model, draft: Draft, lasted: int) -> None:
    """What hung is done now; connections that were given up meanwhile are made anew."""
    draft.down, draft.frozen = draft.down.delete(SERVER), draft.frozen.delete(SERVER)
    lose_server(model, draft, down=False)
    if lasted > PINGED:
        for process in running(model, draft):
            sever(model, draft, process)
            reconnect(model, draft, process, within=after_silence(lasted))
    for work in ordered_keys(draft.retries):
        if work not in draft.timers:
            enqueue(draft, work)
    model.wake_elections(draft)


def _park(model: Model, draft: Draft, process: str) -> None:
    base, _, node = process.partition("/")
    names = {loop.name for loop in model.routes.processes.get(base, ())}
    for work in [work for work in draft.queued if work.loop in names and work.node == node]:
        draft.queued = draft.queued.delete(work)
        draft.parked = draft.parked.set(work, Bounds.at(draft.now))
    for work in [work for work in draft.timers if work.loop in names and work.node == node]:
        draft.parked = draft.parked.set(work, draft.timers[work])
        set_timer(draft, work, None)
    hang_up(draft, process)


def _resume(model: Model, draft: Draft, process: str) -> None:
    """It takes up where it was, and hears all at once what it has missed."""
    draft.down, draft.frozen = draft.down.delete(process), draft.frozen.delete(process)
    base, _, node = process.partition("/")
    names = {loop.name for loop in model.routes.processes.get(base, ())}
    for work in [work for work in ordered_keys(draft.parked) if work.loop in names and work.node == node]:
        set_timer(draft, work, draft.parked[work].no_earlier(draft.now))
        draft.parked = draft.parked.delete(work)
    if SERVER in draft.down or process in draft.cut:
        sever(model, draft, process)
    else:
        for kind in model.routes.kinds(process):
            relist(model, draft, process, kind)
    wake(model, draft, process)
