"""A kubelet that was away finds its pods; without a runtime nothing is started and nothing ended."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.backoff import Entry
from app.kube.pods import Pod, Probe, TCPSocketAction
from app.loops.kubelet import probes
from app.loops.kubelet.case import NO_RUNTIME
from app.loops.kubelet.pods import LOOP
from app.loops.runtime import LOOP as RUNTIME
from app.sim.host import Crash, Host, Kill, Stop
from app.sim.lags import Bounds
from tests.loops.machines import (
    APP,
    KEY,
    act,
    api,
    at,
    decides,
    events,
    knows,
    machine,
    run,
    there,
    worker_after,
)

PROBE = Probe(tcpSocket=TCPSocketAction(8080), periodSeconds=10, failureThreshold=3)
POD = api()
GOING = api(deleted=30)


def test_a_kubelet_that_was_restarted_takes_up_what_runs() -> None:
    pod = api(replace(APP, readinessProbe=PROBE))
    made = act(LOOP, machine(there(pod, run())), pod, now=90_000)
    worker = worker_after(made)
    assert (made.verb, worker.seen, worker.stage) == ("recover", (run(),), "sync")
    assert [(row.kind, row.base) for row in worker.probes] == [("readiness", 90_000)]
    assert LOOP.on_start is not None
    assert LOOP.on_start(at(LOOP, machine(there(pod, run())))) == [KEY]


@pytest.mark.parametrize(
    ("found", "now", "fired", "decision"),
    [
        pytest.param(machine(there(POD, run()), kubelet_since=90_000), 90_000, False, "wait 91290", id="found"),
        pytest.param(machine(there(POD, run()), kubelet_since=90_000), 91_290, True, "recover", id="in the runtime"),
        pytest.param(machine(kubelet_since=90_000), 90_000, False, "wait 91290", id="a new pod waits, too"),
        pytest.param(machine(kubelet_since=90_000), 91_290, True, "admit", id="and is taken on with the others"),
        pytest.param(machine(kubelet_since=90_000), 300_000, False, "admit", id="long after, at once"),
    ],
)
def test_a_kubelet_takes_a_moment_to_begin(found: Host, now: int, fired: bool, decision: str) -> None:
    assert decides(LOOP, found, POD, now=now, fired=fired) == decision


def test_after_its_start_probe_workers_first_sleep_a_part_of_their_period() -> None:
    pod = api(replace(APP, readinessProbe=PROBE))
    begun = machine(there(pod, run()), kubelet_since=90_000)
    worker = worker_after(act(LOOP, begun, pod, now=91_290, fired=True))
    assert decides(probes.LOOP, machine(there(pod, run()), worker), now=91_290) == "wait 96090"
    made = act(probes.LOOP, machine(there(pod, run()), worker), now=96_090, fired=True)
    assert made.moment == "readiness-passed"
    old = worker_after(act(LOOP, replace(begun, kubelet_since=80_000), pod, now=91_290))
    assert [(row.base, row.passed) for row in old.probes] == [(91_290, 91_290)]


AGAIN = there(POD, run(state="exited", finished=-20_000, exit_code=1, attempt=1))
LOOKS_AT_6S = Crash("app", entry=Entry(10_000, -40_000), failing="CrashLoopBackOff", resync=Bounds.at(6_000))
DOOMED = there(GOING, run(stop=Stop(-1_000, 30_000, -1_000)))


@pytest.mark.parametrize(
    ("pod", "found", "decision"),
    [
        pytest.param(POD, machine(there(POD, run()), knows(there(POD, run()))), "", id="what runs runs on"),
        pytest.param(POD, machine(AGAIN, knows(there(POD, run()))), "", id="an end is not found"),
        pytest.param(GOING, machine(there(GOING, run()), knows(there(GOING, run()))), "", id="a deleted pod runs on"),
        pytest.param(POD, machine(there(POD), knows(there(POD))), "", id="nothing is started"),
        pytest.param(
            GOING,
            machine(DOOMED, knows(DOOMED, stage="terminating", kills=(Kill("app", 0, -1_000, 30),))),
            "",
            id="and nothing ended",
        ),
        pytest.param(POD, machine(), "admit", id="a new pod is taken on"),
    ],
)
def test_without_the_runtime(pod: Pod, found: Host, decision: str) -> None:
    assert decides(LOOP, replace(found, runtime_down=0), pod, now=5_000) == decision


def test_a_pod_that_was_to_be_looked_at_again_is_tried_once() -> None:
    """As recorded in runtime-down-75s: its image cannot be inspected, and then it waits for the runtime."""
    down = replace(machine(AGAIN, knows(AGAIN, crashes=(LOOKS_AT_6S,), synced=-16_000)), runtime_down=0)
    assert decides(LOOP, down, POD, now=1_000) == "wait 6000"
    tried = act(LOOP, down, POD, now=6_000, fired=True)
    text = f'Failed to inspect image "": {NO_RUNTIME}'
    assert events(tried) == [f"InspectFailed: {text}", "Failed: Error: ImageInspectError"]
    (crash,) = worker_after(tried).crashes
    assert (crash.shown, crash.failing, crash.message) == ("CrashLoopBackOff", "ImageInspectError", text)
    held = replace(machine(AGAIN, worker_after(tried)), runtime_down=0)
    assert decides(LOOP, held, POD, now=60_000) == ""


def test_when_it_is_back_a_relist_comes_first_and_the_image_service_later() -> None:
    failed = replace(LOOKS_AT_6S, failing="ImageInspectError", resync=Bounds.at(18_000))
    back = replace(machine(AGAIN, knows(AGAIN, crashes=(failed,), synced=6_000)), runtime_since=75_000)
    assert decides(LOOP, back, POD, now=75_000) == "wait 76390"
    again = act(LOOP, back, POD, now=76_390, fired=True)
    assert (again.verb, again.reason) == ("back-off", "ImageInspectError")
    assert worker_after(again).crashes[0].shown == "ImageInspectError"
    later = replace(machine(AGAIN, worker_after(again)), runtime_since=75_000)
    assert act(LOOP, later, POD, now=91_000, fired=True).verb == "start-container"
    going = replace(machine(there(GOING, run()), knows(there(GOING, run()))), runtime_since=75_000)
    assert act(LOOP, going, GOING, now=76_390, fired=True).moment == "killing"


def test_loops_of_the_machine_hear_of_the_runtime() -> None:
    up = machine(there(POD, run(state="created", started=None)))
    down = replace(up, runtime_down=0)
    assert LOOP.on_host is not None
    assert LOOP.on_host(up, down) == LOOP.on_host(down, up) == [KEY]
    assert RUNTIME.on_start is not None
    assert RUNTIME.on_start(at(RUNTIME, down)) == [KEY]
    assert RUNTIME.on_start(at(RUNTIME, machine(there(POD, run())))) == []
