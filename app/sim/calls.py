"""Programs in pods that call a Service by its name: which of their connections a change of a machine concerns."""

from __future__ import annotations

from collections.abc import Iterator

from app.kube.meta import Ref
from app.sim.draft import Draft
from app.sim.host import Host
from app.sim.maps import ordered
from app.sim.served import machine_of
from app.sim.world import World

OPEN = ("open", "hanging")


def concerned(draft: Draft, old: Host, new: Host) -> Iterator[Ref]:
    """Open connections through the machine's rules, or to a pod on it."""
    if old.pods is new.pods and old.power == new.power and old.proxy.rules is new.proxy.rules:
        return
    for key, command in ordered(draft.commands):
        call = command.call
        if call is None or command.exit is not None or call.stage not in OPEN:
            continue
        if new.node in (call.node, machine_of(draft, call.backend)):
            yield key


def of_a_pod(world: World | Draft, address: str) -> bool:
    """Whether an address is a pod's; others are cluster IPs, which are on no interface."""
    return bool(machine_of(world, address))
