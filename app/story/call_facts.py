"""What came of programs' calls of Services: names, translations, and connections that stayed or ended."""

from __future__ import annotations

from collections.abc import Callable

from app.kube.dns import candidates
from app.kube.networking import EndpointSlice, Service
from app.sim import naming
from app.sim.acts import Call, Command
from app.sim.calls import of_a_pod
from app.sim.maps import ordered_keys
from app.sim.naming import Zone, records
from app.sim.walk import Record, Walk
from app.sim.world import World
from app.story.fact import Fact, Subject
from app.story.stretches import step_at

FAILED = ("name-unanswered", "call-refused", "call-rejected", "call-unanswered", "call-error")
NOBODY = ("call-refused", "call-unanswered")


def _counted(unit: str, test: Callable[[Record], bool]) -> Callable[[Subject], Fact]:
    """How many acts of programs are such."""

    def count(subject: Subject) -> Fact:
        found = [row for row in subject.walk.records if row.step.loop == "callers" and test(row)]
        names = ", ".join(dict.fromkeys(row.step.object.name for row in found)) or "none"
        return Fact(float(len(found)), unit, found[0].n or None if found else None, (("what", names),))

    return count


def _moment(*moments: str) -> Callable[[Record], bool]:
    return lambda row: row.step.moment in moments


def _unknown(row: Record) -> bool:
    """NXDOMAIN, from the server or from what a resolver has kept of it."""
    return row.step.verb in ("look-up", "recall") and row.step.outcome == "NXDOMAIN"


def _failed(row: Record) -> bool:
    return row.step.moment in FAILED or _unknown(row)


def _elsewhere(row: Record) -> bool:
    """A short name that is one of another namespace, and none of the caller's own."""
    zone, command = row.step.world.memory.get(naming.WORK), _command(row)
    if not _unknown(row) or command is None or not isinstance(zone, Zone):
        return False
    name = row.step.object.name
    known = ordered_keys(zone.records)
    return not set(candidates(name, command.refs[0].namespace)) & set(known) and any(
        full.split(".")[0] == name for full in known
    )


def _stale(*, by_rules: bool) -> Callable[[Record], bool]:
    """A call that went to nobody, by the node's rules or by an address that a name stood for."""

    def test(row: Record) -> bool:
        call = _call(row)
        if call is None or row.step.moment not in NOBODY or not call.addresses or not call.backend:
            return False
        return of_a_pod(row.step.world, call.addresses[0]) != by_rules

    return test


def _call(row: Record) -> Call | None:
    command = _command(row)
    return command.call if command else None


def _command(row: Record) -> Command | None:
    return next((found for found in row.step.world.commands.values() if found.number == row.step.command), None)


def connection_stayed(subject: Subject) -> Fact:
    """Whether an open connection went on to a pod that its node's rules did not name any more."""
    row = next((row for row in subject.walk.records if row.step.moment == "connection-stays"), None)
    return Fact(row is not None, "", row.n or None if row else None)


def dns_behind(subject: Subject) -> Fact:
    """The longest time for which CoreDNS answered otherwise for a name than what was stored of it says."""
    began: dict[str, tuple[int, Record | None]] = {}
    best: tuple[int, str, Record | None] = (0, "none", None)
    seen: tuple[object, object] = (None, None)
    for row, world in _worlds(subject.walk):
        zone = world.memory.get(naming.WORK)
        if (world.etcd, zone) == seen or zone is None:
            continue
        seen = (world.etcd, zone)
        now = _differing(world, zone)
        at = row.step.at if row else world.now
        for name in [name for name in began if name not in now]:
            best = max(best, (at - began[name][0], name, began.pop(name)[1]), key=lambda found: found[0])
        began |= {name: (at, row) for name in now if name not in began}
    for name, (since, row) in began.items():
        best = max(best, (subject.end - since, name, row), key=lambda found: found[0])
    lasted, name, where = best
    return Fact(lasted / 1000, "s", step_at(subject.walk, where) if where else None, (("what", name),))


def _worlds(walk: Walk) -> list[tuple[Record | None, World]]:
    return [(None, walk.start), *((row, row.step.world) for row in walk.records)]


def _differing(world: World, zone: object) -> list[str]:
    known = zone.records if isinstance(zone, Zone) else {}
    true = records([*world.etcd.find(Service.kind), *world.etcd.find(EndpointSlice.kind)])
    return [name for name in ordered_keys({**known, **true}) if known.get(name) != true.get(name)]


CALL_FACTS: dict[str, Callable[[Subject], Fact]] = {
    "calls-failed": _counted("calls", _failed),
    "names-unknown": _counted("names", _unknown),
    "names-elsewhere": _counted("names", _elsewhere),
    "dns-unanswered": _counted("names", _moment("name-unanswered")),
    "calls-rejected": _counted("calls", _moment("call-rejected")),
    "stale-rules": _counted("calls", _stale(by_rules=True)),
    "stale-names": _counted("calls", _stale(by_rules=False)),
    "connections-cut": _counted("connections", _moment("connection-closed")),
    "connections-hung": _counted("connections", _moment("connection-hangs")),
    "connection-stayed": connection_stayed,
    "dns-behind": dns_behind,
}
