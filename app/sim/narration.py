"""A request of kubectl told in full: what the API server does with it between its arrival and the write to etcd.

Not modelled: priority and fairness, audit, webhooks, and users who may not do what they ask for.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.objects import Object
from app.kube.pods import Pod
from app.sim.acts import Bind, Create, Delete, Evict, Patch, PatchStatus, Request, Update, UpdateStatus
from app.sim.answers import Answer, Stage
from app.sim.world import World

USER = "kubernetes-admin"
"""Whose client certificate kubectl shows, in the group system:masters of a fresh cluster."""
CLIENT = "kubectl"

_VERBS: dict[type, str] = {
    Create: "create",
    Update: "update",
    UpdateStatus: "update",
    Patch: "patch",
    PatchStatus: "patch",
    Delete: "delete",
    Evict: "create",
    Bind: "create",
}


def told(process: str, request: Request, kinds: Container[str]) -> bool:
    """Whether there is something to tell of a request: it is kubectl's, and changes something of these kinds."""
    return process == CLIENT and type(request) in _VERBS and _about(request).kind in kinds


def narrated(before: World, request: Request, answer: Answer) -> Answer:
    """The answer with a stage for each thing that the API server does before it writes."""
    if answer.outcome.again is not None:
        return answer
    ref = answer.outcome.object.ref if answer.outcome.object is not None else _about(request)
    stages = [Stage(world=before, outcome="ok")]
    stages += [
        Stage(verb=verb, moment=moment, object=ref, world=before, outcome=outcome)
        for verb, moment, outcome in _checks(request, answer.outcome.object)
    ]
    if not answer.outcome.ok:
        return replace(answer, stages=(*stages, Stage(verb="refuse", moment="api-refused", object=ref)))
    first, *others = answer.stages
    if first.commits:
        stages.append(replace(first, verb="store", moment="api-stored", object=ref, outcome="etcd"))
    return replace(answer, stages=(*stages, *others))


def _checks(request: Request, obj: Object | None) -> list[tuple[str, str, str]]:
    """(verb, moment, outcome) in their order; what is deleted has nothing to be changed or checked."""
    found = [
        ("authenticate", "api-authenticated", USER),
        ("authorize", "api-authorized", f"may {_VERBS[type(request)]}"),
    ]
    if not isinstance(request, Delete | Evict):
        found.append(("mutate", "api-mutated", _plugins(request, obj)))
        found.append(("validate", "api-validated", "valid"))
    return [*found, ("admit", "api-admitted", "admitted")]


def _plugins(request: Request, obj: Object | None) -> str:
    """The admission plugins that change such an object; they have nothing to say of most kinds."""
    if isinstance(request, Create) and isinstance(obj, Pod):
        return "ServiceAccount, DefaultTolerationSeconds, Priority"
    return "unchanged"


def _about(request: Any) -> Ref:
    return request.ref if hasattr(request, "ref") else request.object.ref  # type: ignore[no-any-return]
