"""The table of clients: what they notice of their routes, and when that is news to a reader."""

from __future__ import annotations

import pytest

from app.kube.meta import Ref
from app.loops.clients import LOOP
from app.sim.acts import Act
from app.sim.host import Host
from app.sim.ledger import Failing, Ledger, Route
from app.sim.loop import Turn
from app.sim.maps import Map
from app.sim.world import World
from tests.loops.machines import ADDRESS, NODE, api, machine, there

SERVICE = Ref("Service", "default", "web")
KEY = Ref("Clients", "", "all")
ROUTE = Route(NODE, SERVICE, ADDRESS)
NOWHERE = Route("n2", SERVICE, "")
REFUSED, SILENT = Failing("refused", 3, 0), Failing("unanswered", 3, 0)
REJECTED = Failing("rejected", 1, 0)


def decides(ledger: Ledger, host: Host | None = None) -> Act | None:
    """The host has the first address of the cluster's second pod network."""
    hosts = {NODE: host or machine(there(api()))}
    made = LOOP.reconcile(Turn(World(ledger=ledger, hosts=Map(hosts), nodes=(NODE,)), LOOP, "", KEY))
    assert made is None or isinstance(made, Act)
    return made


def words(ledger: Ledger) -> str:
    act = decides(ledger)
    return f"{act.moment} {act.object} {act.reason}{' (in the background)' * act.background}" if act else ""


def ledger(failing: dict[Route, Failing] | None = None, noted: dict[Route, Failing] | None = None) -> Ledger:
    return Ledger(failing=Map(failing or {}), noted=Map(noted or {}))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(ledger(), "", id="all is well"),
        pytest.param(
            ledger({ROUTE: REFUSED}), "request-refused pod/web-1 1 of 3 connections through n1", id="a process is gone"
        ),
        pytest.param(ledger({ROUTE: REFUSED}, {ROUTE: REFUSED}), "", id="it is noticed once"),
        pytest.param(
            ledger({ROUTE: SILENT}, {ROUTE: REFUSED}),
            "request-unanswered pod/web-1 1 of 3 connections through n1 (in the background)",
            id="failing in another way is no news",
        ),
        pytest.param(
            ledger({NOWHERE: REJECTED}),
            "request-rejected service/web every connection through n2",
            id="no endpoint at all",
        ),
        pytest.param(
            ledger({}, {ROUTE: REFUSED}),
            "requests-recovered pod/web-1 RulesNoLongerLeadThere (in the background)",
            id="the rules have changed",
        ),
        pytest.param(
            ledger({NOWHERE: REJECTED, ROUTE: REFUSED}),
            "request-refused pod/web-1 1 of 3 connections through n1",
            id="one route after the other",
        ),
        pytest.param(Ledger(served=ROUTE), "first-request pod/web-1 through n1", id="those that waited are served"),
        pytest.param(Ledger(served=ROUTE, greeted=True), "", id="which they notice once"),
    ],
)
def test_what_they_notice(found: Ledger, expected: str) -> None:
    assert words(found) == expected


def test_what_is_noticed_stands_in_the_act() -> None:
    begun, over = decides(ledger({ROUTE: REFUSED})), decides(ledger({}, {ROUTE: REFUSED}))
    assert begun is not None
    assert over is not None
    assert (begun.noted, begun.to, begun.outcome) == ((ROUTE, REFUSED), "kube-proxy n1", "refused")
    assert over.noted == (ROUTE, None)
