"""How a walk begins: with a cluster at rest, with `kubectl apply`, or with the first pod just bound to a node."""

from __future__ import annotations

from msgspec.structs import replace

from app.catalog.flow import Flow, Setup
from app.errors import BadInput
from app.kube import durations
from app.kube.objects import Object
from app.kube.pods import Pod
from app.kube.stringmap import StringMap
from app.sim.elections import LEADERS, with_leaders
from app.sim.engine import Model
from app.sim.heartbeats import Heartbeats, with_heartbeats
from app.sim.host import Host
from app.sim.intervention import Intervention, parse
from app.sim.ledger import Ledger, Load
from app.sim.maps import EMPTY, Map
from app.sim.naming import with_dns
from app.sim.schedule import Runner
from app.sim.start import LONG_AGO, at_rest, with_load, without_view
from app.sim.world import World

CLUSTER = "cluster"
"""What `apply m:cluster` brings: the objects that the flow, or the reader, does not have at the start."""
LONGEST = 600_000
APPLY = f"0s apply m:{CLUSTER}"


def opening(begins: str) -> tuple[str, ...]:
    """The line of a script that begins the walk, if any does."""
    return (APPLY,) if begins == "apply" else ()


def script(flow: Flow, begins: str) -> tuple[str, ...]:
    """The flow's own script; where nothing is applied nobody waits for what is."""
    applied = bool(flow.applies) and begins != "rest"
    return tuple(line for line in flow.script if applied or not flow.applies or parse(line).verb != "wait")


def loads(given: tuple[Load, ...], begins: str) -> tuple[Load, ...]:
    """Clients of a cluster that has come to rest long ago were there before."""
    return tuple(replace(load, waits=load.waits and begins != "rest") for load in given)


def at_hand(flow: Flow) -> dict[str, tuple[Object, ...]]:
    """What scripts may bring of a flow's own cluster, one object each, where it has objects to spare."""
    return {str(obj.ref): (obj,) for obj in flow.cluster} if flow.spare else {}


def begun(setup: Setup, using: Model) -> World:
    """The world at t = 0, with clients, and each kube-proxy's last sync where the flow says."""
    try:
        world = at_rest(using, setup.objects, lags=setup.lags, images=setup.images, release=setup.release)
    except RuntimeError as error:
        # A pod that crashes again and again, an image that is not there: a walk has no rest to begin from.
        raise BadInput([f"manifest: {error}{_hint(setup)}"]) from None
    manifests = {**at_hand(setup.flow), **setup.applies, **({CLUSTER: setup.later} if setup.later else {})}
    world = replace(world, manifests=Map(manifests))
    if setup.begins != "rest":
        world = with_proxies(world)
    if setup.begins == "bound":
        world = _bound(world, using)
    hosts = world.hosts
    for node, ago in sorted(setup.flow.last_sync.items()):
        if node in hosts:
            hosts = hosts.set(node, _synced(hosts[node], durations.parse(ago)))
    if setup.programs:
        programs = Map({image: StringMap(words) for image, words in setup.programs.items()})
        hosts = hosts.update({node: replace(hosts[node], programs=programs) for node in world.nodes})
    world = _watched(replace(world, hosts=hosts, narrate_api=setup.flow.narrate_api), setup)
    return with_load(world, setup.loads)


def _hint(setup: Setup) -> str:
    """What may be at fault, where the reader has not said how his programs behave."""
    unsaid = dict(setup.assumed).get("settings", ())
    return f"; your manifests leave open what the settings then say: {', '.join(unsaid)}" if unsaid else ""


def _watched(world: World, setup: Setup) -> World:
    """With signs of life of nodes and leaders, where the flow asks for them."""
    flow = setup.flow
    world = with_dns(world) if flow.dns else world
    if flow.heartbeats:
        world = with_heartbeats(world, Heartbeats(monitor=durations.parse(flow.monitor)))
    leaders = {process: changes for process, changes in LEADERS.items() if process not in setup.alone}
    return with_leaders(world, leaders) if flow.leaders else world


def _synced(host: Host, ago: int) -> Host:
    return replace(host, proxy=replace(host.proxy, last_sync_end=-ago))


def with_proxies(world: World) -> World:
    """Every kube-proxy has run all along, also where there was no Service for it to sync."""
    return replace(world, hosts=world.hosts.update({node: _running(world.hosts[node]) for node in world.nodes}))


def _running(host: Host) -> Host:
    known = host.proxy.last_sync_end is not None
    return (
        host
        if known or not host.power
        else replace(host, proxy=replace(host.proxy, since=LONG_AGO, last_sync_end=LONG_AGO))
    )


def _bound(world: World, using: Model) -> World:
    """The same cluster to which the objects were applied so long before that the first binding falls on t = 0."""
    took = _until_bound(world, using).now
    bound = _until_bound(replace(world, now=world.now - took), using)
    return replace(bound, commands=EMPTY, views=without_view(bound.views, "kubectl"), ledger=Ledger())


def _until_bound(world: World, using: Model) -> World:
    apply = Intervention(world.now, "apply", (f"m:{CLUSTER}",))
    walk = Runner(using, world, [apply]).run(until=world.now + LONGEST, goal=_any_bound)
    if not _any_bound(walk.world):
        raise BadInput(["setting bound: no pod of these manifests is bound to a node within ten minutes"])
    return walk.world


def _any_bound(world: World) -> bool:
    pods = world.etcd.find("Pod")
    return any(isinstance(pod, Pod) and pod.spec.nodeName for pod in pods)
