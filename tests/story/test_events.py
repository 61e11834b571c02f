"""Events as the recorders write them: counted, throttled, and forgotten with the kubelet that wrote them."""

from __future__ import annotations

from msgspec.structs import replace

from app.kube.meta import ObjectMeta, Ref
from app.kube.pods import Pod
from app.sim.acts import Event
from app.sim.index import Index, Stored
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


def test_an_object_made_anew_under_the_same_name_is_counted_from_one() -> None:
    """The recorder's key holds the uid."""

    def about(uid: str, at: int) -> Record:
        made = Pod(ObjectMeta(POD.name, namespace=POD.namespace, uid=uid))
        row = record(at, KILLING)
        return replace(row, step=replace(row.step, world=World(etcd=Index().put(Stored(1, made)))))

    found = recorded(walk(about("a", 1_000), about("a", 2_000), about("b", 3_000)))
    assert [(row.uid, row.count, row.first) for _, row in found] == [("a", 1, 1_000), ("a", 2, 1_000), ("b", 1, 3_000)]
