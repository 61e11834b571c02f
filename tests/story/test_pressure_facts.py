"""The flow about eviction: what its facts say of each scene, held against what the scene was made to do."""

from __future__ import annotations

import pytest

from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.play import play, request

SCENES = ("", "limit-breach", "soft-threshold", "no-threshold", "critical-evicted", "flapping", "volume-limit")


def fact(name: str, scene: str = "", **settings: str) -> Fact:
    played = play(request("eviction-oom", scene=scene, settings=tuple(settings.items())))
    return FACTS[name](Subject(played.walk, played.target))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("pods-evicted", (1, 0, 1, 0, 2, 2, 1)),
        ("tombstones", (1, 0, 0, 0, 2, 2, 1)),
        ("evicted-unmarked", (0, 0, 1, 0, 0, 0, 0)),
        ("storage-evictions", (0, 0, 0, 0, 0, 0, 1)),
        ("oom-kills", (0, 5, 0, 0, 0, 0, 0)),
        ("node-ooms", (0, 0, 0, 2, 0, 0, 0)),
        ("oom-restarts", (0, 4, 0, 1, 0, 0, 0)),
        ("junk-outlived", (0, 0, 0, 0, 2, 0, 0)),
        ("replacements", (1, 0, 1, 0, 2, 2, 0)),
        ("pressure-taints", (1, 0, 1, 0, 1, 2, 0)),
        ("first-evicted-class", ("Burstable", None, "Burstable", None, "Burstable", "Burstable", "BestEffort")),
        ("first-killed-class", (None, None, None, "Burstable", None, None, None)),
    ],
)
def test_each_scene_is_told_from_the_others(name: str, values: tuple[float | str | None, ...]) -> None:
    assert tuple(fact(name, scene).value for scene in SCENES) == values


def test_who_it_was_is_said_with_the_step_that_decides() -> None:
    found = fact("oom-kills", "limit-breach")
    who = dict(found.more)["who"]
    assert who.startswith("report-")
    assert who.endswith("(5 times)")
    assert (found.step, dict(found.more)["at"]) == (1, "21.201 s")


def test_a_threshold_is_seen_at_the_next_of_looks_that_come_every_ten_seconds() -> None:
    """700 + 3000 + 2400 + 300 + 100 MiB are in use beside report, which grows by 20 MiB a second from 600 on."""
    crossed = (8192 - 500 - 6500 - 600) / 20
    assert fact("noticed-after").value == pytest.approx(32.3 - crossed, abs=0.002)
    later = (8192 - 100 - 6500 - 600) / 20
    found = fact("noticed-after", eviction_hard="memory.available<100Mi,nodefs.available<10%,imagefs.available<15%")
    assert found.value == pytest.approx(52.3 - later, abs=0.002)
    assert dict(found.more) == {"signal": "memory.available", "at": "52.300 s"}


def test_nothing_is_noticed_where_no_hard_threshold_was_met() -> None:
    found = fact("noticed-after", "limit-breach")
    assert (found.value, dict(found.more)) == (None, {"signal": "no signal", "at": "never"})


@pytest.mark.parametrize(("transition", "seconds"), [("5m", 310), ("1m", 70), ("10s", 20)])
def test_the_condition_is_held_from_the_last_sight_and_told_in_ten_second_rounds(transition: str, seconds: int) -> None:
    """Last seen at 33.308 s; reports go out at 3 s past each ten."""
    assert fact("pressure-seconds", transition=transition).value == seconds


def test_a_condition_that_holds_at_the_end_counts_until_the_last_step() -> None:
    """Told at 53 s; the last thing that happens is that the kubelet sees enough again."""
    assert fact("pressure-seconds", "with-priority").value == 0.308
