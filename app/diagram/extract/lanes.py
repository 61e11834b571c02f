"""Lanes: which colour family and title a participant has."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from app.catalog.flow import Flow, Lane
from app.diagram.extract.names import short

PROCESS = " process"

# For lanes that a flow does not name, such as those that a reader's own intervention brings in.
_KINDS = {
    "You": "user",
    "kubectl": "user",
    "API server": "api",
    "controller-manager": "controller",
    "cloud-controller": "controller",
    "scheduler": "scheduler",
    "kubelet": "kubelet",
    "kube-proxy": "kube-proxy",
    "runtime": "runtime",
    "kernel": "kernel",
    "app": "app",
    "Clients": "clients",
    "Front": "clients",
    "CoreDNS": "controller",
}


# What a reader stops or starts is a process; it is drawn as the lane of its loops.
_LANES = {
    "kube-controller-manager": "controller-manager",
    "kube-scheduler": "scheduler",
    "kube-apiserver": "API server",
    "coredns": "CoreDNS",
    "ingress": "Front",
}


class Participant(NamedTuple):
    kind: str
    title: str
    under: str
    """Node, or empty."""
    place: int
    """Where it stands among the lanes."""
    lane: str

    @property
    def name(self) -> str:
        return f"{self.title} {self.under}" if self.under else self.title


def participant(flow: Flow, lane: str) -> Participant:
    """Who a step's lane is."""
    return _participant(flow.lanes, _LANES.get(lane, lane))


@lru_cache(maxsize=4096)
def _participant(lanes: tuple[Lane, ...], lane: str) -> Participant:
    if lane.endswith(PROCESS):
        place = next((at for at, row in enumerate(lanes) if row.kind == "app"), len(lanes))
        return Participant("app", short(lane.removesuffix(PROCESS)), PROCESS.strip(), place, lane)
    base, _, node = lane.rpartition(" ")
    for at, row in enumerate(lanes):
        name, star, _ = row.lane.partition("*")
        if row.lane == lane:
            return Participant(row.kind, row.title, "", at, lane)
        if star and name.strip() == base:
            return Participant(row.kind, row.title, node, at, lane)
    known = _KINDS.get(lane)
    if known is not None:
        return Participant(known, lane, "", len(lanes), lane)
    return Participant(_KINDS.get(base, "scheduler"), base or lane, node if base else "", len(lanes), lane)


def standing(who: Participant) -> tuple[int, str, str]:
    """The order of lanes: as the flow has them, then by node or name."""
    return who.place, who.under, who.title
