"""A database that is down is down for all machines: probes that ask it and requests that need it fail everywhere."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.stringmap import StringMap
from app.sim import interventions
from app.sim.engine import Model
from app.sim.host import ContainerRun, Host, HostPod
from app.sim.intervention import parse
from app.sim.ledger import Load
from app.sim.maps import Map
from app.sim.proxy_rules import Proxy, Rules
from app.sim.schedule import run
from app.sim.served import failure
from app.sim.start import with_load
from app.sim.walk import Walk
from app.sim.world import World
from tests.sim.clusters import pod, world

SERVICE = Ref("Service", "default", "web")
ADDRESS = "10.244.1.2"


def served(node: str, *, serves: bool = True, needs: str = "database") -> Host:
    """A machine whose rules lead to a pod of its own that needs a database."""
    meta = replace(pod().metadata, uid="u1", annotations=StringMap({"sim.loopscope.dev/depends-on": needs}))
    found = HostPod(
        replace(pod(), metadata=meta),
        ip=ADDRESS,
        sandbox="ready",
        containers=(ContainerRun("app", "app", state="running", started=0, serving=serves),),
    )
    return Host(node, pods=Map({"u1": found}), proxy=Proxy(rules=Map({SERVICE: Rules((ADDRESS,))})))


def start() -> World:
    return with_load(replace(world(), hosts=Map({"node-1": served("node-1")})), (Load(SERVICE, 10, 500),))


def walk(*script: str) -> Walk:
    return run(Model(()), start(), [parse(text) for text in script], until=60_000)


def test_it_is_down_on_every_machine_until_it_is_up_again() -> None:
    script = [parse("1s set dependency/database down"), parse("2s set dependency/cache down")]
    found = run(Model(()), world(nodes=2), script)
    assert [host.broken for host in found.world.hosts.values()] == [("cache", "database")] * 2
    step = found.steps[0].step
    assert (step.id, step.outcome, step.moment) == ("you.set-down:dependency~database", "down", "dependency-down")
    again = run(Model(()), found.world, [parse("3s set dependency/database up")])
    assert [host.broken for host in again.world.hosts.values()] == [("cache",)] * 2
    assert again.steps[0].step.moment == "dependency-up"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("set dependency/database down", ""),
        ("set dependency/database up", ""),
        ("set dependency/database", "'set dependency/NAME down|up' is the form"),
        ("set dependency/database gone", "'set dependency/NAME down|up' is the form"),
        ("set dependency/The-Database down", "'set dependency/NAME down|up' is the form"),
        ("set dependency/database down for=5s", "'set dependency/NAME down|up' is the form"),
    ],
)
def test_its_form(text: str, fault: str) -> None:
    assert interventions.check(parse(text)) == ([f"intervention {text!r}: {fault}"] if fault else [])


def test_requests_that_need_it_are_answered_with_errors_meanwhile() -> None:
    """10 requests a second for 3 s."""
    found = walk("1s set dependency/database down", "4s set dependency/database up")
    ledger = found.world.ledger
    assert [(tally.kind, tally.of, spent) for tally, spent in ledger.spent.items()] == [("error", 1, 3_000)]
    assert not ledger.failing
    assert not ledger.cut, "requests in flight are answered, too"


@pytest.mark.parametrize(("serves", "needs", "kind"), [(True, "cache", ""), (False, "database", "refused")])
def test_others_do_not_notice(serves: bool, needs: str, kind: str) -> None:
    host = replace(served("node-1", serves=serves, needs=needs), broken=("database",))
    assert failure(host, host.pods["u1"]) == kind
