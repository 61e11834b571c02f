"""How a rollout went: when it was over, how few pods were ready and how many ran, and which race cost requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

from app.kube.meta import Ref, condition
from app.kube.networking import EndpointSlice
from app.kube.pods import Pod
from app.kube.rollout_status import PROGRESSING, TIMED_OUT
from app.kube.workloads import Deployment
from app.sim.fronts import ready_addresses
from app.sim.ledger import ANY, Route, share
from app.sim.maps import ordered
from app.sim.walk import Record, Walk
from app.sim.world import World
from app.story.drain_facts import drains
from app.story.drain_facts import fewest_ready as fewest_in_drain
from app.story.fact import Fact, Subject, at, first
from app.story.standstill_facts import rolled
from app.story.stretches import longest, step_at


def rollout_finished(subject: Subject) -> Fact:
    """When the last rollout was complete: all pods new and available."""
    found = [row for row in subject.walk.records if row.step.moment == "rollout-complete"]
    if not found or any(_unfinished(subject.walk.world, name) for name in rolled(subject.walk)):
        return Fact(None, "s", stalled_at(subject).step)
    return Fact(found[-1].step.at / 1000, "s", found[-1].n or None)


def _unfinished(world: World, name: Ref) -> bool:
    held = world.etcd.get(name)
    row = held.object if held else None
    return not isinstance(row, Deployment) or _progress(row) != "NewReplicaSetAvailable"


def _progress(row: Deployment) -> str:
    found = condition(row.status.conditions, PROGRESSING)
    return found.reason if found else ""


def stalled_at(subject: Subject) -> Fact:
    """When a rollout was given up as failed: Progressing=False, ProgressDeadlineExceeded."""
    row = first(subject.walk, lambda row: row.step.moment == "progress-deadline-exceeded")
    if row is None:
        return Fact(None, "s", more=(("reason", "none"),))
    return Fact(row.step.at / 1000, "s", row.n, (("reason", TIMED_OUT),))


def rollout_exit(subject: Subject) -> Fact:
    """The exit code of the first `kubectl rollout status`; none while it runs."""
    commands = [row for _, row in ordered(subject.walk.world.commands) if row.verb == "rollout-status"]
    if not commands or commands[0].exit is None:
        return Fact(None, "")
    number = commands[0].number
    step = first(subject.walk, lambda row: row.step.command == number and row.step.verb in ("return", "fail"))
    return Fact(float(commands[0].exit), "", step.n if step else None, (("at", at(step)),))


def fewest_ready(subject: Subject) -> Fact:
    """The smallest number of ready pods of a workload that a drain emptied, or else that was rolled out."""
    if drains(subject.walk):
        return fewest_in_drain(subject)
    found = [(*_extreme(subject.walk, name, _ready, smallest=True), name) for name in rolled(subject.walk)]
    if not found:
        return Fact(None, "pods", more=(("workload", "none"),))
    count, row, name = min(found, key=lambda pair: pair[0])
    return Fact(float(count), "pods", _step(subject.walk, row), (("workload", name.name),))


def most_pods(subject: Subject) -> Fact:
    """The largest number of pods with running containers that a rolled out workload had at once."""
    found = [(*_extreme(subject.walk, name, _running, smallest=False), name) for name in rolled(subject.walk)]
    if not found:
        return Fact(None, "pods", more=(("terminating", "0"),))
    count, row, name = max(found, key=lambda pair: pair[0])
    world = row.step.world if row else subject.walk.start
    leaving = sum(pod.terminating for pod in _running(world, name))
    return Fact(float(count), "pods", _step(subject.walk, row), (("terminating", str(leaving)),))


def versions_mixed(subject: Subject) -> Fact:
    """For how long pods of two templates were ready side by side at a stretch."""
    names = rolled(subject.walk)
    found = longest(subject.walk, lambda world: [str(name) for name in names if len(_templates(world, name)) > 1])
    return Fact(found.lasted / 1000 if found else 0.0, "s", found.step if found else None)


def peak_per_pod(subject: Subject) -> Fact:
    """The most requests a second that one pod got, when the fewest addresses were left."""
    peak, row = _highest(subject.walk)
    return Fact(float(round(peak, 3)), "requests/s", _step(subject.walk, row))


def peak_factor(subject: Subject) -> Fact:
    """The same, in times of what a pod got at the start."""
    usual = _peak(subject.walk.start)
    peak, row = _highest(subject.walk)
    return Fact(float(round(peak / usual, 2)) if usual else 1.0, "times", _step(subject.walk, row))


def _highest(walk: Walk) -> tuple[Fraction, Record | None]:
    best: tuple[Fraction, Record | None] = (_peak(walk.start), None)
    seen = walk.start.ledger.routes
    for row, world, until in _times(walk):
        # What does not last loads nobody.
        if until > world.now and world.ledger.routes is not seen:
            seen = world.ledger.routes
            peak = _peak(world)
            best = (peak, row) if peak > best[0] else best
    return best


def _peak(world: World) -> Fraction:
    """Of all addresses that serve, what the one that gets most is sent."""
    loads = {load.service: Fraction(load.rate, share(load, len(world.nodes))) for load in world.load if not load.waits}
    sent: dict[tuple[Ref, str], Fraction] = {}
    for route, spans in ordered(world.ledger.routes):
        rate = loads.get(route.service)
        if rate is None or not route.address or spans[-1].until is not None or route in world.ledger.failing:
            continue
        key = (route.service, route.address)
        sent[key] = sent.get(key, Fraction(0)) + rate / spans[-1].of
    return max(sent.values(), default=Fraction(0))


def front_behind(subject: Subject) -> Fact:
    """The longest time for which an ingress or load balancer sent to an address that was ready no more."""
    found = longest(subject.walk, _outdated)
    more = (("what", found.what if found else "none"),)
    return Fact(found.lasted / 1000 if found else 0.0, "s", found.step if found else None, more)


def _outdated(world: World) -> Iterator[str]:
    slices = world.etcd.find(EndpointSlice.kind) if world.fronts else ()
    for service, front in ordered(world.fronts):
        ready = ready_addresses(service, slices)
        yield from (address for address in front.rules.backends if address not in ready)


# The two races: an address that fails is that of a pod on its way out, or of one that does not serve yet.


def failed_at_stop(subject: Subject) -> Fact:
    """Failed requests that were sent to pods which were being deleted, or were gone."""
    return _failed(subject, leaving=True)


def failed_at_start(subject: Subject) -> Fact:
    """Failed requests that were sent to pods which were not being deleted: new ones that do not serve yet."""
    return _failed(subject, leaving=False)


def _failed(subject: Subject, *, leaving: bool) -> Fact:
    total, began = Fraction(0), None
    for row, world, until in _times(subject.walk):
        lost = sum((_rate(world, route) for route in _failing(world) if _leaves(world, route) == leaving), Fraction(0))
        if lost and until > world.now:
            total += lost * (until - world.now) / 1000
            began = began or row
    return Fact(float(round(total, 3)), "requests", _step(subject.walk, began))


def _times(walk: Walk) -> Iterator[tuple[Record | None, World, int]]:
    """Every state of the walk that lasted, with its end."""
    rows: list[tuple[Record | None, World]] = [(None, walk.start), *((row, row.step.world) for row in walk.records)]
    for (row, world), (_, after) in pairwise(rows):
        if after.now > world.now:
            yield row, world, after.now
    yield *rows[-1], walk.world.now


def _failing(world: World) -> list[Route]:
    """Where requests are sent in vain; with no address left there is no pod to blame."""
    return [route for route, row in ordered(world.ledger.failing) if row.weight and route.address]


def _rate(world: World, route: Route) -> Fraction:
    row = world.ledger.failing[route]
    rates = (Fraction(load.rate, share(load, len(world.nodes))) for load in world.load if load.service == route.service)
    return sum(rates, Fraction(0)) * row.weight / row.of


def _leaves(world: World, route: Route) -> bool:
    """Whether the pod at a route's address is being deleted, or gone; of all that a front tries, of every one."""
    if route.address == ANY:
        tried = [row for row in world.ledger.failing if row[:2] == route[:2] and row.address != ANY]
        return all(_leaves(world, row) for row in tried)
    pods = [pod for pod in world.etcd.find(Pod.kind) if isinstance(pod, Pod) and pod.status.podIP == route.address]
    return all(pod.terminating or pod.finished for pod in pods)


# Pods of a Deployment.


def _pods(world: World, name: Ref) -> list[Pod]:
    held = world.etcd.get(name)
    if held is None or not isinstance(held.object, Deployment):
        return []
    selector = held.object.spec.selector
    pods = [pod for pod in world.etcd.find(f"Pod in {name.namespace}") if isinstance(pod, Pod)]
    return [pod for pod in pods if selector.selects(pod.metadata.labels)]


def _ready(world: World, name: Ref) -> list[Pod]:
    return [pod for pod in _pods(world, name) if pod.ready and not pod.terminating]


def _running(world: World, name: Ref) -> list[Pod]:
    return [pod for pod in _pods(world, name) if _runs(world, pod)]


def _runs(world: World, pod: Pod) -> bool:
    host = world.hosts.get(pod.spec.nodeName)
    held = host.pods.get(pod.metadata.uid) if host is not None and host.power else None
    return held is not None and any(run.state == "running" for run in held.containers)


def _templates(world: World, name: Ref) -> set[str]:
    """The ReplicaSets that have ready pods."""
    owners = (pod.metadata.controller for pod in _ready(world, name))
    return {owner.name for owner in owners if owner is not None}


def _extreme(
    walk: Walk, name: Ref, found: Callable[[World, Ref], list[Pod]], *, smallest: bool
) -> tuple[int, Record | None]:
    best, where = len(found(walk.start, name)), None
    seen = (walk.start.etcd, walk.start.hosts)
    for row in walk.records:
        world = row.step.world
        if world.etcd is seen[0] and world.hosts is seen[1]:
            continue
        seen = (world.etcd, world.hosts)
        count = len(found(world, name))
        if (count < best) if smallest else (count > best):
            best, where = count, row
    return best, where


def _step(walk: Walk, row: Record | None) -> int | None:
    return step_at(walk, row) if row is not None else None


ROLLOUT_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "rollout-finished": rollout_finished,
    "stalled-at": stalled_at,
    "rollout-exit": rollout_exit,
    "fewest-ready": fewest_ready,
    "most-pods": most_pods,
    "versions-mixed": versions_mixed,
    "peak-per-pod": peak_per_pod,
    "peak-factor": peak_factor,
    "front-behind": front_behind,
    "failed-at-stop": failed_at_stop,
    "failed-at-start": failed_at_start,
}
