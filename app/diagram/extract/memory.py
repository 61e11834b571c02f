"""How full machines and pods are: what is in use, asked for, allowed and allocatable, and what must be left."""

from __future__ import annotations

from app.diagram.extract.kept import once_per_walk
from app.diagram.views import Bar, Mark, Meter
from app.diagram.words import say
from app.kube.eviction_thresholds import MEMORY
from app.kube.meta import Ref
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.quantity import value
from app.kube.resources import pod_limits, pod_requests
from app.sim.host import Host, HostPod
from app.sim.index import on_node
from app.sim.maps import ordered
from app.sim.observations import gauges
from app.sim.usage import pod_memory, total
from app.sim.walk import Walk
from app.sim.world import World

MI = 2**20


def node_meter(world: World, name: str, host: Host) -> Meter:
    """What is in use of a machine, against its thresholds, and what is asked for of it, against what is allocatable."""
    gauge, now = gauges(host)[MEMORY], world.now
    left = gauge.available(now)
    rows = [row for row in host.machine.thresholds if row.signal == MEMORY]
    amounts = [(row.amount.of(gauge.capacity), "threshold" if row.hard else "soft") for row in rows]
    short = any(left < amount for amount, _ in amounts)
    used = Bar(
        used=_share(gauge.capacity - left, gauge.capacity),
        state="short" if short else "calm",
        marks=tuple(Mark(_share(gauge.capacity - amount, gauge.capacity), kind) for amount, kind in amounts),
        note=say("memory", "short" if short else "in-use", **_left(gauge.capacity, left)),
    )
    asked, allocatable = _asked(world, name), _allocatable(world, name, gauge.capacity)
    promised = Bar(
        used=_share(asked, gauge.capacity),
        state="promised",
        marks=(Mark(_share(allocatable, gauge.capacity), "allocatable"),),
        note=say("memory", "asked", asked=_mi(asked), allocatable=_mi(allocatable)),
    )
    told = [say("memory", kind, amount=_mi(amount)) for amount, kind in amounts] or [say("memory", "no-threshold")]
    title = say("memory", "node", name=name, used=used.note, asked=promised.note, thresholds=", ".join(told))
    return Meter(f"kernel-{name}", (used, promised), title)


def pod_meter(held: HostPod, now: int, scale: int) -> Meter | None:
    """What a pod that runs uses, against its request and its limit; `scale` is the whole width."""
    parts = pod_memory(held)
    if not parts or not scale:
        return None
    used, asked, limit = total(parts, now), _request(held.pod), _limit(held.pod)
    marks = [Mark(_share(asked, scale), "request")] + ([Mark(_share(limit, scale), "limit")] if limit else [])
    numbers = {"used": round(used / MI), "asked": round(asked / MI), "limit": round(limit / MI)}
    note = say("memory", "limited" if limit > asked else "pod", **numbers)
    bar = Bar(_share(used, scale), "above" if used > asked else "calm", tuple(marks), note)
    amounts = {"used": _mi(used), "asked": _mi(asked), "limit": _mi(limit)}
    return Meter("", (bar,), say("memory", "pod-limited" if limit else "pod-free", **amounts))


@once_per_walk
def pod_scale(walk: Walk) -> int:
    """The most that a pod of the walk uses, asks for or may use: one measure for all, which stays."""
    hosts = [walk.start.hosts[node] for node in walk.start.nodes]
    hosts += [row.step.world.hosts[row.step.node] for row in walk.records if row.step.node in row.step.world.hosts]
    seen: dict[str, HostPod] = {}
    most = 0
    for host in hosts:
        for uid, pod in ordered(host.pods):
            if seen.get(uid) is not pod:
                seen[uid] = pod
                most = max(most, _most(pod, host.machine.memory))
    return most


def _most(held: HostPod, machine: int) -> int:
    asked, limit = _request(held.pod), _limit(held.pod)
    peak = sum(max((point.amount for point in part.curve), default=0) for part in pod_memory(held))
    return max(asked, limit, min(peak, limit or machine))


def _request(pod: Pod) -> int:
    return pod_requests(pod.spec).get("memory", 0)


def _limit(pod: Pod) -> int:
    """Of all containers together; 0 where one of them has none."""
    limited = all("memory" in row.resources.limits for row in pod.spec.containers)
    return pod_limits(pod.spec).get("memory", 0) if limited else 0


def _asked(world: World, name: str) -> int:
    """As the scheduler adds up."""
    pods = [pod for pod in world.etcd.find(on_node(name)) if isinstance(pod, Pod) and not pod.finished]
    return sum(_request(pod) for pod in pods)


def _allocatable(world: World, name: str, capacity: int) -> int:
    held = world.etcd.get(Ref("Node", "", name))
    node = held.object if held is not None else None
    return value(node.status.allocatable["memory"]) if isinstance(node, Node) else capacity


def _left(capacity: int, left: int) -> dict[str, str]:
    return {"used": _mi(capacity - left), "capacity": _mi(capacity), "left": _mi(left)}


def _share(amount: int, whole: int) -> float:
    return round(min(max(amount / whole, 0), 1), 4) if whole else 0


def _mi(amount: int) -> str:
    """To whole MiB, so that amounts can be compared at a glance."""
    return f"{round(amount / MI)}Mi"
