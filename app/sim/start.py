"""Starting worlds: a cluster at rest, made by running the loops on its manifests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network

from msgspec.structs import replace

from app.kube.batch import CronJob, Job
from app.kube.machines import CAPACITY, allocatable, machine
from app.kube.meta import Condition, Ref
from app.kube.networking import EndpointSlice
from app.kube.nodes import Node, NodeAddress, NodeSpec, NodeStatus, NodeSystemInfo
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.releases import CURRENT, Release
from app.kube.static_pods import from_a_file
from app.kube.stringmap import StringMap
from app.sim import traffic
from app.sim.acts import Command
from app.sim.draft import Draft
from app.sim.engine import Model
from app.sim.fronts import PROCESS, Front, ready_addresses
from app.sim.host import Host
from app.sim.index import Index
from app.sim.intervention import Intervention
from app.sim.lags import Lag, of_release
from app.sim.ledger import Ledger, Load
from app.sim.manifest_files import with_files
from app.sim.maps import EMPTY, Map, ordered_keys
from app.sim.power import power_off
from app.sim.schedule import Runner
from app.sim.world import World

LONG_AGO = -600_000
"""When the cluster came up, ten minutes before t = 0."""
CONDITIONS = (
    Condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    Condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    Condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    Condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)
HOSTNAME = "kubernetes.io/hostname"
PLATFORM = {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}


def at_rest(
    model: Model,
    objects: Iterable[Object],
    *,
    lags: Mapping[str, Lag] | None = None,
    images: tuple[str, ...] = (),
    relist: Mapping[str, int] | None = None,
    syncs: Mapping[str, int] | None = None,
    restless: bool = False,
    release: Release = CURRENT,
) -> World:
    """A world at t = 0 in which nothing is left to do, with every object applied long before.

    Raises RuntimeError when the loops do not come to rest within ten minutes, unless it is `restless`: where a probe
    fails for ever the kubelet tells of it for ever, too. A clock never rests, so of a cluster with CronJobs only the
    pods of others must be ready.
    """
    world = empty(objects, lags=lags, images=images, relist=relist, syncs=syncs, release=release)
    rest = [obj for obj in objects if not isinstance(obj, Node)]
    draft = Draft(world)
    for node in addressed(obj for obj in objects if isinstance(obj, Node)).values():
        if draft.hosts[node.metadata.name].machine.off:
            power_off(model, draft, Intervention(None, "power-off", (str(node.ref),)))
        else:
            model.api.commit(draft, "", node.ref, ready(node, release), "")
    for name, pods in _static(rest, world.nodes).items():
        model.change_host(draft, with_files(draft.hosts[name], pods))
    rest = [obj for obj in rest if not (isinstance(obj, Pod) and from_a_file(obj))]
    if rest:
        command = Command(1, "kubectl apply -f -", "apply", tuple(obj.ref for obj in rest), objects=tuple(rest))
        model.start_command(draft, command)
    walk = Runner(model, draft.freeze()).run(until=-1)
    ticking = any(isinstance(obj, CronJob) for obj in rest) and not _unready(walk.world)
    at_ease = restless or ticking or _only_foreseen(model, walk.world)
    if walk.stopped not in ("quiet", "stuck", "goal") and not at_ease:
        raise RuntimeError(f"the starting cluster does not come to rest within ten minutes{_unrest(walk.world)}")
    return replace(walk.world, now=0, commands=EMPTY, views=without_view(walk.world.views, "kubectl"), ledger=Ledger())


def _static(objects: Iterable[Object], nodes: tuple[str, ...]) -> dict[str, list[Pod]]:
    """Pods that say that they come from a file, by their node or else the first one; mirrors lose its name."""
    found: dict[str, list[Pod]] = {}
    for obj in objects:
        if isinstance(obj, Pod) and from_a_file(obj) and nodes:
            node = obj.spec.nodeName if obj.spec.nodeName in nodes else nodes[0]
            name = obj.metadata.name.removesuffix(f"-{node.lower()}")
            found.setdefault(node, []).append(replace(obj, metadata=replace(obj.metadata, name=name)))
    return found


def _only_foreseen(model: Model, world: World) -> bool:
    """Whether nothing is pending but what will come of itself."""
    timers = all(model.loops[work.loop].foresees for work in world.timers)
    return timers and not world.queued and not world.heads


def _unready(world: World) -> list[Pod]:
    """Pods that should run for ever and do not."""
    pods = [pod for pod in world.etcd.find("Pod") if isinstance(pod, Pod) and not pod.ready and not pod.finished]
    owners = [pod.metadata.controller for pod in pods]
    return [pod for pod, owner in zip(pods, owners, strict=True) if owner is None or owner.kind != Job.kind]


def _unrest(world: World) -> str:
    """The pods that are not ready, each with what it says of itself."""
    pods = _unready(world)
    found = [f"{pod.ref} is not ready ({_complaint(pod)})" for pod in pods[:5]]
    return "".join(f"; {text}" for text in found) + (f"; and {len(pods) - 5} more" if len(pods) > 5 else "")


def _complaint(pod: Pod) -> str:
    rows = [row.state.waiting for row in (*pod.status.initContainerStatuses, *pod.status.containerStatuses)]
    said = [(row.reason, row.message) for row in rows if row is not None]
    said += [(row.reason, row.message) for row in pod.status.conditions if row.status == "False"]
    reason, message = next((row for row in said if row[1]), said[0] if said else ("Unknown", ""))
    told = f"{reason}: {message}" if message else reason
    ended = [row.lastState.terminated for row in pod.status.containerStatuses if row.lastState.terminated is not None]
    return f"{told}; it last ended with {ended[0].reason}, exit {ended[0].exitCode}" if ended else told


def without_view(views: Map[str, Index], process: str) -> Map[str, Index]:
    """What processes believe, without what one of them does."""
    return views.delete(process) if process in views else views


def empty(
    objects: Iterable[Object],
    *,
    lags: Mapping[str, Lag] | None = None,
    images: tuple[str, ...] = (),
    relist: Mapping[str, int] | None = None,
    syncs: Mapping[str, int] | None = None,
    release: Release = CURRENT,
) -> World:
    """Machines that are on, and nothing else."""
    nodes = addressed(obj for obj in objects if isinstance(obj, Node))
    hosts = {
        name: replace(
            _host(nodes[name], number, images, release),
            relist_phase=(relist or {}).get(name, _phase(number)),
            sync_phase=(syncs or {}).get(name, _phase(number) * 7 % 1000),
        )
        for number, name in enumerate(sorted(nodes), 1)
    }
    world = World(now=LONG_AGO, nodes=tuple(sorted(nodes)), hosts=Map(hosts), release=release)
    return replace(world, lags=world.lags.update({**of_release(release), **(lags or {})}))


def _host(node: Node, number: int, images: tuple[str, ...], release: Release) -> Host:
    known = machine(node)
    own = (name for name, _ in known.images if name not in images)
    spec = NodeSpec(podCIDR=node.spec.podCIDR, providerID=node.spec.providerID)
    return Host(
        node.metadata.name,
        number,
        images=(*images, *own),
        machine=known,
        pod_range=pod_range(node.spec.podCIDR),
        registers=replace(ready(node, release), spec=spec),
    )


def pod_range(block: str) -> str:
    """`FIRST-LAST` of the addresses in a podCIDR that a machine and its pods can have; empty where that is none."""
    try:
        network = IPv4Network(block)
    except ValueError:
        return ""
    return f"{network[1]}-{network[-2]}" if network.num_addresses > 2 else ""


def _phase(number: int) -> int:
    """Relists of different machines are not in step; a fixed spread stands for that."""
    return number * 370 % 1000


def addressed(nodes: Iterable[Node]) -> dict[str, Node]:
    """Nodes by name, each with an address that no other has where its own would be another's, too."""
    known = {node.metadata.name: node for node in nodes}
    taken = {row.address for node in known.values() for row in node.status.addresses}
    for place, name in enumerate(sorted(known)):
        node = known[name]
        usual = _usual_address(node)
        if not node.status.addresses and usual in taken:
            usual = f"192.168.{1 + place // 250}.{place % 250 + 1}"
            addresses = (NodeAddress("InternalIP", usual),)
            known[name] = replace(node, status=replace(node.status, addresses=addresses))
        taken.add(usual)
    return known


def _usual_address(node: Node) -> str:
    return f"192.168.0.{sum(node.metadata.name.encode()) % 200}"


def ready(node: Node, release: Release = CURRENT) -> Node:
    """The node as its kubelet would have registered it."""
    status = node.status
    capacity = CAPACITY.merged(status.capacity)
    return replace(
        node,
        metadata=replace(
            node.metadata,
            uid=node.metadata.uid or f"node-{node.metadata.name}",
            creationTimestamp=LONG_AGO,
            labels=StringMap(PLATFORM).merged(node.metadata.labels).merged({HOSTNAME: node.metadata.name}),
        ),
        status=NodeStatus(
            capacity=capacity,
            allocatable=capacity.merged(allocatable(machine(node))).merged(status.allocatable),
            conditions=status.conditions or CONDITIONS,
            addresses=status.addresses or (NodeAddress("InternalIP", _usual_address(node)),),
            nodeInfo=NodeSystemInfo(release.kubelet, "Debian GNU/Linux 13", "6.12.0", "amd64", "containerd://2.2.0")
            if not status.nodeInfo.kubeletVersion
            else status.nodeInfo,
        ),
    )


def with_load(world: World, loads: tuple[Load, ...]) -> World:
    """The same world with clients; their routes follow from the rules that stand, and fronts know what is ready."""
    through = [row.service for row in loads if row.through]
    if through:
        world = _with_front(world, through)
    draft = Draft(replace(world, load=loads, ledger=Ledger()))
    traffic.begin(draft)
    return draft.freeze()


def _with_front(world: World, through: list[Ref]) -> World:
    """With an ingress that has watched the EndpointSlices all along."""
    view = Index()
    for ref in ordered_keys(world.etcd.by.get(EndpointSlice.kind, EMPTY)):
        view = view.put(world.etcd.objects[ref])
    slices = world.etcd.find(EndpointSlice.kind)
    fronts = {service: Front(ready_addresses(service, slices)) for service in through}
    views = world.views.set(PROCESS, view)
    return replace(world, views=views, besides=(*world.besides, PROCESS), fronts=world.fronts.update(fronts))


def services(world: World) -> list[Ref]:
    """The Services of a world, ordered."""
    return [obj.ref for obj in world.etcd.find("Service")]
