"""What is used of a machine, and when it will be so much."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.kube.behaviour import Point
from app.kube.machines import Machine
from app.kube.pods import Container, EmptyDirVolumeSource, Pod, Volume, VolumeMount
from app.sim.host import ContainerRun, Host, Worker
from app.sim.usage import (
    Part,
    container_memory,
    disk_use,
    image_disk,
    memory_in_use,
    node_disk,
    pod_memory,
    total,
    when,
)
from tests.loops.machines import UID, api, knows, machine, run, there

GI, MI, KI = 2**30, 2**20, 2**10
GROWS = Part((Point(0, 0), Point(10_000, 100 * MI)), 1_000)
FLAT = Part((Point(0, 50 * MI),))


def test_parts_add_up_in_whole_pages() -> None:
    assert total([GROWS, FLAT], 0) == 50 * MI
    assert total([GROWS, FLAT], 6_000) == 100 * MI
    assert total([GROWS], 1_001) == 8 * KI


@pytest.mark.parametrize(
    ("above", "now", "expected"),
    [
        pytest.param(40 * MI, 0, 0, id="already"),
        pytest.param(100 * MI - 1, 0, 6_000, id="on the millisecond"),
        pytest.param(150 * MI, 0, None, id="never"),
        pytest.param(149 * MI, 30_000, 30_000, id="long since"),
    ],
)
def test_when_it_is_so_much(above: int, now: int, expected: int | None) -> None:
    assert when([GROWS, FLAT], lambda at: total([GROWS, FLAT], at) > above, now) == expected


LEAK = Part((Point(1_000, 80 * MI), Point(61_000, 301 * MI), Point(62_000, 10 * MI), Point(62_000, 350 * MI)))


@given(st.integers(1, 400 * MI))
def test_one_millisecond_earlier_it_was_not_so_much(limit: int) -> None:
    at = when([LEAK], lambda instant: LEAK.at(instant) >= limit, 0)
    assert (at is None) == (limit > 350 * MI)
    if at is not None:
        assert LEAK.at(at) >= limit
        assert at == 0 or LEAK.at(at - 1) < limit


def test_what_shrinks_reaches_its_amount_too() -> None:
    falls = Part((Point(0, 100 * MI), Point(10_000, 0)))
    assert when([falls], lambda at: total([falls], at) <= 50 * MI, 0) == 5_000


def used(pod: Pod, *runs: ContainerRun, now: int, **more: object) -> int:
    return total(pod_memory(replace(there(pod, *runs), **more)), now)


def test_memory_counts_from_the_start_of_a_process_that_started_in_the_walk() -> None:
    pod = api(behaves={"memory": "0s=0,10s=100Mi"})
    assert used(pod, run(started=5_000), now=10_000) == 50 * MI
    assert used(pod, run(started=-600_000), now=0) == 0
    assert used(pod, run(started=-600_000), now=10_000) == 100 * MI
    assert used(pod, run(state="exited"), now=10_000) == 0


def test_children_count_until_the_kernel_ends_them() -> None:
    pod = api(behaves={"memory": "10Mi", "child-memory": "90Mi"})
    assert used(pod, run(), now=0) == 100 * MI
    assert used(pod, run(child_killed=True), now=0) == 10 * MI


SPOOL = Volume("spool", emptyDir=EmptyDirVolumeSource(sizeLimit="1Gi"))
TMPFS = Volume("spool", emptyDir=EmptyDirVolumeSource(medium="Memory"))
WRITER = Container("writer", "app:v1", volumeMounts=(VolumeMount("spool"),))


def test_a_volume_in_memory_is_memory_of_the_container_that_fills_it() -> None:
    pod = there(
        api(Container("app", "app:v1"), WRITER, behaves={"spool.volume": "64Mi"}, volumes=(TMPFS,)),
        run("app"),
        run("writer"),
    )
    assert [total(container_memory(pod, row), 0) for row in pod.containers] == [0, 64 * MI]


def host_of(pod: Pod, *runs: ContainerRun, worker: Worker | None = None, **more: object) -> Host:
    found = there(pod, *runs)
    return machine(found, worker or knows(found), **more)


def test_disks_hold_layers_of_two_attempts_volumes_and_images() -> None:
    pod = api(behaves={"disk": "0s=0,10s=100Mi", "spool.volume": "0s=0,10s=1Gi"}, volumes=(SPOOL,))
    again = run(started=20_000, attempt=1, last=replace(run(state="exited", finished=15_000), attempt=0))
    host = host_of(pod, again, machine=Machine(images=(("app:v1", 300 * MI),), system_disk=(Point(0, GI),)))
    assert disk_use(host, UID, 25_000).root == {"app": 50 * MI}
    assert disk_use(host, UID, 25_000).volumes == {"spool": GI}
    assert total(node_disk(host), 25_000) == total(image_disk(host), 25_000) == 2 * GI + 450 * MI


def test_what_is_deleted_is_used_no_more() -> None:
    pod = api(behaves={"disk": "100Mi", "spool.volume": "1Gi"}, volumes=(SPOOL,))
    gone = run(state="exited", removed=True)
    host = host_of(pod, gone, worker=Worker(since=0, volumes="gone"))
    assert total(node_disk(host), 0) == 0


def test_a_disk_of_its_own_for_images_holds_layers_too() -> None:
    pod = api(behaves={"disk": "100Mi", "spool.volume": "1Gi"}, volumes=(SPOOL,))
    host = host_of(pod, run(), machine=Machine(images=(("app:v1", 300 * MI),), image_disk=50 * GI))
    assert total(node_disk(host), 0) == GI
    assert total(image_disk(host), 0) == 400 * MI


def test_the_machines_own_memory_is_in_use_too() -> None:
    host = host_of(api(behaves={"memory": "1Gi"}), run(), machine=Machine(system_memory=(Point(0, 2 * GI),)))
    assert total(memory_in_use(host), 0) == 3 * GI
