"""Everything at one instant, as one immutable value."""

from __future__ import annotations

from msgspec import Struct

from app.kube.meta import Ref
from app.kube.objects import Object
from app.kube.releases import CURRENT, Release
from app.sim.acts import Command, Work
from app.sim.fronts import Front
from app.sim.host import Host
from app.sim.index import Index, Stored
from app.sim.intervention import Intervention
from app.sim.lags import DEFAULT_LAGS, Bounds, Lag
from app.sim.ledger import Ledger, Load
from app.sim.maps import EMPTY, Map
from app.sim.reflectors import Severed


class Delivery(Struct, frozen=True, gc=False):
    """A committed change on its way to one process; `after` is None when the object went."""

    ref: Ref
    before: Stored | None
    after: Stored | None
    at: int


class World(Struct, frozen=True, gc=False):
    """One instant. History is not in it: that is the list of steps."""

    now: int = 0
    """Milliseconds after t = 0."""
    etcd: Index = Index()
    views: Map[str, Index] = EMPTY
    """What each process believes, by process name (`kubelet/node-1`)."""
    hosts: Map[str, Host] = EMPTY
    nodes: tuple[str, ...] = ()
    """The names of the hosts, in order."""
    inbox: Map[tuple[str, str, int], Delivery] = EMPTY
    """Undelivered changes by (process, kind, number); one kind reaches one process in order."""
    heads: Map[tuple[str, str], tuple[int, int]] = EMPTY
    """First undelivered and next free number of each (process, kind) that has any."""
    queued: Map[Work, int] = EMPTY
    """Keys to reconcile, with the instant they were queued at."""
    timers: Map[Work, Bounds] = EMPTY
    busy: Map[Work, int] = EMPTY
    """Keys whose whole sync still goes on, with the instant it began at; a timer ends it and looks again."""
    retries: Map[Work, int] = EMPTY
    """Refused writes in a row."""
    memory: Map[Work, Struct] = EMPTY
    """What a loop keeps in mind about a key besides what it believes; it goes with its process."""
    incarnations: Map[Ref, tuple[int, int]] = EMPTY
    """How often an object of that name was created, and its last version."""
    counters: Map[str, int] = EMPTY
    """Generated names, counted per owner."""
    down: Map[str, int] = EMPTY
    """Processes that do not run, with the instant they stopped."""
    cut: Map[str, int] = EMPTY
    """Processes that run and cannot reach the API server, with the instant since which."""
    severed: Map[tuple[str, str], Severed] = EMPTY
    """Watches that are broken, by (process, kind)."""
    frozen: Map[str, int] = EMPTY
    """Of the processes that do not run, those that stand still and may go on, with the instant since which."""
    parked: Map[Work, Bounds] = EMPTY
    """What frozen processes were about to do."""
    commands: Map[Ref, Command] = EMPTY
    script: tuple[Intervention, ...] = ()
    """Interventions still to come, in order of time."""
    manifests: Map[str, tuple[Object, ...]] = EMPTY
    """Objects that `apply m:HASH` may name."""
    lags: Map[str, Lag] = DEFAULT_LAGS
    release: Release = CURRENT
    """Which Kubernetes all of it is; kubectl too."""
    narrate_api: tuple[str, ...] = ()
    """The kinds with which the API server's handling of kubectl's requests is told step by step."""
    besides: tuple[str, ...] = ()
    """Processes that not every cluster has, and this one does."""
    fronts: Map[Ref, Front] = EMPTY
    """What an ingress or load balancer sends to, by Service."""
    load: tuple[Load, ...] = ()
    ledger: Ledger = Ledger()
