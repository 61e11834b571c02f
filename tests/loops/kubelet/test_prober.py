"""What attempts meet, what they say and how long they take."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.pods import Container, ExecAction, Probe
from app.loops.kubelet.prober import Asked, changes_after, meets
from app.loops.kubelet.probes import LOOP
from app.sim.host import ContainerRun
from tests.loops.kubelet.probed import EXEC, FAILING, GRPC, HTTP, LIVING, READY, REFUSED, TCP, host, pod, state
from tests.loops.machines import (
    APP,
    KEY,
    act,
    api,
    decides,
    events,
    knows,
    machine,
    run,
    stopping,
    there,
    worker_after,
)


@pytest.mark.parametrize(
    ("probe", "container", "behaves", "text"),
    [
        pytest.param(HTTP, run(), {}, None, id="all is well"),
        pytest.param(HTTP, run(), FAILING, "failed: HTTP probe failed with statuscode: 500", id="HTTP 500"),
        pytest.param(
            HTTP, run(), {"startup": "1m"}, f'failed: Get "http://10.244.1.2:8080/ready": {REFUSED}', id="not listening"
        ),
        pytest.param(
            HTTP,
            stopping(0, signalled=0, closing="closed"),
            {},
            f'failed: Get "http://10.244.1.2:8080/ready": {REFUSED}',
            id="listening no more",
        ),
        pytest.param(HTTP, stopping(0, signalled=0, closing="drains"), {}, None, id="draining"),
        pytest.param(TCP, run(), {"startup": "1m"}, f"failed: {REFUSED}", id="TCP"),
        pytest.param(EXEC, run(), FAILING, "failed: ", id="exec"),
        pytest.param(GRPC, run(), FAILING, 'failed: service unhealthy (responded with "NOT_SERVING")', id="gRPC"),
        pytest.param(
            GRPC,
            run(),
            {"startup": "1m"},
            'failed: timeout: failed to connect service "10.244.1.2:8080" within 1s: connection error: '
            f'desc = "transport: Error while dialing: {REFUSED}"',
            id="no gRPC",
        ),
    ],
)
def test_what_is_said(probe: Probe, container: ContainerRun, behaves: dict[str, str], text: str | None) -> None:
    found = pod("readiness", probe, container, behaves=behaves)
    made = act(LOOP, host(found, state("readiness")), now=10_300, fired=True)
    assert events(made) == ([] if text is None else [f"Unhealthy: Readiness probe {text}"])


SLOW = {"health": "*: 200 in 3s"}
HANGS = {"health": "*: hangs"}
SLEEPS = replace(EXEC, exec=ExecAction(("sh", "-c", "sleep 3")))


@pytest.mark.parametrize(
    ("probe", "behaves", "text"),
    [
        pytest.param(
            HTTP,
            HANGS,
            'Get "http://10.244.1.2:8080/ready": context deadline exceeded '
            "(Client.Timeout exceeded while awaiting headers)",
            id="HTTP",
        ),
        pytest.param(TCP, HANGS, "dial tcp 10.244.1.2:8080: i/o timeout", id="TCP"),
        pytest.param(EXEC, HANGS, 'command timed out: "check" timed out after 2s', id="exec"),
        pytest.param(GRPC, HANGS, "timeout: health rpc did not complete within 2s: ", id="gRPC"),
        pytest.param(EXEC, SLOW, 'command timed out: "check" timed out after 2s', id="an answer that comes too late"),
        pytest.param(SLEEPS, {}, 'command timed out: "sh -c sleep 3" timed out after 2s', id="a command that sleeps"),
    ],
)
def test_what_does_not_answer_in_time_fails_at_the_timeout(probe: Probe, behaves: dict[str, str], text: str) -> None:
    found = pod("liveness", replace(probe, timeoutSeconds=2), behaves=behaves)
    begun = act(LOOP, host(found, LIVING), now=10_300, fired=True)
    assert (begun.verb, begun.background, events(begun)) == ("ask", True, [])
    waiting = machine(found, worker_after(begun))
    assert decides(LOOP, waiting, now=10_300) == "wait 12300"
    over = act(LOOP, waiting, now=12_300, fired=True)
    assert events(over) == [f"Unhealthy: Liveness probe failed: {text}"]
    # The clock goes on meanwhile.
    assert decides(LOOP, machine(found, worker_after(over)), now=12_300) == "wait 20300"


def test_an_answer_that_takes_its_time_is_in_time_within_the_timeout() -> None:
    found = pod("readiness", replace(HTTP, timeoutSeconds=5), behaves=SLOW)
    begun = act(LOOP, host(found, state("readiness")), now=10_300, fired=True)
    over = act(LOOP, machine(found, worker_after(begun)), now=13_300, fired=True)
    assert (over.outcome, over.moment) == ("success", "readiness-passed")


def test_an_attempt_that_outlasts_the_period_is_followed_by_the_next_at_once() -> None:
    found = pod("liveness", replace(HTTP, timeoutSeconds=15), behaves=HANGS)
    begun = act(LOOP, host(found, LIVING), now=10_300, fired=True)
    over = act(LOOP, machine(found, worker_after(begun)), now=25_300, fired=True)
    assert worker_after(over).probes[0].late
    assert decides(LOOP, machine(found, worker_after(over)), now=25_300) == "ask"


def test_an_attempt_in_flight_ends_with_its_container() -> None:
    found = pod("readiness", HTTP, behaves=HANGS)
    begun = worker_after(act(LOOP, host(found, state("readiness")), now=10_300, fired=True))
    dead = replace(found, containers=(run(state="exited", finished=10_500),))
    over = act(LOOP, machine(dead, begun), now=10_500)
    assert events(over) == [f'Unhealthy: Readiness probe failed: Get "http://10.244.1.2:8080/ready": {REFUSED}']


NEEDS = {"health": "/ready: 200; while database down: 503"}


def test_what_a_program_depends_on_shows_at_the_next_tick() -> None:
    calm = host(pod("liveness", behaves=NEEDS), LIVING)
    broken = replace(calm, broken=("database",))
    assert decides(LOOP, calm, now=500) == ""
    assert LOOP.on_host is not None
    assert LOOP.on_host(calm, broken) == [KEY]
    assert LOOP.on_host(calm, calm) == []
    assert decides(LOOP, broken, now=500) == "wait 10300"
    made = act(LOOP, broken, now=10_300, fired=True)
    assert events(made) == ["Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 503"]


def test_without_the_runtime_exec_goes_wrong_and_counts_for_nothing_and_others_go_on() -> None:
    for probe, outcome in ((EXEC, "error"), (HTTP, "")):
        down = replace(host(pod("liveness", probe), LIVING), runtime_down=5_000)
        assert decides(LOOP, down, now=10_300, fired=True) == (f"probe {outcome}" if outcome else "")
    made = act(LOOP, replace(host(pod("liveness", EXEC), LIVING), runtime_down=5_000), now=10_300, fired=True)
    assert worker_after(made).probes[0].counting == LIVING.counting
    (text,) = events(made)
    assert text == (
        "Unhealthy: Liveness probe errored and resulted in unknown state: rpc error: code = Unavailable desc = "
        'connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: '
        'connect: connection refused"'
    )


def test_a_container_that_has_ended_unseen() -> None:
    """Until the kubelet has seen the end its probes go on: HTTP is refused, exec is an error that does not count."""
    ended = run(state="exited", finished=9_000)
    for probe, ok, text in (
        (HTTP, False, f'Get "http://10.244.1.2:8080/ready": {REFUSED}'),
        (
            EXEC,
            None,
            "rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state",
        ),
    ):
        row = replace(APP, readinessProbe=probe)
        asked = Asked(machine(), pod("readiness", probe, ended), row, ended, "readiness")
        assert meets(asked, 10_000) == (ok, text, 0)
        assert changes_after(asked, 10_000) is None


def test_an_error_does_not_count() -> None:
    found = pod("readiness", EXEC, run(state="exited", finished=9_000))
    seen = knows(found, seen=(run(),), probes=(READY,))
    made = act(LOOP, machine(found, seen), now=10_300, fired=True)
    assert made.outcome == "error"
    assert worker_after(made).probes[0].counting == READY.counting
    assert events(made)[0].startswith("Unhealthy: Readiness probe errored and resulted in unknown state: rpc error")


def test_a_port_without_that_name_is_shown_as_it_is_written() -> None:
    row = Container("app", "app:v1", readinessProbe=HTTP)
    asked = Asked(machine(), there(api(row, behaves={"startup": "1m"}), run()), row, run(), "readiness")
    met = meets(asked, 500)
    assert met.text.startswith('Get "http://10.244.1.2:http/ready"')
