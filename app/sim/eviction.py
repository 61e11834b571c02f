"""The eviction subresource: a budget pays, the pod is marked as the target of a disruption, then it is deleted.

Requests that one action sends are on their way side by side: they have read the budget before any of them has written
it. The first writes; the others meet a conflict, and the API server itself tries again half a second later.
Not modelled: the answer 504 after twenty conflicts, and preconditions of the one who asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.kube import eviction_api
from app.kube.conditions import set_condition
from app.kube.pdb import covers
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.sim.acts import Delete, Evict, Outcome
from app.sim.answers import Answer, Stage, not_found
from app.sim.index import in_namespace
from app.sim.lags import lag

if TYPE_CHECKING:
    from app.sim.api import Api
    from app.sim.draft import Draft

STATUS = {403: "forbidden", 429: "too-many-requests", 500: "internal-error"}
CONFLICT = "conflict: the object has been modified"
BETWEEN_LOSERS = 5
"""Milliseconds between the next tries of requests that lost the same race."""


def evict(api: Api, draft: Draft, process: str, request: Evict) -> Answer:
    """Answer one eviction; every write of it is a stage of its own."""
    held = draft.etcd.get(request.ref)
    pod = held.object if held else None
    if not isinstance(pod, Pod):
        return not_found(request.ref)
    budgets = _budgets(draft, pod)
    payer = eviction_api.payer(pod, budgets)
    if payer is not None and payer.ref in draft.raced and not request.dry_run:
        return _lost(draft, payer)
    found = eviction_api.answer(pod, budgets, draft.now)
    if found.code != 201:
        return _refused(draft, found, budgets)
    if request.dry_run:
        return Answer(Outcome("ok", pod))
    stages = [Stage(world=draft.freeze())]
    if found.budget is not None:
        draft.raced[found.budget.ref] = 0
        stages.append(_paid(api, draft, process, found.budget))
    stages.append(_marked(api, draft, process, pod))
    deleted = api.delete(draft, process, Delete(pod.ref, request.grace))
    return Answer(deleted.outcome, (*stages, *deleted.stages[1:]))


def _budgets(draft: Draft, pod: Pod) -> list[PodDisruptionBudget]:
    rows = draft.etcd.find(in_namespace(PodDisruptionBudget.kind, pod.metadata.namespace))
    return [row for row in rows if isinstance(row, PodDisruptionBudget) and covers(row, pod)]


def _paid(api: Api, draft: Draft, process: str, budget: PodDisruptionBudget) -> Stage:
    commit = api.commit(draft, process, budget.ref, budget, "kube-apiserver/status")
    left = f"{budget.status.disruptionsAllowed} allowed"
    return Stage((commit,), "spend-budget", "budget-spent", budget.ref, draft.freeze(), left)


def _marked(api: Api, draft: Draft, process: str, pod: Pod) -> Stage:
    rows = set_condition(pod.status.conditions, eviction_api.EVICTING, draft.now)
    marked = replace(pod, status=replace(pod.status, conditions=rows))
    commit = api.commit(draft, process, pod.ref, marked, "")
    return Stage((commit,), "mark-disrupted", "disruption-target-set", pod.ref, world=draft.freeze())


def _refused(draft: Draft, found: eviction_api.Answer, budgets: list[PodDisruptionBudget]) -> Answer:
    outcome = Outcome(STATUS[found.code], message=found.message, cause=found.cause, retry_after=found.retry_after)
    told = Stage((), "refuse-eviction", "eviction-refused", budgets[0].ref, outcome=found.cause or found.message)
    return Answer(outcome, (Stage(world=draft.freeze()), told))


def _lost(draft: Draft, payer: PodDisruptionBudget) -> Answer:
    """Another request has just written the budget: this one looks again later."""
    losers = draft.raced[payer.ref]
    draft.raced[payer.ref] = losers + 1
    bounds = lag(draft.lags, "eviction-retry").after(draft.now + losers * BETWEEN_LOSERS)
    outcome = Outcome("busy", message=f"{payer.ref} has been modified", again=bounds)
    told = Stage((), "retry-eviction", "eviction-conflict", payer.ref, outcome=CONFLICT)
    return Answer(outcome, (Stage(world=draft.freeze()), told))
