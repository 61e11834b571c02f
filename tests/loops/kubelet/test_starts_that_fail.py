"""Containers that do not start: a bad reference, a missing secret or configuration, a program that is not there."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.backoff import Entry
from app.kube.config import ConfigMap, Secret
from app.kube.meta import EPOCH, ObjectMeta
from app.kube.objects import Object
from app.kube.pods import Container, ContainerStateWaiting, EnvFromSource, EnvSource, LocalObjectReference, Pod
from app.kube.stringmap import StringMap
from app.loops.kubelet.pods import LOOP
from app.loops.kubelet.status import LOOP as STATUS
from app.sim.acts import PatchStatus
from app.sim.host import ContainerRun, Crash, Host, HostPod, Pull
from app.sim.lags import Bounds
from tests.loops.machines import (
    APP,
    act,
    api,
    decides,
    events,
    knows,
    machine,
    pod_after,
    run,
    there,
    worker_after,
)

PRESENT = 'Pulled: Container image "app:v1" already present on machine and can be accessed by the pod'
ERROR = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
    'unable to start container process: exec: "/no/such": stat /no/such: no such file or directory'
)
CONFIGURED = api(replace(APP, envFrom=(EnvFromSource(configMapRef=EnvSource("flags")),)))
FLAGS = ConfigMap(ObjectMeta(name="flags", namespace="default"), data=StringMap({"dark": ""}))
BROKEN = run(state="exited", started=None, finished=600, exit_code=128, created=590)
BROKEN = replace(BROKEN, reason="StartError", message=ERROR)


def up(pod: HostPod, **more: object) -> Host:
    """A pod whose sandbox came up at 0.3 s on a machine that relists at 0.7 s past the second."""
    return machine(replace(pod, sandbox_since=300), knows(pod, **more), relist_phase=700)


@pytest.mark.parametrize(
    ("believed", "told"),
    [
        pytest.param((), [PRESENT, 'Failed: Error: configmap "flags" not found'], id="it is missing"),
        pytest.param((FLAGS,), [PRESENT, "Created: Container created"], id="it is there"),
    ],
)
def test_an_environment_needs_its_config_map(believed: tuple[Object, ...], told: list[str]) -> None:
    assert events(act(LOOP, up(there(CONFIGURED)), CONFIGURED, *believed, now=400)) == told


def test_missing_configuration_is_looked_for_again_with_every_sync() -> None:
    made = act(LOOP, up(there(CONFIGURED)), CONFIGURED, now=1_400)
    (crash,) = worker_after(made).crashes
    assert (crash.failing, crash.message) == ("CreateContainerConfigError", 'configmap "flags" not found')
    assert crash.resync is not None
    assert 11_400 <= crash.resync.usual <= 17_400
    found = act(LOOP, up(there(CONFIGURED), crashes=(crash,)), CONFIGURED, FLAGS, now=17_400, fired=True)
    assert found.verb == "start-container"
    assert worker_after(found).crash("app") == Crash("app", shown="CreateContainerConfigError", told=crash.message)


def test_an_image_that_came_does_not_help_without_the_configuration() -> None:
    pulled = there(CONFIGURED, pull=Pull("app", "app:v1", 310, began=310, ended=400))
    made = act(LOOP, up(pulled), CONFIGURED, now=400)
    assert [text.split(":")[0] for text in events(made)] == ["Pulled", "Failed"]
    assert pod_after(made).pull is None


def test_a_reference_that_is_none_is_not_pulled() -> None:
    pod = api(replace(APP, image="App:v1"))
    made = act(LOOP, up(there(pod)), pod, now=400)
    text = (
        'Failed to apply default image tag "App:v1": couldn\'t parse image name "App:v1": '
        "invalid reference format: repository name (library/App) must be lowercase"
    )
    assert events(made) == [f"InspectFailed: {text}", "Failed: Error: InvalidImageName"]
    (crash,) = worker_after(made).crashes
    assert (crash.failing, crash.message) == ("InvalidImageName", text)


SECRETS = api(replace(APP, image="app:v2"), imagePullSecrets=(LocalObjectReference("registry"),))
REGISTRY = Secret(ObjectMeta(name="registry", namespace="default"))
COMPLAINT = (
    "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (registry); "
    "attempting to pull the image may not succeed."
)


def test_a_missing_pull_secret_is_told_of_and_the_pull_goes_on_without_it() -> None:
    new = there(SECRETS, sandbox="none", ip="")
    assert events(act(LOOP, machine(new, knows(new, volumes="waiting")), SECRETS, now=300)) == [COMPLAINT]
    assert events(act(LOOP, machine(new, knows(new, volumes="waiting")), SECRETS, REGISTRY, now=300)) == []
    pulls = [pod_after(act(LOOP, up(there(SECRETS)), SECRETS, *more, now=400)).pull for more in ((), (REGISTRY,))]
    assert [pull.credentials for pull in pulls if pull is not None] == [False, True]


def test_every_further_sync_tells_of_it() -> None:
    held = Crash("app", entry=Entry(10_000, 320), failing="ErrImagePull", message="x", resync=Bounds.at(700))
    made = act(LOOP, up(there(SECRETS), crashes=(held,)), SECRETS, now=700, fired=True)
    assert events(made)[0] == COMPLAINT


def test_a_start_that_fails_is_told_of_at_once_and_shown_by_the_next_relist() -> None:
    pod = there(api(), BROKEN)
    made = act(LOOP, up(pod, seen=()), api(), now=600)
    assert (made.verb, made.outcome, events(made)) == ("note-start", "exit 128", [f"Failed: Error: {ERROR}"])
    noted = worker_after(made)
    assert (noted.crashes[0].failing, noted.crashes[0].message) == ("RunContainerError", ERROR)
    host = machine(replace(pod, sandbox_since=300), noted, relist_phase=700)
    assert decides(LOOP, host, api(), now=601) == "wait 700"
    shown = worker_after(act(LOOP, host, api(), now=700, fired=True))
    assert (shown.seen, shown.crashes[0].shown) == ((BROKEN,), "RunContainerError")


def test_the_status_of_a_start_that_failed() -> None:
    pod = there(api(), BROKEN)
    crash = Crash("app", failing="RunContainerError", message=ERROR, shown="RunContainerError", told=ERROR)
    made = act(STATUS, up(pod, crashes=(crash,), dirty_since=700), api(), now=708, fired=True)
    assert isinstance(made.request, PatchStatus)
    shown = made.request.object
    assert isinstance(shown, Pod)
    (row,) = shown.status.containerStatuses
    assert (shown.status.phase, row.restartCount) == ("Running", 0)
    assert row.state.waiting == ContainerStateWaiting("RunContainerError", ERROR)
    ended = row.lastState.terminated
    assert ended is not None
    assert (ended.exitCode, ended.reason, ended.message, ended.startedAt) == (128, "StartError", ERROR, EPOCH)


def test_the_first_restart_comes_at_once_and_the_next_is_held_back() -> None:
    pod = there(api(), BROKEN)
    first = Crash("app", failing="RunContainerError", message=ERROR, shown="RunContainerError", told=ERROR)
    made = act(LOOP, up(pod, crashes=(first,), told=590), api(), now=700)
    assert made.verb == "start-container"
    assert worker_after(made).crashes[0].entry == Entry(10_000, 700)
    again = replace(BROKEN, attempt=1, created=700, finished=712)
    second = replace(first, entry=Entry(10_000, 700))
    held = act(LOOP, up(there(api(), again), crashes=(second,), told=700), api(), now=1_700)
    assert events(held) == ["BackOff: Back-off restarting failed container app in pod web-1_default(uid-web-1)"]


def test_a_container_that_fails_to_start_does_not_hold_up_the_next_one() -> None:
    pod = api(APP, Container("other", "app:v1"))
    noted = Crash("app", failing="RunContainerError", message=ERROR)
    made = act(LOOP, up(there(pod, BROKEN), seen=(), crashes=(noted,), told=590), pod, now=600)
    assert (made.verb, made.reason) == ("start-container", "other")
    both = there(pod, BROKEN, run("other", created=600, started=612))
    # Its start is told of, and the sync as a whole has failed: nothing is shown before the next relist.
    assert decides(LOOP, up(both, seen=(), crashes=(noted,), told=590), pod, now=620) == "wait 700"


def test_each_start_is_told_of_once() -> None:
    absent = Container("other", "gone:1", imagePullPolicy="Never")
    pod = api(APP, absent)
    running: ContainerRun = run(created=600, started=612)
    made = act(LOOP, up(there(pod, running), seen=()), pod, now=612)
    assert [text.split(":")[0] for text in events(made)] == ["Started", "ErrImageNeverPull", "Failed"]
    relisted = act(LOOP, machine(there(pod, running), worker_after(made), relist_phase=700), pod, now=612)
    assert (relisted.verb, events(relisted)) == ("relist", [])
