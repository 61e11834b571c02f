"""Containers that fail their liveness probe: killed, started again within the same sync, or held back."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.backoff import Entry
from app.kube.pods import Container, Probe, TCPSocketAction
from app.kube.probes import Counting
from app.loops.kubelet.pods import LOOP
from app.sim.host import Crash, Host, HostPod, Kill, ProbeState, Stop
from app.sim.lags import Bounds
from tests.loops.machines import APP, act, api, decides, events, knows, machine, pod_after, run, there, worker_after

PROBE = Probe(tcpSocket=TCPSocketAction(8080), periodSeconds=10, failureThreshold=3)
SIDECAR = Container("proxy", "app:v1", restartPolicy="Always")


def probed(kind: str, result: str, name: str = "app", attempt: int = 0) -> ProbeState:
    return ProbeState(name, kind, base=0, attempt=attempt, counting=Counting(result))


def saw(pod: HostPod, **worker: object) -> Host:
    """A kubelet that knows the pod as it is."""
    return machine(pod, knows(pod, **worker))


LIVE = api(replace(APP, livenessProbe=replace(PROBE, terminationGracePeriodSeconds=3)), grace=12)
FAILED = (probed("liveness", "Failure"),)


def test_a_container_that_fails_liveness_is_killed_with_the_grace_of_its_probe() -> None:
    made = act(LOOP, saw(there(LIVE, run()), probes=FAILED), LIVE, now=30_000)
    assert events(made) == ["Killing: Container app failed liveness probe, will be restarted"]
    stop = act(LOOP, machine(there(LIVE, run()), worker_after(made)), LIVE, now=30_000)
    (stopped,) = pod_after(stop).containers
    assert stopped.stop is not None
    assert (stop.verb, stopped.stop.timeout) == ("stop-container", 3_000)


@pytest.mark.parametrize(
    ("container", "init", "policy", "text"),
    [
        pytest.param("app", (), "Never", "Container app failed liveness probe", id="never restarted"),
        pytest.param(
            "proxy",
            (replace(SIDECAR, livenessProbe=PROBE),),
            "Always",
            "Init container proxy failed liveness probe",
            id="a sidecar",
        ),
    ],
)
def test_what_is_said_of_it(container: str, init: tuple[Container, ...], policy: str, text: str) -> None:
    pod = api(replace(APP, livenessProbe=PROBE), init=init, restartPolicy=policy)
    runs = (*(run(row.name, role="sidecar") for row in init), run())
    host = saw(there(pod, *runs), probes=(probed("liveness", "Failure", container),))
    assert events(act(LOOP, host, pod)) == [f"Killing: {text}"]


def test_it_is_started_again_within_the_same_sync_and_counts_from_the_run_before() -> None:
    first = act(LOOP, saw(there(LIVE, run()), probes=FAILED), LIVE, now=30_000)
    ended = run(state="exited", finished=31_000, stop=Stop(30_000, 3_000, 30_000))
    again = act(LOOP, machine(there(LIVE, ended), worker_after(first)), LIVE, now=31_000)
    assert (again.verb, pod_after(again).containers[0].attempt) == ("start-container", 1)
    # No run had ended before this one: the back-off does not grow.
    assert worker_after(again).crashes == ()


# Started at 32 s and killed at 46 s; the run before it had ended at 31 s, which grew the back-off to 20 s.
KILLED = run(
    state="exited",
    attempt=2,
    started=32_000,
    finished=47_000,
    stop=Stop(46_000, 3_000, 46_000),
    last=run(state="exited", attempt=1, finished=31_000),
)
HELD = replace(
    knows(there(LIVE, replace(KILLED, state="running", finished=None, exit_code=None))),
    crashes=(Crash("app", entry=Entry(20_000, 31_000)),),
    kills=(Kill("app", 2, 46_000, 3, "livenessProbe"),),
    synced=32_000,
)


def test_a_back_off_after_a_kill_looks_at_the_run_before_it() -> None:
    """As recorded in kubelet-liveness: told of at once, shown with the relist that finds the end, then counted anew."""
    host = replace(machine(there(LIVE, KILLED), HELD), relist_phase=236)
    held = act(LOOP, host, LIVE, now=47_000)
    assert (held.verb, held.outcome, held.events[0].reason) == ("back-off", "20 s", "BackOff")
    (crash,) = worker_after(held).crashes
    assert (crash.shown, crash.failing) == ("", "CrashLoopBackOff")
    waiting = replace(machine(there(LIVE, KILLED), worker_after(held)), relist_phase=236)
    assert decides(LOOP, waiting, LIVE, now=47_000) == "wait 47236"
    seen = act(LOOP, waiting, LIVE, now=47_236, fired=True)
    assert (seen.verb, seen.reason, seen.moment) == ("relist", "ContainerDied", "container-exit-seen")
    (crash,) = worker_after(seen).crashes
    assert (crash.shown, crash.resync) == ("CrashLoopBackOff", None)
    again = act(LOOP, machine(there(LIVE, KILLED), worker_after(seen)), LIVE, now=47_236)
    assert (again.verb, again.events[0].reason) == ("back-off", "BackOff")
    (crash,) = worker_after(again).crashes
    assert crash.resync is not None
    # 20 s from the end of the killed run, at a whole second, or up to half as late again.
    assert (crash.resync.least, crash.resync.most) == (67_000, 77_000)


def test_a_killed_container_that_is_not_started_again_is_looked_for_on_demand() -> None:
    pod = api(replace(APP, livenessProbe=PROBE), restartPolicy="Never")
    ended = run(state="exited", finished=47_000, exit_code=137, stop=Stop(46_000, 3_000, 46_000))
    host = machine(there(pod, ended), knows(there(pod, run()), kills=(Kill("app", 0, 46_000, 3, "livenessProbe"),)))
    made = act(LOOP, host, pod, now=47_000)
    assert (made.verb, made.reason) == ("relist", "OnDemand")


def test_an_end_that_is_found_is_a_sync_for_all_containers_of_the_pod() -> None:
    pod = api(APP, Container("log", "app:v1"))
    found = there(pod, run(state="exited", finished=30_200), run("log", "exited", attempt=1, finished=25_000))
    waits = Crash("log", entry=Entry(10_000, 24_000), failing="CrashLoopBackOff", resync=Bounds.at(60_000))
    seen = replace(knows(found, crashes=(waits,)), seen=(run(), found.containers[1]))
    made = act(LOOP, replace(machine(found, seen), relist_phase=700), pod, now=30_700, fired=True)
    assert made.reason == "ContainerDied"
    (crash,) = worker_after(made).crashes
    assert (crash.shown, crash.resync) == ("CrashLoopBackOff", None)
