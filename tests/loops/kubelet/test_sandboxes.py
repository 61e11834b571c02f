"""Sandboxes that are not to be had, and one that dies under its pod."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.machines import Machine
from app.kube.pods import Container
from app.loops.kubelet.actions import Actions, actions
from app.loops.kubelet.case import Case, cases
from app.loops.kubelet.pods import LOOP
from app.sim.host import Host
from app.sim.lags import Bounds
from tests.loops.machines import APP, act, api, at, decides, events, knows, machine, pod_after, run, there, worker_after

POD = api()
ERROR = (
    'rpc error: code = Unknown desc = failed to setup network for sandbox "abc": plugin type="bridge" failed (add): x'
)


def host(pod: object = POD, **more: object) -> Host:
    """A pod without a sandbox, on a machine whose kubelet knows of it since 0.1 s."""
    found = there(pod, ip="", sandbox="none")  # type: ignore[arg-type]
    return machine(found, knows(found, since=100, volumes="waiting"), **more)


def test_a_network_that_is_not_ready_is_told_of_every_second_or_so() -> None:
    made = act(LOOP, host(machine=Machine(cni="not-ready")), POD, now=400, fired=True)
    (text,) = events(made)
    assert text.startswith("NetworkNotReady: network is not ready: container runtime network not ready: NetworkReady=")
    assert worker_after(made).resync == Bounds(1_400, 1_650, 1_900)
    assert pod_after(made).sandbox == "none"
    again = machine(pod_after(made), worker_after(made), machine=Machine(cni="not-ready"))
    assert decides(LOOP, again, POD, now=400) == "wait 1650"
    assert events(act(LOOP, again, POD, now=1_650, fired=True)) == [text]


def test_pods_on_the_hosts_network_do_not_need_it() -> None:
    pod = api(hostNetwork=True)
    assert decides(LOOP, host(pod, machine=Machine(cni="not-ready")), pod, now=400, fired=True) == "run-sandbox"


def test_once_it_is_ready_the_pod_goes_on() -> None:
    waiting = host()
    (worker,) = (waiting.workers[uid] for uid in waiting.workers)
    held = machine(there(POD, ip="", sandbox="none"), replace(worker, resync=Bounds.at(1_650)))
    made = act(LOOP, held, POD, now=1_650, fired=True)
    assert (made.verb, pod_after(made).sandbox, pod_after(made).sandbox_tries) == ("run-sandbox", "creating", 1)
    assert worker_after(made).resync is None


def test_a_sandbox_that_could_not_be_made_is_told_of_and_tried_again() -> None:
    failed = there(POD, ip="", sandbox="failed", sandbox_tries=1, sandbox_since=450, sandbox_error=ERROR)
    made = act(LOOP, machine(failed, knows(failed)), POD, now=450)
    assert events(made) == [f"FailedCreatePodSandBox: Failed to create pod sandbox: {ERROR}"]
    resync = worker_after(made).resync
    assert resync is not None
    assert 10_450 <= resync.least <= resync.usual <= resync.most <= 16_450
    again = act(LOOP, machine(pod_after(made), worker_after(made)), POD, now=resync.usual, fired=True)
    assert (again.verb, pod_after(again).sandbox_tries, pod_after(again).sandbox_attempt) == ("run-sandbox", 2, 1)


def test_a_pod_that_is_deleted_has_no_sandbox_made() -> None:
    deleted = api(deleted=30)
    failed = there(POD, ip="", sandbox="failed", sandbox_error=ERROR)
    made = act(LOOP, machine(failed, knows(failed)), deleted, now=500)
    assert (made.verb, events(made)) == ("kill-pod", [])


INIT = (Container("first", "app:v1"), Container("second", "app:v1"))


def dead(policy: str = "Always", init: tuple[Container, ...] = INIT) -> Case:
    """A pod that ran, and whose machine has been started anew."""
    pod = api(APP, init=init, restartPolicy=policy)
    runs = [run(row.name, "exited", role="init") for row in init]
    found = there(pod, *runs, run("app", "exited", exit_code=255), sandbox="dead", sandbox_tries=1)
    (case,) = cases(at(LOOP, machine(found, knows(found)), pod))
    return case


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        pytest.param(dead(), Actions(start=("first",), sandbox=True), id="init containers run again"),
        pytest.param(dead(init=()), Actions(start=("app",), sandbox=True), id="without any the apps do"),
        pytest.param(dead("Never"), Actions(finished=True), id="a pod that is never to run twice is over"),
    ],
)
def test_without_its_sandbox_a_pod_starts_over(case: Case, expected: Actions) -> None:
    assert actions(case) == expected


def test_a_dead_sandbox_is_told_of_and_made_anew() -> None:
    case = dead()
    made = act(LOOP, case.turn.host, case.pod.pod, now=5_000)
    assert events(made) == ["SandboxChanged: Pod sandbox changed, it will be killed and re-created."]
    made = act(LOOP, made.host or case.turn.host, case.pod.pod, now=5_000)
    assert (made.verb, pod_after(made).sandbox_attempt) == ("run-sandbox", 1)
    up = replace(pod_after(made), sandbox="ready", ip="10.244.1.9")
    first = act(LOOP, machine(up, worker_after(made)), case.pod.pod, now=5_020)
    again = pod_after(first).container("first")
    assert (first.verb, first.reason) == ("start-container", "first, restart 1")
    assert again is not None
    assert (again.attempt, again.sandbox) == (1, 1)
