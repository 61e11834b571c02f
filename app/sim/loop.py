"""What a control loop is, and what one turn of it may look at."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TypeVar

from msgspec import Struct

from app.kube.meta import LabelSelector, Ref
from app.kube.objects import Object
from app.kube.releases import Release
from app.kube.stringmap import StringMap
from app.sim import index as lookup
from app.sim import naming
from app.sim.acts import Act, Command, Outcome, Wait, Work
from app.sim.fronts import Front
from app.sim.host import Host
from app.sim.index import UNSEEN, Index
from app.sim.lags import Bounds, Lag, lag
from app.sim.ledger import ANY, Failing, Load, Route
from app.sim.naming import Zone
from app.sim.proxy_rules import Rules
from app.sim.served import failure_at, machine_of, pod_at
from app.sim.world import World

SERVER = "kube-apiserver"

O = TypeVar("O", bound=Object)  # noqa: E741

Decision = Act | Wait | None
Reconcile = Callable[["Turn"], "Decision | Generator[Act | Wait, Outcome, None]"]
# Given the belief it arrives in and one version of a changed object: the keys it concerns.
Wakes = Callable[[Index, Object], "list[Ref]"]
Idle = Callable[[World, Work], bool]
HostWakes = Callable[[Host, Host], "list[Ref]"]


class Loop(Struct, frozen=True):
    """One independent actor. It is woken with a key, reads, decides one next act, and forgets.

    A loop of a process sees the API through that process's belief; a loop with `on_host` is woken by changes of
    its own machine. `wakes` is called for the old and for the new version of a changed object.
    """

    name: str
    lane: str
    """How it is drawn; per-node lanes get the node's name appended."""
    reconcile: Reconcile
    process: str = ""
    """What it runs in and whose belief it shares; empty for what is no API client (runtime, app, clients)."""
    per_node: bool = False
    wakes: Mapping[str, Wakes] = {}
    ignores: Mapping[str, Callable[[Object, Object], bool]] = {}
    """By kind, which changes from one version to the next concern nobody (a controller's event filter)."""
    reads: tuple[str, ...] = ()
    """Kinds it reads without being woken by them."""
    on_host: HostWakes | None = None
    on_start: Callable[[Turn], list[Ref]] | None = None
    """Keys to wake when its process starts, after its caches have filled."""
    watches_mine: frozenset[str] = frozenset()
    """Kinds that a per-node process watches only where they name its node (`spec.nodeName`, the Node itself)."""
    alone: Callable[[Turn], bool] | None = None
    """Whether a key can be worked on although its process has not listed anything yet since its start."""
    commands: bool = False
    """Woken for kubectl commands."""
    traffic: bool = False
    """Woken for routes that begin or cease to fail."""
    besides: bool = False
    """Whether its process is one that not every cluster has (`World.besides`)."""
    foresees: bool = False
    """Its timers are for what the walk itself will bring, as a leak does: a cluster is at rest while they run."""
    whole_sync: bool = False
    """A turn writes all that it finds; each request takes a while, and the key rests until the last is done."""
    batch: int = 0
    """Milliseconds that a change is held back, so that others come with it; a new object or spec of its own is not."""
    heartbeats: frozenset[str] = frozenset()
    """Kinds whose changes are signs of life to it: they put off what it waits for."""
    idle: Idle | None = None
    """Whether a wait of this loop that calls itself idle is so in a world; None: it always is."""
    elects: str = ""
    """The process whose leader it elects; it stands beside that process, which runs only while it leads."""
    retry: tuple[int, int] = (5, 1_000_000)
    """Back-off of a refused write: first delay, doubling up to the cap (client-go's workqueue), in milliseconds."""


class Turn:
    """One run of one loop on one key: what it may see."""

    __slots__ = ("_view", "_world", "fired", "key", "loop", "node", "now")

    def __init__(self, world: World, loop: Loop, node: str, key: Ref, *, fired: bool = False) -> None:
        self._world = world
        self._view = world.views.get(process_name(loop, node), UNSEEN)
        self.loop = loop
        self.node = node
        self.key = key
        self.now = world.now
        self.fired = fired

    def get(self, ref: Ref) -> Object | None:
        """The object as this process believes it to be."""
        stored = self._view.get(ref)
        return stored.object if stored else None

    @property
    def view(self) -> Index:
        """All that this process believes: the same value for as long as nothing changes."""
        return self._view

    def read(self, cls: type[O], ref: Ref) -> O | None:
        """`get`, for one kind."""
        found = self.get(ref)
        return found if isinstance(found, cls) else None

    def owned(self, cls: type[O], uid: str) -> list[O]:
        """Objects of a kind whose controller has that uid, ordered by reference."""
        return self._view.find(lookup.owned(cls.kind, uid))  # type: ignore[return-value]

    def selected(self, cls: type[O], namespace: str, selector: StringMap) -> list[O]:
        """Objects of a kind that a non-empty selector selects, ordered by reference."""
        return lookup.selected(self._view, cls.kind, namespace, selector)  # type: ignore[return-value]

    def all(self, cls: type[O], namespace: str | None = None) -> list[O]:
        """All objects of a kind (in a namespace): for kinds of which there are few."""
        word = cls.kind if namespace is None else lookup.in_namespace(cls.kind, namespace)
        return self._view.find(word)  # type: ignore[return-value]

    def pods_on(self, node: str) -> list[Object]:
        """The pods bound to a node."""
        return self._view.find(lookup.on_node(node))

    def matching(self, cls: type[O], namespace: str, selector: LabelSelector) -> list[O]:
        """Objects of a kind in a namespace that a label selector selects; an empty one selects all."""
        return lookup.matching(self._view, cls.kind, namespace, selector)  # type: ignore[return-value]

    def nominated_pods(self) -> list[Object]:
        """Pods for which others were preempted and that are not bound yet."""
        return self._view.find(lookup.NOMINATED)

    def averse_pods(self) -> list[Object]:
        """Pods that keep others away by their anti-affinity."""
        return self._view.find(lookup.AVERSE)

    @property
    def host(self) -> Host:
        """Its own machine, as it really is."""
        return self._world.hosts[self.node]

    def rented(self, node: str) -> Host | None:
        """A machine as whoever rents it out sees it from outside: whether there is one, and whether it has power."""
        return self._world.hosts.get(node)

    @property
    def command(self) -> Command:
        """The command line that this key names."""
        return self._world.commands[self.key]

    @property
    def failing(self) -> list[tuple[Route, Failing | None]]:
        """Routes whose failing (None: no longer) the clients have not noticed yet, ordered."""
        ledger = self._world.ledger
        begun = [(route, row) for route, row in ledger.failing.items() if ledger.noted.get(route) != row]
        over = [(route, None) for route in ledger.noted if route not in ledger.failing]
        return sorted([*begun, *over], key=lambda pair: pair[0])

    @property
    def first_answer(self) -> Route | None:
        """The route on which clients that came in the walk were served first, until they have noticed."""
        ledger = self._world.ledger
        return None if ledger.greeted else ledger.served

    @property
    def loads(self) -> tuple[Load, ...]:
        """The clients of Services."""
        return self._world.load

    def front(self, service: Ref) -> Front:
        """What the front of a Service sends to."""
        return self._world.fronts.get(service, Front())

    def failure_at(self, address: str, service: Ref) -> str:
        """How a connection to a Service's pod fails, as whoever tries it finds out; empty when it is served."""
        return failure_at(self._world, address, service=service)

    def rules(self, node: str, service: Ref) -> Rules | None:
        """What the rules of a machine make of a connection to a Service; None where they do not know it."""
        return self._world.hosts[node].proxy.rules.get(service)

    @property
    def release(self) -> Release:
        """Which Kubernetes it is part of."""
        return self._world.release

    def of_a_pod(self, address: str) -> bool:
        """Whether an address is a pod's, not a cluster IP."""
        return bool(machine_of(self._world, address))

    @property
    def zone(self) -> Zone | None:
        """What the cluster's DNS server answers; None when it has seen nothing yet."""
        found = self._world.memory.get(naming.WORK)
        return found if isinstance(found, Zone) else None

    def runs(self, process: str) -> bool:
        """Whether a process that not every cluster has is there, and runs."""
        return process in self._world.besides and process not in self._world.down

    @property
    def commands(self) -> list[Command]:
        """All command lines so far, in the order of their beginning."""
        return sorted(self._world.commands.values(), key=lambda command: command.number)

    def fails_since(self, route: Route) -> int | None:
        """Since when connections on a route have failed, as whoever makes them finds out; None if they do not."""
        row = self._world.ledger.failing.get(route)
        return row.since if row is not None else None

    def noted(self, route: Route) -> bool:
        """Whether the clients know already that this route fails, if in another way."""
        return route in self._world.ledger.noted

    def pod_at(self, address: str, service: Ref) -> Ref | None:
        """The pod that has (or last had) an address, as a client that is told the answer would find out."""
        host = self._world.hosts.get(machine_of(self._world, address)) if address and address != ANY else None
        found = pod_at(self._world, host, address, service) if host is not None else None
        return found.ref if found is not None else None

    def reaches(self, process: str) -> bool:
        """Whether a process's requests get to the API server."""
        return SERVER not in self._world.down and process not in self._world.cut

    @property
    def server_hangs(self) -> bool:
        """Whether the API server takes requests and answers none."""
        return SERVER in self._world.frozen

    @property
    def process(self) -> str:
        """What it runs in."""
        return process_name(self.loop, self.node)

    @property
    def memory(self) -> Struct | None:
        """What the loop keeps in mind about its key."""
        return self._world.memory.get(Work(self.loop.name, self.node, self.key))

    def recall(self, key: Ref) -> Struct | None:
        """What it keeps in mind about another of its keys."""
        return self._world.memory.get(Work(self.loop.name, self.node, key))

    def version(self, ref: Ref) -> int:
        """The version of an object that this process has seen; 0 if none."""
        stored = self._view.get(ref)
        return stored.version if stored else 0

    def lag(self, name: str, otherwise: Lag | None = None) -> Lag:
        """How long a kind of work takes on this node; `otherwise` where a world usually does not say."""
        if otherwise is not None and name not in self._world.lags:
            return otherwise
        return lag(self._world.lags, name, self.node)

    def reached(self, bounds: Bounds) -> bool:
        """Whether it is time: the awaited timer fired, or the latest instant has come."""
        return self.now >= bounds.most or (self.fired and self.now >= bounds.least)


def process_name(loop: Loop, node: str) -> str:
    """`kube-scheduler`, or `kubelet/node-1`."""
    return f"{loop.process}/{node}" if loop.per_node and loop.process else loop.process


def lane_name(loop: Loop, node: str) -> str:
    """`scheduler`, or `kubelet node-1`."""
    return f"{loop.lane} {node}" if loop.per_node else loop.lane


def own_key(_: Index, obj: Object) -> list[Ref]:
    """Wakes the key that the object itself names."""
    return [obj.ref]


def controller_key(kind: str) -> Wakes:
    """Wakes the controller of the object, if it is of `kind`."""

    def wakes(_: Index, obj: Object) -> list[Ref]:
        owner = obj.metadata.controller
        return [Ref(kind, obj.metadata.namespace, owner.name)] if owner and owner.kind == kind else []

    return wakes
