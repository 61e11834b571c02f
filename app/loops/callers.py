"""Callers: a program in a pod that asks for a Service by its name, as `curl` does, one command at a time.

The resolver of its pod tries the search list against CoreDNS. A cluster IP is translated by the rules of the pod's own
node, once for each connection; from then on the connection belongs to that backend (conntrack), whatever becomes of
the rules. Which backend it is the kernel draws by lot, and a headless Service's server rotates its answers: here the
connections of one node take turns. Not modelled: ports, UDP, IPv6, connections that survive their program, and that
the DNS server's own address is translated like any other.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.kube import durations
from app.kube.dns import TTL, candidates
from app.kube.meta import Ref
from app.kube.networking import Service
from app.kube.pods import Pod
from app.sim.acts import Act, Call, Command, Line, Wait
from app.sim.lags import Bounds
from app.sim.loop import Loop, Turn

RESOLVER_GIVES_UP = 10_000
"""Two attempts of 5 s, as resolv.conf's defaults have it."""
CONNECT_TIMEOUT = 5_000
"""What the callers here allow a connection to take."""


def reconcile(turn: Turn) -> Act | Wait | None:
    """The next thing that happens to a call."""
    command, call = turn.command, turn.command.call
    if call is None or command.exit is not None:
        return None
    match call.stage:
        case "asking":
            return _ask(turn, command, call)
        case "calling":
            return _call(turn, command, call)
        case "connecting":
            return _connect(turn, command, call)
        case _:
            return _go_on(turn, command, call)


# The name.


def _ask(turn: Turn, command: Command, call: Call) -> Act | Wait:
    kept = _kept(turn, command, call)
    if kept is not None:
        known = replace(call, stage="calling", host=kept.host, addresses=kept.addresses)
        return _resolved(turn, command, known, verb="recall", reason=f"{_age(turn, kept)} old")
    if not turn.runs("coredns") or turn.zone is None:
        bounds = Bounds.at(call.since + RESOLVER_GIVES_UP)
        if turn.runs("coredns") or turn.reached(bounds):
            outcome = "SERVFAIL" if turn.runs("coredns") else "no answer"
            return _unresolved(command, call, "name-unanswered", reason="NoServer", outcome=outcome)
        return Wait(bounds)
    names = candidates(call.name, command.refs[0].namespace)
    host = next((name for name in names if name in turn.zone.records), "")
    addresses = turn.zone.records[host] if host else ()
    reason = host or f"{len(names)} names tried"
    asked = replace(call, stage="calling", host=host, addresses=addresses, asked=turn.now)
    return _resolved(turn, command, asked, verb="look-up", reason=reason)


def _resolved(turn: Turn, command: Command, call: Call, *, verb: str, reason: str) -> Act:
    command = replace(command, call=replace(call, since=turn.now))
    if not call.addresses:
        moment = "name-unknown" if verb == "look-up" else "name-kept"
        return _unresolved(command, call, moment, reason=reason, outcome="NXDOMAIN")
    return Act(
        verb,
        Ref("Name", "", call.name),
        reason=reason,
        moment="name-resolved" if verb == "look-up" else "name-kept",
        outcome=", ".join(call.addresses),
        command=command,
        to="CoreDNS" if verb == "look-up" else "",
    )


def _unresolved(command: Command, call: Call, moment: str, *, reason: str, outcome: str) -> Act:
    kept = moment == "name-kept"
    text = f"curl: (6) Could not resolve host: {call.name}"
    return Act(
        "recall" if kept else "look-up",
        Ref("Name", "", call.name),
        reason=reason,
        moment=moment,
        outcome=outcome,
        output=(Line(text, "stderr"),),
        command=_ended(command, 6),
        to="" if kept else "CoreDNS",
    )


def _kept(turn: Turn, command: Command, call: Call) -> Call | None:
    """The youngest answer that the pod's resolver still keeps, if it keeps any."""
    if command.option("cache") != "true":
        return None
    for other in reversed(turn.commands):
        found = other.call
        same = other.refs == command.refs and other.option("cache") == "true" and found and found.name == call.name
        if same and found and found.asked is not None and turn.now - found.asked < TTL:
            return found
    return None


def _age(turn: Turn, kept: Call) -> str:
    return durations.format(turn.now - (kept.asked or 0))


# The address.


def _call(turn: Turn, command: Command, call: Call) -> Act | Wait:
    service = service_of(call)
    address = call.addresses[_turn_of(turn, command, call) % len(call.addresses)]
    if turn.of_a_pod(address):
        return Act(
            "take-address",
            turn.pod_at(address, service) or service,
            reason=f"1 of {len(call.addresses)}",
            moment="address-taken",
            outcome=address,
            command=replace(command, call=replace(call, stage="connecting", backend=address)),
        )
    rules = turn.rules(call.node, service)
    if rules is None:
        return _unanswered(turn, command, call, service, f"kube-proxy {call.node}")
    if not rules.backends:
        text = f"curl: (7) Failed to connect to {call.name} port 80 after 0 ms: Could not connect to server"
        return _failed(command, service, "rejected", text, to=f"kube-proxy {call.node}", code=7)
    backend = rules.backends[_turn_of(turn, command, call) % len(rules.backends)]
    return Act(
        "translate",
        service,
        reason=f"1 of {len(rules.backends)}",
        moment="address-translated",
        outcome=f"{address} → {backend}",
        command=replace(command, call=replace(call, stage="connecting", backend=backend)),
        to=f"kube-proxy {call.node}",
    )


def service_of(call: Call) -> Ref:
    """The Service whose name was answered."""
    name, namespace = call.host.split(".")[:2]
    return Ref(Service.kind, namespace, name)


def _turn_of(turn: Turn, command: Command, call: Call) -> int:
    """How many connections to that Service were made from that node before."""
    earlier = [row.call for row in turn.commands if row.number < command.number and row.call is not None]
    return sum(row.host == call.host and row.node == call.node and bool(row.backend) for row in earlier)


# The connection.


def _connect(turn: Turn, command: Command, call: Call) -> Act | Wait:
    pod = turn.pod_at(call.backend, service_of(call)) or service_of(call)
    failure = turn.failure_at(call.backend, service_of(call))
    if failure == "unanswered":
        return _unanswered(turn, command, call, pod, "")
    if failure == "refused":
        text = f"curl: (7) Failed to connect to {call.name} port 80 after 0 ms: Could not connect to server"
        return _failed(command, pod, "refused", text, code=7)
    if failure:
        return _failed(command, pod, "error", "curl: (22) The requested URL returned error: 500", code=22)
    keeps = bool(command.option("keep"))
    after = replace(call, stage="open" if keeps else "over", since=turn.now)
    return Act(
        "connect",
        pod,
        reason="Served",
        moment="connection-opened" if keeps else "call-answered",
        outcome="open" if keeps else "answered",
        output=() if keeps else (Line(pod.name),),
        command=replace(command, exit=None if keeps else 0, call=after),
        to=_lane(pod),
    )


def _unanswered(turn: Turn, command: Command, call: Call, about: Ref, to: str) -> Act | Wait:
    bounds = Bounds.at(call.since + CONNECT_TIMEOUT)
    if not turn.reached(bounds):
        return Wait(bounds)
    text = f"curl: (28) Connection timed out after {CONNECT_TIMEOUT} milliseconds"
    return _failed(command, about, "unanswered", text, to=to, code=28)


def _failed(command: Command, about: Ref, how: str, text: str, *, code: int, to: str = "") -> Act:
    return Act(
        "connect",
        about,
        reason="NotServed",
        moment=f"call-{how}",
        outcome=how,
        output=(Line(text, "stderr"),),
        command=_ended(command, code),
        to=to or _lane(about),
    )


def _lane(about: Ref) -> str:
    """The process that a connection reaches; none where an address is nobody's any more."""
    return f"{about.name} process" if about.kind == Pod.kind else ""


def _go_on(turn: Turn, command: Command, call: Call) -> Act | Wait:
    """An open connection: its pod's end closes it, nothing else does."""
    pod = turn.pod_at(call.backend, service_of(call)) or service_of(call)
    until = Bounds.at(call.since + durations.parse(command.option("keep", "0s")))
    failure = turn.failure_at(call.backend, service_of(call))
    if failure == "refused" and call.stage == "open":
        text = "curl: (18) transfer closed with outstanding read data remaining"
        return _over(command, pod, "connection-closed", "closed by its pod's end", Line(text, "stderr"), code=18)
    if failure == "unanswered" and call.stage == "open":
        hangs = replace(command, call=replace(call, stage="hanging"))
        return _news(hangs, pod, "hang", "connection-hangs", "no answer, and no end")
    if turn.reached(until):
        if call.stage == "hanging":
            text = f"curl: (28) Operation timed out after {until.usual - call.since} milliseconds"
            return _over(command, pod, "call-unanswered", "timed out", Line(text, "stderr"), code=28)
        return _over(command, pod, "connection-done", "done", Line(pod.name), code=0)
    rules = turn.rules(call.node, service_of(call))
    if rules is not None and call.backend not in rules.backends and not call.told:
        told = replace(command, call=replace(call, told=True))
        return _news(told, pod, "flow-on", "connection-stays", f"still {call.backend}")
    return Wait(until)


def _news(command: Command, pod: Ref, verb: str, moment: str, outcome: str) -> Act:
    return Act(verb, pod, reason="Connected", moment=moment, outcome=outcome, command=command, to=_lane(pod))


def _over(command: Command, pod: Ref, moment: str, outcome: str, line: Line, *, code: int = 0) -> Act:
    return Act(
        "end-connection",
        pod,
        reason="ConnectionOver",
        moment=moment,
        outcome=outcome,
        output=(line,),
        command=_ended(command, code),
        to=_lane(pod),
    )


def _ended(command: Command, code: int) -> Command:
    call = replace(command.call, stage="over") if command.call is not None else None
    return replace(command, exit=code, call=call)


LOOP = Loop(name="callers", lane="Clients", reconcile=reconcile, commands=True)
