"""A pod as the API has it beside what is really there."""

from __future__ import annotations

from typing import NamedTuple

from app.diagram.extract.names import short
from app.diagram.views import PodCard
from app.diagram.words import say
from app.kube.meta import Ref
from app.kube.pods import Pod
from app.kube.static_pods import uid_on_node
from app.sim.host import ContainerRun, Host, HostPod
from app.sim.index import on_node
from app.sim.maps import ordered
from app.sim.world import World

SYMBOLS = {
    "ready": "●",
    "starting": "○",
    "unready": "▽",
    "draining": "◆",
    "dead": "✗",
    "orphan": "⚠",
    "done": "✓",
}


class Seen(NamedTuple):
    """The API object and the machine's pod of one uid; one of them may be missing."""

    ref: Ref
    pod: Pod | None
    held: HostPod | None


def pods_on(world: World, node: str) -> dict[str, Seen]:
    """The pods of a node by uid: those bound to it, and those that still live on it without their object."""
    host = world.hosts.get(node)
    bound = {pod.metadata.uid: pod for pod in world.etcd.find(on_node(node)) if isinstance(pod, Pod)}
    found = {uid: Seen(pod.ref, pod, host.pods.get(uid_on_node(pod)) if host else None) for uid, pod in bound.items()}
    shown = {uid_on_node(pod) for pod in bound.values()}
    if host is not None and any(uid not in shown for uid in host.pods):
        rest = [(uid, pod) for uid, pod in ordered(host.pods) if uid not in shown and lives(pod)]
        found |= {uid: Seen(pod.ref, None, pod) for uid, pod in rest}
    return found


def lives(held: HostPod) -> bool:
    """Whether something of it is left on its machine that a client could meet."""
    return held.sandbox == "ready" or any(run.state == "running" for run in held.containers)


def card(seen: Seen, host: Host | None, uid: str, slot: int) -> PodCard:
    """A pod's box: the API's word, then what is really so."""
    ref, pod, held = seen
    state, really = _really(pod, held, host, uid)
    word = (
        say("pod", "removed") if pod is None else (say("pod", "terminating") if pod.terminating else pod.status.phase)
    )
    return PodCard(
        id=f"pod-{uid}",
        name=short(ref.name),
        status=f"{word} · {really}" if really else word,
        ip=held.ip if held else "",
        state=state,
        symbol=SYMBOLS[state],
        slot=slot,
        full=ref.name,
    )


def main_runs(held: HostPod) -> list[ContainerRun]:
    """The app containers, or whatever containers there are."""
    return [run for run in held.containers if run.role == "app"] or list(held.containers)


def hook_runs(host: Host, uid: str) -> bool:
    """Whether a preStop hook of the pod is at work."""
    worker = host.workers.get(uid)
    return worker is not None and any(kill.hook == "running" for kill in worker.kills)


def _really(pod: Pod | None, held: HostPod | None, host: Host | None, uid: str) -> tuple[str, str]:
    """State and words for what is on the machine."""
    if host is not None and not host.power:
        return "dead", say("node", "off")
    if held is None or host is None:
        return ("done", pod.status.reason) if pod and pod.finished else ("starting", say("pod", "waiting"))
    runs = main_runs(held)
    if not any(run.state == "running" for run in runs):
        return _not_running(pod, held, runs)
    if pod is None:
        return "orphan", say("pod", "running")
    if hook_runs(host, uid):
        return "draining", say("pod", "pre-stop")
    stopping = next(
        (run for run in runs if run.stop and run.stop.signalled is not None and run.state == "running"), None
    )
    if stopping is not None:
        return "draining", say("pod", "draining" if stopping.closing == "drains" else "sigterm")
    if pod.terminating:
        return "draining", say("pod", "ready" if pod.ready else "unready")
    if not held.serves:
        return ("dead" if pod.ready else "starting"), say("pod", "starting")
    return ("ready", say("pod", "ready")) if pod.ready else ("unready", say("pod", "unready"))


def _not_running(pod: Pod | None, held: HostPod, runs: list[ContainerRun]) -> tuple[str, str]:
    ended = next((run for run in runs if run.state == "exited"), None)
    if ended is not None:
        done = pod is not None and pod.status.phase == "Succeeded" and not pod.terminating
        return ("done" if done else "dead"), say("pod", "exited", code=ended.exit_code)
    word = "creating" if held.sandbox in ("none", "creating") else "starting"
    return ("starting" if pod is not None else "dead"), say("pod", word)
