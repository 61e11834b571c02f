"""How many evictions each PodDisruptionBudget allows when all pods are healthy."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from app.inspect.subject import Made, Subject
from app.kube.meta import OwnerReference
from app.kube.pdb import Expected, NoScale, Scale, expected
from app.kube.policy import PodDisruptionBudget
from app.kube.workloads import Deployment, ReplicaSet, StatefulSet


class Allowance(NamedTuple):
    """`pods` are those that it covers; `expected`, `healthy` and `allowed` are what its status would say."""

    budget: PodDisruptionBudget
    covered: tuple[Made, ...]
    pods: int
    expected: int
    healthy: int
    allowed: int
    fault: str = ""
    """Why the controller cannot count: then nothing may be evicted."""
    unmanaged: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def allowances(subject: Subject) -> tuple[Allowance, ...]:
    """One for each budget, in their order; every rule about budgets asks for them."""
    return tuple(allowance(subject, row) for row in subject.of(PodDisruptionBudget))


def allowance(subject: Subject, budget: PodDisruptionBudget) -> Allowance:
    """The status of a budget (updatePdbStatus in pkg/controller/disruption) with every pod there and Ready."""
    covered = subject.covered[budget.ref]
    pods = sum(row.pods for row in covered)
    running = [row for row in covered if row.pods]
    scales: dict[str, int] = {}
    for row in running:
        above = row.pod.metadata.controller
        if above is not None:
            scales[above.uid] = scales.get(above.uid, 0) + row.pods

    def scale(owner: OwnerReference, _: str) -> Scale | None:
        if owner.kind not in (Deployment.kind, ReplicaSet.kind, StatefulSet.kind):
            group = owner.apiVersion.rpartition("/")[0]
            resource = f"{owner.kind.lower()}s{'.' if group else ''}{group}"
            raise NoScale(f"{resource} does not implement the scale subresource")
        return owner.uid, scales[owner.uid]

    try:
        # One pod of each kind is enough to find its scale; where pods themselves are counted, all of them are.
        wanted = expected(budget, [row.pod for row in running], scale)
    except NoScale as error:
        return Allowance(budget, covered, pods, pods, 0, 0, str(error))
    if budget.spec.maxUnavailable is None and isinstance(budget.spec.minAvailable, int):
        wanted = Expected(pods, wanted.healthy)
    allowed = max(0, pods - wanted.healthy) if wanted.pods > 0 else 0
    return Allowance(budget, covered, pods, wanted.pods, wanted.healthy, allowed, unmanaged=wanted.unmanaged)
