"""Links between the API server and its clients: they break, and when they are back the clients list all anew.

A client whose link is cut runs on with what it believes; its requests fail, and what happens meanwhile it learns from
the list after the reconnect, object by object. Not modelled: requests that hang before they fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.kube.meta import Ref
from app.sim.draft import Draft, send
from app.sim.index import Index
from app.sim.intervention import Intervention
from app.sim.lags import lag
from app.sim.maps import ordered_keys
from app.sim.world import Delivery

if TYPE_CHECKING:
    from app.sim.engine import Model

API_SERVER = "api-server"


def cut(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """`cut api-server kubelet/node-2`; a Node stands for all that runs on it."""
    done = False
    for process in _clients(model, draft, intervention.args[1]):
        if process not in draft.cut:
            draft.cut = draft.cut.set(process, draft.now)
            hang_up(draft, process)
            done = True
    return _link(intervention), "cut" if done else "cut already"


def restore(model: Model, draft: Draft, intervention: Intervention) -> tuple[Ref, str]:
    """The link is there again; watches come back by their own back-off."""
    done = False
    for process in _clients(model, draft, intervention.args[1]):
        if process in draft.cut:
            draft.cut = draft.cut.delete(process)
            if process not in draft.down:
                relist(model, draft, process)
            done = True
    return _link(intervention), "restored" if done else "was not cut"


def _clients(model: Model, draft: Draft, name: str) -> list[str]:
    kind, _, node = name.rpartition("/")
    if kind.lower() != "node":
        return [name]
    local = [base for base, loops in model.routes.processes.items() if any(loop.per_node for loop in loops)]
    return [f"{base}/{node}" for base in local] if node in draft.hosts else []


def _link(intervention: Intervention) -> Ref:
    return Ref("Process", "", intervention.args[1].replace("/", "."))


def hang_up(draft: Draft, process: str) -> None:
    """Drop what is on its way to a process."""
    for key in [key for key in draft.inbox if key[0] == process]:
        draft.inbox = draft.inbox.delete(key)
    for queue in [queue for queue in draft.heads if queue[0] == process]:
        draft.heads = draft.heads.delete(queue)
        draft.touched.add(queue)


def listed(model: Model, draft: Draft, process: str) -> Index:
    """All that a process would see if it listed now."""
    view = Index()
    for kind in model.routes.kinds(process):
        for ref in ordered_keys(draft.etcd.by.get(kind, ())):
            stored = draft.etcd.objects[ref]
            if model.routes.sees(process, stored.object):
                view = view.put(stored)
    return view


def relist(model: Model, draft: Draft, process: str) -> None:
    """Send a process the difference between what it believes and what is there, once its watches are back."""
    view: Index = draft.views.get(process, Index())
    now = listed(model, draft, process)
    at = draft.now + lag(draft.lags, "relist").usual
    for ref in ordered_keys({**dict(view.objects.items()), **dict(now.objects.items())}):
        before, after = view.get(ref), now.get(ref)
        if before != after:
            send(draft, process, Delivery(ref, before, after, at))
