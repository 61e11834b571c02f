"""The application's table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.pods import Container
from app.loops.app_process import LOOP, exited
from app.sim.host import ContainerRun
from tests.loops.machines import APP, act, api, decides, machine, off, pod_after, run, stopping, there

SERVES = run(serving=True)
FALTERS = "requests: 200; after 5s: 500 for 2s"
FAILS = run(serving=True, fails="error")
INIT = run(role="init", serving=True)
SIGNALLED = stopping(100, signalled=100, serving=True)


@pytest.mark.parametrize(
    ("behaves", "container", "now", "fired", "decision"),
    [
        pytest.param({}, run(), 0, False, "serve", id="it listens at once"),
        pytest.param({"startup": "4s"}, run(started=500), 500, False, "wait 4500", id="or after its startup"),
        pytest.param({"startup": "4s"}, run(started=500), 4_500, True, "serve", id="then it does"),
        pytest.param({}, SERVES, 0, False, "", id="a serving process is left alone"),
        pytest.param({}, run(state="created", started=None), 0, False, "", id="so is one that does not run"),
        pytest.param({}, run(state="exited"), 0, False, "", id="or runs no more"),
        pytest.param({}, SIGNALLED, 100, False, "wait 105", id="SIGTERM ends it after a moment"),
        pytest.param({}, SIGNALLED, 105, True, "exit exit 0", id="with exit code 0"),
        pytest.param({"exit-code-on-sigterm": "143"}, SIGNALLED, 105, True, "exit exit 143", id="or another one"),
        pytest.param({"on-sigterm": "ignore"}, SIGNALLED, 100, False, "", id="or it is ignored"),
        pytest.param({"on-sigterm": "drain=10s"}, SIGNALLED, 100, False, "drain", id="a drain begins at once"),
        pytest.param(
            {"on-sigterm": "drain=10s"},
            stopping(100, signalled=100, serving=True, closing="drains"),
            100,
            False,
            "wait 10105",
            id="and lasts",
        ),
        pytest.param({"on-sigterm": "exit=2s"}, SIGNALLED, 100, False, "stop-serving", id="closing comes first"),
        pytest.param(
            {"on-sigterm": "exit=2s"},
            stopping(100, signalled=100, closing="closed"),
            100,
            False,
            "wait 2105",
            id="and is not taken back",
        ),
        pytest.param({"exit": "after 5s code 1"}, SERVES, 0, False, "wait 5000", id="it may end by itself"),
        pytest.param({"exit": "after 5s code 1"}, SERVES, 5_000, True, "exit exit 1", id="with its own code"),
        pytest.param({"startup": "4s"}, stopping(100, signalled=100), 105, True, "exit exit 0", id="before it serves"),
        pytest.param({"startup": "3s"}, INIT, 0, False, "wait 3000", id="an init container is done after its startup"),
        pytest.param({"startup": "3s"}, INIT, 3_000, True, "exit exit 0", id="with exit code 0"),
        pytest.param({"exit": "after 1s code 2"}, INIT, 1_000, True, "exit exit 2", id="unless it is said to fail"),
        pytest.param({"startup": "3s"}, run(role="sidecar", serving=True), 9_000, True, "", id="a sidecar goes on"),
        pytest.param({"health": FALTERS}, SERVES, 0, False, "wait 5000", id="clients are served well for a while"),
        pytest.param({"health": FALTERS}, SERVES, 5_000, True, "falter error", id="then they meet errors"),
        pytest.param({"health": FALTERS}, FAILS, 5_000, False, "wait 7000", id="which is said once"),
        pytest.param({"health": FALTERS}, FAILS, 7_000, True, "recover", id="and is over when it is over"),
        pytest.param({"health": "requests: hangs"}, SERVES, 0, False, "falter unanswered", id="or no answer at all"),
        pytest.param({"health": "*: 500"}, SERVES, 0, False, "", id="what probes meet is another matter"),
    ],
)
def test_what_it_does(behaves: dict[str, str], container: ContainerRun, now: int, fired: bool, decision: str) -> None:
    host = machine(there(api(behaves=behaves), container))
    assert decides(LOOP, host, now=now, fired=fired) == decision
    assert decides(LOOP, off(host), now=now, fired=fired) == ""


LEADS = {"leader-election": "renew=10s,start=3s"}


@pytest.mark.parametrize(
    ("alone", "started", "now", "fired", "decision"),
    [
        pytest.param(None, 0, 60_000, False, "", id="who reaches the API server renews"),
        pytest.param(20_000, 0, 20_000, False, "wait 31400", id="ten seconds from the first renewal that fails"),
        pytest.param(20_000, 0, 31_400, True, "exit exit 1", id="then it ends itself"),
        pytest.param(20_000, 32_000, 32_000, False, "wait 35000", id="who starts without it tries for three"),
        pytest.param(20_000, 32_000, 35_000, True, "exit exit 1", id="and ends, too"),
    ],
)
def test_a_leader_ends_itself_when_it_cannot_renew(
    alone: int | None, started: int, now: int, fired: bool, decision: str
) -> None:
    host = machine(there(api(behaves=LEADS), run(serving=True, started=started)))
    assert decides(LOOP, replace(host, alone=alone), now=now, fired=fired) == decision
    plain = machine(there(api(), run(serving=True, started=started)))
    assert decides(LOOP, replace(plain, alone=alone), now=now, fired=fired) == ""


@pytest.mark.parametrize(
    ("reaction", "serves"), [pytest.param("drain=10s", True, id="drain"), pytest.param("exit=2s", False, id="exit")]
)
def test_a_draining_process_serves_on_a_closing_one_does_not(reaction: str, serves: bool) -> None:
    made = act(LOOP, machine(there(api(behaves={"on-sigterm": reaction}), SIGNALLED)), now=100)
    assert pod_after(made).serves is serves


def test_an_exit_is_said_in_the_runtimes_words() -> None:
    made = act(LOOP, machine(there(api(behaves={"exit": "after 5s code 1"}), SERVES)), now=5_000, fired=True)
    (ended,) = pod_after(made).containers
    assert (ended.state, ended.exit_code, ended.reason, ended.finished, ended.serving) == (
        "exited",
        1,
        "Error",
        5_000,
        False,
    )
    assert (made.moment, made.sender) == ("process-exited", "web-1 process")


def test_an_oom_in_a_container_is_remembered_whatever_ends_it() -> None:
    assert exited(run(child_killed=True), 0, 5_000).reason == "OOMKilled"


def test_of_two_containers_only_the_one_with_ports_serves() -> None:
    host = machine(there(api(APP, Container("log", "log:v1")), run(serving=True), run("log")))
    assert decides(LOOP, host) == ""


def test_what_clients_need_may_break_for_all_machines_at_once() -> None:
    host = machine(there(api(behaves={"health": "requests: 200; while database down: 503"}), SERVES))
    broken = replace(host, broken=("database",))
    assert decides(LOOP, broken) == "falter error"
    assert LOOP.on_host is not None
    assert LOOP.on_host(host, broken) == [pod.ref for pod in host.pods.values()]
