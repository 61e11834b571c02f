"""What a sync of a pod would do next: containers to start, containers to kill, or nothing ever more."""

from __future__ import annotations

from typing import NamedTuple

from app.kube import probes
from app.kube.grace import LIVENESS, STARTUP
from app.kube.pods import Container, PodSpec
from app.kube.probes import FAILURE
from app.kube.restart import should_restart
from app.loops.kubelet.case import Case, has_started, result
from app.sim.host import ContainerRun


class Actions(NamedTuple):
    """As computePodActions in pkg/kubelet/kuberuntime/kuberuntime_manager.go gives them."""

    start: tuple[str, ...] = ()
    """In this order, each after the one before it runs."""
    kill: tuple[tuple[str, str], ...] = ()
    """Containers that failed a probe, with that probe."""
    sandbox: bool = False
    """Whether all of it is killed and a sandbox made before."""
    finished: bool = False
    """Whether no container of the pod will ever be started again."""


def actions(case: Case) -> Actions:
    """What follows from the containers as the kubelet knows them."""
    spec = case.spec
    if case.pod.sandbox == "dead":
        return _anew(case)
    present = case.pod.sandbox_attempt
    known = {run.name: known_run(case, run) for run in case.worker.seen if run.sandbox == present}
    if any(row.name in known for row in spec.containers):
        # Once an app has run, init containers are history; sidecars are kept up beside the apps.
        sidecars = [row for row in spec.initContainers if row.sidecar]
        apps = _each(case, spec.containers, known)
        if _all_ended(spec, known):
            return Actions(finished=True)
        beside = _each(case, tuple(sidecars), known)
        return Actions((*beside.start, *apps.start), (*beside.kill, *apps.kill))
    return _initializing(case, known)


def _anew(case: Case) -> Actions:
    """Without its sandbox a pod starts over, unless it is never to be started twice and has run."""
    if case.spec.restartPolicy == "Never" and case.pod.containers:
        return Actions(finished=True)
    first = case.spec.initContainers[:1] or case.spec.containers
    return Actions(start=tuple(row.name for row in first), sandbox=True)


def known_run(case: Case, seen: ContainerRun) -> ContainerRun:
    """A container as last seen, or as the kubelet's own calls have told since: stopped, or started anew."""
    real = case.pod.container(seen.name)
    if real is None or (real.attempt == seen.attempt and not (real.state == "exited" and real.stop is not None)):
        return seen
    return real


def _initializing(case: Case, known: dict[str, ContainerRun]) -> Actions:
    """Init containers one after the other; a sidecar lets the next one begin once it has started."""
    sidecars: list[Container] = []
    for row in case.spec.initContainers:
        run = known.get(row.name)
        if run is None or (run.state == "exited" and (row.sidecar or run.exit_code != 0)):
            return _restarted(case, row, run, sidecars, known)
        if row.sidecar:
            sidecars.append(row)
            if not has_started(case.worker, run, row):
                return _each(case, tuple(sidecars), known)
        elif run.state != "exited":
            return _each(case, tuple(sidecars), known)
    beside = _each(case, tuple(sidecars), known)
    return Actions((*beside.start, *(row.name for row in case.spec.containers)), beside.kill)


def _restarted(
    case: Case, row: Container, run: ContainerRun | None, sidecars: list[Container], known: dict[str, ContainerRun]
) -> Actions:
    # Always means OnFailure to an init container, which gets here only by failing.
    if run is not None and not row.sidecar and not should_restart(row, case.spec, run.exit_code or 1):
        return Actions(finished=True)
    beside = _each(case, tuple(sidecars), known)
    return Actions((*beside.start, row.name), beside.kill)


def _each(case: Case, rows: tuple[Container, ...], known: dict[str, ContainerRun]) -> Actions:
    start: list[str] = []
    kill: list[tuple[str, str]] = []
    for row in rows:
        run = known.get(row.name)
        if run is None or (run.state == "exited" and _restarts(row, case.spec, run)):
            start.append(row.name)
        elif run.state == "running" and result(case.worker, run, probes.LIVENESS) == FAILURE:
            kill.append((row.name, LIVENESS))
        elif run.state == "running" and result(case.worker, run, probes.STARTUP) == FAILURE:
            kill.append((row.name, STARTUP))
    return Actions(tuple(start), tuple(kill))


def _restarts(row: Container, spec: PodSpec, run: ContainerRun) -> bool:
    return should_restart(row, spec, run.exit_code or 0)


def _all_ended(spec: PodSpec, known: dict[str, ContainerRun]) -> bool:
    ended = [known.get(row.name) for row in spec.containers]
    return all(
        run is not None and run.state == "exited" and not _restarts(row, spec, run)
        for row, run in zip(spec.containers, ended, strict=True)
    )
