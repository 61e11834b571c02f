"""CoreDNS's table: which names it answers by what it believes, one change at a time."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.meta import Ref
from app.kube.networking import Endpoint, EndpointSlice, Service
from app.kube.objects import Object
from app.loops.coredns import LOOP
from app.sim.acts import Act
from app.sim.maps import Map
from app.sim.naming import ZONE, Zone
from tests.loops.beliefs import decided, only, service, turn
from tests.loops.test_kube_proxy import endpoint, listed

NAME = "web.default.svc.cluster.local"


def with_ip(address: str, name: str = "web") -> Service:
    made = service()
    return replace(made, metadata=replace(made.metadata, name=name), spec=replace(made.spec, clusterIP=address))


WEB, HEADLESS = with_ip("10.96.0.9"), with_ip("None")


def decision(known: dict[str, tuple[str, ...]] | None, *believes: Object) -> Act | None:
    memory = {} if known is None else {ZONE: Zone(Map(known))}
    found = decided(LOOP, turn(LOOP, ZONE, *believes, memory=memory))
    if not found:
        return None
    act = only(found)
    assert isinstance(act, Act)
    return act


def records(act: Act | None) -> dict[str, tuple[str, ...]]:
    assert act is not None
    assert isinstance(act.memory, Zone)
    return dict(act.memory.records.items())


def test_what_is_answered_already_is_left_alone() -> None:
    assert decision({NAME: ("10.96.0.9",)}, WEB, listed(endpoint(1))) is None


def test_a_new_service_gets_a_name_before_it_has_endpoints() -> None:
    act = decision({}, WEB)
    assert act is not None
    assert (act.verb, act.reason, act.outcome, act.object) == ("serve-name", "NewName", "10.96.0.9", WEB.ref)
    assert records(act) == {NAME: ("10.96.0.9",)}


def test_endpoints_change_the_answer_of_a_headless_service_only() -> None:
    act = decision({NAME: ("10.244.1.1",)}, HEADLESS, listed(endpoint(1), endpoint(2), headless=True))
    assert act is not None
    assert (act.verb, act.outcome) == ("change-answer", "10.244.1.1, 10.244.1.2")


def test_a_headless_service_without_ready_pods_has_no_name() -> None:
    act = decision({NAME: ("10.244.1.1",)}, HEADLESS, listed(headless=True))
    assert act is not None
    assert (act.verb, act.outcome, records(act)) == ("drop-name", "NXDOMAIN", {})


def test_a_service_that_is_gone_is_not_answered_any_more() -> None:
    act = decision({NAME: ("10.96.0.9",), "api.default.svc.cluster.local": ("10.96.0.8",)}, with_ip("10.96.0.8", "api"))
    assert act is not None
    assert (act.verb, act.object) == ("drop-name", Ref("Service", "default", "web"))


def test_names_change_one_after_the_other() -> None:
    act = decision({}, WEB, with_ip("10.96.0.8", "api"))
    assert list(records(act)) == ["api.default.svc.cluster.local"]


def test_one_that_has_just_started_takes_all_at_once() -> None:
    act = decision(None, WEB, with_ip("10.96.0.8", "api"))
    assert act is not None
    assert (act.verb, act.outcome, len(records(act))) == ("fill", "2 names", 2)


def test_it_is_woken_by_services_and_slices() -> None:
    slice_ = EndpointSlice(listed().metadata, endpoints=(Endpoint(("10.244.1.1",)),))
    assert set(LOOP.wakes) == {"Service", "EndpointSlice"}
    assert [LOOP.wakes[obj.kind](None, obj) for obj in (WEB, slice_)] == [[ZONE], [ZONE]]  # type: ignore[arg-type]


def test_where_there_is_nothing_to_know_it_does_nothing() -> None:
    assert decision(None) is None
