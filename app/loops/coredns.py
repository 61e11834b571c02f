"""CoreDNS: answers for the names of Services by what it has seen of them.

It never asks the API server when it is asked: Services and EndpointSlices are watched, and while that watch is broken
the old answers stand, also those for what is gone, and there are none for what is new. Not modelled: its own two pods
and the Service in front of them, its cache plugin, names of pods, ports and ExternalNames, names outside of the
cluster, and the 5 s for which it waits for its caches at a start.
"""

from __future__ import annotations

from app.kube.dns import DOMAIN
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice, Service
from app.kube.objects import Object
from app.sim.acts import Act
from app.sim.index import Index
from app.sim.loop import Loop, Turn
from app.sim.maps import Map, ordered_keys
from app.sim.naming import PROCESS, ZONE, Zone, records

VERBS = {"NewName": "serve-name", "NameGone": "drop-name", "AddressesChanged": "change-answer"}


def reconcile(turn: Turn) -> Act | None:
    """One name whose answer is not what follows from what is believed."""
    wanted = records([*turn.all(Service), *turn.all(EndpointSlice)])
    zone = turn.memory if isinstance(turn.memory, Zone) else None
    known: Map[str, tuple[str, ...]] = zone.records if zone else Map()
    changed = [name for name in ordered_keys({**known, **wanted}) if known.get(name) != wanted.get(name)]
    if zone is None:
        return _filled(wanted) if wanted else None
    return _changed(changed[0], known, wanted) if changed else None


def _filled(wanted: Map[str, tuple[str, ...]]) -> Act:
    """What it has listed at its start."""
    return Act(
        "fill",
        ZONE,
        reason="CachesFilled",
        moment="dns-filled",
        outcome=f"{len(wanted)} names",
        memory=Zone(wanted),
    )


def _changed(name: str, known: Map[str, tuple[str, ...]], wanted: Map[str, tuple[str, ...]]) -> Act:
    addresses = wanted.get(name, ())
    reason = "NewName" if name not in known else "AddressesChanged" if addresses else "NameGone"
    return Act(
        VERBS[reason],
        _service(name),
        reason=reason,
        moment="dns-changed",
        outcome=", ".join(addresses) or "NXDOMAIN",
        memory=Zone(known.set(name, addresses) if addresses else known.delete(name)),
    )


def _service(name: str) -> Ref:
    head, namespace, _ = name.removesuffix(f".{DOMAIN}").split(".")
    return Ref(Service.kind, namespace, head)


def _zone(_: Index, __: Object) -> list[Ref]:
    return [ZONE]


def _on_start(_: Turn) -> list[Ref]:
    return [ZONE]


LOOP = Loop(
    name=PROCESS,
    lane="CoreDNS",
    process=PROCESS,
    reconcile=reconcile,
    wakes={"Service": _zone, "EndpointSlice": _zone},
    on_start=_on_start,
    besides=True,
)
