"""A pod's box: the API's word beside what is really so on the machine."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.diagram.extract.pods import Seen, card, lives, pods_on
from app.kube.pods import Pod
from app.sim.host import ContainerRun, Host, HostPod, Kill, Stop, Worker
from app.sim.maps import Map
from tests.diagram import walks

READY = walks.pod(0, "node-1", "10.244.1.2")
PENDING = walks.pod(0, "node-1", "", ready=False)
DYING = replace(READY, metadata=replace(READY.metadata, deletionTimestamp=30_000))
ENDED = replace(DYING, status=replace(DYING.status, phase="Succeeded"))
COMPLETED = replace(READY, status=replace(READY.status, phase="Succeeded", reason="Completed"))
UNREADY = replace(READY, status=replace(READY.status, conditions=()))
RUN = ContainerRun("web", "app", state="running", started=0, serving=True)
TOLD = Stop(0, 30_000, 10)
HOOK = Worker(0, kills=(Kill("web", 0, 0, 30, hook="running"),))


def held(run: ContainerRun | None, **changes: Any) -> HostPod:
    return replace(walks.running(READY), containers=(run,) if run else (), **changes)


@pytest.mark.parametrize(
    ("pod", "on_host", "worker", "state", "status"),
    [
        pytest.param(READY, held(RUN), None, "ready", "Running · Ready", id="serves"),
        pytest.param(UNREADY, held(RUN), None, "unready", "Running · not Ready", id="serves but is not Ready"),
        pytest.param(PENDING, None, None, "starting", "Pending · not started", id="kubelet has not begun"),
        pytest.param(PENDING, held(None, sandbox="creating"), None, "starting", "Pending · creating", id="sandbox"),
        pytest.param(
            PENDING, held(replace(RUN, serving=False)), None, "starting", "Pending · starting", id="does not serve yet"
        ),
        pytest.param(
            READY,
            held(replace(RUN, serving=False)),
            None,
            "dead",
            "Running · starting",
            id="Ready though it does not serve",
        ),
        pytest.param(DYING, held(RUN), None, "draining", "Terminating · Ready", id="nothing told yet"),
        pytest.param(DYING, held(RUN), HOOK, "draining", "Terminating · preStop", id="hook at work"),
        pytest.param(
            DYING, held(replace(RUN, stop=TOLD)), None, "draining", "Terminating · SIGTERM", id="signal ignored"
        ),
        pytest.param(
            DYING,
            held(replace(RUN, stop=TOLD, closing="drains")),
            None,
            "draining",
            "Terminating · draining",
            id="drains",
        ),
        pytest.param(
            DYING,
            held(replace(RUN, state="exited", exit_code=137)),
            None,
            "dead",
            "Terminating · exited 137",
            id="killed",
        ),
        pytest.param(
            ENDED, held(replace(RUN, state="exited", exit_code=0)), None, "dead", "Terminating · exited 0", id="ended"
        ),
        pytest.param(
            READY,
            held(replace(RUN, state="exited", exit_code=1)),
            None,
            "dead",
            "Running · exited 1",
            id="crashed unseen",
        ),
        pytest.param(COMPLETED, None, None, "done", "Succeeded · Completed", id="ran to its end, swept away"),
        pytest.param(
            COMPLETED,
            held(replace(RUN, state="exited", exit_code=0)),
            None,
            "done",
            "Succeeded · exited 0",
            id="completed",
        ),
        pytest.param(None, held(RUN), None, "orphan", "deleted · runs on", id="force deleted"),
        pytest.param(
            None,
            held(replace(RUN, state="exited", exit_code=0)),
            None,
            "dead",
            "deleted · exited 0",
            id="on its way out",
        ),
    ],
)
def test_what_is_said_of_a_pod(
    pod: Pod | None, on_host: HostPod | None, worker: Worker | None, state: str, status: str
) -> None:
    host = Host("node-1", workers=Map({"uid-0": worker}) if worker else Map())
    found = card(Seen(READY.ref, pod, on_host), host, "uid-0", 0)
    assert (found.state, found.status) == (state, status)
    assert found.name == "web-7pxpv"


def test_of_a_machine_that_is_off_nothing_lives() -> None:
    found = card(Seen(READY.ref, READY, held(RUN)), Host("node-1", power=False), "uid-0", 0)
    assert (found.state, found.status) == ("dead", "Running · power off")


def test_a_pod_whose_object_is_gone_is_drawn_while_anything_of_it_is_left() -> None:
    world = walks.start(1, 1)
    gone = replace(world, etcd=world.etcd.drop(READY.ref))
    assert list(pods_on(gone, "node-1")) == ["uid-0"]
    swept = replace(world.hosts["node-1"].pods["uid-0"], sandbox="stopped", containers=())
    assert not lives(swept)
    assert pods_on(walks.with_host(gone, "node-1", pods=Map({"uid-0": swept})), "node-1") == {}
