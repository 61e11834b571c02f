"""Machines with one pod changed, and which pods changed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.pods import Container
from app.loops.host_pods import (
    behaviour_of,
    changed_pods,
    changed_workers,
    may_serve,
    pods_named,
    role_of,
    with_pod,
    with_run,
    without_pod,
)
from app.sim.host import HostPod
from tests.loops.machines import APP, KEY, PORTS, UID, api, knows, machine, run, there

POD = there(api(), run())
HOST = machine(POD, knows(POD))
SIDECAR = Container("proxy", "proxy:v1", restartPolicy="Always")


def part(pod: HostPod) -> object:
    return pod.containers


def test_pods_of_one_name_stand_in_the_order_in_which_they_came() -> None:
    successor = there(api(uid="uid-later"))
    both = with_pod(HOST, "uid-later", successor)
    assert [uid for uid, _ in pods_named(both, KEY)] == [UID, "uid-later"]
    assert [uid for uid, _ in pods_named(without_pod(both, UID), KEY)] == ["uid-later"]
    assert without_pod(HOST, UID) == machine()


def test_a_pod_changes_only_where_its_part_does() -> None:
    served = with_pod(HOST, UID, with_run(POD, run(serving=True)))
    assert changed_pods(HOST, HOST, part) == []
    assert changed_pods(HOST, served, part) == [KEY]
    assert changed_pods(HOST, with_pod(HOST, UID, replace(POD, ip="10.244.1.9")), part) == []
    assert changed_pods(machine(), HOST, part) == changed_pods(HOST, machine(), part) == [KEY]


def test_a_worker_changes_only_where_its_part_does() -> None:
    later = with_pod(HOST, UID, POD, replace(HOST.workers[UID], dirty_since=5))
    assert changed_workers(HOST, later, lambda worker: worker.dirty_since) == [KEY]
    assert changed_workers(HOST, later, lambda worker: worker.stage) == []
    assert changed_workers(machine(), HOST, lambda worker: worker.stage) == [KEY]


def test_a_container_is_replaced_where_it_stands_or_added() -> None:
    two = with_run(POD, run("second"))
    assert [row.name for row in two.containers] == ["app", "second"]
    assert [row.state for row in with_run(two, run(state="exited")).containers] == ["exited", "running"]


@pytest.mark.parametrize(
    ("containers", "init", "serving"),
    [
        pytest.param((Container("app", "app:v1"),), (), ["app"], id="an app without ports"),
        pytest.param((APP, Container("log", "log:v1")), (), ["app"], id="only the app that declares ports"),
        pytest.param((Container("app", "app:v1"),), (SIDECAR,), ["app"], id="a sidecar without ports does not"),
        pytest.param(
            (APP,),
            (replace(SIDECAR, ports=PORTS), Container("setup", "x:1")),
            ["app", "proxy"],
            id="one with ports does",
        ),
    ],
)
def test_which_containers_answer_clients(
    containers: tuple[Container, ...], init: tuple[Container, ...], serving: list[str]
) -> None:
    pod = there(api(*containers, init=init))
    assert [row.name for row in (*containers, *init) if may_serve(pod, row.name)] == serving


def test_roles_and_behaviour_come_from_the_pod() -> None:
    pod = there(api(init=(SIDECAR, Container("setup", "x:1")), behaves={"startup": "4s", "proxy.startup": "1s"}))
    assert [role_of(pod, name) for name in ("app", "proxy", "setup")] == ["app", "sidecar", "init"]
    assert [behaviour_of(pod, name).startup for name in ("app", "proxy")] == [4_000, 1_000]
