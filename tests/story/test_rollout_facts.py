"""How a rollout went, as the flow about it shows."""

from __future__ import annotations

import pytest

from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.play import play, request


def fact(name: str, scene: str = "", **settings: str) -> Fact:
    played = play(request("rollout", scene=scene, settings=tuple(settings.items())))
    return FACTS[name](Subject(played.walk, played.target))


def number(name: str, scene: str = "", **settings: str) -> float:
    found = fact(name, scene, **settings).value
    assert isinstance(found, float)
    return found


def test_it_is_over_when_all_are_new_and_available() -> None:
    """Three times image, start and readiness, one after the other; the second new pod on a node pulls nothing."""
    assert number("rollout-finished") == pytest.approx(7.776, abs=0.05)
    assert fact("rollout-finished", "bad-image").value is None
    assert number("rollout-finished", "undone") > 40


def test_min_ready_seconds_is_waited_for_at_every_pod() -> None:
    assert number("rollout-finished", "min-ready") > 3 * 10


@pytest.mark.parametrize(("scene", "code"), [("", 0.0), ("bad-image", 1.0), ("never-ready", 1.0), ("no-room", 1.0)])
def test_status_has_an_exit_code(scene: str, code: float) -> None:
    assert fact("rollout-exit", scene).value == code


def test_the_deadline_counts_from_the_last_progress() -> None:
    """The new pod is created within 50 ms, and nothing becomes better after that; times are kept in whole seconds."""
    assert number("stalled-at", "bad-image") == pytest.approx(30, abs=1.1)
    assert fact("stalled-at").value is None
    assert dict(fact("stalled-at").more) == {"reason": "none"}


@pytest.mark.parametrize(
    ("scene", "fewest"), [("", 3.0), ("too-many-at-once", 1.0), ("single-replica", 0.0), ("room-made", 5.0)]
)
def test_never_fewer_are_ready_than_the_strategy_allows(scene: str, fewest: float) -> None:
    assert fact("fewest-ready", scene).value == fewest


def test_terminating_pods_come_on_top_of_the_surge() -> None:
    """Three replicas, one more, and with a hook of 5 s those that are leaving."""
    assert number("most-pods") == 6
    assert dict(fact("most-pods").more) == {"terminating": "2"}
    assert number("most-pods", prestop="0s") == 4


def test_two_versions_are_ready_side_by_side() -> None:
    """From the first new pod that is Ready at 2.748 s to the deletion of the last old one at 7.763 s."""
    assert number("versions-mixed") == pytest.approx(7.763 - 2.748, abs=0.01)
    assert number("versions-mixed", "bad-image") == 0


def test_the_rest_carries_the_load() -> None:
    """30 requests a second, on one pod of three."""
    assert number("peak-per-pod", "too-many-at-once") == 30
    assert number("peak-factor", "too-many-at-once") == 3
    assert number("peak-factor") == 1


def test_the_two_races_are_told_apart() -> None:
    stop, start = number("failed-at-stop", "no-prestop"), number("failed-at-start", "no-prestop")
    assert stop == number("requests-failed", "no-prestop")
    assert (start, number("failed-at-stop", "ready-too-early")) == (0, 0)
    assert number("failed-at-start", "ready-too-early") == number("requests-failed", "ready-too-early")


def test_with_no_address_left_no_pod_is_to_blame() -> None:
    parts = number("failed-at-stop", "single-replica") + number("failed-at-start", "single-replica")
    assert 0 < parts < number("requests-failed", "single-replica")


def test_the_races_are_told_apart_where_attempts_are_made_again() -> None:
    """Two of three leave at once, and one more attempt does not always find the third."""
    settings = {"max_surge": "0", "max_unavailable": "2", "path": "ingress", "prestop": "0s", "retries": "1"}
    lost = number("failed-at-stop", **settings)
    assert lost == number("requests-failed", **settings) > 0


@pytest.mark.parametrize(("offset", "behind"), [("0s", 3 - 2.768), ("2700ms", 2.7 + 3 - 2.768)])
def test_a_front_is_behind_until_it_reads_again(offset: str, behind: float) -> None:
    """The first old pod is ready no more at 2.768 s; readings come every 3 s."""
    assert number("front-behind", path="ingress", route_offset=offset, replicas="1") == pytest.approx(behind, abs=0.01)
    assert number("front-behind") == 0
