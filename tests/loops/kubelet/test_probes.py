"""The probe workers' table: when they ask, what they meet, what turns, and which ticks are left out."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.kube.probes import Counting
from app.loops.kubelet.probes import LOOP
from app.sim.host import HostPod, ProbeState
from tests.loops.kubelet.probed import EXEC, FAILING, HTTP, LIVING, READY, host, pod, state
from tests.loops.machines import (
    APP,
    act,
    api,
    decides,
    machine,
    off,
    run,
    stopping,
    there,
    worker_after,
)


@pytest.mark.parametrize(
    ("found", "worker", "now", "fired", "decision"),
    [
        pytest.param(pod("readiness"), state("readiness"), 500, False, "wait 10300", id="at its next tick"),
        pytest.param(pod("readiness"), state("readiness"), 10_300, True, "probe success", id="it asks"),
        pytest.param(pod("readiness"), READY, 500, False, "", id="what goes on well is not asked again"),
        pytest.param(pod("liveness"), LIVING, 500, False, "", id="nor a living container at all"),
        pytest.param(pod("readiness", behaves=FAILING), READY, 500, False, "wait 10300", id="failures are all told of"),
        pytest.param(
            pod("readiness", behaves={"health": "/ready: 200; after 90s: 500"}),
            READY,
            500,
            False,
            "wait 90300",
            id="the first tick after a change",
        ),
        pytest.param(
            pod("readiness", behaves={"health": "/ready: 200; after 90s: 500 for 5s"}),
            READY,
            500,
            False,
            "wait 90300",
            id="is just in time for a short one",
        ),
        pytest.param(
            pod("readiness", behaves={"health": "/ready: 200; after 91s: 500 for 5s"}),
            READY,
            500,
            False,
            "",
            id="or misses it",
        ),
        pytest.param(
            pod("readiness", replace(HTTP, initialDelaySeconds=15), run(started=1_900)),
            state("readiness"),
            2_000,
            False,
            "wait 20300",
            id="not before its delay, which counts from the whole second",
        ),
        pytest.param(
            pod("readiness", behaves={"startup": "5s"}),
            state("readiness"),
            500,
            False,
            "wait 10300",
            id="not listening",
        ),
        pytest.param(pod("startup"), state("startup"), 500, False, "wait 10300", id="startup is asked first"),
        pytest.param(pod("startup"), state("startup", "Success"), 500, False, "", id="until it has passed"),
        pytest.param(
            pod("liveness", behaves=FAILING),
            state("liveness", counting=Counting("Failure", "Failure", 0, on_hold=True)),
            500,
            False,
            "",
            id="a container that is to be killed is left alone",
        ),
        pytest.param(
            pod("liveness", HTTP, run(attempt=1), behaves=FAILING),
            state("liveness", counting=Counting("Failure", "Failure", 0, on_hold=True)),
            500,
            False,
            "wait 10300",
            id="the next one is not",
        ),
        pytest.param(pod("readiness", HTTP, run(state="exited")), READY, 500, False, "", id="nobody asks the dead"),
        pytest.param(there(api(replace(APP, readinessProbe=HTTP))), READY, 500, False, "", id="or the unborn"),
    ],
)
def test_when(found: HostPod, worker: ProbeState, now: int, fired: bool, decision: str) -> None:
    assert decides(LOOP, host(found, worker), now=now, fired=fired) == decision
    assert decides(LOOP, off(host(found, worker)), now=now, fired=fired) == ""


@pytest.mark.parametrize(
    ("found", "worker", "kept", "decision"),
    [
        pytest.param(pod("readiness"), state("readiness"), {"synced": 450}, "probe success", id="at a pass"),
        pytest.param(pod("readiness"), READY, {"synced": 450}, "", id="not if it is ready"),
        pytest.param(
            pod("readiness"),
            state("readiness", passed=450, last_run=450),
            {"synced": 450},
            "wait 10300",
            id="once a pass",
        ),
        pytest.param(pod("readiness"), state("readiness", again=True), {}, "probe success", id="or when one is owed"),
        pytest.param(
            pod("readiness", replace(HTTP, initialDelaySeconds=5)),
            state("readiness"),
            {"synced": 450},
            "wait 10450",
            id="within the delay it only moves the clock",
        ),
        pytest.param(pod("liveness"), LIVING, {"synced": 450}, "", id="liveness is never out of turn"),
        pytest.param(
            pod("readiness", replace(HTTP, initialDelaySeconds=0)),
            state("readiness", attempt=-1),
            {"synced": 450},
            "probe success",
            id="a new container is tried at its first pass",
        ),
    ],
)
def test_out_of_turn(found: HostPod, worker: ProbeState, kept: dict[str, Any], decision: str) -> None:
    assert decides(LOOP, host(found, worker, **kept), now=500) == decision


def test_an_attempt_out_of_turn_begins_the_clock_anew() -> None:
    found = pod("readiness", behaves=FAILING)
    made = act(LOOP, host(found, state("readiness"), synced=450), now=500)
    (now,) = worker_after(made).probes
    assert (now.base, now.passed, now.last_run) == (500, 450, 500)
    assert decides(LOOP, machine(found, worker_after(made)), now=500) == "wait 10500"


@pytest.mark.parametrize(
    ("kind", "decision"),
    [pytest.param("readiness", "probe failure", id="readiness"), pytest.param("liveness", "", id="liveness")],
)
def test_of_a_pod_that_is_being_ended_only_readiness_is_asked(kind: str, decision: str) -> None:
    found = pod(kind, EXEC, stopping(5_000, signalled=5_000), deleted=30, behaves=FAILING)
    assert decides(LOOP, host(found, state(kind, "Success"), stage="terminating"), now=10_300, fired=True) == decision


@pytest.mark.parametrize(
    ("kind", "worker", "behaves", "moment", "background"),
    [
        pytest.param("readiness", state("readiness"), {}, "readiness-passed", False, id="ready"),
        pytest.param("startup", state("startup"), {}, "startup-passed", False, id="started"),
        pytest.param("readiness", state("readiness"), FAILING, "", True, id="still not ready"),
        pytest.param("readiness", READY, FAILING, "", True, id="one failure of three"),
        pytest.param(
            "readiness",
            state("readiness", counting=Counting("Success", "Failure", 2)),
            FAILING,
            "readiness-failed",
            False,
            id="three of three",
        ),
        pytest.param(
            "liveness",
            state("liveness", counting=Counting("Success", "Failure", 2)),
            FAILING,
            "liveness-failed",
            False,
            id="three of three means death",
        ),
        pytest.param(
            "liveness", state("liveness", counting=Counting("Success", "Failure", 2)), {}, "", True, id="a late success"
        ),
    ],
)
def test_what_turns(kind: str, worker: ProbeState, behaves: dict[str, str], moment: str, background: bool) -> None:
    found = pod(kind, replace(HTTP, failureThreshold=3), behaves=behaves)
    made = act(LOOP, host(found, worker), now=10_300, fired=True)
    assert (made.moment, made.background) == (moment, background)
    assert worker_after(made).dirty_since == (10_300 if moment else None)


def test_becoming_unready_is_tried_again_at_once_unless_the_pod_is_being_ended() -> None:
    last = state("readiness", counting=Counting("Success", "Failure", 2))
    found = pod("readiness", behaves=FAILING)
    made = act(LOOP, host(found, last), now=10_300, fired=True)
    assert decides(LOOP, machine(found, worker_after(made)), now=10_300) == "probe failure"
    going = act(LOOP, host(found, last, stage="terminating"), now=10_300, fired=True)
    assert decides(LOOP, machine(found, worker_after(going)), now=10_300) == "wait 20300"


def test_a_startup_that_passes_owes_a_first_try_of_readiness() -> None:
    found = there(api(replace(APP, startupProbe=HTTP, readinessProbe=HTTP)), run())
    both = (state("startup"), state("readiness"))
    assert decides(LOOP, host(found, *both), now=500) == "wait 10300"
    made = act(LOOP, host(found, *both), now=10_300, fired=True)
    assert made.moment == "startup-passed"
    ready = act(LOOP, machine(found, worker_after(made)), now=10_300)
    assert ready.moment == "readiness-passed"
