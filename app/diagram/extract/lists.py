"""Lists of endpoints: what the slices say, and where each node's rules lead."""

from __future__ import annotations

from app.diagram.extract.beliefs import state_of
from app.diagram.extract.names import short
from app.diagram.views import Listing, Row
from app.diagram.words import say
from app.kube.meta import Ref
from app.kube.networking import EndpointSlice, Service
from app.kube.pods import Pod
from app.kube.policy import PodDisruptionBudget
from app.sim.fronts import Front
from app.sim.host import Host, HostPod
from app.sim.maps import ordered, ordered_keys
from app.sim.naming import PROCESS, WORK, Zone, records
from app.sim.proxy_rules import Rules
from app.sim.served import failure, machine_of, own_address, pod_at
from app.sim.world import World

ENDPOINTS = {"ready": "●", "serving-terminating": "◆", "terminating": "◇", "unready": "○"}
BACKENDS = {"serving": "●", "draining": "◆", "refused": "✗", "unanswered": "✗", "error": "✗"}
MOST_TOLD = 20
"""Lines of a list that are put into one sentence."""
STALE = frozenset({"refused", "unanswered", "error"})


def slices(world: World) -> tuple[Listing, ...]:
    """Every EndpointSlice, as it is stored."""
    return tuple(_slice(obj) for obj in world.etcd.find("EndpointSlice") if isinstance(obj, EndpointSlice))


def shared(world: World, names: dict[str, str]) -> tuple[Listing, ...]:
    """What stands beside the control plane: the slices, and what others have made of them."""
    return (*slices(world), *answers(world), *fronts(world, names))


def answers(world: World) -> tuple[Listing, ...]:
    """The names that the cluster's DNS server answers, and where it is behind what is stored."""
    zone = world.memory.get(WORK)
    if PROCESS not in world.besides or PROCESS in world.down or not isinstance(zone, Zone):
        return ()
    true = records([*world.etcd.find(Service.kind), *world.etcd.find(EndpointSlice.kind)])
    rows = [_name(name, found, found == true.get(name)) for name, found in ordered(zone.records)]
    rows += [_name(name, (), False) for name in ordered_keys(true) if name not in zone.records]
    state = "stale" if any(row.state == "refused" for row in rows) else "calm"
    return (_listing("names", say("short", "names"), state, rows),)


def _name(name: str, addresses: tuple[str, ...], current: bool) -> Row:
    """A short name with its answer; several addresses are counted."""
    note = addresses[0] if len(addresses) == 1 else say("short", "pods", count=len(addresses))
    state, sign = ("ready", "serving") if current else ("refused", "refused")
    return Row(state, BACKENDS[sign], name.partition(".")[0], note if addresses else "NXDOMAIN")


def fronts(world: World, names: dict[str, str]) -> tuple[Listing, ...]:
    """What an ingress or load balancer sends to, beside what is at those addresses."""
    backends = Backends(world, names)
    through = {load.service: load.through for load in world.load}
    return tuple(_front(service, through.get(service, ""), row, backends) for service, row in ordered(world.fronts))


def _front(service: Ref, through: str, front: Front, backends: Backends) -> Listing:
    found = []
    for address in front.listed:
        state = backends.state(address, service)
        if address in front.rules.backends:
            found.append(Row(state, BACKENDS[state], backends.name(address, service), _noted(state)))
        else:
            found.append(
                Row("unready", ENDPOINTS["unready"], backends.name(address, service), say("short", "kept-out"))
            )
    stale = any(row.state in STALE for row in found)
    state = "stale" if stale else "calm" if found else "empty"
    title = say("short", "front", through=say("front", through), service=service.name)
    rows = found or [Row("reject", "✗", say("short", "no-address"), "")]
    return _listing(f"front-{service.namespace}-{service.name}", title, state, rows)


def _noted(state: str) -> str:
    return "" if state == "serving" else say("backend", state)


def budgets(world: World) -> Listing:
    """Every disruption budget: how many pods it lets go now, and how many are ready of how many it needs."""
    rows = [_budget(obj) for obj in world.etcd.find("PodDisruptionBudget") if isinstance(obj, PodDisruptionBudget)]
    return _listing("budgets", say("short", "budgets"), "calm", rows)


def _budget(obj: PodDisruptionBudget) -> Row:
    status = obj.status
    state = "ready" if status.disruptionsAllowed > 0 else "unready"
    note = say(
        "short", "may-go", count=status.disruptionsAllowed, has=status.currentHealthy, needs=status.desiredHealthy
    )
    return Row(state, ENDPOINTS[state], obj.metadata.name, note)


def _slice(obj: EndpointSlice) -> Listing:
    rows = []
    for endpoint in obj.endpoints:
        state = state_of(endpoint)
        name = endpoint.targetRef.name if endpoint.targetRef else ", ".join(endpoint.addresses)
        rows.append(Row(state, ENDPOINTS[state], short(name), say("endpoint", state)))
    title = say("short", "slice", service=obj.service or obj.metadata.name)
    return _listing(f"slice-{obj.metadata.namespace}-{obj.metadata.name}", title, "calm", rows)


class Backends:
    """Which pod is at an address, and whether a connection to it is answered."""

    def __init__(self, world: World, names: dict[str, str]) -> None:
        self._world = world
        self._names = names
        self._at: dict[str, dict[str, tuple[str, HostPod]]] = {}

    def state(self, address: str, service: Ref) -> str:
        """serving, draining, refused, unanswered or error."""
        host, found = self._host(address), self.pod(address, service)
        failing = "unanswered" if host is None or found is None else failure(host, found[1])
        if failing or found is None:
            return failing
        stored = self._world.etcd.get(found[1].ref)
        pod = stored.object if stored else None
        return "serving" if isinstance(pod, Pod) and not pod.terminating else "draining"

    def name(self, address: str, service: Ref) -> str:
        known = self._names.get(address)
        found = self.pod(address, service) if known is None else None
        return short(found[1].ref.name if found is not None else known or address)

    def pod(self, address: str, service: Ref) -> tuple[str, HostPod] | None:
        """The uid and the machine's pod."""
        host = self._host(address)
        if host is None:
            return None
        if own_address(host) == address:
            shared = pod_at(self._world, host, address, service)
            return (host.uids[shared.ref][-1], shared) if shared is not None else None
        if host.node not in self._at:
            self._at[host.node] = {pod.ip: (uid, pod) for uid, pod in ordered(host.pods) if pod.ip}
        return self._at[host.node].get(address)

    def _host(self, address: str) -> Host | None:
        return self._world.hosts.get(machine_of(self._world, address))


def rules(node: str, host: Host | None, backends: Backends) -> tuple[Listing, ...]:
    """What a node's rules say, service by service, beside what is at the addresses they lead to."""
    if host is None:
        return ()
    return tuple(_rules(node, service, row, backends) for service, row in ordered(host.proxy.rules))


def _rules(node: str, service: Ref, row: Rules, backends: Backends) -> Listing:
    found = []
    for address in row.backends:
        state = backends.state(address, service)
        found.append(Row(state, BACKENDS[state], backends.name(address, service), _noted(state)))
    state = "stale" if any(line.state in STALE for line in found) else "calm"
    if not found:
        found = [Row("reject", "✗", say("short", "reject"), "")]
        state = "empty"
    title = say("short", "rules", service=service.name)
    return _listing(f"rules-{node}-{service.namespace}-{service.name}", title, state, found)


def _listing(name: str, title: str, state: str, rows: list[Row]) -> Listing:
    told = [f"{row.name} {row.note}".strip() for row in rows[:MOST_TOLD]]
    if len(rows) > MOST_TOLD:
        told.append(say("short", "more", count=len(rows) - MOST_TOLD))
    about = ", ".join(told)
    return Listing(name, title, state, tuple(rows), f"{title}: {about}")
