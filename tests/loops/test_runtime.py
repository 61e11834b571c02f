"""The runtime's table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.loops.host_pods import with_pod
from app.loops.runtime import LOOP
from app.sim.acts import Wait
from app.sim.host import ContainerRun, HostPod, Pull
from tests.loops.beliefs import due, turn
from tests.loops.machines import APP, NODE, act, api, decides, machine, off, pod_after, run, stopping, there

POD = api()
PULL = Pull("app", "app:v1", since=0, began=0)


@pytest.mark.parametrize(
    ("pod", "now", "fired", "decision"),
    [
        pytest.param(there(POD, run()), 0, False, "", id="nothing is asked"),
        pytest.param(there(POD, sandbox="creating", ip=""), 0, False, "wait 20", id="a sandbox takes its time"),
        pytest.param(
            there(POD, sandbox="creating", ip=""), 20, True, "create-sandbox address 10.244.1.2", id="and is up"
        ),
        pytest.param(there(POD, run(state="created", started=None)), 0, False, "wait 12", id="a start takes its time"),
        pytest.param(there(POD, run(state="created", started=None)), 12, True, "start", id="and the process runs"),
        pytest.param(there(POD, stopping(50)), 50, False, "signal", id="StopContainer signals at once"),
        pytest.param(
            there(POD, stopping(50, 2_000, signalled=60)), 60, False, "wait 2060", id="SIGKILL waits for its timeout"
        ),
        pytest.param(
            there(POD, stopping(50, 2_000, signalled=60)),
            2_060,
            True,
            "kill exit 137",
            id="and comes on the millisecond",
        ),
        pytest.param(
            there(POD, replace(run(state="exited"), stop=stopping(50).stop)),
            50,
            False,
            "",
            id="the dead are not signalled",
        ),
        pytest.param(there(POD, run(state="exited"), stop_asked=70), 70, False, "wait 73", id="StopPodSandbox"),
        pytest.param(there(POD, run(state="exited"), stop_asked=70), 73, True, "remove-sandbox ok", id="takes CNI DEL"),
        pytest.param(there(POD, pull=PULL), 0, False, "wait 10", id="an image that is there is checked quickly"),
        pytest.param(
            there(api(behaves={"image-pull": "3s"}), pull=replace(PULL, image="app:v2")),
            0,
            False,
            "wait 3000",
            id="a pull",
        ),
        pytest.param(
            there(api(behaves={"image-pull": "not-found"}), pull=PULL), 10, True, "pull not-found", id="that fails"
        ),
    ],
)
def test_what_it_does(pod: HostPod, now: int, fired: bool, decision: str) -> None:
    assert decides(LOOP, machine(pod), now=now, fired=fired) == decision
    assert decides(LOOP, off(machine(pod)), now=now, fired=fired) == ""


def test_each_sandbox_gets_an_address_of_its_own() -> None:
    pod = there(POD, sandbox="creating", ip="")
    made = act(LOOP, machine(pod, addresses=7), now=20, fired=True)
    assert made.host is not None
    assert (pod_after(made).ip, pod_after(made).sandbox, made.host.addresses) == ("10.244.1.9", "ready", 8)


def test_a_pod_on_the_host_network_gets_none() -> None:
    made = act(LOOP, machine(there(api(hostNetwork=True), sandbox="creating", ip="")), now=20, fired=True)
    assert made.host is not None
    assert (pod_after(made).ip, pod_after(made).sandbox, made.host.addresses) == ("", "ready", 0)


def test_an_image_stays_on_the_machine() -> None:
    pod = there(api(behaves={"image-pull": "3s"}), pull=replace(PULL, image="app:v2"))
    made = act(LOOP, machine(pod), now=3_000, fired=True)
    assert made.host is not None
    assert made.host.images == ("app:v1", "app:v2")
    assert pod_after(made).pull == Pull("app", "app:v2", 0, began=0, ended=3_000)


def test_sigterm_is_noted_and_changes_nothing_else() -> None:
    made = act(LOOP, machine(there(POD, stopping(50, serving=True))), now=55)
    assert pod_after(made).containers == (stopping(50, signalled=55, serving=True),)
    assert (made.moment, made.to) == ("sigterm-sent", "web-1 process")


def test_sigkill_is_the_end_of_the_process() -> None:
    made = act(LOOP, machine(there(POD, stopping(0, 2_000, signalled=0, serving=True))), now=2_000)
    (killed,) = pod_after(made).containers
    assert isinstance(killed, ContainerRun)
    assert (killed.state, killed.exit_code, killed.finished, killed.serving) == ("exited", 137, 2_000, False)
    assert (killed.reason, made.moment) == ("Error", "sigkill-sent")


def test_a_program_that_cannot_be_started() -> None:
    pod = there(
        api(replace(APP, command=("serve",)), behaves={"exit": "start-error"}), run(state="created", started=None)
    )
    made = act(LOOP, machine(pod), now=12, fired=True)
    (ended,) = pod_after(made).containers
    assert (made.outcome, made.moment) == ("StartError, exit 128", "container-start-failed")
    assert (ended.state, ended.started, ended.finished, ended.exit_code) == ("exited", None, 12, 128)
    assert ended.message.endswith(
        'unable to start container process: exec: "serve": executable file not found in $PATH'
    )


@pytest.mark.parametrize(
    ("credentials", "decision"),
    [
        pytest.param(False, "pull denied", id="a private image without a pull secret"),
        pytest.param(True, "pull ok", id="and with one"),
    ],
)
def test_a_private_image(credentials: bool, decision: str) -> None:
    pull = replace(PULL, image="app:v2", credentials=credentials)
    pod = there(api(behaves={"image-pull": "private"}), pull=pull)
    assert decides(LOOP, machine(pod), now=10, fired=True) == decision


def test_a_pull_waits_for_the_one_before_it() -> None:
    """serializeImagePulls: the next one begins when the first has come, or is not wanted any more."""
    first = there(api(behaves={"image-pull": "3s"}), pull=replace(PULL, image="app:v2"))
    other = api(uid="uid-web-2", behaves={"image-pull": "2s"})
    other = replace(other, metadata=replace(other.metadata, name="web-2"))
    second = there(other, pull=Pull("app", "app:v3", since=100))
    host = with_pod(machine(first), "uid-web-2", second)
    assert LOOP.reconcile(turn(LOOP, second.ref, node=NODE, host=host, now=200)) is None
    made = act(LOOP, host, now=3_000, fired=True)
    assert made.host is not None
    assert made.host.pods["uid-web-2"].pull == Pull("app", "app:v3", since=100, began=3_000)
    waits = LOOP.reconcile(turn(LOOP, second.ref, node=NODE, host=made.host, now=3_000))
    assert isinstance(waits, Wait)
    assert due(waits) == 5_000
    assert LOOP.on_host is not None
    assert second.ref in LOOP.on_host(host, made.host)
