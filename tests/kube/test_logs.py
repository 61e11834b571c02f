"""kubectl logs and exec: what they print, and each way in which they cannot."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.logs import NO_ROUTE, REFUSED, Printed, exec_, logs, not_found
from app.kube.meta import ObjectMeta
from app.kube.pods import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    Pod,
    PodSpec,
    PodStatus,
)
from app.kube.stringmap import StringMap

RUNNING = ContainerState(running=ContainerStateRunning(0))
ENDED = ContainerState(terminated=ContainerStateTerminated(exitCode=1, reason="Error"))
NEVER_STARTED = ContainerState(terminated=ContainerStateTerminated(exitCode=128, reason="StartError"))
SAYS = "starting\npanic: no route to database"


def waiting(reason: str = "") -> ContainerState:
    return ContainerState(waiting=ContainerStateWaiting(reason))


def pod(state: ContainerState | None, last: ContainerState | None = None, **more: Any) -> Pod:
    """A pod of one container; `state` None means that the kubelet has not reported yet."""
    rows = () if state is None else (ContainerStatus(name="app", state=state, lastState=last or ContainerState()),)
    return Pod(
        metadata=ObjectMeta(name="web-1", namespace="default", annotations=StringMap({"sim.loopscope.dev/log": SAYS})),
        spec=PodSpec(containers=(Container("app", "app:1"),), nodeName=more.pop("node", "node-1")),
        status=PodStatus(phase="Running", hostIP="192.168.0.1", containerStatuses=rows, **more),
    )


@pytest.mark.parametrize(
    ("state", "last", "previous", "printed"),
    [
        pytest.param(RUNNING, None, False, SAYS, id="of a running container"),
        pytest.param(ENDED, None, False, SAYS, id="of one that has ended"),
        pytest.param(waiting("CrashLoopBackOff"), ENDED, False, SAYS, id="of the last run in a back-off"),
        pytest.param(RUNNING, ENDED, True, SAYS, id="of the run before"),
        pytest.param(NEVER_STARTED, None, False, "", id="a program that could not be started says nothing"),
        pytest.param(RUNNING, NEVER_STARTED, True, "", id="neither did the run before"),
        pytest.param(RUNNING, NEVER_STARTED, False, SAYS, id="but this one does"),
    ],
)
def test_what_it_prints(state: ContainerState, last: ContainerState | None, previous: bool, printed: str) -> None:
    assert logs(pod(state, last), previous=previous) == Printed(printed)


@pytest.mark.parametrize(
    ("state", "previous", "error"),
    [
        pytest.param(
            waiting("ContainerCreating"),
            False,
            'container "app" in pod "web-1" is waiting to start: ContainerCreating',
            id="creating",
        ),
        pytest.param(
            waiting("ErrImagePull"),
            False,
            'container "app" in pod "web-1" is waiting to start: image can\'t be pulled',
            id="no image",
        ),
        pytest.param(
            waiting("ImagePullBackOff"),
            False,
            'container "app" in pod "web-1" is waiting to start: trying and failing to pull image',
            id="still no image",
        ),
        pytest.param(waiting(), False, 'container "app" in pod "web-1" is waiting to start - no logs yet', id="made"),
        pytest.param(RUNNING, True, 'previous terminated container "app" in pod "web-1" not found', id="first run"),
        pytest.param(ENDED, True, 'previous terminated container "app" in pod "web-1" not found', id="which has ended"),
        pytest.param(None, False, 'container "app" in pod "web-1" is not available', id="not reported"),
    ],
)
def test_why_it_cannot(state: ContainerState | None, previous: bool, error: str) -> None:
    found = logs(pod(state), previous=previous)
    assert found == Printed(err=f"Error from server (BadRequest): {error}", exit=1)


def test_without_a_node_or_its_kubelet() -> None:
    homeless = "Error from server (BadRequest): pod web-1 does not have a host assigned"
    assert logs(pod(None, node="")).err == exec_(pod(None, node="")).err == homeless
    where = "dial tcp 192.168.0.1:10250: connect:"
    get = 'Error from server: Get "https://192.168.0.1:10250/containerLogs/default/web-1/app'
    assert logs(pod(RUNNING), dial=REFUSED).err == f'{get}": {where} connection refused'
    assert logs(pod(RUNNING), previous=True, dial=NO_ROUTE).err == f'{get}?previous=true": {where} no route to host'
    assert (
        exec_(pod(RUNNING), dial=REFUSED).err == f"Error from server: error dialing backend: {where} connection refused"
    )
    assert not_found("web-2") == Printed(err='Error from server (NotFound): pods "web-2" not found', exit=1)


@pytest.mark.parametrize(
    ("state", "phase", "error"),
    [
        pytest.param(RUNNING, "Running", "", id="into a running container"),
        pytest.param(
            ENDED,
            "Running",
            'error: Internal error occurred: unable to upgrade connection: container not found ("app")',
            id="not into a dead one",
        ),
        pytest.param(
            ENDED,
            "Succeeded",
            "error: cannot exec into a container in a completed pod; current phase is Succeeded",
            id="nor into a pod that is over",
        ),
    ],
)
def test_exec(state: ContainerState, phase: str, error: str) -> None:
    found = pod(state)
    found = replace(found, status=replace(found.status, phase=phase))
    assert (exec_(found).err, exec_(found).exit) == (error, 1 if error else 0)


def test_which_container() -> None:
    found = pod(RUNNING)
    spec = replace(
        found.spec, containers=(Container("app", "a"), Container("log", "l")), initContainers=(Container("setup", "s"),)
    )
    several = replace(found, spec=spec)
    told = 'Defaulted container "app" out of: app, log, setup (init)'
    assert logs(several) == Printed(SAYS, told)
    assert logs(several, "app") == Printed(SAYS)
    assert exec_(several) == Printed(err=told)
    assert logs(several, "nope").err == "error: container nope is not valid for pod web-1"
    assert exec_(several, "nope").err == "error: container nope not found in pod web-1"
    named = StringMap({"kubectl.kubernetes.io/default-container": "log"})
    chosen = replace(several, metadata=replace(several.metadata, annotations=named))
    assert logs(chosen).err == 'Error from server (BadRequest): container "log" in pod "web-1" is not available'
