"""The status that a kubelet wants a pod to have, from what it has seen of its containers and probes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from app.kube.conditions import kubelet_conditions, set_condition
from app.kube.container_status import absent
from app.kube.eviction_messages import BY_KUBELET, DISRUPTION_TARGET, REASON
from app.kube.meta import EPOCH, Condition, Ref, whole_second
from app.kube.nodes import Node
from app.kube.phase import get_phase, never_left
from app.kube.pods import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    Pod,
    PodStatus,
)
from app.loops.kubelet.case import Case, has_started, is_ready
from app.sim.host import ContainerRun, Eviction

Known = Mapping[str, ContainerStatus]
"""What the API has of the containers, by name."""

TERMINAL = ("Succeeded", "Failed")

_LOST = ContainerState(
    terminated=ContainerStateTerminated(
        exitCode=137,
        reason="ContainerStatusUnknown",
        message="The container could not be located when the pod was terminated",
    )
)


def pod_status(case: Case, api: Pod) -> PodStatus:
    """As generateAPIPodStatus and the status manager's merge make it; fields of others stay as `api` has them."""
    worker, spec = case.worker, case.spec
    over = worker.stage == "terminated"
    initialized = any(_lives_here(case, row.name) for row in spec.containers)
    before = {row.name: row for row in (*api.status.initContainerStatuses, *api.status.containerStatuses)}
    init = tuple(_of_init(case, row, before, lost=over and initialized) for row in spec.initContainers)
    apps = tuple(_of_app(case, row, before, lost=over) for row in spec.containers)
    phase = get_phase(case.pod.pod, (*init, *apps), terminal=over, initialized=initialized)
    if over and phase not in TERMINAL:
        phase = "Failed"
    evicted = worker.eviction if over else None
    known = api if evicted is None else _disrupted(api, evicted, case.now)
    conditions = kubelet_conditions(
        known, (*init, *apps), phase, sandbox_usable=worker.seen_sandbox == "ready", now=case.now
    )
    # A terminal phase is held back until nothing of the pod can be running; its conditions are not.
    held = phase in TERMINAL and not over
    host_address = _host_address(case)
    if evicted is not None and phase == "Failed":
        # The reason goes with the phase that the eviction set: whose containers end well keeps none.
        api = replace(api, status=replace(api.status, reason=REASON, message=evicted.message))
    return replace(
        api.status,
        phase=never_left(api.status.phase if held else phase, api.status.phase),
        conditions=conditions,
        initContainerStatuses=init,
        containerStatuses=apps,
        hostIP=host_address,
        podIP=host_address if spec.hostNetwork and worker.seen_sandbox == "ready" else worker.seen_ip,
        startTime=whole_second(worker.since) if api.status.startTime is None else api.status.startTime,
    )


def _disrupted(api: Pod, eviction: Eviction, now: int) -> Pod:
    """The pod with the condition that tells who has ended it."""
    if not eviction.condition:
        return api
    row = Condition(DISRUPTION_TARGET, "True", BY_KUBELET, eviction.message)
    conditions = set_condition(api.status.conditions, row, now)
    return replace(api, status=replace(api.status, conditions=conditions))


def _lives_here(case: Case, name: str) -> bool:
    """Whether the container was made in the present sandbox."""
    run = case.worker.run(name)
    return run is not None and run.sandbox == case.pod.sandbox_attempt


def _of_init(case: Case, container: Container, known: Known, *, lost: bool) -> ContainerStatus:
    run = case.worker.run(container.name)
    if container.sidecar or run is None:
        return _of_app(case, container, known, lost=lost)
    ready = run.state == "exited" and run.exit_code == 0
    return _status(case, container, run, ready=ready, started=run.state == "running", lost=lost)


def _of_app(case: Case, container: Container, known: Known, *, lost: bool) -> ContainerStatus:
    run = case.worker.run(container.name)
    if run is None:
        status = _status(case, container, None, ready=False, started=False, lost=lost)
        return (
            status
            if lost
            else absent(known.get(container.name), status, deleted=case.api is not None and case.api.terminating)
        )
    ready = is_ready(case.worker, run, container)
    return _status(case, container, run, ready=ready, started=has_started(case.worker, run, container), lost=lost)


def _status(
    case: Case, container: Container, run: ContainerRun | None, *, ready: bool, started: bool, lost: bool
) -> ContainerStatus:
    state, last = _states(case, container.name, run, lost=lost)
    return ContainerStatus(
        name=container.name,
        state=state,
        lastState=last,
        ready=ready,
        restartCount=run.attempt if run is not None else 0,
        started=started,
        image=container.image,
    )


def _states(case: Case, name: str, run: ContainerRun | None, *, lost: bool) -> tuple[ContainerState, ContainerState]:
    """The state and the last state of a container."""
    crash = case.worker.crash(name)
    failing = crash if crash is not None and crash.shown and case.worker.stage == "sync" else None
    if run is None or run.state == "created":
        waiting = ContainerStateWaiting("" if run else _not_begun(case))
        if failing is not None:
            waiting = ContainerStateWaiting(failing.shown, failing.told)
        return _LOST if lost else ContainerState(waiting=waiting), _last(run)
    if run.state == "running":
        return ContainerState(running=ContainerStateRunning(whole_second(run.started or 0))), _last(run)
    if failing is not None:
        return ContainerState(waiting=ContainerStateWaiting(failing.shown, failing.told)), _ended(run)
    return _ended(run), _last(run)


def _not_begun(case: Case) -> str:
    return "PodInitializing" if case.spec.initContainers else "ContainerCreating"


def _last(run: ContainerRun | None) -> ContainerState:
    return _ended(run.last) if run is not None and run.last is not None else ContainerState()


def _ended(run: ContainerRun) -> ContainerState:
    return ContainerState(
        terminated=ContainerStateTerminated(
            exitCode=run.exit_code or 0,
            reason=run.reason,
            message=run.message,
            startedAt=EPOCH if run.started is None else whole_second(run.started),
            finishedAt=whole_second(run.finished or 0),
        )
    )


def _host_address(case: Case) -> str:
    node = case.turn.read(Node, Ref("Node", "", case.turn.node))
    addresses = node.status.addresses if node is not None else ()
    return next((row.address for row in addresses if row.type == "InternalIP"), "")
