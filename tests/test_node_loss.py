"""What the flow about a lost node must show, whatever the phases of Leases and passes are."""

from __future__ import annotations

from itertools import pairwise

import pytest

from app.kube.endpoints import is_ready
from app.kube.meta import condition
from app.kube.networking import EndpointSlice
from app.kube.nodes import Node
from app.kube.pods import Pod
from app.sim.walk import Record
from app.story.play import Play, play, request

AGES = ("0s", "3s", "7s", "10s")


def walk(*do: str, scene: str = "", until: str = "", **settings: str) -> Play:
    choices = [("do", row) for row in do]
    return play(request("node-loss", scene=scene, settings=tuple(settings.items()), choices=choices, until=until))


def first(played: Play, moment: str, name: str = "") -> float:
    """Seconds until a moment first comes (of an object)."""
    return next(
        row.step.at / 1000
        for row in played.walk.records
        if row.step.moment == moment and row.step.object.name.startswith(name)
    )


def unknown(record: Record) -> bool:
    nodes = [commit.after for commit in record.step.commits if isinstance(commit.after, Node)]
    rows = [condition(node.status.conditions, "Ready") for node in nodes]
    return any(row is not None and row.status == "Unknown" for row in rows)


def usable(record: Record) -> int:
    """Ready endpoints of web."""
    pieces = [row for row in record.step.world.etcd.find("EndpointSlice") if isinstance(row, EndpointSlice)]
    return sum(is_ready(row) for piece in pieces for row in piece.endpoints)


@pytest.mark.parametrize("loss", ["power-off", "partition", "stop-kubelet"])
@pytest.mark.parametrize("age", AGES)
def test_noticed_after_40_to_56_s_and_replaced_some_350_s_after_the_loss(age: str, loss: str) -> None:
    played = walk(lease_age=age, loss=loss, until="8m")
    records = played.walk.records
    silent = next(row.step.at for row in records if unknown(row)) / 1000
    gone = next(row.step.at for row in records if usable(row) == 2) / 1000
    assert 39.8 <= silent <= gone <= 56
    assert 340 < first(played, "pod-ready", "web-") < 358
    assert first(played, "taint-eviction") - first(played, "no-execute-added") == pytest.approx(300, abs=0.1)


def replaced(played: Play) -> bool:
    """Whether there is a pod db-0 at the end that was not there at the start, and is not going."""
    old, new = (world.etcd.get(played.target) for world in (played.walk.start, played.walk.world))
    return (
        old is not None
        and new is not None
        and new.object.metadata.uid != old.object.metadata.uid
        and isinstance(new.object, Pod)
        and not new.object.terminating
    )


@pytest.mark.parametrize("loss", ["power-off", "partition", "stop-kubelet"])
def test_the_statefulsets_pod_is_not_replaced_for_as_long_as_one_looks(loss: str) -> None:
    played = walk(loss=loss, until="1h")
    assert not replaced(played)
    held = played.walk.world.etcd.get(played.target)
    assert held is not None
    assert held.object.metadata.deletionTimestamp is not None


@pytest.mark.parametrize(
    ("line", "within"),
    [
        ("10m delete node/node-1", 85),
        ("10m delete pod/db-0 force=true", 1),
        ("10m taint node/node-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute", 25),
        ("10m bring-back node/node-1", 10),
    ],
)
def test_but_when_somebody_says_that_it_is_dead_or_it_comes_back(line: str, within: int) -> None:
    played = walk(line, until="30m")
    assert replaced(played)
    made = [
        row.step.at / 1000
        for row in played.walk.records
        for commit in row.step.commits
        if commit.ref == played.target and commit.before is None
    ]
    assert 600 <= made[0] <= 600 + within


def test_no_budget_is_asked() -> None:
    played = walk()
    assert not [row for row in played.walk.records if row.step.moment in ("eviction-requested", "eviction-refused")]
    assert [row for row in played.walk.records if row.step.moment == "taint-eviction"]


def test_five_of_eight_nodes_in_one_pass_and_nothing_is_evicted() -> None:
    """As recorded in zone-5of8."""
    played = walk(scene="five-of-eight", until="1h")
    passes = {row.step.at for row in played.steps if row.step.moment == "node-unknown"}
    assert len(passes) == 1
    moments = [row.step.moment for row in played.walk.records]
    assert moments.count("node-tainted") == 5
    assert "no-execute-added" not in moments
    assert "taint-eviction" not in moments


def test_with_spread_leases_only_the_nodes_that_slip_through_are_emptied() -> None:
    """As in zone-5of8-spread: those whose turn in the queue came before the pass that turned the zone."""
    played = walk(scene="five-of-eight-spread", until="1h")
    turned = first(played, "zone-partly-disrupted")
    tainted = {
        row.step.object.name: row.step.at / 1000 for row in played.steps if row.step.moment == "no-execute-added"
    }
    assert 1 <= len(tainted) <= 2
    assert max(tainted.values()) < turned
    held = [row.step.before.etcd.get(row.step.object) for row in played.steps if row.step.moment == "taint-eviction"]
    homes = {row.object.spec.nodeName for row in held if row is not None and isinstance(row.object, Pod)}
    assert homes == set(tainted)


def test_a_zone_that_is_wholly_lost_is_emptied_one_node_in_ten_seconds() -> None:
    played = walk(scene="whole-zone")
    times = [row.step.at for row in played.steps if row.step.moment == "no-execute-added"]
    assert len(times) == 5
    assert [later - earlier for earlier, later in pairwise(times)] == [10_000] * 4


def test_when_all_are_lost_the_taints_are_taken_back_and_nobody_is_evicted() -> None:
    """As recorded in zone-8of8."""
    played = walk(scene="all-nodes", until="1h")
    moments = [row.step.moment for row in played.walk.records]
    assert moments.count("no-execute-withdrawn") == moments.count("no-execute-added") == 1
    assert "taint-eviction" not in moments
