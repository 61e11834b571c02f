"""The front's table: when it reads the slices, what its health checks do, and what it sends to."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.networking import Endpoint, EndpointConditions, EndpointSlice
from app.kube.stringmap import StringMap
from app.loops.front import LOOP, Noticed
from app.sim.acts import Act, Wait, Work
from app.sim.engine import CLIENTS
from app.sim.fronts import Front, ready_addresses
from app.sim.host import ContainerRun, Host, HostPod
from app.sim.lags import Bounds
from app.sim.ledger import Failing, Ledger, Load, Route
from app.sim.loop import Turn
from app.sim.maps import Map
from app.sim.world import World
from tests.loops.beliefs import seen
from tests.sim.clusters import pod

WEB = Ref("Service", "default", "web")
A, B = "10.244.1.2", "10.244.1.3"
POLLS = Load(WEB, 30, 50, through="ingress", refresh=3_000)
CHECKS = replace(POLLS, check=5_000)
READY = EndpointConditions(ready=True, serving=True, terminating=False)
LEAVING = EndpointConditions(ready=False, serving=True, terminating=True)


def listed(*addresses: str, leaving: tuple[str, ...] = ()) -> EndpointSlice:
    rows = [Endpoint((row,), READY) for row in addresses] + [Endpoint((row,), LEAVING) for row in leaving]
    labels = StringMap({"kubernetes.io/service-name": "web"})
    return EndpointSlice(ObjectMeta(name="web-abcde", namespace="default", labels=labels), endpoints=tuple(rows))


def looks(
    load: Load,
    front: Front,
    believed: EndpointSlice,
    *,
    now: int,
    known: Noticed | None = None,
    serving: tuple[str, ...] = (A, B),
    failing: dict[str, int] | None = None,
) -> Act | Wait | None:
    pods = {
        row: HostPod(
            pod(), ip=row, sandbox="ready", containers=(ContainerRun("app", "app", state="running", serving=True),)
        )
        for row in serving
    }
    routes = {Route("ingress", WEB, row): Failing("refused", 2, since) for row, since in (failing or {}).items()}
    world = World(
        now=now,
        nodes=("n1",),
        hosts=Map({"n1": Host("n1", pods=Map(pods))}),
        views=Map({"ingress": seen(believed)}),
        fronts=Map({WEB: front}),
        load=(load,),
        ledger=Ledger(failing=Map(routes)),
        memory=Map({Work("front", "", WEB): known} if known else {}),
    )
    found = LOOP.reconcile(Turn(world, LOOP, "", WEB))
    assert found is None or isinstance(found, Act | Wait)
    return found


def test_it_takes_ready_addresses_only() -> None:
    assert ready_addresses(WEB, [listed(B, A, leaving=("10.244.1.9",))]) == (A, B)
    assert ready_addresses(Ref("Service", "default", "api"), [listed(A)]) == ()


def test_without_news_it_waits_for_nothing() -> None:
    assert looks(POLLS, Front((A, B)), listed(A, B), now=500) == Wait(None, forget=True)


@pytest.mark.parametrize(("now", "due"), [(1, 3_000), (2_999, 3_000), (3_000, 6_000), (4_000, 6_000)])
def test_news_wait_for_the_next_reading(now: int, due: int) -> None:
    assert looks(POLLS, Front((A, B)), listed(A), now=now) == Wait(Bounds.at(due), memory=Noticed(news=now))


def test_the_reading_comes_when_it_was_due_when_the_news_came() -> None:
    found = looks(POLLS, Front((A, B)), listed(A), now=3_000, known=Noticed(news=1))
    assert isinstance(found, Act)
    assert (found.verb, found.reason, found.front) == ("refresh-routes", "TargetRemoved", (WEB, Front((A,))))
    assert found.memory == Noticed()


def test_readings_may_be_out_of_step_with_the_start() -> None:
    found = looks(replace(POLLS, offset=700), Front((A, B)), listed(A), now=1_000)
    assert found == Wait(Bounds.at(3_700), memory=Noticed(news=1_000))


def test_one_that_watches_acts_at_once() -> None:
    found = looks(replace(POLLS, refresh=0), Front((A,)), listed(A, B), now=1_000)
    assert isinstance(found, Act)
    assert (found.reason, found.front) == ("TargetAdded", (WEB, Front((A, B))))


def test_a_new_address_has_to_pass_a_check_first() -> None:
    found = looks(CHECKS, Front((A,)), listed(A, B), now=3_000, known=Noticed(news=1))
    assert isinstance(found, Act)
    assert found.front == (WEB, Front((A, B), out=(B,)))
    assert found.front[1].rules.backends == (A,)


def test_a_check_that_passes_brings_it_in() -> None:
    front = Front((A, B), out=(B,))
    waits = looks(CHECKS, front, listed(A, B), now=3_000)
    assert waits == Wait(Bounds.at(5_000), memory=Noticed(well=((B, 3_000),)))
    found = looks(CHECKS, front, listed(A, B), now=5_000, known=Noticed(well=((B, 3_000),)))
    assert isinstance(found, Act)
    assert (found.verb, found.front) == ("bring-in", (WEB, Front((A, B))))


def test_one_that_does_not_answer_stays_out() -> None:
    assert looks(CHECKS, Front((A, B), out=(B,)), listed(A, B), now=9_000, serving=(A,)) == Wait(None, forget=True)


def test_two_checks_that_fail_take_it_out() -> None:
    front, failing = Front((A, B)), {B: 6_000}
    waits = looks(CHECKS, front, listed(A, B), now=6_000, serving=(A,), failing=failing)
    assert waits == Wait(Bounds.at(15_000), memory=Noticed())
    found = looks(CHECKS, front, listed(A, B), now=15_000, serving=(A,), failing=failing)
    assert isinstance(found, Act)
    assert (found.verb, found.front) == ("take-out", (WEB, Front((A, B), out=(B,))))


def test_if_all_are_kept_out_it_sends_to_all() -> None:
    assert Front((A, B), out=(A, B)).rules.backends == (A, B)


def test_a_change_of_what_answers_makes_it_look_at_its_services() -> None:
    world = World(load=(POLLS, Load(Ref("Service", "default", "api"), 5, 0)))
    assert LOOP.reconcile(Turn(world, LOOP, "", CLIENTS)) == Wait(None, also=(WEB,))
    assert LOOP.reconcile(Turn(World(), LOOP, "", CLIENTS)) is None
