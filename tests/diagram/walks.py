"""Walks made by hand: a termination race, and clusters of any size."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from app.catalog.flow import Flow, Lane
from app.kube.meta import Condition, ObjectMeta, OwnerReference, Ref
from app.kube.networking import Endpoint, EndpointConditions, EndpointSlice, ObjectReference
from app.kube.nodes import Node, NodeStatus
from app.kube.objects import Object
from app.kube.pods import Container, Pod, PodSpec, PodStatus
from app.kube.stringmap import StringMap
from app.sim.acts import Work
from app.sim.addresses import pod_address
from app.sim.host import ContainerRun, Host, HostPod, Kill, Stop, Worker
from app.sim.index import Index, Stored
from app.sim.lags import Bounds
from app.sim.ledger import Failing, Ledger, Load, Route
from app.sim.maps import Map
from app.sim.proxy_rules import Proxy, Rules
from app.sim.step import Commit, Step
from app.sim.walk import Record, Walk
from app.sim.world import Delivery, World

SERVICE = Ref("Service", "default", "web")
SLICE = Ref("EndpointSlice", "default", "web-k8sxz")
OWNER = OwnerReference("ReplicaSet", "web-6d5f8c9b7d", "rs-1")
TAILS = "7pxpv x2k9d m4wqz b5ntc h8rjf"
NEW = 99_999
"""The number of the replacement."""

FLOW = Flow(
    id="termination",
    title="Termination race",
    summary="",
    chapter="Node",
    lanes=(
        Lane("You", "You", "user"),
        Lane("kubectl", "kubectl", "user"),
        Lane("API server", "API server", "api"),
        Lane("controller-manager", "Controllers", "controller"),
        Lane("scheduler", "Scheduler", "scheduler"),
        Lane("kubelet *", "kubelet", "kubelet"),
        Lane("kube-proxy *", "kube-proxy", "kube-proxy"),
        Lane("runtime *", "runtime", "runtime"),
        Lane("app *", "app process", "app"),
        Lane("Clients", "Clients", "clients"),
    ),
)


def pod_name(number: int) -> str:
    """`web-6d5f8c9b7d-7pxpv` and so on, never twice the same."""
    tails = TAILS.split()
    digits = f"{number:05d}".translate(str.maketrans("0123", "bcdf"))
    return f"web-6d5f8c9b7d-{tails[number] if number < len(tails) else digits}"


def pod(number: int, node: str, address: str, *, ready: bool = True) -> Pod:
    name = pod_name(number)
    return Pod(
        metadata=ObjectMeta(
            name=name,
            namespace="default",
            uid=f"uid-{number}",
            ownerReferences=(OWNER,),
            labels=StringMap({"app": "web"}),
        ),
        spec=PodSpec(containers=(Container("web", "web:1"),), nodeName=node, terminationGracePeriodSeconds=30),
        status=PodStatus(
            phase="Running" if ready else "Pending",
            podIP=address,
            conditions=(Condition("Ready", "True" if ready else "False"),),
        ),
    )


def endpoint(of: Pod, **conditions: bool) -> Endpoint:
    given = {"ready": True, "serving": True, "terminating": False} | conditions
    target = ObjectReference("Pod", "default", of.metadata.name, of.metadata.uid)
    return Endpoint((of.status.podIP,), EndpointConditions(**given), target, of.spec.nodeName)


def running(of: Pod) -> HostPod:
    run = ContainerRun("web", "app", state="running", started=-5000, serving=True)
    return HostPod(of, of.status.podIP, "ready", containers=(run,))


def node_object(name: str) -> Node:
    return Node(
        metadata=ObjectMeta(name=name, uid=f"n-{name}"), status=NodeStatus(conditions=(Condition("Ready", "True"),))
    )


def index(*objects: Object) -> Index:
    found = Index()
    for obj in objects:
        found = found.put(Stored(1, obj))
    return found


def start(nodes: int = 3, pods: int = 1, *, rate: int = 30) -> World:
    """So many nodes with so many ready pods each, behind one Service."""
    names = tuple(f"node-{number}" for number in range(1, nodes + 1))
    made: dict[str, list[Pod]] = {name: [] for name in names}
    for number in range(nodes * pods):
        name = names[number % nodes]
        made[name].append(pod(number, name, pod_address(number % nodes + 1, len(made[name]) + 1)))
    every = [row for rows in made.values() for row in rows]
    table = EndpointSlice(
        metadata=ObjectMeta(
            name=SLICE.name, namespace="default", uid="slice", labels=StringMap({"kubernetes.io/service-name": "web"})
        ),
        endpoints=tuple(endpoint(row) for row in every),
    )
    etcd = index(*[node_object(name) for name in names], *every, table)
    rules = Map({SERVICE: Rules(tuple(row.status.podIP for row in every))})
    hosts = {
        name: Host(
            name,
            number,
            pods=Map({row.metadata.uid: running(row) for row in made[name]}),
            workers=Map({row.metadata.uid: Worker(0) for row in made[name]}),
            proxy=Proxy(rules, since=0, last_sync_end=-1000),
        )
        for number, name in enumerate(names, 1)
    }
    views = {f"kube-proxy/{name}": etcd for name in names} | {f"kubelet/{name}": etcd for name in names}
    return World(
        etcd=etcd, nodes=names, hosts=Map(hosts), views=Map(views), load=(Load(SERVICE, rate, 0),) if rate else ()
    )


class Script:
    """Writes a walk down, step by step."""

    def __init__(self, first: World) -> None:
        self.start = self.world = first
        self.records: list[Record] = []

    def step(self, at: int, sender: str, to: str, verb: str, about: Ref, **more: Any) -> None:
        """One step; `world` is what it leads to."""
        before = replace(self.world, now=at)
        after = replace(more.pop("world", self.world), now=at)
        cause, folded = more.pop("cause", ""), more.pop("folded", 0)
        loop, _, node = sender.partition(" ")
        if loop.startswith("web-"):
            loop, node = "app", more.pop("node", "node-1")
        names = {"API": "api-server", "Clients": "clients", "controller-manager": "endpointslice"}
        given: dict[str, Any] = {"outcome": "ok", "reason": "", "moment": "", "commits": ()} | more
        step = Step(
            at=at,
            loop=more.get("loop", names.get(loop, loop)),
            node="" if loop in names or loop == "kubectl" else node,
            sender=sender,
            to=to,
            verb=verb,
            object=about,
            cause="",
            background=False,
            events=(),
            output=(),
            command=0,
            before=before,
            world=after,
            **{name: value for name, value in given.items() if name != "loop"},
        )
        number = len(self.records) + 1
        self.records.append(Record(number, f"{step.id}~~{number}", step, cause, folded))
        self.world = after

    def walk(self, end: int) -> Walk:
        return Walk(self.start, replace(self.world, now=end), tuple(self.records), "goal")


def with_host(world: World, node: str, **changes: Any) -> World:
    return replace(world, hosts=world.hosts.set(node, replace(world.hosts[node], **changes)))


def with_object(world: World, obj: Object) -> World:
    held = world.etcd.get(obj.ref)
    return replace(world, etcd=world.etcd.put(Stored(held.version + 1 if held else 1, obj)))


def on_its_way(world: World, process: str, obj: Object) -> World:
    """The same world with a change under way to a process."""
    first, free = world.heads.get((process, obj.kind), (0, 0))
    stored = world.etcd.get(obj.ref)
    return replace(
        world,
        heads=world.heads.set((process, obj.kind), (first, free + 1)),
        inbox=world.inbox.set((process, obj.kind, free), Delivery(obj.ref, None, stored, world.now)),
    )


def arrived(world: World, process: str, obj: Object) -> World:
    stored = world.etcd.get(obj.ref)
    assert stored is not None
    view = world.views.get(process, Index())
    heads = world.heads.delete((process, obj.kind)) if (process, obj.kind) in world.heads else world.heads
    return replace(world, heads=heads, views=world.views.set(process, view.put(stored)))


def race(nodes: int = 3, pods: int = 1) -> Walk:
    """One pod of several is deleted; the last node's rules follow a second after the others'."""
    script = Script(start(nodes, pods))
    world = script.start
    victim = next(obj for obj in world.etcd.find("Pod") if obj.metadata.uid == "uid-0")
    assert isinstance(victim, Pod)
    address, ref, name = victim.status.podIP, victim.ref, victim.metadata.name
    late = world.nodes[min(1, nodes - 1)]
    script.step(0, "kubectl", "API server", "delete", ref)
    dying = replace(victim, metadata=replace(victim.metadata, deletionTimestamp=30_000, deletionGracePeriodSeconds=30))
    world = with_object(script.world, dying)
    for process in ("kubelet/node-1", "kube-controller-manager"):
        world = on_its_way(world, process, dying)
    script.step(
        0,
        "API server",
        "API server",
        "mark-terminating",
        ref,
        world=world,
        commits=(Commit(ref, victim, dying, ""),),
        moment="deletion-timestamp-set",
    )
    table = world.etcd.get(SLICE)
    assert table is not None
    assert isinstance(table.object, EndpointSlice)
    rest = tuple(row for row in table.object.endpoints if row.targetRef and row.targetRef.uid != "uid-0")
    less = replace(table.object, endpoints=(endpoint(dying, ready=False, terminating=True), *rest))
    world = replace(script.world, heads=Map(), inbox=Map())
    script.step(
        6,
        "controller-manager",
        "API server",
        "create-pod",
        Ref("Pod", "default", pod_name(NEW)),
        cause=f"watch {ref}",
        loop="replicaset",
        world=_with_replacement(world),
        commits=(Commit(Ref("Pod", "default", pod_name(NEW)), None, replacement(""), ""),),
    )
    world = with_object(script.world, less)
    for node in world.nodes:
        world = on_its_way(world, f"kube-proxy/{node}", less)
    script.step(
        9, "controller-manager", "API server", "update-endpoints", SLICE, cause=f"watch {ref}", world=world, folded=2
    )
    bound = replacement(world.nodes[-1])
    script.step(
        12,
        "scheduler",
        "API server",
        "bind",
        bound.ref,
        cause=f"watch {bound.ref}",
        loop="scheduler",
        world=with_object(script.world, bound),
        commits=(Commit(bound.ref, replacement(""), bound, ""),),
    )
    stopping = replace(running(dying).containers[0], stop=Stop(14, 30_000))
    kill = Worker(0, kills=(Kill("web", 0, 14, 30),))
    script.step(
        14,
        "kubelet node-1",
        "runtime node-1",
        "stop-container",
        ref,
        cause=f"watch {ref}",
        world=_victim(script.world, dying, stopping, kill),
    )
    told = replace(stopping, stop=Stop(14, 30_000, 14))
    script.step(
        14,
        "runtime node-1",
        f"{name} process",
        "signal",
        ref,
        reason="SIGTERM",
        world=_victim(script.world, dying, told, kill),
    )
    ended = replace(told, state="exited", exit_code=0, finished=250, serving=False)
    world = _victim(script.world, dying, ended, kill)
    among = len(less.endpoints)
    failing = {Route(node, SERVICE, address): Failing("refused", among, 250) for node in world.nodes}
    world = replace(world, ledger=Ledger(failing=Map(failing), first=250))
    script.step(
        250, f"{name} process", f"{name} process", "exit", ref, outcome="exit 0", moment="process-exited", world=world
    )
    for at, node in enumerate(world.nodes):
        if node != late:
            script.step(
                300 + 10 * at,
                f"kube-proxy {node}",
                f"kube-proxy {node}",
                "change-rules",
                SERVICE,
                cause=f"watch {SLICE}",
                world=_synced(script.world, node, less, address, 300 + 10 * at),
                moment="rules-changed",
                reason="BackendRemoved",
            )
    world = arrived(script.world, f"kube-proxy/{late}", less)
    world = replace(
        world, timers=world.timers.set(Work("kube-proxy", late, Ref("Proxy", "", "sync-runner")), Bounds.at(1190))
    )
    script.step(
        600, "Clients", f"kube-proxy {late}", "connect", ref, outcome="refused", moment="request-refused", world=world
    )
    script.step(
        1210,
        f"kube-proxy {late}",
        f"kube-proxy {late}",
        "change-rules",
        SERVICE,
        cause=f"watch {SLICE}",
        world=_synced(script.world, late, less, address, 1210),
        moment="rules-changed",
        reason="BackendRemoved",
    )
    script.step(
        1300,
        f"kubelet {bound.spec.nodeName}",
        "API server",
        "patch-status",
        bound.ref,
        loop="kubelet-status",
        world=with_object(script.world, replacement(bound.spec.nodeName, ready=True)),
    )
    gone = replace(script.world, etcd=script.world.etcd.drop(ref))
    script.step(1380, "API server", "API server", "remove", ref, world=gone, commits=(Commit(ref, dying, None, ""),))
    script.step(1390, "kubectl", "You", "return", ref, cause=f"watch {ref}")
    return script.walk(1400)


def replacement(node: str, *, ready: bool = False) -> Pod:
    return pod(NEW, node, "10.244.9.9", ready=ready) if ready else replace(pod(NEW, node, "", ready=False))


def _with_replacement(world: World) -> World:
    return with_object(world, replacement(""))


def _victim(world: World, dying: Pod, run: ContainerRun, worker: Worker) -> World:
    host = world.hosts["node-1"]
    held = replace(running(dying), containers=(run,))
    return with_host(world, "node-1", pods=host.pods.set("uid-0", held), workers=host.workers.set("uid-0", worker))


def _synced(world: World, node: str, table: EndpointSlice, address: str, at: int) -> World:
    world = arrived(world, f"kube-proxy/{node}", table)
    timers = Map({work: bounds for work, bounds in world.timers.items() if work.node != node})
    host = world.hosts[node]
    rows = tuple(row for row in host.proxy.rules[SERVICE].backends if row != address)
    world = with_host(world, node, proxy=replace(host.proxy, rules=Map({SERVICE: Rules(rows)})))
    route = Route(node, SERVICE, address)
    ledger = world.ledger
    failing = ledger.failing.delete(route) if route in ledger.failing else ledger.failing
    return replace(world, timers=timers, ledger=replace(ledger, failing=failing, last=at))


def standstill(nodes: int) -> Walk:
    """Empty nodes, no clients, and nothing happens."""
    first = start(nodes, 0, rate=0)
    return Walk(first, first, (), "quiet")
