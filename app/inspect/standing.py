"""Who is evicted first when a node runs short of memory, if every pod uses as much as it may."""

from __future__ import annotations

from typing import NamedTuple

from app.inspect.stopping import behaviour_of
from app.inspect.subject import Made, Subject
from app.kube.critical_pods import critical
from app.kube.eviction_ranking import Candidate, rank
from app.kube.meta import Ref
from app.kube.resources import amounts, pod_requests


class Standing(NamedTuple):
    """`usage` is bytes at worst: what is annotated, else the limit; None where nothing bounds it."""

    priority: int
    critical: bool
    """Such a pod is never evicted."""
    request: int
    usage: int | None
    place: int | None
    """1 goes first; None for what is never evicted."""

    @property
    def exceeds(self) -> bool:
        """Whether it may use more than it asks for, which is what puts it in the first row."""
        return self.usage is None or self.usage > self.request


def standings(subject: Subject) -> dict[Ref, Standing]:
    """By what makes the pods; the order is that of rankMemoryPressure in pkg/kubelet/eviction/helpers.go."""
    candidates = {str(row.ref): _candidate(row) for row in subject.made}
    ranked = rank((candidates[str(row.ref)] for row in subject.made if not critical(row.pod)), "memory")
    places = {row.name: at for at, row in enumerate(ranked, 1)}
    return {
        row.ref: Standing(one.priority, critical(row.pod), one.request, one.usage, places.get(one.name))
        for row in subject.made
        for one in [candidates[str(row.ref)]]
    }


def _candidate(made: Made) -> Candidate:
    spec = made.pod.spec
    return Candidate(str(made.ref), spec.priority or 0, _worst(made), pod_requests(spec).get("memory", 0))


def _worst(made: Made) -> int | None:
    """The sum over all containers that run on; a limit of the pod itself bounds it, too."""
    whole = amounts(made.pod.spec.resources.limits).get("memory")
    total = 0
    for part in made.lasting:
        curve = behaviour_of(made, part).memory
        limit = amounts(part.row.resources.limits).get("memory") or None
        peak = max((point.amount for point in curve), default=None)
        bounds = [amount for amount in (peak, limit) if amount is not None]
        if not bounds:
            return whole
        total += min(bounds)
    return total if whole is None else min(total, whole)
