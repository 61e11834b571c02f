"""What the cluster's DNS server answers, and who may ask it: a world has one if it says so."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from app.kube.dns import answer, full_name
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice, Service
from app.kube.objects import Object
from app.sim.acts import Work
from app.sim.index import Index
from app.sim.maps import EMPTY, Map, ordered_keys
from app.sim.world import World

PROCESS = "coredns"
ZONE = Ref("Zone", "", "cluster.local")
WORK = Work(PROCESS, "", ZONE)


class Zone(Struct, frozen=True):
    """Every name that is answered, with its addresses; what a server keeps in mind, and loses when it stops."""

    records: Map[str, tuple[str, ...]] = EMPTY


def records(objects: list[Object]) -> Map[str, tuple[str, ...]]:
    """What follows from Services and EndpointSlices."""
    slices = [row for row in objects if isinstance(row, EndpointSlice)]
    found = {
        full_name(row.metadata.namespace, row.metadata.name): answer(row, slices)
        for row in objects
        if isinstance(row, Service)
    }
    return Map({name: addresses for name, addresses in found.items() if addresses})


def with_dns(world: World) -> World:
    """The same world with a DNS server that has watched Services and EndpointSlices all along."""
    view = Index()
    for kind in (Service.kind, EndpointSlice.kind):
        for ref in ordered_keys(world.etcd.by.get(kind, EMPTY)):
            view = view.put(world.etcd.objects[ref])
    zone = Zone(records([row.object for row in view.objects.values()]))
    return replace(
        world,
        besides=(*world.besides, PROCESS),
        views=world.views.set(PROCESS, view),
        memory=world.memory.set(WORK, zone),
    )
