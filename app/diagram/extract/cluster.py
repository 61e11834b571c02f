"""What the map of the cluster shows at a step."""

from __future__ import annotations

from msgspec.structs import replace

from app.catalog.flow import Flow
from app.diagram.extract import deeds, lists, memory, traffic
from app.diagram.extract.beliefs import Pending, kubelet_chip, pending, process_chip, proxy_chip, runtime_chip
from app.diagram.extract.course import Course, course, unbound
from app.diagram.extract.kept import record_at, world_at
from app.diagram.extract.lanes import PROCESS, Participant
from app.diagram.extract.names import by_number, short
from app.diagram.extract.pods import SYMBOLS, card, pods_on
from app.diagram.extract.wording import retold
from app.diagram.views import Chip, ClusterView, Extent, Listing, Message, NodeCard, PodCard, Row
from app.diagram.words import say
from app.kube.meta import Ref, condition
from app.kube.nodes import Node
from app.sim.maps import ordered
from app.sim.naming import PROCESS as COREDNS
from app.sim.walk import Record, Walk
from app.sim.world import World

MOST_NODES = 50
PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")
FEW_NODES = 6
FEW_PODS = 12
MOST_LINES = 6
"""Lines of one list of endpoints."""


def cluster_view(walk: Walk, n: int, flow: Flow) -> ClusterView:
    """The world at a step and the message that led to it."""
    record, world, known = record_at(walk, n), world_at(walk, n), course(walk)
    drawn = _drawn(world, record)
    compact = len(world.nodes) > FEW_NODES or known.extent.pods > FEW_PODS
    metered = flow.about_memory and not compact
    nodes = _nodes(world, drawn, known, memory.pod_scale(walk) if metered else 0, compact=compact)
    rest = len(world.nodes) - len(drawn)
    line, state = traffic.clients(world)
    when = deeds.moment_of(record)
    under_way = pending(world)
    message, cause = _messages(flow, record, world, nodes, compact=compact) if record else (None, None)
    view = ClusterView(
        title=when,
        caption=f"{when} · {deeds.sentence(flow, record)}" if record else when,
        caption_kind=deeds.sender(flow, record).kind if record else "api",
        user=_user(flow),
        api=_api(world, under_way),
        etcd=Chip("etcd", "etcd", say("short", "etcd"), say("short", "objects", count=len(world.etcd.objects))),
        scheduler=process_chip(world, "kube-scheduler", "scheduler", "scheduler", under_way),
        controllers=process_chip(world, "kube-controller-manager", "controller", "controllers", under_way),
        dns=process_chip(world, COREDNS, "controller", COREDNS, under_way) if COREDNS in world.besides else None,
        control_plane=say("short", "control-plane"),
        slices=tuple(_cut(row) for row in lists.shared(world, known.names)),
        waiting=_waiting(world) if known.extent.waiting else None,
        budgets=_cut(lists.budgets(world)) if known.extent.budgets else None,
        nodes=nodes,
        more_nodes=say("short", "more-nodes", count=f"{rest:,}") if rest else "",
        clients=line,
        clients_state=state,
        clients_name=say("short", "clients"),
        cause=cause,
        message=message,
        extent=replace(_capped(known.extent), memory=metered),
        compact=compact,
    )
    return retold(view, flow.terms, flow.short)


def _capped(extent: Extent) -> Extent:
    return Extent(
        extent.pods,
        min(extent.backends, MOST_LINES),
        min(extent.endpoints, MOST_LINES * max(extent.slices, 1)),
        extent.slices,
        min(extent.waiting, MOST_LINES),
        min(extent.budgets, MOST_LINES),
    )


def _cut(listing: Listing) -> Listing:
    """A list with as many lines as there is room for; those that say something come first."""
    rows = listing.rows
    if len(rows) <= MOST_LINES:
        return listing
    plain = ("ready", "serving")
    told = [row for row in rows if row.state not in plain] + [row for row in rows if row.state in plain]
    more = Row("more", "", say("short", "more", count=len(rows) - MOST_LINES + 1), "")
    return Listing(listing.id, listing.title, listing.state, (*told[: MOST_LINES - 1], more), listing.about)


def _user(flow: Flow) -> Chip | None:
    drawn = any(lane.kind == "user" for lane in flow.lanes) or not flow.lanes
    return Chip("you", "user", say("short", "you")) if drawn else None


def _api(world: World, under_way: Pending) -> Chip:
    """The hub: how many watch events it has sent that nobody has seen yet."""
    count = sum(under_way.unseen.values())
    note = say("short", "up-to-date")
    if count:
        note = say("short", "on-the-way-one") if count == 1 else say("short", "on-the-way", count=count)
    down = "kube-apiserver" in world.down
    note = say("short", "down") if down else note
    return Chip("api", "api", say("short", "api"), note, "down" if down else "calm", note)


def _waiting(world: World) -> Listing:
    pods = unbound(world)
    rows = tuple(Row("starting", SYMBOLS["starting"], short(pod.metadata.name), pod.status.phase) for pod in pods)
    rows = rows or (Row("nobody", "", say("short", "nobody"), ""),)
    title = say("short", "waiting")
    return _cut(Listing("waiting", title, "calm", rows, f"{title}: {', '.join(row.name for row in rows)}"))


def _drawn(world: World, record: Record | None) -> tuple[str, ...]:
    """Every node, or of very many those that something happens on."""
    if len(world.nodes) <= MOST_NODES:
        return world.nodes
    concerned = {route.node for route in world.ledger.failing} | {
        name for name, host in ordered(world.hosts) if not host.power or host.isolated
    }
    if record is not None:
        concerned |= {record.step.node, record.step.object.name if record.step.object.kind == "Node" else ""}
    first = [name for name in world.nodes if name in concerned]
    rest = [name for name in world.nodes if name not in concerned]
    chosen = {*first[: MOST_NODES - 1], *rest[: MOST_NODES - 1 - len(first[: MOST_NODES - 1])]}
    return tuple(name for name in world.nodes if name in chosen)


def _nodes(world: World, drawn: tuple[str, ...], known: Course, scale: int, *, compact: bool) -> tuple[NodeCard, ...]:
    """`scale` is what the bars of pods' memory are as wide as; 0 where memory is not drawn."""
    backends = lists.Backends(world, known.names)
    failing = traffic.failing(world)
    under_way = pending(world)
    found = []
    for name in sorted(drawn, key=by_number):
        host = world.hosts.get(name)
        state, note = _condition(world, name)
        asked = traffic.through(name, failing.get(name, []), backends) if traffic.through_nodes(world, name) else None
        found.append(
            NodeCard(
                id=f"node-{name}",
                name=name,
                state=state,
                note=note,
                brief=_brief(world, name) or note,
                kubelet=kubelet_chip(world, name, host, under_way),
                runtime=runtime_chip(name, host),
                proxy=proxy_chip(world, name, host, under_way),
                pods=_pods(world, name, known, scale),
                rules=() if compact else tuple(_cut(row) for row in lists.rules(name, host, backends)),
                no_rules=say("short", "no-rules"),
                traffic=asked,
                memory=memory.node_meter(world, name, host) if scale and host is not None else None,
            )
        )
    return tuple(found)


def _pods(world: World, node: str, known: Course, scale: int) -> tuple[PodCard, ...]:
    host = world.hosts.get(node)
    cards = []
    for uid, seen in pods_on(world, node).items():
        found = card(seen, host, uid, known.slots.get((node, uid), 0))
        meter = memory.pod_meter(seen.held, world.now, scale) if seen.held is not None and scale else None
        cards.append(replace(found, memory=meter) if meter is not None else found)
    return tuple(sorted(cards, key=lambda row: row.slot))


def _condition(world: World, name: str) -> tuple[str, str]:
    """The Node object's word, and beside it what is really so where the two differ."""
    stored = world.etcd.get(Ref("Node", "", name))
    node = stored.object if stored else None
    ready = condition(node.status.conditions, "Ready") if isinstance(node, Node) else None
    word = {"True": "ready", "False": "unready"}.get(ready.status if ready else "", "unknown")
    state = "ready" if word == "ready" else "unready"
    notes = [say("node", word)]
    if isinstance(node, Node) and any(_true(node, name) for name in PRESSURES):
        state = "pressed" if state == "ready" else state
        notes.append(say("node", "pressed"))
    if isinstance(node, Node) and node.spec.unschedulable:
        state = "cordoned" if state in ("ready", "pressed") else state
        notes.append(say("node", "cordoned"))
    host = world.hosts.get(name)
    if host is not None and not host.power:
        state = "off"
        notes.append(say("node", "off"))
    elif host is not None and host.isolated:
        state = "off"
        notes.append(say("node", "cut"))
    return state, " · ".join(notes)


def _true(node: Node, name: str) -> bool:
    found = condition(node.status.conditions, name)
    return found is not None and found.status == "True"


def _brief(world: World, name: str) -> str:
    """For a machine that is lost: the strongest that the API says of it, and what is really so."""
    stored, host = world.etcd.get(Ref("Node", "", name)), world.hosts.get(name)
    node = stored.object if stored else None
    if host is None or not isinstance(node, Node) or (host.power and not host.isolated):
        return ""
    ready = condition(node.status.conditions, "Ready")
    word = say("node", "unknown" if ready is None or ready.status == "Unknown" else "ready")
    word = "NoExecute" if any(row.effect == "NoExecute" for row in node.spec.taints) else word
    return f"{word} · {say('node', 'brief-cut' if host.power else 'brief-off')}"


def _messages(
    flow: Flow, record: Record, world: World, nodes: tuple[NodeCard, ...], *, compact: bool
) -> tuple[Message | None, Message | None]:
    """The step's arrow and the watch event that caused it; None where a box is not drawn."""
    one, other = deeds.sender(flow, record), deeds.receiver(flow, record)
    there = {row.id for row in nodes} | {pod.id for row in nodes for pod in row.pods}
    start, end = (_place(who, world, record, compact=compact) for who in (one, other))
    caller = _caller(record)
    if caller:
        pod = _pod_place(caller, world, record, compact=compact)
        start, end = (pod if at == "clients" else at for at in (start, end))
    if record.step.loop == "you":
        end = _acted_on(record, world, compact=compact) or end
    if not caller and one.kind == "clients" and end.startswith("kube-proxy-"):
        # A connection meets the rules, not the process that wrote them.
        end = end.replace("kube-proxy-", "traffic-", 1)
    state = "harm" if deeds.harm(record) else "now"
    known = [name for name in (start, end) if not name.startswith(("pod-", "node-")) or name in there]
    if len(known) < 2:
        start = end = known[0] if known else ""
    message = Message(f"message-{record.n}", start, end, one.kind, state, deeds.text_of(record)) if start else None
    if not deeds.watched(record) or not start or start == "api":
        return message, None
    return message, Message(f"cause-{record.n}", "api", start, "api", "cause", deeds.watch_text(record))


def _place(who: Participant, world: World, record: Record, *, compact: bool) -> str:
    """The id of the box that a participant is drawn as."""
    match who.kind:
        case "user":
            return "you"
        case "api" | "scheduler" | "clients":
            return who.kind if who.kind != "scheduler" else "kube-scheduler"
        case "controller":
            return COREDNS if who.lane == "CoreDNS" else "kube-controller-manager"
        case "app":
            return _pod_place(who.lane.removesuffix(PROCESS), world, record, compact=compact)
        case _:
            return f"node-{who.under}" if compact else f"{who.kind}-{who.under}"


def _caller(record: Record) -> str:
    """The pod whose program makes a call; empty for any other act."""
    commands = record.step.world.commands.values()
    made = next((row for row in commands if row.number == record.step.command and row.call is not None), None)
    return made.refs[0].name if made is not None else ""


def _acted_on(record: Record, world: World, *, compact: bool) -> str:
    """The box of the node or pod that a reader did something to; empty for a process, which has a lane."""
    ref = record.step.object
    if ref.kind == "Node":
        return f"node-{ref.name}"
    return _pod_place(ref.name, world, record, compact=compact) if ref.kind == "Pod" else ""


def _pod_place(name: str, world: World, record: Record, *, compact: bool) -> str:
    for at in (world, record.step.before):
        for node in [record.step.node] if record.step.node else at.nodes:
            for uid, seen in pods_on(at, node).items():
                if seen.ref.name == name:
                    return f"node-{node}" if compact else f"pod-{uid}"
    return ""
