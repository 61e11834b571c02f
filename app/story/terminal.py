"""What kubectl prints after a step: lists, one pod described, its log and that of the run before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.kube import printers
from app.kube.annotations import behaviour
from app.kube.client_errors import HUNG, REFUSED
from app.kube.describe import EventRow, describe_pod
from app.kube.logs import Printed, logs, not_found
from app.kube.meta import DEFAULT_NAMESPACE, Ref
from app.kube.networking import EndpointSlice
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.sim.dialling import unreachable
from app.sim.loop import SERVER
from app.sim.world import World
from app.story.events import Recorded, newest
from app.story.owners import owner_views
from app.story.play import Play, records_until


def kubectl(played: Play, n: int, pod: Ref | None = None) -> dict[str, str]:
    """By command; `pod` is whom the reader wants to know more of, else it is the one that the walk is about."""
    world, pods = world_after(played, n), pods_after(played, n)
    nodes = [obj for obj in world.etcd.find("Node") if isinstance(obj, Node)]
    slices = [obj for obj in world.etcd.find("EndpointSlice") if isinstance(obj, EndpointSlice)]
    events = newest(played.walk, records_until(played, n))
    read = pod if any(row.ref == pod and _restarts(row) for row in pods) else None
    lines = [printers.EventLine(row.at, row.type, row.reason, row.object, row.message) for row in events]
    views = {
        "get pods -o wide": printers.get_pods(pods, world.now, wide=True, release=world.release),
        "get nodes": printers.get_nodes(nodes, world.now),
        **owner_views(world),
        "get endpointslices": printers.get_endpoint_slices(slices, world.now),
        "get events": printers.get_events(lines, world.now),
        **described(world, pods, events, pod or _of_interest(world, pods, played.target)),
        **log_views(world, pods, read or played.target),
    }
    error = _no_answer(world)
    return dict.fromkeys(views, error) if error else views


def _no_answer(world: World) -> str:
    """What every command says while no API server answers; empty while one does."""
    if SERVER in world.frozen:
        return HUNG
    return REFUSED if SERVER in world.down or "kubectl" in world.cut else ""


def world_after(played: Play, n: int) -> World:
    """After the last step all that still happens has happened."""
    return played.world(n) if n < len(played.steps) else played.walk.world


def pods_after(played: Play, n: int) -> list[Pod]:
    """The pods after a step, as `kubectl get pods` lists them."""
    return [obj for obj in world_after(played, n).etcd.find("Pod") if isinstance(obj, Pod)]


def described(world: World, pods: Sequence[Pod], events: Iterable[Recorded], ref: Ref | None) -> dict[str, str]:
    """`describe` of one pod, with the Events that are about this very object."""
    if ref is None:
        return {}
    pod = next((pod for pod in pods if pod.ref == ref), None)
    elsewhere = "" if ref.namespace == DEFAULT_NAMESPACE else f" -n {ref.namespace}"
    words = f"describe pod {ref.name}{elsewhere}"
    if pod is None:
        return {words: not_found(ref.name).err}
    # A static pod is written about before its mirror is there.
    rows = [_row(row) for row in events if row.object == ref and row.uid in ("", pod.metadata.uid)]
    return {words: describe_pod(pod, rows, world.now, world.release)}


def _row(row: Recorded) -> EventRow:
    return EventRow(row.type, row.reason, row.message, row.source, row.first, row.at, row.count, row.part)


def _of_interest(world: World, pods: Sequence[Pod], target: Ref) -> Ref | None:
    """The pod that the walk is about, once there is one, also when it has gone; else one that was restarted."""
    if target.kind == Pod.kind and target in world.incarnations:
        return target
    return next((pod.ref for pod in pods if _restarts(pod)), pods[0].ref if pods else None)


def log_views(world: World, pods: Sequence[Pod], target: Ref) -> dict[str, str]:
    """Of the target, else of the first pod that was restarted; nothing where there is nothing to read."""
    told = [pod for pod in pods if _restarts(pod) or _says(pod)]
    pod = next((pod for pod in told if pod.ref == target), next((pod for pod in told if _restarts(pod)), None))
    if pod is None:
        return {}
    dial = unreachable(world, pod.spec.nodeName)
    name = pod.metadata.name
    found = {f"logs {name}": _text(logs(pod, dial=dial))}
    if _restarts(pod):
        found[f"logs {name} --previous"] = _text(logs(pod, previous=True, dial=dial))
    return found


def _restarts(pod: Pod) -> bool:
    return any(row.restartCount for row in (*pod.status.containerStatuses, *pod.status.initContainerStatuses))


def _says(pod: Pod) -> bool:
    return any(behaviour(pod.metadata.annotations, row.name).log for row in pod.spec.containers)


def _text(printed: Printed) -> str:
    return "\n".join(part for part in (printed.err, printed.out) if part)
