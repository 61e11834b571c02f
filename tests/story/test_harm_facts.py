"""The flow about probes: what was harmed where no probe saw it, and what was ended that was only slow."""

from __future__ import annotations

import pytest

from app.story.fact import Subject
from app.story.facts import FACTS
from app.story.play import play, request


def fact(name: str, scene: str = "", **settings: str) -> float | bool | str | None:
    played = play(request("probes", scene=scene, settings=tuple(settings.items())))
    return FACTS[name](Subject(played.walk, played.target)).value


def test_every_request_of_an_outage_that_no_probe_sees_is_answered_badly() -> None:
    """45 s of 30 requests a second."""
    assert fact("answered-badly", "nobody-checks-dependency") == 45 * 30
    assert fact("answered-badly", "nobody-checks-dependency", rate="12") == 45 * 12


def test_of_one_wedged_pod_of_three_a_third_is_answered_badly_until_the_rules_change() -> None:
    """Readiness fails at 5.320 s, the rules follow 36 ms later: 10 requests a second for 5.356 s."""
    assert fact("answered-badly") == 53.56


def test_connections_that_a_service_without_endpoints_rejects_reach_no_program() -> None:
    assert fact("answered-badly", "under-load") == 0
    assert fact("requests-failed", "under-load") == 55 * 30


@pytest.mark.parametrize(
    ("scene", "kills"),
    [
        pytest.param("long-pause", 1, id="no answer in time"),
        pytest.param("", 0, id="an answer, and a bad one"),
        pytest.param("pause-tolerated", 0, id="no answer for less long than liveness allows"),
        pytest.param("slow-boot", 0, id="a start that is too slow is another matter"),
    ],
)
def test_a_kill_for_slowness_is_one_after_a_timeout(scene: str, kills: int) -> None:
    assert fact("timeout-kills", scene) == kills


@pytest.mark.parametrize("period", ["5s", "10s", "20s"])
def test_liveness_on_a_dependency_restarts_every_replica_within_one_period_and_readiness_none(period: str) -> None:
    scene = "liveness-checks-dependency"
    window = fact("restart-window", scene, liveness_period=period, liveness_failures="2")
    assert isinstance(window, float)
    assert window <= float(period.removesuffix("s"))
    assert fact("pods-restarted", scene, liveness_period=period, liveness_failures="2") == 3
    assert fact("restarts", "readiness-checks-dependency", liveness_period=period, liveness_failures="2") == 0
