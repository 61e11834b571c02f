"""The race of the termination flow: when requests fail, how many, and what makes it safe."""

from __future__ import annotations

from fractions import Fraction

import pytest

from app.sim.lags import DEFAULT_LAGS
from app.sim.ledger import requests
from app.story.fact import Subject
from app.story.facts import FACTS
from app.story.play import Play, play, request
from app.story.searching import asked, failed_range, is_safe, smallest_safe_prestop, worst_phase

SETTINGS = tuple[tuple[str, str], ...]
VARIES = ("kubelet", "kube-controller-manager", "kube-proxy")


def walk(*settings: tuple[str, str], scene: str = "") -> Play:
    return play(request("termination", settings=settings, scene=scene))


def fact(played: Play, name: str) -> float | bool | str | None:
    return FACTS[name](Subject(played.walk, played.target)).value


def instant(played: Play, moment: str) -> int:
    return next(row.step.at for row in played.steps if row.step.moment == moment)


def test_requests_fail_between_the_exit_and_the_last_node_s_rules_and_nowhere_else() -> None:
    played = walk()
    exit_at = instant(played, "process-exited")
    target = next(
        pod.ip for host in played.walk.start.hosts.values() for pod in host.pods.values() if pod.ref == played.target
    )
    # Rules still lead to the target in worlds up to this instant.
    stale = [
        row.step.at
        for row in played.walk.records
        if any(
            target in rules.backends for host in row.step.before.hosts.values() for rules in host.proxy.rules.values()
        )
    ]
    ledger = played.walk.world.ledger
    assert ledger.first == exit_at
    assert ledger.last == max(stale)
    assert not ledger.failing
    before = next(row for row in played.walk.records if row.step.at == exit_at)
    assert requests(before.step.before.ledger.exposure(exit_at), before.step.before.load, 3) == 0


def test_the_failed_requests_are_rate_over_nodes_over_backends_times_the_window() -> None:
    """30/s over 3 nodes is 10/s through each; one of three backends is gone."""
    played = walk()
    ledger = played.walk.world.ledger
    spent = {tally.node: 0 for tally in ledger.spent}
    for tally, milliseconds in ledger.spent.items():
        spent[tally.node] += milliseconds
        assert tally.of == 3
    expected = sum(Fraction(10 * milliseconds, 3 * 1000) for milliseconds in spent.values())
    assert fact(played, "requests-failed") == float(round(expected, 3))


@pytest.mark.parametrize("settings", [(("prestop", "15s"),), (("on_sigterm", "drain=10s"),)])
def test_serving_on_until_all_rules_have_changed_makes_it_safe(settings: SETTINGS) -> None:
    played = walk(*settings)
    assert fact(played, "requests-failed") == 0
    assert fact(played, "requests-cut") == 0


def test_an_app_that_ignores_sigterm_is_killed_at_the_end_of_the_grace() -> None:
    played = walk(("on_sigterm", "ignore"))
    sigterm, sigkill = instant(played, "sigterm-sent"), instant(played, "sigkill-sent")
    assert sigkill - sigterm == 30_000
    assert fact(played, "exit-code") == 137


def test_a_hook_longer_than_the_grace_is_cut_and_two_seconds_are_left() -> None:
    played = walk(("prestop", "40s"), ("on_sigterm", "ignore"))
    cut, killed = instant(played, "prestop-cut"), instant(played, "sigkill-sent")
    started = instant(played, "prestop-started")
    assert cut - started == 30_000
    assert killed - started == 32_000
    assert walk(("prestop", "40s")).walk.world.now < 32_000


def test_the_endpoint_stays_serving_and_terminating_until_the_phase_is_terminal() -> None:
    played = walk(("on_sigterm", "drain=10s"))
    marked, terminal = instant(played, "endpoint-terminating"), instant(played, "pod-terminal")
    removed = instant(played, "endpoint-removed")
    assert marked < 1_000
    assert 10_000 <= terminal <= removed <= terminal + 100
    conditions = {
        (row.conditions.ready, row.conditions.serving, row.conditions.terminating)
        for record in played.walk.records
        if marked < record.step.at < terminal
        for piece in record.step.world.etcd.find("EndpointSlice")
        for row in piece.endpoints  # type: ignore[union-attr]
        if row.targetRef is not None and row.targetRef.name == played.target.name
    }
    assert conditions == {(False, True, True)}


def test_the_most_that_search_finds_is_what_the_lags_add_up_to() -> None:
    """One node: the program may be gone as soon as the kubelet hears (least lag, then its exit).

    The slice's change may be seen at the controllers' and kube-proxy's most; a sync that just began may last its
    most, one second must pass, and the next changes the rules after its most.
    """
    played = walk()
    lags = {name: DEFAULT_LAGS[name] for name in DEFAULT_LAGS}
    earliest = lags["kubelet"].least + lags["process-exit"].usual
    latest = sum(lags[name].most for name in ("kube-controller-manager", "kube-proxy", "proxy-sync", "proxy-commit"))
    window = latest + 1_000 - earliest
    assert worst_phase(played.walk.start, "node-1") + 1_000 + lags["proxy-commit"].most == latest + 1_000
    found = failed_range(played, VARIES)
    assert found.exact
    assert found.least == 0
    assert found.most == 3 * Fraction(10 * window, 3 * 1_000)


def test_the_smallest_safe_pre_stop_is_safe_and_one_second_less_is_not() -> None:
    asked_for = request("termination")
    found = smallest_safe_prestop(asked_for, VARIES, 30)
    assert found == 2
    assert is_safe(asked_for, VARIES, found)
    assert not is_safe(asked_for, VARIES, found - 1)


def test_a_cost_is_divided_once() -> None:
    assert asked(walk(), 0) == 0
