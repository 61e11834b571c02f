"""What Kubernetes computes from a set of manifests: classes, scores, sums and budgets, with nothing running."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from app.inspect.standing import Standing, standings
from app.inspect.stopping import Stopping, grace_of, stoppings
from app.inspect.subject import CONTAINER, INIT, SIDECAR, Made, Part, Subject, template_of
from app.kube.daemons import max_surge as max_daemon_surge
from app.kube.daemons import max_unavailable as max_daemon_unavailable
from app.kube.oom_score import oom_score_adj
from app.kube.pods import Probe, Toleration
from app.kube.probe_budget import Range, startup_budget, time_to_fail, time_to_pass
from app.kube.quantity import value
from app.kube.resources import amounts, pod_limits, pod_requests, summed
from app.kube.rollout import max_surge, max_unavailable
from app.kube.workloads import DaemonSet, Deployment, StatefulSet

LIVENESS, READINESS, STARTUP = "livenessProbe", "readinessProbe", "startupProbe"


class Window(NamedTuple):
    """How long until a probe's result counts: where it fails at once, and where it hangs until its timeout."""

    probe: str
    usual: Range
    hanging: Range


class Asked(NamedTuple):
    """What the scheduler counts for a pod, and the parts that it comes from."""

    total: Mapping[str, int]
    containers: Mapping[str, int]
    sidecars: Mapping[str, int]
    init_peak: Mapping[str, int]
    """The most that one init container asks for, with the sidecars that run beside it."""
    overhead: Mapping[str, int]
    limits: Mapping[str, int]


class ContainerFacts(NamedTuple):
    part: Part
    pull_policy: str
    oom_score_adj: int
    startup: Window | None
    """From the start of the container until it is killed for never having answered."""
    detection: Window | None
    """From the moment it ceases to answer until it is killed for it."""
    withdrawal: Window | None
    """From the moment it ceases to answer until it is out of rotation."""
    admission: Range | None
    """From the moment it answers until it is in rotation."""
    stop: Stopping | None
    """None for init containers, which have ended by then."""


class Rollout(NamedTuple):
    """`surge` and `unavailable` in pods; None where a kind of workload knows no such number."""

    strategy: str
    replicas: int
    surge: int | None = None
    unavailable: int | None = None
    partition: int | None = None
    """Ordinals of a StatefulSet from which on pods are updated."""
    order: str = ""
    """Its podManagementPolicy."""


class PodFacts(NamedTuple):
    made: Made
    qos: str
    asked: Asked
    containers: tuple[ContainerFacts, ...]
    grace: int
    injected: tuple[Toleration, ...]
    """Tolerations that no manifest names."""
    standing: Standing
    rollout: Rollout | None

    @property
    def ended(self) -> int:
        """Milliseconds from the beginning of the kill to the end of the last container."""
        return max((row.stop.stop.ended for row in self.containers if row.stop is not None), default=0)


def computed(subject: Subject) -> tuple[PodFacts, ...]:
    """Everything about every kind of pod."""
    standing = standings(subject)
    return tuple(_facts(subject, row, standing[row.ref]) for row in subject.made)


def _facts(subject: Subject, made: Made, standing: Standing) -> PodFacts:
    stops = {row.part.row.name: row for row in stoppings(made)}
    memory = value(subject.capacity["memory"])
    return PodFacts(
        made,
        made.qos,
        asked_of(made),
        tuple(_container(made, part, memory, stops.get(part.row.name)) for part in made.parts),
        grace_of(made),
        injected(made),
        standing,
        rollout_of(made),
    )


def _container(made: Made, part: Part, memory: int, stop: Stopping | None) -> ContainerFacts:
    row = part.row
    killer = (STARTUP, row.startupProbe) if row.startupProbe else (LIVENESS, row.livenessProbe)
    return ContainerFacts(
        part,
        row.imagePullPolicy,
        oom_score_adj(made.pod, row, memory),
        _window(*killer, of=startup_budget),
        _window(LIVENESS, row.livenessProbe, of=time_to_fail),
        _window(READINESS, row.readinessProbe, of=time_to_fail),
        time_to_pass(row.readinessProbe) if row.readinessProbe is not None else None,
        stop,
    )


def _window(name: str, probe: Probe | None, *, of: Callable[..., Range]) -> Window | None:
    return None if probe is None else Window(name, of(probe), of(probe, hangs=True))


def asked_of(made: Made) -> Asked:
    """The parts of what pod_requests adds up."""
    by_kind: dict[str, list[Mapping[str, int]]] = {CONTAINER: [], SIDECAR: [], INIT: []}
    peak: dict[str, int] = {}
    for part in made.parts:
        asks = amounts(part.row.resources.requests)
        if part.kind == INIT:
            for name, amount in summed([asks, *by_kind[SIDECAR]]).items():
                peak[name] = max(peak.get(name, 0), amount)
        by_kind[part.kind].append(asks)
    spec = made.pod.spec
    return Asked(
        pod_requests(spec),
        summed(by_kind[CONTAINER]),
        summed(by_kind[SIDECAR]),
        peak,
        amounts(spec.overhead),
        pod_limits(spec),
    )


def injected(made: Made) -> tuple[Toleration, ...]:
    """DefaultTolerationSeconds gives every pod two, the DaemonSet controller gives its pods more."""
    template = template_of(made.owner)
    written = template.spec.tolerations if template is not None else ()
    return tuple(row for row in made.pod.spec.tolerations if row not in written)


def rollout_of(made: Made) -> Rollout | None:
    """Percentages turned into pods: surge rounds up; unavailable rounds down, of a DaemonSet up. OnDelete has none."""
    match made.owner:
        case Deployment() as owner:
            return Rollout(owner.spec.strategy.type, made.pods, max_surge(owner), max_unavailable(owner))
        case StatefulSet() as owner:
            kind, rolling = owner.spec.updateStrategy.type, owner.spec.updateStrategy.rollingUpdate
            order = owner.spec.podManagementPolicy
            if kind == "OnDelete":
                return Rollout(kind, made.pods, order=order)
            partition = rolling.partition or 0 if rolling is not None else 0
            return Rollout(kind, made.pods, 0, min(1, made.pods), partition, order)
        case DaemonSet() as owner:
            if owner.spec.updateStrategy.type == "OnDelete":
                return Rollout("OnDelete", made.pods)
            surge = max_daemon_surge(owner, made.pods)
            unavailable = 0 if surge else max_daemon_unavailable(owner, made.pods)
            return Rollout("RollingUpdate", made.pods, surge, unavailable)
        case _:
            return None
