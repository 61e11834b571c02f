"""What stands still while nobody decides, as the flow about the API server's outage shows it."""

from __future__ import annotations

import pytest

from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.play import play, request
from app.story.stretches import stretches


def fact(name: str, scene: str = "", until: str = "", **settings: str) -> Fact:
    played = play(request("api-outage", scene=scene, until=until, settings=tuple(settings.items())))
    return FACTS[name](Subject(played.walk, played.target))


def seconds(name: str, scene: str = "", until: str = "", **settings: str) -> float:
    found = fact(name, scene, until, **settings).value
    assert isinstance(found, float)
    return found


def test_a_pod_waits_for_the_scheduler_from_its_creation_on() -> None:
    """Created at 5.010 s, 5 ms and 5 ms after the scale; bound when the scheduler leads again, at 121.2 s."""
    found = fact("longest-unbound", "pods-pending")
    assert found.value == pytest.approx(121.2 - 5.01, abs=0.01)
    assert dict(found.more)["what"].startswith("pod/web-")


def test_a_wait_that_has_no_end_lasts_as_long_as_the_walk() -> None:
    assert 30 < seconds("longest-unbound", "pods-pending", until="40s") <= 35
    assert 55 < seconds("longest-unbound", "pods-pending", until="65s") <= 60


def test_the_api_is_wrong_from_the_fault_until_the_kubelet_could_write() -> None:
    """Faulty from 20 s on; the kubelet's status is written in its own rhythm, within 10 s of the return at 92 s."""
    assert 72 < seconds("status-lied", "readiness-fails") <= 82


def test_a_crash_is_no_lie_worth_telling_and_no_loss() -> None:
    """Started again by the next look at the runtime, within a second, and serving half a second later."""
    assert seconds("status-lied") < 1.6
    assert seconds("capacity-lost") < 1.6
    assert seconds("left-dead") < 1.1


def test_pods_that_serve_and_are_said_not_to_be_ready_are_lied_about_too() -> None:
    assert seconds("status-lied", "kubelets-cut") > 60
    assert seconds("capacity-lost", "kubelets-cut") == 0


def test_capacity_is_back_when_the_replacement_serves() -> None:
    """Lost at 20 s; the replacement's program needs a second after its start."""
    found = fact("capacity-lost", "capacity-lost")
    assert found.value == pytest.approx(460.552 - 20, abs=0.01)
    assert dict(found.more)["what"] == "deployment/web"


@pytest.mark.parametrize(("scene", "least"), [("kubelet-restarted", 100.0), ("host-rebooted", 80.0)])
def test_what_a_kubelet_does_not_know_is_left_dead(scene: str, least: float) -> None:
    assert least < seconds("left-dead", scene) < least + 20


def test_a_machine_that_is_off_leaves_nothing_lying_about() -> None:
    assert seconds("left-dead", "node-dies") == 0


def test_a_rollout_stands_from_its_last_step_to_the_first_after_the_return() -> None:
    """Its last write before the outage at 3 s is a status at 0.360 s, the next the kubelet's at 95.748 s."""
    assert seconds("rollout-stood", "rollout-frozen") == pytest.approx(95.748 - 0.36, abs=0.01)
    assert seconds("rollout-stood", "pods-pending") == 0


def test_runs_are_counted_by_their_times() -> None:
    """12:00 runs, 12:01 is lost, 12:02 is made up, 12:03 is held; the walk ends before 12:04."""
    found = fact("runs-skipped", "job-overlaps")
    assert (found.value, dict(found.more)) == (2, {"due": "60 s, 180 s", "of": "4"})


def test_a_run_is_late_by_the_clock_of_its_schedule() -> None:
    found = fact("run-late", "job-late")
    assert found.value == pytest.approx(109.1 - 60, abs=0.01)
    assert seconds("run-late") == 0


@pytest.mark.parametrize(("deadline", "skipped"), [("40s", 1.0), ("48s", 1.0), ("51s", 0.0), ("5m", 0.0)])
def test_a_deadline_shorter_than_the_delay_skips_the_run(deadline: str, skipped: float) -> None:
    """Due at 60 s, and the controllers are back at 109.1 s."""
    assert seconds("runs-skipped", "job-skipped", deadline=deadline) == skipped


def test_requests_to_the_dead_are_told_apart_from_those_turned_away() -> None:
    assert seconds("met-nobody", "node-dies") > 1000
    assert seconds("met-nobody", "kubelets-cut") == 0
    assert seconds("requests-failed", "kubelets-cut") > 1000


def test_a_stretch_has_its_ends_and_its_step() -> None:
    walk = play(request("api-outage", scene="node-dies")).walk
    off = [
        (row.what, row.since, row.until, row.step)
        for row in stretches(walk, lambda world: [node for node in world.nodes if not world.hosts[node].power])
    ]
    step = next(row.n for row in walk.steps if row.step.verb == "power-off")
    assert off == [("node-1", 20_000, walk.world.now, step)]


def test_a_dead_nodes_share_fails_from_its_death_on() -> None:
    """A third of 30 requests a second and a half of 10 queries, from 20 s on: 15 a second, until the return and on."""
    assert seconds("requests-failed", "node-dies", until="20s") == 0
    found = [seconds("requests-failed", "node-dies", until=until) for until in ("92s", "109100ms")]
    assert found == [pytest.approx(15 * (92 - 20), abs=30), pytest.approx(15 * (109.1 - 20), abs=30)]
