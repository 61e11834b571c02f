"""Events as the recorders write them: counted, throttled, and forgotten with the kubelet that wrote them."""

from __future__ import annotations

from app.kube.meta import Ref
from app.sim.acts import Event
from app.sim.step import Step
from app.sim.walk import Record, Walk
from app.sim.world import World
from app.story.events import newest, recorded

POD = Ref("Pod", "default", "web-1")
WORLD = World()


def record(at: int, *events: Event, loop: str = "kubelet-probes", about: Ref = POD, verb: str = "probe") -> Record:
    step = Step(
        at=at, loop=loop, node="" if loop == "you" else "n1", sender="", to="", verb=verb, object=about, outcome="",
        reason="", moment="", cause="", background=True, commits=(), events=events, output=(), command=0,
        before=WORLD, world=WORLD,
    )  # fmt: skip
    return Record(0, step.id, step, "")


KILLING = Event("Normal", "Killing", "Stopping container app", "kubelet")


def unhealthy(kind: str = "Liveness", reason: str = "Unhealthy") -> Event:
    return Event("Warning", reason, f"{kind} probe failed: ", "kubelet")


def walk(*records: Record) -> Walk:
    return Walk(WORLD, WORLD, records, "quiet")


def test_a_repeat_raises_the_count_and_keeps_the_first_time() -> None:
    found = recorded(
        walk(record(1_000, unhealthy()), record(6_000, unhealthy()), record(7_000, unhealthy("Readiness")))
    )
    assert [(at, row.at, row.first, row.count) for at, row in found] == [
        (0, 1_000, 1_000, 1),
        (1, 6_000, 1_000, 2),
        (2, 7_000, 7_000, 1),
    ]


def test_after_25_events_of_a_type_one_in_five_minutes_gets_through() -> None:
    """As in runtime-down-75s and kubelet-image-errors: reasons share the bucket, another type has its own."""
    both = [record(at * 5_000, unhealthy(), unhealthy("Readiness", "Failed")) for at in range(13)]
    later = [record(76_000, KILLING), record(299_000, unhealthy()), record(310_000, unhealthy())]
    found = recorded(walk(*both, *later))
    assert len([row for _, row in found if row.at <= 60_000]) == 25
    assert [(row.at, row.reason) for _, row in found[25:]] == [(76_000, "Killing"), (310_000, "Unhealthy")]


def test_a_kubelet_that_was_started_anew_counts_from_one() -> None:
    started = record(5_000, loop="you", verb="start", about=Ref("Process", "", "kubelet.n1"))
    elsewhere = record(6_000, loop="you", verb="start", about=Ref("Process", "", "kubelet.n2"))
    found = walk(record(1_000, unhealthy()), started, record(7_000, unhealthy()), elsewhere, record(8_000, unhealthy()))
    assert [(row.first, row.count) for _, row in recorded(found)] == [(1_000, 1), (7_000, 1), (7_000, 2)]
    assert [(row.first, row.count) for row in newest(found)] == [(1_000, 1), (7_000, 2)]
