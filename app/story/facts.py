"""Numbers and yes-or-no answers about a walk: what verdicts report and what symptoms are decided by."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from app.kube.meta import Ref, condition
from app.kube.pods import Pod
from app.sim.host import HostPod
from app.sim.ledger import requests
from app.sim.maps import ordered
from app.sim.walk import Record
from app.sim.world import World
from app.story.call_facts import CALL_FACTS
from app.story.config_facts import CONFIG_FACTS
from app.story.cordon_facts import CORDON_FACTS
from app.story.crash_facts import CRASH_FACTS
from app.story.drain_facts import DRAIN_FACTS
from app.story.fact import Fact, Subject, at, first, last
from app.story.harm_facts import HARM_FACTS
from app.story.node_facts import NODE_FACTS
from app.story.outage_facts import OUTAGE_FACTS
from app.story.pressure_facts import PRESSURE_FACTS
from app.story.probe_facts import PROBE_FACTS
from app.story.rollout_facts import ROLLOUT_FACTS
from app.story.run_facts import RUN_FACTS
from app.story.standstill_facts import STANDSTILL_FACTS
from app.story.startup_facts import STARTUP_FACTS
from app.story.writer_facts import WRITER_FACTS


def requests_failed(subject: Subject) -> Fact:
    """Connections that met nothing that serves: rate / nodes / backends, added up over every failing route."""
    world = subject.walk.world
    ledger = world.ledger
    total = requests(ledger.exposure(world.now), world.load, len(world.nodes))
    step = first(subject.walk, lambda row: row.step.moment.startswith("request-"))
    more: list[tuple[str, str]] = [("window", "no"), ("nodes", "none")]
    if ledger.first is not None:
        end = world.now if ledger.loses else (ledger.last or ledger.first)
        more = [
            ("window", f"{(end - ledger.first) / 1000:.3f} s"),
            ("from", f"{ledger.first / 1000:.3f} s"),
            ("until", f"{end / 1000:.3f} s"),
            ("nodes", ", ".join(per_node(world)) or "none"),
        ]
    return Fact(rounded(total), "requests", step.n if step else None, tuple(more))


def per_node(world: World) -> list[str]:
    """`node-2 3.2 (0.96 s)` for every node whose routes failed."""
    found: dict[str, tuple[Fraction, int]] = {}
    for tally, milliseconds in ordered(world.ledger.exposure(world.now)):
        share = requests(world.ledger.spent.__class__({tally: milliseconds}), world.load, len(world.nodes))
        so_far, longest = found.get(tally.node, (Fraction(0), 0))
        found[tally.node] = (so_far + share, max(longest, milliseconds))
    return [f"{node} {rounded(share)} ({longest / 1000:.3f} s)" for node, (share, longest) in found.items()]


def requests_cut(subject: Subject) -> Fact:
    """Requests that were in flight when their process ended."""
    world = subject.walk.world
    total = requests(world.ledger.cut, world.load, len(world.nodes))
    step = first(subject.walk, lambda row: bool(row.step.world.ledger.cut) and not row.step.before.ledger.cut)
    return Fact(rounded(total), "requests", step.n if step and total else None)


def killed(subject: Subject) -> Fact:
    """Whether a container of the target was ended by SIGKILL at the end of its grace."""
    step = first(subject.walk, lambda row: row.step.moment == "sigkill-sent" and row.step.object == subject.target)
    return Fact(step is not None, "", step.n if step else None, (("at", at(step)),))


def gone_at(subject: Subject) -> Fact:
    """When the target's object is gone from the API."""
    step = first(subject.walk, lambda row: row.step.verb == "remove" and row.step.object == subject.target)
    return Fact(step.step.at / 1000 if step else None, "s", step.n if step else None)


def ready_at(subject: Subject) -> Fact:
    """When the last pod that was created in the walk became Ready."""
    ready = [row for row in subject.walk.records if _turned_ready(row)]
    if not ready:
        return Fact(None, "s")
    return Fact(ready[-1].step.at / 1000, "s", ready[-1].n or None)


def terminating_seconds(subject: Subject) -> Fact:
    """From deletionTimestamp until the object is gone, or until the walk ends."""
    marked = first(
        subject.walk,
        lambda row: row.step.verb == "mark-terminating" and row.step.object == subject.target,
    )
    if marked is None:
        return Fact(0.0, "s")
    gone = gone_at(subject)
    end = gone.value if isinstance(gone.value, float) else subject.end / 1000
    return Fact(end - marked.step.at / 1000, "s", gone.step or last(subject.walk))


def held_by_finalizer(subject: Subject) -> Fact:
    """Whether the target ends the walk with its containers stopped and its object kept by a finalizer."""
    held = subject.walk.world.etcd.get(subject.target)
    if held is None or not isinstance(held.object, Pod):
        return Fact(value=False, unit="")
    pod = held.object
    waits = bool(pod.terminating and pod.finished and pod.metadata.finalizers)
    step = first(subject.walk, lambda row: row.step.moment == "final-delete" and row.step.object == subject.target)
    return Fact(waits, "", step.n if step and waits else None, (("finalizer", ", ".join(pod.metadata.finalizers)),))


def held_by_volume(subject: Subject) -> Fact:
    """Whether the target ends the walk terminal, its object kept because the kubelet waits for an unmount."""
    world = subject.walk.world
    held = world.etcd.get(subject.target)
    pod = held.object if held else None
    if not isinstance(pod, Pod) or not (pod.terminating and pod.finished):
        return Fact(value=False, unit="")
    host = world.hosts.get(pod.spec.nodeName)
    worker = host.workers.get(pod.metadata.uid) if host and host.power else None
    waits = worker is not None and worker.written is not None and worker.volumes != "gone"
    step = first(subject.walk, lambda row: row.step.moment == "pod-terminal" and row.step.object == subject.target)
    return Fact(waits, "", step.n if step and waits else None)


def node_is_gone(subject: Subject) -> Fact:
    """Whether the target still stands in the API on a machine that is off."""
    held = subject.walk.world.etcd.get(subject.target)
    pod = held.object if held else None
    if not isinstance(pod, Pod) or not pod.spec.nodeName:
        return Fact(value=False, unit="")
    host = subject.walk.world.hosts.get(pod.spec.nodeName)
    gone = host is not None and not host.power and pod.terminating
    step = first(subject.walk, lambda row: row.step.verb == "power-off")
    return Fact(gone, "", step.n if step and gone else None)


def process_outlives_object(subject: Subject) -> Fact:
    """Whether a container of the target still ran after its object was gone."""
    step = first(subject.walk, lambda row: row.step.verb == "remove" and row.step.object == subject.target)
    if step is None:
        return Fact(value=False, unit="")
    runs = any(_running(pod) for pod in _pods(step.step.world, subject.target))
    return Fact(runs, "", step.n if runs else None)


def exit_code(subject: Subject) -> Fact:
    """The exit code of the target's first container, as its machine saw it."""
    for row in reversed(subject.walk.records):
        for pod in _pods(row.step.world, subject.target):
            for run in pod.containers:
                if run.exit_code is not None:
                    return Fact(float(run.exit_code), "", row.n or None)
    return Fact(None, "")


FACTS: dict[str, Callable[[Subject], Fact]] = {
    "requests-failed": requests_failed,
    "requests-cut": requests_cut,
    "killed": killed,
    "gone-at": gone_at,
    "ready-at": ready_at,
    "terminating-seconds": terminating_seconds,
    "held-by-finalizer": held_by_finalizer,
    "held-by-volume": held_by_volume,
    "node-is-gone": node_is_gone,
    "process-outlives-object": process_outlives_object,
    "exit-code": exit_code,
    **STARTUP_FACTS,
    **PROBE_FACTS,
    **CORDON_FACTS,
    **DRAIN_FACTS,
    **HARM_FACTS,
    **CONFIG_FACTS,
    **CRASH_FACTS,
    **PRESSURE_FACTS,
    **OUTAGE_FACTS,
    **STANDSTILL_FACTS,
    **RUN_FACTS,
    **ROLLOUT_FACTS,
    **NODE_FACTS,
    **WRITER_FACTS,
    **CALL_FACTS,
}


def rounded(value: Fraction) -> float:
    """To thousandths of a request: divided once, at the very end."""
    return float(round(value, 3))


def _turned_ready(row: Record) -> bool:
    for commit in row.step.commits:
        if isinstance(commit.after, Pod) and isinstance(commit.before, Pod) and commit.after.ready:
            was = condition(commit.before.status.conditions, "Ready")
            if was is None or was.status != "True":
                return True
    return False


def _pods(world: World, ref: Ref) -> list[HostPod]:
    return [pod for _, host in ordered(world.hosts) for _, pod in ordered(host.pods) if pod.ref == ref]


def _running(pod: HostPod) -> bool:
    return any(run.state == "running" for run in pod.containers)
