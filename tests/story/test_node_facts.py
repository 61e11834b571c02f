"""What is said of a lost machine: how late it was noticed, what was replaced, and what there were two of."""

from __future__ import annotations

import pytest

from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.node_facts import window
from app.story.play import Play, play, request


def walk(*do: str, scene: str = "", **settings: str) -> Play:
    return play(
        request("node-loss", scene=scene, settings=tuple(settings.items()), choices=[("do", row) for row in do])
    )


def fact(name: str, played: Play) -> Fact:
    return FACTS[name](Subject(played.walk, played.target))


def value(name: str, played: Play) -> object:
    return fact(name, played).value


def words(name: str, played: Play) -> dict[str, str]:
    return dict(fact(name, played).more)


def test_the_default_walk_by_its_own_arithmetic() -> None:
    """The Lease is renewed at -3 s and seen by the pass at 1.000; ten passes of 5.004 s later 50 s are over."""
    played = walk()
    assert value("unknown-after", played) == pytest.approx(1.000 + 10 * 5.004)
    found = fact("failover", played)
    parts = words("failover", played)
    assert parts["noticed"] == "51.0 s"
    assert parts["waited"] == "300.0 s"
    assert isinstance(found.value, float)
    assert 351.1 < found.value < 354
    assert value("replaced", played) is False
    assert words("never-confirmed", played)["pods"].startswith("db-0, web-")
    assert value("evicted-alive", played) == 0
    assert value("split-brain", played) == 0


@pytest.mark.parametrize("grace", ["50s", "40s", "20s", "1m"])
@pytest.mark.parametrize("age", ["0s", "2s", "5s", "9s", "10s"])
def test_no_phase_of_the_lease_leads_out_of_the_range(age: str, grace: str) -> None:
    played = walk(lease_age=age, grace_period=grace)
    least, most = window(played.walk)
    found = value("unknown-after", played)
    assert isinstance(found, float)
    assert least <= found * 1000 <= most


def test_the_range_for_the_default_grace_is_40_to_55_s() -> None:
    assert window(walk().walk) == (39_840, 55_044)
    found = fact("unknown-after", walk())
    assert (found.least, found.most) == (39.84, 55.044)


def test_shorter_tolerations_and_graces_shorten_the_failover_by_as_much() -> None:
    usual, sooner = value("failover", walk()), value("failover", walk(toleration="30s"))
    assert isinstance(usual, float)
    assert isinstance(sooner, float)
    # Up to a second for the probe that finds the replacement ready.
    assert usual - sooner == pytest.approx(270, abs=1)
    least = fact("failover", walk(grace_period="20s", toleration="0s")).least
    assert least is not None
    assert least < 15


def test_without_a_loss_nothing_is_said() -> None:
    played = play(request("termination"))
    assert value("unknown-after", played) is None
    assert value("failover", played) is None
    assert value("missing-for", played) == 0
    assert value("unconfirmed-for", played) == 0


def test_a_replacement_that_came_back_in_time_is_none() -> None:
    played = walk(scene="healed-in-time")
    assert value("failover", played) is None
    assert value("timers-cancelled", played) == 2
    assert value("taint-evictions", played) == 0


def test_pods_that_were_deleted_while_they_ran_are_told_apart_from_dead_ones() -> None:
    assert value("evicted-alive", walk(loss="stop-kubelet")) == 2
    assert value("evicted-alive", walk(loss="partition")) == 2
    assert value("evicted-alive", walk(loss="power-off")) == 0


def test_a_pod_without_a_controller_goes_with_its_machine_and_nobody_makes_it_again() -> None:
    played = walk(scene="bare-pod")
    assert value("bare-lost", played) == 1
    assert words("bare-lost", played)["pods"] == "importer"
    gone = next(row.step for row in played.steps if row.n == fact("bare-lost", played).step)
    assert (gone.verb, gone.object.name) == ("remove", "importer")
    assert value("replaced", played) is True  # db-0 has a StatefulSet, which made it again


def test_a_pod_without_a_controller_that_only_terminates_is_not_gone() -> None:
    """No kubelet confirms its end while the machine is off."""
    script = ("0s apply m:pod/importer", "20s power-off node/node-1")
    played = walk(*script, loss="stop-kubelet")
    assert value("bare-lost", played) == 0


def test_an_attached_disk_has_one_writer_whatever_is_forced() -> None:
    """The second database can start only when the disk is off the first one's machine."""
    played = walk("2m delete pod/db-0 force=true", loss="partition")
    assert value("replaced", played) is True
    assert value("split-brain", played) == 0
    doubled = value("two-of-a-name", played)
    assert isinstance(doubled, float)
    assert doubled > 60


def test_a_share_has_two_writers_from_the_second_start_to_the_first_end() -> None:
    played = walk(scene="split-brain")
    found = fact("split-brain", played)
    started = [
        row.step.at for row in played.walk.records if row.step.verb == "start" and row.step.object.name == "db-0"
    ]
    ended = [row.step.at for row in played.walk.records if row.step.moment == "process-exited"]
    assert found.value == (ended[0] - started[0]) / 1000
    assert dict(found.more)["volume"] == "disk-7"
    assert value("two-of-a-name", played) == found.value
    assert found.step is not None


def test_a_machine_that_is_off_writes_nothing() -> None:
    played = walk("2m delete pod/db-0 force=true", disk="false")
    assert value("replaced", played) is True
    assert (value("split-brain", played), value("two-of-a-name", played)) == (0, 0)


def test_the_wait_for_a_disk_of_a_dead_machine_is_six_minutes_and_what_the_driver_takes() -> None:
    found = value("multi-attach-for", walk(scene="forced"))
    assert isinstance(found, float)
    assert 360 < found < 400
    spared = value("multi-attach-for", walk(scene="out-of-service"))
    assert isinstance(spared, float)
    assert spared < 10
