"""The two orders of a node's pods, as a page would show them."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.behaviour import Point
from app.kube.eviction_thresholds import MEMORY, NODEFS, Amount, Threshold
from app.kube.machines import Machine
from app.kube.pods import Container, Pod, ResourceRequirements
from app.kube.stringmap import StringMap
from app.loops.host_pods import with_pod
from app.sim.host import Host
from app.sim.maps import Map
from app.sim.world import World
from app.story import ranking
from app.story.ranking import Evictee, Killed, ranked
from tests.loops.machines import NODE, api, knows, machine, run, there

GI, MI = 2**30, 2**20
SETTINGS = Machine(
    memory=4 * GI,
    system_memory=(Point(0, 512 * MI),),
    thresholds=(
        Threshold(MEMORY, Amount("1Gi")),
        Threshold(MEMORY, Amount("3Gi"), 90_000),
        Threshold(NODEFS, Amount(part=0.1)),
    ),
)


def pod(name: str, memory: str, request: str, *, priority: int = 0, disk: str = "") -> Pod:
    requests = StringMap({"memory": request} if request else {})
    container = Container("app", "app:v1", resources=ResourceRequirements(requests))
    words = {"memory": memory} | ({"disk": disk} if disk else {})
    made = api(container, behaves=words, uid=f"uid-{name}", priority=priority)
    return replace(made, metadata=replace(made.metadata, name=name))


def world(*pods: Pod) -> World:
    host: Host = machine(machine=SETTINGS)
    for found in pods:
        placed = there(found, run())
        host = with_pod(host, found.metadata.uid, placed, knows(placed))
    return World(now=0, nodes=(NODE,), hosts=Map({NODE: host}))


JUNK = pod("junk", "200Mi", "", priority=-10)
WEB = pod("web", "900Mi", "512Mi", disk="20Gi")
VITAL = pod("vital", "600Mi", "500Mi", priority=1000)
SYSTEM = pod("system", "100Mi", "200Mi", priority=2_000_001_000)


def test_the_kubelets_order_and_the_keys_that_made_it() -> None:
    found = ranked(world(WEB, SYSTEM, VITAL, JUNK), NODE)
    assert (found.available, found.capacity, found.resource) == ("1784Mi", "4Gi", "memory")
    assert found.thresholds == (
        ranking.Threshold("1Gi", hard=True, grace=0, met=False),
        ranking.Threshold("3Gi", hard=False, grace=90, met=True),
    )
    first = Evictee(
        place=1,
        pod="pod/junk",
        qos="BestEffort",
        usage="200Mi",
        request="0",
        exceeds=True,
        priority=-10,
        over="200Mi",
        keys=("exceeds", "priority"),
        spared=False,
    )
    assert found.evictees[0] == first
    assert [(row.pod, row.over, row.keys, row.spared) for row in found.evictees[1:]] == [
        ("pod/web", "388Mi", ("exceeds", "priority"), False),
        ("pod/vital", "100Mi", ("exceeds",), False),
        ("pod/system", "-100Mi", ("exceeds", "priority", "over"), True),
    ]


def test_the_kernels_order_knows_no_priority() -> None:
    found = ranked(world(WEB, SYSTEM, VITAL, JUNK), NODE)
    assert [(row.pod, row.score_adj) for row in found.killed] == [
        ("pod/web", 875),
        ("pod/junk", 1000),
        ("pod/vital", 878),
        ("pod/system", 952),
    ]
    # 900 MiB are 230,400 pages, a thousandth of 4 GiB is 1,048.
    assert found.killed[0] == Killed(
        place=1,
        pod="pod/web",
        container="app",
        qos="Burstable",
        child=False,
        memory="900Mi",
        score_adj=875,
        badness=230_400 + 875 * 1_048,
    )


def test_another_signal_has_another_order() -> None:
    found = ranked(world(WEB, JUNK), NODE, NODEFS)
    assert (found.resource, found.available, [row.amount for row in found.thresholds]) == (
        "ephemeral-storage",
        "80Gi",
        ["10737418400"],
    )
    assert [(row.pod, row.usage, row.keys) for row in found.evictees] == [
        ("pod/web", "20Gi", ("exceeds",)),
        ("pod/junk", "0", ("exceeds", "priority", "over")),
    ]
