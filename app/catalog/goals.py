"""When a flow's walk is over: named predicates of a world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.networking import EndpointSlice
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.kube.taints import UNSCHEDULABLE
from app.kube.workloads import Deployment, StatefulSet
from app.loops import kube_proxy
from app.sim.fronts import ready_addresses
from app.sim.loop import Turn, process_name
from app.sim.processes import Candidate
from app.sim.walk import Goal
from app.sim.world import World


class Subject(NamedTuple):
    """The object that a flow is about, as it stood at t = 0; a namesake that comes later is another one."""

    ref: Ref
    uid: str


def goal(names: Sequence[str], subject: Subject | None) -> Goal | None:
    """One predicate for all of them; None when there is none to reach."""
    if not names:
        return None
    rows = [GOALS[name] for name in names]
    return lambda world: all(row(world, subject) for row in rows)


def target_gone(world: World, subject: Subject | None) -> bool:
    """The target is no longer in etcd."""
    held = world.etcd.get(subject.ref) if subject else None
    return held is None or (subject is not None and held.object.metadata.uid != subject.uid)


def processes_gone(world: World, subject: Subject | None) -> bool:
    """No container of the target runs on a machine that is on; after a forced delete that is later than its end."""
    hosts = [world.hosts[node] for node in world.nodes] if subject else []
    pods = [host.pods.get(subject.uid) for host in hosts if subject and host.power]
    return not any(run.state == "running" for pod in pods if pod for run in pod.containers)


def replicas_ready(world: World, _: Subject | None) -> bool:
    """Every Deployment and StatefulSet has seen its spec, and has all the ready pods that it asks for."""
    rows = [*world.etcd.find("Deployment"), *world.etcd.find("StatefulSet")]
    return all(_settled(row) for row in rows if isinstance(row, Deployment | StatefulSet))


def _settled(row: Deployment | StatefulSet) -> bool:
    wanted = 1 if row.spec.replicas is None else row.spec.replicas
    status = row.status
    # Of a StatefulSet's pods those below the partition, or all, may keep their template.
    updated = status.updatedReplicas if isinstance(row, Deployment) else max(status.updatedReplicas, _kept(row))
    counts = {status.replicas, status.readyReplicas, updated}
    return counts == {wanted} and status.observedGeneration >= row.metadata.generation


def _kept(row: StatefulSet) -> int:
    """How many replicas there are once every pod is updated that its strategy updates of itself."""
    strategy, wanted = row.spec.updateStrategy, 1 if row.spec.replicas is None else row.spec.replicas
    rolling = strategy.rollingUpdate
    if strategy.type == "OnDelete":
        return wanted
    partition = min(wanted, (rolling.partition or 0) if rolling is not None else 0)
    return wanted if row.status.updatedReplicas >= wanted - partition else row.status.updatedReplicas


def rules_current(world: World, _: Subject | None) -> bool:
    """No kube-proxy of a powered node would have anything to do if it knew the truth."""
    return all(_nothing_to_sync(world, node) for node in world.nodes if world.hosts[node].power)


def _nothing_to_sync(world: World, node: str) -> bool:
    process = process_name(kube_proxy.LOOP, node)
    knowing = replace(world, views=world.views.set(process, world.etcd))
    return kube_proxy.reconcile(Turn(knowing, kube_proxy.LOOP, node, kube_proxy.RUNNER)) is None


def nothing_failing(world: World, _: Subject | None) -> bool:
    """No node's rules lead to anything that does not serve."""
    return not world.ledger.failing


def commands_done(world: World, _: Subject | None) -> bool:
    """Every command line has returned."""
    return all(command.exit is not None for command in world.commands.values())


def clients_served(world: World, _: Subject | None) -> bool:
    """Clients that were to come have come and have been served; without any there is nothing to wait for."""
    awaited = any(load.waits or load.came is not None for load in world.load)
    return world.ledger.greeted or not awaited


def target_well(world: World, subject: Subject | None) -> bool:
    """The target, while it is there, is Ready, and serves its clients well on its machine."""
    held = world.etcd.get(subject.ref) if subject else None
    pod = held.object if held else None
    if subject is None or not isinstance(pod, Pod) or pod.metadata.uid != subject.uid or pod.terminating:
        return True
    host = world.hosts.get(pod.spec.nodeName)
    there = host.pods.get(subject.uid) if host else None
    return pod.ready and there is not None and there.serves and not any(run.fails for run in there.containers)


def script_done(world: World, _: Subject | None) -> bool:
    """Nothing of the script is still to come."""
    return not world.script


def taints_current(world: World, _: Subject | None) -> bool:
    """Every cordoned node has the taint that says so, and no other has it."""
    nodes = [row for row in world.etcd.find("Node") if isinstance(row, Node)]
    return all(any(taint.key == UNSCHEDULABLE for taint in row.spec.taints) == row.spec.unschedulable for row in nodes)


def all_back(world: World, _: Subject | None) -> bool:
    """Everybody runs and reaches the API server, who is to lead leads, and no watch is still broken."""
    waiting = any(isinstance(row, Candidate) and row.state != "leads" for row in world.memory.values())
    return not (world.down or world.cut or world.severed or waiting)


def none_terminating(world: World, _: Subject | None) -> bool:
    """No pod is being deleted."""
    return not any(pod.metadata.deletionTimestamp is not None for pod in world.etcd.find(Pod.kind))


def fronts_current(world: World, _: Subject | None) -> bool:
    """What clients come through knows exactly the ready addresses, and keeps none of them out."""
    slices = world.etcd.find(EndpointSlice.kind)
    return all(
        front.listed == ready_addresses(service, slices) and not front.out for service, front in world.fronts.items()
    )


GOALS: dict[str, Callable[[World, Subject | None], bool]] = {
    "target-gone": target_gone,
    "processes-gone": processes_gone,
    "replicas-ready": replicas_ready,
    "rules-current": rules_current,
    "nothing-failing": nothing_failing,
    "commands-done": commands_done,
    "clients-served": clients_served,
    "target-well": target_well,
    "script-done": script_done,
    "taints-current": taints_current,
    "all-back": all_back,
    "none-terminating": none_terminating,
    "fronts-current": fronts_current,
}
