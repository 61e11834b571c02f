"""The API server's absence and return, as the flow about it shows them: who gave up, and when each was back."""

from __future__ import annotations

import pytest

from app.story.fact import Fact, Subject
from app.story.facts import FACTS
from app.story.play import play, request


def fact(name: str, scene: str = "", **settings: str) -> Fact:
    played = play(request("api-outage", scene=scene, settings=tuple(settings.items())))
    return FACTS[name](Subject(played.walk, played.target))


def value(name: str, scene: str = "", **settings: str) -> float | bool | str | None:
    return fact(name, scene, **settings).value


@pytest.mark.parametrize(("outage", "away"), [("6s", 8.0), ("30s", 32.0), ("2m", 122.0)])
def test_the_api_server_is_away_until_it_serves_two_seconds_after_its_start(outage: str, away: float) -> None:
    assert value("api-away", outage=outage) == away
    assert value("kubectl-away", outage=outage) == away


def test_who_is_cut_off_is_told_by_name_and_kubectl_is_not() -> None:
    found = fact("api-away", "control-plane-cut")
    assert (found.value, dict(found.more)["who"]) == (90.0, "kube-controller-manager, kube-scheduler")
    assert value("kubectl-away", "control-plane-cut") == 0


@pytest.mark.parametrize(
    ("scene", "lost"),
    [
        pytest.param("", 2, id="an outage of 92 s"),
        pytest.param("short", 0, id="less than the renew deadline of 10 s"),
        pytest.param("pods-pending", 1, id="only the scheduler is cut off"),
        pytest.param("kubelets-cut", 0, id="leaders reach the API server all the time"),
        pytest.param("no-leader-election", 1, id="who does not lead by a Lease cannot lose it"),
    ],
)
def test_leaders_that_cannot_renew_exit(scene: str, lost: int) -> None:
    assert value("leaders-lost", scene) == lost


def test_a_leader_exits_ten_to_twelve_seconds_after_the_api_server_went() -> None:
    """api-kill-60s: 11.5 s."""
    found = dict(fact("leaders-lost").more)["at"]
    assert 10 <= float(found.removesuffix(" s")) <= 12


def test_who_comes_back_and_when_is_as_recorded() -> None:
    """api-kill-60s: the controllers 17 s after the server, the scheduler 59 s; proxy-api-down-30s: 37 to 61 s."""
    assert value("controllers-back", outage="1m") == pytest.approx(17, abs=1)
    scheduler = value("scheduler-back", outage="1m")
    assert isinstance(scheduler, float)
    assert 15 < scheduler < 80
    watches = value("watches-back", outage="30s")
    assert isinstance(watches, float)
    assert watches <= 61


def test_nobody_is_back_before_the_return() -> None:
    played = play(request("api-outage", until="80s"))
    subject = Subject(played.walk, played.target)
    assert [FACTS[name](subject).value for name in ("controllers-back", "scheduler-back", "watches-back")] == [None] * 3


def test_nobody_who_was_never_away_is_waited_for() -> None:
    assert [value(name, "short") for name in ("controllers-back", "scheduler-back")] == [0.0, 0.0]


def test_a_restart_is_local_only_while_its_kubelet_is_alone() -> None:
    """The worker crashes at 20 s: within an outage of 92 s, and after one of 8 s."""
    found = fact("local-restarts")
    assert found.value == 1
    assert dict(found.more)["pods"].startswith("worker-")
    assert value("local-restarts", "short") == 0


def test_a_node_is_given_up_only_when_that_could_be_written() -> None:
    """Without leader election the attempts begin during the outage, and are refused."""
    found = fact("nodes-unknown", "no-leader-election")
    assert found.value == 3
    assert float(dict(found.more)["at"].removesuffix(" s")) > 122


def test_pods_of_a_lost_node_are_evicted_once() -> None:
    assert value("taint-evictions", "capacity-lost") == 2
    assert value("taint-evictions", "kubelets-cut") == 0
