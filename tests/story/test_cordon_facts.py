"""What is said of a cordon."""

from __future__ import annotations

from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.play import Play, play, request


def walk(*do: str, **settings: str) -> Play:
    """The cluster of the flow about draining, with other hands on it."""
    choices = [("do", text) for text in do]
    return play(request("drain", scene="pod-selector", settings=tuple(settings.items()), choices=choices))


def fact(name: str, played: Play) -> Fact:
    return FACTS[name](Subject(played.walk, played.target))


def test_pods_of_a_cordoned_node_stay() -> None:
    found = fact("pods-stayed", walk("0s cordon node/node-1"))
    assert found.value == 4
    assert dict(found.more)["of"] == "4"
    assert dict(found.more)["on"] == "node-1"
    assert found.step is not None


def test_nothing_stays_where_nothing_was_cordoned() -> None:
    assert fact("pods-stayed", walk()).value is None


def test_a_pod_that_finds_all_nodes_closed_waits_for_room() -> None:
    played = walk("1s cordon node/node-1 node/node-3", "2s scale deployment/web replicas=5")
    found = fact("waiting-for-room", played)
    assert found.value == 1
    assert dict(found.more)["message"].startswith("0/3 nodes are available: 3 node(s) were unschedulable")
    assert fact("left-cordoned", played).value == 3


def test_no_pod_is_placed_on_a_node_that_the_scheduler_knows_is_closed() -> None:
    assert fact("placed-there", walk("1s cordon node/node-1", "2s scale deployment/web replicas=6")).value == 0
