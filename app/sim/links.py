"""Links between the API server and its clients: they break, and when they are back the clients list all anew.

A client whose link is cut runs on with what it believes; its requests fail, and what happens meanwhile it learns from
the list after the reconnect, object by object. Not modelled: requests that hang before they fail, unless the API server
itself is frozen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.kube.meta import Ref
from app.sim.acts import Work
from app.sim.draft import Draft, enqueue, send, set_timer
from app.sim.index import UNSEEN, Index
from app.sim.intervention import Intervention
from app.sim.lags import Lag
from app.sim.loop import SERVER, Turn
from app.sim.maps import ordered_keys
from app.sim.reflectors import Severed, away
from app.sim.world import Delivery

if TYPE_CHECKING:
    from app.sim.engine import Model

WATCHES = "-watches"
"""What the loop that brings a process's watches back is called: `kubelet-watches`. A world may have a lag for each,
`watch-back/kubelet/node-1/Pod`."""


def cut(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """`cut api-server kubelet/node-2`; a Node stands for all that runs on it."""
    done = False
    for process in _clients(model, draft, intervention.args[1]):
        if process not in draft.cut:
            draft.cut = draft.cut.set(process, draft.now)
            hang_up(draft, process)
            sever(model, draft, process)
            done = True
    model.wake_elections(draft)
    return _link(intervention), "cut" if done else "cut already"


def restore(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """The link is there again; watches come back by their own back-off."""
    done = False
    for process in _clients(model, draft, intervention.args[1]):
        if process in draft.cut:
            draft.cut = draft.cut.delete(process)
            if SERVER not in draft.down:
                reconnect(model, draft, process)
            done = True
    model.wake_elections(draft)
    return _link(intervention), "restored" if done else "was not cut"


def _clients(model: Model, draft: Draft, name: str) -> list[str]:
    kind, _, node = name.rpartition("/")
    if kind.lower() != "node":
        return [name]
    local = [base for base, loops in model.routes.processes.items() if any(loop.per_node for loop in loops)]
    return [f"{base}/{node}" for base in local] if node in draft.hosts else []


def _link(intervention: Intervention) -> Ref:
    return Ref("Process", "", intervention.args[1].replace("/", "."))


def running(model: Model, draft: Draft) -> list[str]:
    """All clients that run, in a stated order."""
    found: list[str] = []
    for base, loops in model.routes.processes.items():
        local = any(loop.per_node for loop in loops)
        if base in model.routes.besides and base not in draft.besides:
            continue
        found += [f"{base}/{node}" for node in draft.nodes] if local else [base]
    return [process for process in found if process not in draft.down]


def hang_up(draft: Draft, process: str) -> None:
    """Drop what is on its way to a process."""
    for key in [key for key in draft.inbox if key[0] == process]:
        draft.inbox = draft.inbox.delete(key)
    for queue in [queue for queue in draft.heads if queue[0] == process]:
        draft.heads = draft.heads.delete(queue)
        draft.touched.add(queue)


def sever(model: Model, draft: Draft, process: str, *, fresh: bool = False) -> None:
    """All watches of a process break; one that has just started has not had any yet."""
    known = draft.views.get(process, UNSEEN)
    for kind in model.routes.kinds(process):
        if fresh or (process, kind) not in draft.severed:
            draft.severed = draft.severed.set((process, kind), Severed(draft.now, fresh, known))


def reconnect(model: Model, draft: Draft, process: str, *, within: Lag | None = None) -> None:
    """The API server can be reached again: each watch comes back in its own time, or all within the same."""
    base, _, node = process.partition("/")
    for kind in model.routes.kinds(process):
        severed = draft.severed.get((process, kind))
        if severed is None:
            continue
        work = Work(f"{base}{WATCHES}", node, Ref("Watch", "", kind))
        if work.loop in model.loops:
            lag = within or draft.lags.get(f"watch-back/{process}/{kind}") or away(severed, draft.now, process, kind)
            bounds = lag.after(draft.now)
            draft.memory = draft.memory.set(work, bounds)
            set_timer(draft, work, bounds)
        else:
            relist(model, draft, process, kind)
    for loop in model.routes.on_command:
        if loop.process == process:
            known = draft.views.get(process, UNSEEN)
            _relisted(draft, process, known, known)


def listed(model: Model, draft: Draft, process: str, kind: str = "") -> Index:
    """All (of a kind) that a process would see if it listed now."""
    view = Index()
    for one in [kind] if kind else model.routes.kinds(process):
        for ref in ordered_keys(draft.etcd.by.get(one, ())):
            stored = draft.etcd.objects[ref]
            if model.routes.sees(process, stored.object):
                view = view.put(stored)
    return view


def relist(model: Model, draft: Draft, process: str, kind: str) -> int:
    """Let a process list a kind, and send it what differs from its belief; how much there is."""
    severed = draft.severed.get((process, kind))
    if severed is not None:
        draft.severed = draft.severed.delete((process, kind))
    found = listed(model, draft, process, kind)
    if severed is None or not severed.fresh:
        known = severed.known if severed else draft.views.get(process, UNSEEN)
        return _relisted(draft, process, known, found, kind)
    view = draft.views.get(process, UNSEEN)
    for stored in found.objects.values():
        view = view.put(stored)
    draft.views = draft.views.set(process, view)
    if not starts(draft, process):
        wake(model, draft, process)
    return len(found.objects)


def starts(draft: Draft, process: str) -> bool:
    """Whether a process has not listed yet all that it watches since its start: until then it does nothing."""
    return any(severed.fresh for (name, _), severed in draft.severed.items() if name == process)


def _relisted(draft: Draft, process: str, known: Index, now: Index, kind: str = "") -> int:
    """What differs between a belief and a list goes on its way; kubectl lists only what it awaits."""
    sent = 0
    mine = known.by.get(kind, ()) if kind else known.objects
    for ref in ordered_keys({**dict.fromkeys(mine), **dict.fromkeys(now.objects)}):
        before, after = known.get(ref), now.get(ref) if kind else draft.etcd.get(ref)
        if before != after:
            send(draft, process, Delivery(ref, before, after, draft.now))
            sent += 1
    return sent


def wake(model: Model, draft: Draft, process: str) -> None:
    """Every key that a process looks at when it starts."""
    base, _, node = process.partition("/")
    ref = Ref("Process", "", process.replace("/", "."))
    for loop in model.routes.processes.get(base, ()):
        for key in loop.on_start(Turn(draft.freeze(), loop, node, ref)) if loop.on_start else ():
            enqueue(draft, Work(loop.name, node, key))
