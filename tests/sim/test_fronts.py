"""Requests through a front: all of them through one list, and what trying again saves."""

from __future__ import annotations

from fractions import Fraction

import pytest
from msgspec.structs import replace

from app.kube.meta import Ref
from app.sim import traffic
from app.sim.draft import Draft
from app.sim.fronts import Front
from app.sim.host import ContainerRun, Host, HostPod
from app.sim.ledger import ANY, Load, Route, requests
from app.sim.maps import Map
from app.sim.start import with_load
from app.sim.world import World
from tests.sim.clusters import pod, world

WEB = Ref("Service", "default", "web")
ADDRESSES = tuple(f"10.244.1.{number}" for number in (2, 3, 4, 5))


def host(*dead: str) -> Host:
    """A machine with a pod at each address; those that are dead do not listen."""
    pods = {
        row: HostPod(
            replace(pod(), metadata=replace(pod().metadata, uid=row)),
            ip=row,
            sandbox="ready",
            containers=(ContainerRun("app", "app", state="running", serving=row not in dead),),
        )
        for row in ADDRESSES
    }
    return Host("node-1", pods=Map(pods))


def start(retries: int = 0) -> World:
    load = Load(WEB, 60, 0, through="ingress", retries=retries)
    made = replace(world(nodes=2), hosts=Map({"node-1": host(), "node-2": Host("node-2", number=2)}))
    draft = Draft(with_load(made, (load,)))
    traffic.turn_to(draft, WEB, Front(ADDRESSES))
    draft.ledger = replace(draft.ledger, first=None, last=None)
    return draft.freeze()


def failed(found: World, *dead: str, seconds: int = 1) -> Fraction:
    """Requests that fail while those do not listen."""
    draft = Draft(found)
    old, new = found.hosts["node-1"], host(*dead)
    draft.hosts = draft.hosts.set("node-1", new)
    traffic.settle(draft, old, new)
    after = draft.freeze()
    return requests(after.ledger.exposure(seconds * 1_000), after.load, len(after.nodes))


@pytest.mark.parametrize(
    ("retries", "dead", "lost"),
    [
        # One of four: a quarter of 60, whatever the number of nodes.
        (0, 1, Fraction(15)),
        (0, 4, Fraction(60)),
        # A second attempt never goes to the same address: both must be among the dead, 1 of 6 pairs, or 3 of 6.
        (1, 1, Fraction(0)),
        (1, 2, Fraction(10)),
        (1, 3, Fraction(30)),
        (2, 3, Fraction(15)),
        # More attempts than addresses: all are tried.
        (9, 3, Fraction(0)),
        (9, 4, Fraction(60)),
    ],
)
def test_a_request_fails_if_every_address_that_is_tried_does(retries: int, dead: int, lost: Fraction) -> None:
    assert failed(start(retries), *ADDRESSES[:dead]) == lost


def test_an_attempt_that_is_made_again_costs_nothing_and_can_be_seen() -> None:
    draft = Draft(start(retries=1))
    old, new = draft.hosts["node-1"], host(ADDRESSES[0])
    draft.hosts = draft.hosts.set("node-1", new)
    assert traffic.settle(draft, old, new)
    assert draft.ledger.failing[Route("ingress", WEB, ADDRESSES[0])].weight == 0
    assert Route("ingress", WEB, ANY) not in draft.ledger.failing
    assert not draft.ledger.loses
    assert draft.ledger.first is None


def test_a_list_that_changes_ends_the_loss() -> None:
    draft = Draft(start())
    old, new = draft.hosts["node-1"], host(ADDRESSES[0])
    draft.hosts = draft.hosts.set("node-1", new)
    traffic.settle(draft, old, new)
    draft.now = 500
    assert traffic.turn_to(draft, WEB, Front(ADDRESSES[1:]))
    after = draft.freeze()
    assert requests(after.ledger.exposure(9_000), after.load, 2) == Fraction(15, 2)


def test_an_empty_list_rejects_everything() -> None:
    draft = Draft(start())
    traffic.turn_to(draft, WEB, Front())
    assert draft.ledger.failing[Route("ingress", WEB, "")].kind == "rejected"


def test_a_front_begins_with_what_is_ready_and_watches_from_then_on() -> None:
    found = with_load(world(), (Load(WEB, 10, 0, through="ingress"),))
    assert found.besides == ("ingress",)
    assert found.fronts[WEB] == Front()
    assert with_load(world(), (Load(WEB, 10, 0),)).besides == ()
